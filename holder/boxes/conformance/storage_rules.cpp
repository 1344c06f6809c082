#include "holder/boxes/conformance/rule.h"

namespace berth::holder::boxes::conformance {
namespace {

Result<Note> made_once_removed_whole(Bench& bench) {
  const auto box = bench.box("store");
  auto& runtime = bench.runtime();
  TRY(expect(TRY(runtime.missing_storage(box)).size() == 3,
             "a box that has no storage does not miss three parts"));
  TRY(runtime.create_storage(box));
  TRY(runtime.create_storage(box));
  TRY(expect(TRY(runtime.missing_storage(box)).empty(), "made storage is missed"));
  TRY(runtime.remove_storage(box));
  TRY(runtime.remove_storage(box));
  TRY(expect(TRY(runtime.missing_storage(box)).size() == 3, "removed storage is not missed whole"));
  return Note{};
}

Result<Note> outlives_the_container(Bench& bench) {
  const auto box = TRY(bench.running("main"));
  auto& runtime = bench.runtime();
  const auto place = Place::of(box);
  TRY(bench.said(place, "for d in /home/box /box/work /box/cache; do echo kept > $d/file || exit 1; done"));
  TRY(runtime.create_storage(box));
  TRY(runtime.remove(box));
  TRY(runtime.ensure(box, bench.spec()));
  TRY(runtime.start(box, bench.spec()));
  const auto text = TRY(bench.said(place, "cat /home/box/file /box/work/file /box/cache/file"));
  TRY(expect(text == "kept\nkept\nkept", "what was written before the removal is gone: " + text));
  return Note{};
}

Result<Note> stays_while_running(Bench& bench) {
  const auto box = TRY(bench.running("main"));
  const auto removed = bench.runtime().remove_storage(box);
  TRY(expect(!removed && removed.error().code == Errc::conflict, "the storage of a running box was removed"));
  TRY(bench.said(Place::of(box), "test -d /home/box && test -w /box/work"));
  return Note{};
}

Result<Note> none_no_box(Bench& bench) {
  const auto box = bench.box("bare");
  const auto made = bench.runtime().ensure(box, bench.spec());
  TRY(expect(!made && made.error().code == Errc::conflict, "a box without storage was made"));
  TRY(expect(made.error().detail.find("work") != std::string::npos,
             "the refusal names no part: " + made.error().detail));
  TRY(bench.runtime().remove(box));
  return Note{};
}

constexpr Rule kStorageRules[] = {
    {"storage.made_and_removed",
     "Storage is made once, missed by its parts, and removed whole; doing it again changes nothing.",
     made_once_removed_whole},
    {"storage.needed", "A box without storage is not made, and the refusal names the parts.", none_no_box},
    {"storage.outlives", "Storage is the box user's own and outlives the container.", outlives_the_container},
    {"storage.in_use_stays", "The storage of a running box is not removed.", stays_while_running},
};

}  // namespace

std::span<const Rule> storage_rules() { return kStorageRules; }

}  // namespace berth::holder::boxes::conformance
