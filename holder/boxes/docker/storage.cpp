#include <algorithm>
#include <thread>

#include "base/hash.h"
#include "holder/boxes/docker/docker_runtime.h"

// The three folders of a box, and the keeper that makes and removes them.
namespace berth::holder::boxes::docker {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr milliseconds kKeeperBound{120'000};  // a large box takes its time to be removed
constexpr milliseconds kKeeperPoll{40};

constexpr const char* kCreate =
    R"(umask 077; uid=$1; box=$2; shift 2; mkdir -p /boxes/boxes && chmod 0711 /boxes/boxes
mkdir -p "/boxes/boxes/$box" && chmod 0711 "/boxes/boxes/$box" || exit 1
for part; do
  [ -d "/boxes/boxes/$box/$part" ] && [ ! -L "/boxes/boxes/$box/$part" ] && continue
  mkdir "/boxes/boxes/$box/.$part" 2>/dev/null
  chown "$uid:$uid" "/boxes/boxes/$box/.$part" && mv "/boxes/boxes/$box/.$part" "/boxes/boxes/$box/$part" || exit 1
done)";
constexpr const char* kMissing = R"(box=$1; shift; for part; do
  [ -d "/boxes/boxes/$box/$part" ] && [ ! -L "/boxes/boxes/$box/$part" ] || echo "$part"; done)";
// The name goes first, so that a removal cut off in the middle leaves no box that looks whole.
constexpr const char* kRemove = R"(cd /boxes/boxes 2>/dev/null || exit 0
[ ! -d "$1" ] || mv "$1" ".gone-$1-$$" || exit 1
for old in .gone-"$1"-*; do [ ! -d "$old" ] || rm -rf "$old" || exit 1; done)";
constexpr const char* kFolders = R"(cd /boxes/boxes 2>/dev/null || exit 0
for box in * .gone-*; do [ -d "$box" ] && echo "$box"; done; exit 0)";

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (const auto& part : kParts) names.emplace_back(part.name);
  return names;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t from = 0;
  while (from < text.size()) {
    const auto end = std::min(text.find('\n', from), text.size());
    if (end > from) lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

client::ContainerSpec keeper_container(const BoxesConfig& config, const std::string& name,
                                       const std::string& box) {
  client::ContainerSpec keeper;
  keeper.name = name;
  keeper.image = config.image;
  keeper.user = "0:0";
  keeper.network_mode = "none";
  keeper.read_only = true;
  keeper.cap_drop = {"ALL"};
  keeper.cap_add = {"CHOWN", "DAC_OVERRIDE", "FOWNER"};
  keeper.security_opt = {"no-new-privileges"};
  keeper.pids_limit = 64;
  keeper.labels = {{kKeeperLabel, box}};
  client::VolumeMount data;
  data.type = "volume";
  data.source = config.data_volume;
  data.target = "/boxes";
  keeper.volumes = {data};
  return keeper;
}

}  // namespace

/// Waits for its end; what it printed if that was well.
Result<std::string> DockerRuntime::keeper_said(engine::BoxCalls& calls, const std::string& id) {
  TRY(calls.engine().start(id));
  const auto until = Steady::now() + kKeeperBound;
  for (;;) {
    const auto now = TRY(calls.engine().inspect(id));
    if (now.summary.state != "running" && now.summary.state != "created") {
      std::string said;
      for (const auto& line : TRY(calls.engine().logs(id, {.tail = 2000, .since = {}, .until = {}})).lines)
        said += line.text + "\n";
      if (now.summary.exit_code == 0) return said;
      return fail(Errc::failed, "the data volume " + config_.data_volume + ": " + said);
    }
    if (Steady::now() > until) return fail(Errc::timeout, "the data volume: not done within the time bound");
    std::this_thread::sleep_for(kKeeperPoll);
  }
}

Result<std::string> DockerRuntime::keep(const std::string& box, const std::string& script,
                                        const std::vector<std::string>& arguments) {
  const auto open = TRY(calls());
  TRY(remove_keepers(*open, box));
  auto spec = keeper_container(config_, "boxes-keeper-" + random_hex(6), box);
  spec.entrypoint = std::vector<std::string>{"sh"};
  spec.command = std::vector<std::string>{"-c", script, "sh"};
  spec.command->insert(spec.command->end(), arguments.begin(), arguments.end());
  TRY(open->engine().ensure_volume(config_.data_volume, {{"boxes.data", "1"}}));
  keepers_.with([&](auto& names) { names.insert(spec.name); });
  const auto created = open->engine().create(spec);
  auto said = created ? keeper_said(*open, created->id) : Result<std::string>{created.error()};
  if (created) {
    const auto removed = open->engine().remove(created->id, true, false);
    if (said && !removed) said = removed.error();
  }
  keepers_.with([&](auto& names) { names.erase(spec.name); });
  return said;
}

Status DockerRuntime::create_storage(const BoxId& box) {
  const auto turn = turns_.take(box.text());
  make_agree(*TRY(calls()), box);
  auto arguments = part_names();
  arguments.insert(arguments.begin(), {std::to_string(config_.uid), box.text()});
  TRY(keep(box.text(), kCreate, arguments));
  return {};
}

Result<std::vector<std::string>> DockerRuntime::missing_storage(const BoxId& box) {
  auto arguments = part_names();
  arguments.insert(arguments.begin(), box.text());
  return lines_of(TRY(keep(box.text(), kMissing, arguments)));
}

Status DockerRuntime::remove_storage(const BoxId& box) {
  const auto turn = turns_.take(box.text());
  const auto open = TRY(calls());
  make_agree(*open, box);
  const auto container = TRY(named(*open, box_name(box)));
  if (container && runs(*container))
    return fail(Errc::conflict, "box " + box.text() + " runs: its storage stays");
  TRY(keep(box.text(), kRemove, {box.text()}));
  return {};
}

Status DockerRuntime::have_storage(const BoxId& box) {
  auto missing = TRY(missing_storage(box));
  if (missing.empty()) return {};
  std::string names;
  for (const auto& name : missing) names += (names.empty() ? "" : ", ") + name;
  return fail(Errc::conflict, "box " + box.text() + " has no storage: " + names + " missing");
}

/// What a removal left half done counts as the box's still.
Result<std::vector<Object>> DockerRuntime::folders() {
  std::vector<Object> found;
  for (const auto& line : lines_of(TRY(keep("", kFolders, {})))) {
    auto box = line;
    if (box.starts_with(".gone-")) box = box.substr(6, box.rfind('-') - 6);
    if (!BoxTag::allows(box)) continue;
    const Object folder{"folder", box, box};
    if (found.empty() || std::ranges::find(found, folder) == found.end()) found.push_back(folder);
  }
  return found;
}

Result<std::string> DockerRuntime::data_path(engine::BoxCalls& calls) {
  return calls.volume_path(config_.data_volume);
}

}  // namespace berth::holder::boxes::docker
