#include <algorithm>
#include <tuple>

#include "holder/boxes/docker/docker_runtime.h"

namespace berth::holder::boxes::docker {
namespace {

std::string label_at(const engine::Summary& row, const char* key) {
  const auto at = row.labels.find(key);
  return at == row.labels.end() ? std::string{} : at->second;
}

/// A box's container goes before its network, and that before its folder; logins and keepers wait for
/// nothing.
int rank_of(const Object& object) {
  if (object.kind == "container" || object.kind == "login") return 0;
  return object.kind == "network" ? 1 : 2;
}

}  // namespace

Result<std::vector<Object>> DockerRuntime::inventory() {
  const auto open = TRY(calls());
  std::vector<Object> found = TRY(folders());
  const auto at_work = keepers_.with([](const auto& names) { return names; });
  for (const auto& row : TRY(open->engine().list())) {
    if (row.labels.contains(kBoxLabel)) found.push_back({"container", row.name, label_at(row, kBoxLabel)});
    if (row.labels.contains(kLoginLabel)) found.push_back({"login", row.name, {}});
    if (row.labels.contains(kKeeperLabel) && !at_work.contains(row.name))
      found.push_back({"container", row.name, label_at(row, kKeeperLabel)});
  }
  for (const auto& network : TRY(open->networks_with(kBoxLabel)))
    found.push_back({"network", network.name, network.labels.at(kBoxLabel)});
  std::ranges::sort(found, [](const Object& a, const Object& b) {
    return std::tuple{a.box, rank_of(a), a.name} < std::tuple{b.box, rank_of(b), b.name};
  });
  return found;
}

Status DockerRuntime::remove_container_object(engine::BoxCalls& calls, const Object& object) {
  const auto found = TRY(named(calls, object.name));
  if (!found) return {};
  const auto& labels = found->summary.labels;
  if (!labels.contains(kBoxLabel) && !labels.contains(kLoginLabel) && !labels.contains(kKeeperLabel))
    return fail(Errc::not_granted, "the container " + object.name + " is neither a box's nor a login's");
  const auto removed = calls.engine().remove(found->summary.id, true, true);
  if (!removed && removed.error().code != Errc::not_found) return removed.error();
  if (labels.contains(kBoxLabel) && BoxTag::allows(labels.at(kBoxLabel)))
    return ledger_.forget({Place::Kind::box, labels.at(kBoxLabel)});
  if (labels.contains(kLoginLabel)) return ledger_.forget({Place::Kind::login, labels.at(kLoginLabel)});
  return {};
}

Status DockerRuntime::remove_object(const Object& object) {
  const auto open = TRY(calls());
  if (object.kind == "container" || object.kind == "login") {
    const auto turn = turns_.take(object.box.empty() ? object.name : object.box);
    return remove_container_object(*open, object);
  }
  if (object.kind == "folder") {
    const auto box = TRY(BoxId::parse(object.name));
    if (TRY(named(*open, box_name(box))))
      return fail(Errc::conflict, "the container " + box_name(box) + " must be removed before its folder");
    return remove_storage(box);
  }
  if (object.kind != "network")
    return fail_field(Errc::bad_request, "kind", "\"" + object.kind + "\" is no kind of object here");
  const auto found = open->network_facts(object.name);
  if (!found) return found.error().code == Errc::not_found ? Status{} : Status{found.error()};
  const auto label = found->labels.find(kBoxLabel);
  if (label == found->labels.end() || object.name != "bn-" + label->second)
    return fail(Errc::not_granted, "the network " + object.name + " is no box's");
  const auto box = TRY(BoxId::parse(label->second));
  const auto turn = turns_.take(box.text());
  return drop_network(*open, box);
}

/// Keepers of this box that a process before this one left.
Status DockerRuntime::remove_keepers(engine::BoxCalls& calls, const std::string& box) {
  const auto at_work = keepers_.with([](const auto& names) { return names; });
  for (const auto& row : TRY(calls.engine().list())) {
    const auto label = row.labels.find(kKeeperLabel);
    if (label == row.labels.end() || label->second != box || at_work.contains(row.name)) continue;
    const auto removed = calls.engine().remove(row.id, true, false);
    if (!removed && removed.error().code != Errc::not_found) return removed.error();
  }
  return {};
}

Status DockerRuntime::start_login(const LoginId& login) {
  const auto turn = turns_.take(login_name(login));
  const auto open = TRY(calls());
  const auto place = Place::of(login);
  const auto found = TRY(recorded(*open, place));
  if (found && runs(*found)) return {};
  TRY(remove_container_object(*open,
                              {"login", login_name(login), {}}));  // its home was in memory: it is gone
  const auto created = TRY(open->engine().create(login_container(login)));
  TRY(ledger_.record(place, created.id));
  return open->engine().start(created.id);
}

}  // namespace berth::holder::boxes::docker
