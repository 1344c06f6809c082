#pragma once
#include <mutex>

#include "base/json_fwd.h"
#include "holder/engine/engine.h"
#include "holder/engine/kernel_stats.h"
#include "holder/engine/log_lines.h"
#include "holder/engine/transport.h"

namespace berth::holder::engine {

/// What both engines answer alike over the Docker-compatible API. What they do not is virtual below, one
/// question each, answered in docker.cpp and podman.cpp. Any thread: only the transport has state.
class HttpEngine : public Engine {
 public:
  HttpEngine(std::string socket, EngineInfo info, Seam& seam);

  const EngineInfo& info() const override { return info_; }
  const std::string& socket() const override { return transport_.socket(); }
  Status ping() override;
  Result<EngineFacts> facts() override;
  Result<std::vector<Summary>> list() override;
  Result<Inspected> inspect(const std::string& id) override;
  Result<Logs> logs(const std::string& id, const LogQuery& query) override;
  Result<Logs> logs_of(const Inspected& container, const LogQuery& query) override;
  Result<std::vector<Stats>> stats(const std::vector<std::string>& ids) override;
  Result<Created> create(const client::ContainerSpec& spec) override;
  Status start(const std::string& id) override;
  Status stop(const std::string& id, std::chrono::seconds grace) override;
  Status restart(const std::string& id, std::chrono::seconds grace) override;
  Status remove(const std::string& id, bool force, bool volumes) override;
  Status kill(const std::string& id, std::string_view signal) override;
  Status rename(const std::string& id, const std::string& name) override;
  Status pull(const std::string& reference) override;
  Result<std::vector<std::string>> differences(const std::string& id, const client::ContainerSpec& spec) override;
  Status events(std::optional<Time> since, std::stop_token stop,
                const std::function<void(RawEvent)>& sink) override;
  Result<std::vector<RawEvent>> past_events(Time since, Time until) override;
  Result<Image> image(const std::string& reference) override;
  Result<Network> network(const std::string& name) override;
  Result<Volume> volume(const std::string& name) override;
  Status ensure_network(const std::string& name, const std::map<std::string, std::string>& labels) override;
  Status ensure_volume(const std::string& name, const std::map<std::string, std::string>& labels) override;

  Result<std::vector<ImageRow>> images() override;
  Result<std::vector<NetworkRow>> networks() override;
  Result<std::vector<VolumeRow>> volumes() override;
  Result<DiskUsage> disk_usage() override;
  Result<std::vector<Process>> processes(const std::string& id) override;
  Result<std::vector<Inspected>> inspect_all(const std::vector<std::string>& ids) override;
  Status remove_image(const std::string& id) override;
  Result<std::int64_t> remove_build_record(const std::string& id) override;
  Status follow_logs(const std::string& id, const std::string& since, std::stop_token stop,
                     const std::function<void(LogLine)>& sink) override;

 protected:
  /// Where a container's processes are asked for.
  virtual std::string processes_path(const std::string& id) const = 0;
  /// Whether there is a build cache to ask about.
  virtual bool has_build_cache() const = 0;
  /// The query of the events stream and of a window that is over.
  virtual std::string live_events_query(std::optional<Time> since) const = 0;
  virtual std::string past_events_query(Time since, Time until) const = 0;
  /// Fills what this engine's list leaves out.
  virtual Status complete(std::vector<Summary>& list) = 0;
  /// Whether its `tail` gives pieces as they were written.
  virtual bool tail_is_sound() const = 0;
  /// CPU readings: a second round of samples where one answer does not carry two.
  virtual bool samples_twice() const = 0;
  /// Called before stop and restart: Podman refuses either on a paused container.
  virtual Status make_stoppable(const std::string& id) = 0;
  /// Whether a stopped container could be started again by the engine at once, behind the stop's back.
  virtual bool may_revive(const Inspected& stopped) const = 0;

  std::string versioned(const std::string& path) const;
  std::string container(const std::string& id, std::string_view rest) const;
  Result<Answer> get(const std::string& path, std::string_view doing);
  /// A read that the engine may answer with 500 for what happens beside it, and then is asked again, bounded: Podman
  /// reads the files of a container's process on the way, which may end just then.
  Result<Answer> get_patiently(const std::string& path, std::string_view doing, std::chrono::milliseconds pause);
  Result<Answer> tell_of(const std::string& id, const std::string& path);
  /// Asks the seam, sends once, answers whatever status came.
  Result<Answer> act(std::string_view name, const Call& call, std::string_view target);
  Transport& transport() { return transport_; }
  /// All that the engine tells of a container, for a comparison with a spec.
  virtual Result<Json> whole_of(const std::string& id);

 private:
  /// A refused act on a container, told by what the container is now, never by the text: Podman answers 500
  /// for every conflict.
  Error explain(const Answer& answer, const std::string& id, std::string_view doing, bool state_conflicts);
  Result<bool> stop_once(const std::string& id, std::chrono::seconds grace);
  Result<Answer> ask_removal(const std::string& id, bool force, bool volumes);
  Status wait_until_gone(const std::string& id, bool force);
  Status join_networks(const client::ContainerSpec& spec, const std::string& id);
  Result<std::vector<RawEvent>> read_window(const std::string& query);
  Result<std::vector<Stats>> ask_stats(const std::vector<std::string>& ids);
  Status read_pieces(const std::string& target, bool terminal, LogLines& lines);

  EngineInfo info_;
  Seam& seam_;
  Transport transport_;
  std::mutex disk_usage_;
  std::mutex networks_;  // looking for one and making it: an older engine makes two of one name
  KernelStats kernel_stats_;
};

std::unique_ptr<Engine> make_docker(std::string socket, EngineInfo info, Seam& seam);
std::unique_ptr<Engine> make_podman(std::string socket, EngineInfo info, Seam& seam);

}  // namespace berth::holder::engine
