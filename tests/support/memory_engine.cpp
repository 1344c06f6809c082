#include "tests/support/memory_engine.h"

#include <algorithm>
#include <condition_variable>

#include "base/hash.h"
#include "base/json.h"

namespace berth::test {

using namespace holder::engine;
using Lock = std::scoped_lock<std::recursive_mutex>;

namespace {

Error refused(int status, const std::string& message) {
  auto error = fail(Errc::engine_refused, "the engine refused: " + message);
  error.engine_status = status;
  error.engine_message = message;
  return error;
}

std::vector<Mount> mounts_of(const holder::client::ContainerSpec& spec, const Engine::Image& image) {
  std::vector<Mount> mounts;
  for (const auto& mount : spec.volumes)
    mounts.push_back({mount.type, mount.source, mount.target, mount.read_only});
  for (const auto& target : image.volumes) mounts.push_back({"volume", sha256_hex(target), target, false});
  return mounts;
}

std::string network_of(const holder::client::ContainerSpec& spec) {
  if (!spec.network_mode.empty()) return spec.network_mode;
  return spec.networks.empty() ? "bridge" : spec.networks.front().name;
}

}  // namespace

MemoryEngine::MemoryEngine() {
  engine_facts.engine = {Kind::docker, "Fake Engine", "1.0", "1.41", "fake"};
  engine_facts.logging_driver = "json-file";
}

Status MemoryEngine::reach() const {
  if (!down) return {};
  return fail(Errc::engine_unreachable, "the engine does not answer on " + socket_ + ": missing");
}

/// Written down only if it reaches the engine.
Status MemoryEngine::changing(const std::string& act) {
  if (on_change) TRY(on_change(act));
  acts_.push_back(act);
  return {};
}

void MemoryEngine::put_image(const std::string& reference, Image image) {
  const Lock lock{mutex_};
  images_[image.id] = image;
  images_[reference] = std::move(image);
}
void MemoryEngine::put_network(const std::string& name, Network network) {
  const Lock lock{mutex_};
  networks_[name] = std::move(network);
}
void MemoryEngine::put_volume(const std::string& name, Volume volume) {
  const Lock lock{mutex_};
  volumes_[name] = std::move(volume);
}
void MemoryEngine::put_event(RawEvent event) {
  const Lock lock{mutex_};
  events_.push_back(std::move(event));
}

std::string MemoryEngine::put(const std::string& name, const std::map<std::string, std::string>& labels,
                            const std::string& state, const std::string& id) {
  const Lock lock{mutex_};
  Inspected container;
  auto& summary = container.summary;
  summary.id = id.empty() ? sha256_hex("container " + std::to_string(++made_)) : id;
  summary.name = name;
  summary.names = {name};
  summary.image = "mini:1";
  summary.state = state;
  summary.labels = labels;
  if (const auto held = labels.find("mesh-host.id"); held != labels.end()) summary.assignment = held->second;
  container.document =
      std::make_shared<const Json>(Json{{"HostConfig", {{"Privileged", false}, {"NetworkMode", "bridge"}}}});
  return containers_.emplace(summary.id, container).first->first;
}

std::vector<std::string> MemoryEngine::acts() const {
  const Lock lock{mutex_};
  return acts_;
}

holder::client::ContainerSpec MemoryEngine::created(const std::string& name) const {
  const Lock lock{mutex_};
  return specs_.at(name);
}

Result<EngineFacts> MemoryEngine::facts() {
  TRY(reach());
  return engine_facts;
}

Result<std::vector<Summary>> MemoryEngine::list() {
  TRY(reach());
  const Lock lock{mutex_};
  std::vector<Summary> all;
  for (const auto& [id, container] : containers_) all.push_back(container.summary);
  return all;
}

/// As Docker looks one up: full id, name, unique id prefix.
Result<Inspected*> MemoryEngine::find(const std::string& reference) {
  TRY(reach());
  if (const auto at = containers_.find(reference); at != containers_.end()) return &at->second;
  std::vector<Inspected*> matches;
  for (auto& [id, container] : containers_) {
    if (container.summary.name == reference) return &container;
    if (id.starts_with(reference)) matches.push_back(&container);
  }
  if (matches.empty()) return fail(Errc::not_found, "no such container: " + reference);
  if (matches.size() > 1) return refused(400, "multiple IDs found with provided prefix: " + reference);
  return matches.front();
}

Result<Inspected> MemoryEngine::inspect(const std::string& id) {
  const Lock lock{mutex_};
  return *TRY(find(id));
}

Result<Logs> MemoryEngine::logs(const std::string& id, const LogQuery& query) {
  const Lock lock{mutex_};
  TRY(find(id));
  Logs logs{lines_, static_cast<std::int64_t>(lines_.size()) > query.tail};
  if (logs.truncated) logs.lines.erase(logs.lines.begin(), logs.lines.end() - query.tail);
  return logs;
}

Result<std::vector<Stats>> MemoryEngine::stats(const std::vector<std::string>& ids) {
  const Lock lock{mutex_};
  std::vector<Stats> all;
  for (const auto& id : ids) {
    const auto& summary = TRY(find(id))->summary;
    Stats stats;
    stats.id = summary.id;
    stats.name = summary.name;
    if (summary.state == "running") stats.cpu_percent = static_cast<double>(all.size());
    all.push_back(stats);
  }
  return all;
}

Result<Created> MemoryEngine::create(const holder::client::ContainerSpec& spec) {
  const Lock lock{mutex_};
  TRY(reach());
  TRY(changing("create " + spec.name));
  const auto image = TRY(this->image(spec.image));
  if (!spec.name.empty() && find(spec.name))
    return fail(Errc::conflict, "the name " + spec.name + " is in use");
  auto labels = image.labels;
  for (const auto& [key, value] : spec.labels) labels[key] = value;
  if (!spec.assignment.empty()) labels["mesh-host.id"] = spec.assignment;
  const auto name = spec.name.empty() ? "quick_" + std::to_string(made_) : spec.name;
  const auto id = put(name, labels, "created");
  auto& container = containers_.at(id);
  container.summary.mounts = mounts_of(spec, image);
  container.document = std::make_shared<const Json>(
      Json{{"HostConfig",
            {{"Privileged", spec.privileged}, {"CapAdd", spec.cap_add}, {"NetworkMode", network_of(spec)}}}});
  specs_[name] = spec;
  made_of_[id] = spec;
  if (tamper) tamper(container);
  return Created{id, {}};
}

Status MemoryEngine::become(const std::string& id, const std::string& act, const std::string& state) {
  if (before_act) before_act(act);
  const Lock lock{mutex_};
  auto* container = TRY(find(id));
  TRY(changing(act + " " + container->summary.name));
  if (act == "start" && start_fails.contains(container->summary.name))
    return start_fails.at(container->summary.name);
  container->summary.state = state;
  if (act == "start" && gone_after_start) containers_.erase(std::string{container->summary.id});
  return {};
}

Status MemoryEngine::start(const std::string& id) { return become(id, "start", "running"); }
Status MemoryEngine::stop(const std::string& id, std::chrono::seconds grace) {
  return become(id, "stop(" + std::to_string(grace.count()) + ")", "exited");
}
Status MemoryEngine::restart(const std::string& id, std::chrono::seconds grace) {
  return become(id, "restart(" + std::to_string(grace.count()) + ")", "running");
}
Status MemoryEngine::kill(const std::string& id, std::string_view signal) {
  return become(id, "kill(" + std::string{signal} + ")", "running");
}

Status MemoryEngine::remove(const std::string& id, bool force, bool volumes) {
  const Lock lock{mutex_};
  const auto* container = TRY(find(id));
  TRY(changing("remove " + container->summary.name + (volumes ? " with volumes" : "")));
  if (container->summary.state == "running" && !force)
    return fail(Errc::conflict, "the container is running");
  containers_.erase(std::string{container->summary.id});
  return {};
}

Status MemoryEngine::rename(const std::string& id, const std::string& name) {
  const Lock lock{mutex_};
  auto& summary = TRY(find(id))->summary;
  TRY(changing("rename " + summary.name + " to " + name));
  if (find(name)) return fail(Errc::conflict, "the name " + name + " is in use");
  summary.name = name;
  summary.names = {name};
  return {};
}

Status MemoryEngine::pull(const std::string& reference) {
  const Lock lock{mutex_};
  TRY(reach());
  TRY(changing("pull " + reference));
  if (!registry.contains(reference)) return refused(200, "manifest for " + reference + " not found");
  put_image(reference, registry.at(reference));
  return {};
}

Result<std::vector<std::string>> MemoryEngine::differences(const std::string& id,
                                                           const holder::client::ContainerSpec& spec) {
  const Lock lock{mutex_};
  const auto made = made_of_.find(TRY(find(id))->summary.id);
  if (made == made_of_.end()) return std::vector<std::string>{"image"};
  const auto there = holder::client::spec_document(made->second);
  const auto wanted = holder::client::spec_document(spec);
  std::vector<std::string> differing;
  for (const auto& [key, value] : wanted.items()) {
    if (!there.contains(key) || there[key] != value) differing.push_back(key);
  }
  return differing;
}

Status MemoryEngine::events(std::optional<Time>, std::stop_token, const std::function<void(RawEvent)>& sink) {
  const Lock lock{mutex_};
  TRY(reach());
  for (const auto& event : events_) sink(event);
  return {};
}

Result<std::vector<RawEvent>> MemoryEngine::past_events(Time since, Time until) {
  const Lock lock{mutex_};
  TRY(reach());
  std::vector<RawEvent> found;
  std::ranges::copy_if(events_, std::back_inserter(found),
                       [&](const RawEvent& e) { return e.at >= since && e.at <= until; });
  return found;
}

Result<Engine::Image> MemoryEngine::image(const std::string& reference) {
  const Lock lock{mutex_};
  TRY(reach());
  const auto at = images_.find(reference);
  return at == images_.end() ? Result<Image>{fail(Errc::not_found, "no such image: " + reference)}
                             : Result<Image>{at->second};
}
Result<Engine::Network> MemoryEngine::network(const std::string& name) {
  const Lock lock{mutex_};
  TRY(reach());
  const auto at = networks_.find(name);
  return at == networks_.end() ? Result<Network>{fail(Errc::not_found, "no such network: " + name)}
                               : Result<Network>{at->second};
}
Result<Engine::Volume> MemoryEngine::volume(const std::string& name) {
  const Lock lock{mutex_};
  TRY(reach());
  const auto at = volumes_.find(name);
  return at == volumes_.end() ? Result<Volume>{fail(Errc::not_found, "no such volume: " + name)}
                              : Result<Volume>{at->second};
}
Status MemoryEngine::ensure_network(const std::string& name, const std::map<std::string, std::string>& labels) {
  const Lock lock{mutex_};
  TRY(reach());
  if (networks_.emplace(name, Network{sha256_hex(name), "bridge", labels}).second)
    acts_.push_back("network " + name);
  return {};
}
Status MemoryEngine::ensure_volume(const std::string& name, const std::map<std::string, std::string>& labels) {
  const Lock lock{mutex_};
  TRY(reach());
  if (volumes_.emplace(name, Volume{"local", {}, labels}).second) acts_.push_back("volume " + name);
  return {};
}

void MemoryEngine::change(const std::string& name, const std::function<void(Inspected&)>& how) {
  const Lock lock{mutex_};
  for (auto& [id, container] : containers_) {
    if (container.summary.name == name) how(container);
  }
}

Result<std::vector<ImageRow>> MemoryEngine::images() {
  const Lock lock{mutex_};
  TRY(reach());
  return rows_;
}
Result<std::vector<NetworkRow>> MemoryEngine::networks() {
  const Lock lock{mutex_};
  TRY(reach());
  return network_rows_;
}
Result<std::vector<VolumeRow>> MemoryEngine::volumes() {
  const Lock lock{mutex_};
  TRY(reach());
  return volume_rows_;
}
Result<DiskUsage> MemoryEngine::disk_usage() {
  const Lock lock{mutex_};
  TRY(reach());
  return usage;
}
Result<std::vector<Process>> MemoryEngine::processes(const std::string& id) {
  const Lock lock{mutex_};
  TRY(find(id));
  return processes_;
}
Result<std::vector<Inspected>> MemoryEngine::inspect_all(const std::vector<std::string>& ids) {
  std::vector<Inspected> all;
  for (const auto& id : ids) {
    if (auto one = inspect(id)) all.push_back(std::move(one).value());
  }
  TRY(reach());
  return all;
}
Status MemoryEngine::remove_image(const std::string& id) {
  if (before_act) before_act("remove image");
  const Lock lock{mutex_};
  TRY(reach());
  if (std::erase_if(rows_, [&](const ImageRow& row) { return row.id == id; }) == 0)
    return fail(Errc::not_found, "no such image: " + id);
  acts_.push_back("remove image " + id);
  return {};
}
Result<std::int64_t> MemoryEngine::remove_build_record(const std::string& id) {
  const Lock lock{mutex_};
  TRY(reach());
  std::int64_t freed = 0;
  std::erase_if(usage.build, [&](const BuildRecord& record) {
    const bool goes = record.id == id && !record.in_use;
    freed += goes ? record.size_bytes : 0;
    return goes;
  });
  acts_.push_back("remove build record " + id);
  return freed;
}
Status MemoryEngine::follow_logs(const std::string& id, const std::string&, std::stop_token stop,
                                 const std::function<void(LogLine)>& sink) {
  std::vector<LogLine> lines;
  {
    const Lock lock{mutex_};
    TRY(find(id));
    lines = lines_;
  }
  for (auto& line : lines) sink(std::move(line));
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock{mutex};
  ended.wait(lock, stop, [] { return false; });
  return {};
}

}  // namespace berth::test
