#include <algorithm>

#include "holder/boxes/conformance/rule.h"

// Inventory, logins, images, facts.
namespace berth::holder::boxes::conformance {
namespace {

Result<Note> in_order_of_removal(Bench& bench) {
  auto& runtime = bench.runtime();
  const auto box = TRY(bench.running("listed"));
  const auto listed = TRY(bench.kept());
  std::vector<Object> ours;
  std::ranges::copy_if(listed, std::back_inserter(ours), [&](const auto& o) { return o.box == box.text(); });
  TRY(expect(ours.size() == 3,
             "a box that runs has " + std::to_string(ours.size()) + " objects and not three"));
  for (const auto& object : ours) TRY(runtime.remove_object(object));
  for (const auto& object : ours) TRY(runtime.remove_object(object));
  const auto left = TRY(bench.kept());
  TRY(expect(std::ranges::none_of(left, [&](const auto& o) { return o.box == box.text(); }),
             "a box is still listed after all of it was removed"));
  TRY(expect(runtime.state(box) == State::stopped, "a box that was removed by its objects is not stopped"));
  TRY(expect(TRY(runtime.missing_storage(box)).size() == 3, "its storage is still there"));
  return Note{ours[0].kind + ", " + ours[1].kind + ", " + ours[2].kind};
}

Result<Note> only_what_is_theirs(Bench& bench) {
  const auto stray = TRY(bench.world().stray());
  const auto removed = bench.runtime().remove_object(stray);
  TRY(expect(!removed && removed.error().code == Errc::not_granted, "what is no box's was removed"));
  const auto odd = bench.runtime().remove_object({"no-such-kind", "x", {}});
  TRY(expect(!odd && odd.error().code == Errc::bad_request, "an object of no kind was removed"));
  TRY(bench.runtime().remove_object({stray.kind, "box-never-was", "never-was"}));
  return Note{};
}

Result<Note> login_in_memory(Bench& bench) {
  const auto login = TRY(bench.running_login());
  const auto place = Place::of(login);
  TRY(bench.runtime().start_login(login));
  const auto home =
      TRY(bench.said(place, "cd && echo secret > token && awk '$2==\"'$HOME'\"{print $3}' /proc/mounts"));
  TRY(expect(home == "tmpfs", "a login's home is on " + home));
  auto kept = TRY(bench.kept());
  const auto at = std::ranges::find(kept, std::string{"login"}, &Object::kind);
  TRY(expect(at != kept.end(), "the inventory has no login"));
  TRY(bench.runtime().remove_object(*at));
  const auto ran = bench.shell(place, "true");
  TRY(expect(!ran, "a command ran in a login that was removed"));
  TRY(bench.runtime().start_login(login));
  TRY(bench.said(place, "test ! -e $HOME/token"));
  return Note{};
}

Result<Note> facts(Bench& bench) {
  auto& runtime = bench.runtime();
  TRY(runtime.prepare());
  const auto box = TRY(bench.running("main"));
  const auto image = TRY(runtime.image_of(box));
  TRY(expect(!image.empty(), "a box that runs has no image"));
  const auto images = TRY(runtime.deployment_images());
  TRY(expect(images.contains("box") && images.contains("proxy") && !images.at("proxy").empty(),
             "the deployment's images are not told"));
  const auto details = TRY(runtime.details(box));
  for (const auto* fact :
       {"runtime", "container", "container_name", "state", "started_at", "image_id", "storage", "proxy"})
    TRY(expect(details.contains(fact) && !details.at(fact).empty(),
               std::string{"its details say no "} + fact));
  const auto health = runtime.health();
  TRY(expect(health.answering && health.proxy_ready, "its health is bad: " + health.cause));
  const auto none = runtime.image_of(bench.box("never"));
  TRY(expect(!none && none.error().code == Errc::not_found, "a box that never was has an image"));
  TRY(runtime.ensure_image());
  return Note{image};
}

Result<Note> nothing_leaks(Bench& bench) {
  TRY(bench.clear());
  return Note{};
}

constexpr Rule kKeepingRules[] = {
    {"facts", "The runtime tells its facts: images, details, health.", facts},
    {"login", "A login has its home in memory, and nothing of it stays.", login_in_memory},
    {"inventory.order", "The inventory lists a box's objects in the order in which they must be removed.",
     in_order_of_removal},
    {"inventory.only_theirs", "What bears no label of a box or login is not removed.", only_what_is_theirs},
    {"inventory.empty", "Removing what the inventory lists leaves nothing.", nothing_leaks},
};

}  // namespace

std::span<const Rule> keeping_rules() { return kKeepingRules; }

}  // namespace berth::holder::boxes::conformance
