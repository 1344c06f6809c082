#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "holder/engine/engine.h"

namespace berth::test {

/// An engine in memory that passes the same verb cases as the real ones: looks up as they do, refuses what
/// they refuse, and can be made silent, or to make another container than it was asked for. Any thread.
class MemoryEngine : public holder::engine::Engine {
 public:
  MemoryEngine();

  /// Not answering: every call is engine_unreachable.
  std::atomic<bool> down = false;
  /// Changes a container right after it was made, before anybody reads it.
  std::function<void(holder::engine::Inspected&)> tamper;
  /// Runs before every start, stop, restart and kill, with its name: it may wait.
  std::function<void(const std::string&)> before_act;
  /// Asked before every changing request, with what it is ("rename web"): it may fail it, or die there.
  std::function<Status(const std::string&)> on_change;
  /// What a registry has: reference and image. A pull of anything else is refused.
  std::map<std::string, Image> registry;
  /// A container that is started ends and removes itself at once.
  bool gone_after_start = false;
  /// What a start of such a name answers.
  std::map<std::string, Error> start_fails;

  void put_image(const std::string& reference, Image image);
  void put_network(const std::string& name, Network network);
  void put_volume(const std::string& name, Volume volume);
  void put_row(holder::engine::ImageRow row) { rows_.push_back(std::move(row)); }
  void put_network_row(holder::engine::NetworkRow row) { network_rows_.push_back(std::move(row)); }
  void put_volume_row(holder::engine::VolumeRow row) { volume_rows_.push_back(std::move(row)); }
  void put_processes(std::vector<holder::engine::Process> processes) { processes_ = std::move(processes); }
  holder::engine::DiskUsage usage;
  /// Changes a container that is there already.
  void change(const std::string& name, const std::function<void(holder::engine::Inspected&)>& how);
  void put_event(holder::engine::RawEvent event);
  void put_logs(std::vector<holder::engine::LogLine> lines) { lines_ = std::move(lines); }
  /// A container made by somebody else. Answers its id.
  std::string put(const std::string& name, const std::map<std::string, std::string>& labels,
                  const std::string& state = "running", const std::string& id = {});
  /// "create web", "start web", …: every changing request that reached the engine.
  std::vector<std::string> acts() const;
  holder::client::ContainerSpec created(const std::string& name) const;
  holder::engine::EngineFacts engine_facts;

  const holder::engine::EngineInfo& info() const override { return engine_facts.engine; }
  const std::string& socket() const override { return socket_; }
  Status ping() override { return reach(); }
  Result<holder::engine::EngineFacts> facts() override;
  Result<std::vector<holder::engine::Summary>> list() override;
  Result<holder::engine::Inspected> inspect(const std::string& id) override;
  Result<holder::engine::Logs> logs(const std::string& id, const holder::engine::LogQuery& query) override;
  Result<std::vector<holder::engine::Stats>> stats(const std::vector<std::string>& ids) override;
  Result<holder::engine::Created> create(const holder::client::ContainerSpec& spec) override;
  Status start(const std::string& id) override;
  Status stop(const std::string& id, std::chrono::seconds grace) override;
  Status restart(const std::string& id, std::chrono::seconds grace) override;
  Status remove(const std::string& id, bool force, bool volumes) override;
  Status kill(const std::string& id, std::string_view signal) override;
  Status rename(const std::string& id, const std::string& name) override;
  Status pull(const std::string& reference) override;
  /// Of a container it made itself: what differs between the two specs' documents.
  Result<std::vector<std::string>> differences(const std::string& id,
                                               const holder::client::ContainerSpec& spec) override;
  Status events(std::optional<Time> since, std::stop_token stop,
                const std::function<void(holder::engine::RawEvent)>& sink) override;
  Result<std::vector<holder::engine::RawEvent>> past_events(Time since, Time until) override;
  Result<Image> image(const std::string& reference) override;
  Result<Network> network(const std::string& name) override;
  Result<Volume> volume(const std::string& name) override;
  Status ensure_network(const std::string& name, const std::map<std::string, std::string>& labels) override;
  Status ensure_volume(const std::string& name, const std::map<std::string, std::string>& labels) override;
  Result<std::vector<holder::engine::ImageRow>> images() override;
  Result<std::vector<holder::engine::NetworkRow>> networks() override;
  Result<std::vector<holder::engine::VolumeRow>> volumes() override;
  Result<holder::engine::DiskUsage> disk_usage() override;
  Result<std::vector<holder::engine::Process>> processes(const std::string& id) override;
  Result<std::vector<holder::engine::Inspected>> inspect_all(const std::vector<std::string>& ids) override;
  Status remove_image(const std::string& id) override;
  Result<std::int64_t> remove_build_record(const std::string& id) override;
  /// Tells the lines put, and then waits until it is stopped.
  Status follow_logs(const std::string& id, const std::string& since, std::stop_token stop,
                     const std::function<void(holder::engine::LogLine)>& sink) override;

 private:
  Status reach() const;
  Status changing(const std::string& act);
  Result<holder::engine::Inspected*> find(const std::string& reference);
  Status become(const std::string& id, const std::string& act, const std::string& state);

  std::string socket_ = "/run/fake.sock";
  mutable std::recursive_mutex mutex_;
  std::map<std::string, holder::engine::Inspected> containers_;
  std::map<std::string, holder::client::ContainerSpec> specs_;   // by the name it was made with
  std::map<std::string, holder::client::ContainerSpec> made_of_;  // by id
  std::map<std::string, Image> images_;
  std::map<std::string, Network> networks_;
  std::map<std::string, Volume> volumes_;
  std::vector<holder::engine::RawEvent> events_;
  std::vector<holder::engine::LogLine> lines_;
  std::vector<holder::engine::ImageRow> rows_;
  std::vector<holder::engine::NetworkRow> network_rows_;
  std::vector<holder::engine::VolumeRow> volume_rows_;
  std::vector<holder::engine::Process> processes_;
  std::vector<std::string> acts_;
  int made_ = 0;
};

}  // namespace berth::test
