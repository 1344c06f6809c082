#include "holder/engine/http_engine.h"
#include "holder/engine/url.h"

namespace berth::holder::engine {
namespace {

constexpr const char* kDockerEventTypes = R"({"type":["container","daemon"]})";

class DockerEngine final : public HttpEngine {
 public:
  using HttpEngine::HttpEngine;

 protected:
  std::string live_events_query(std::optional<Time> since) const override {
    return url_query({{"since", since ? engine_time(*since) : ""}, {"filters", kDockerEventTypes}});
  }
  std::string past_events_query(Time since, Time until) const override {
    return url_query(
        {{"since", engine_time(since)}, {"until", engine_time(until)}, {"filters", kDockerEventTypes}});
  }
  std::string processes_path(const std::string& id) const override {
    return container(id, "/top" + url_query({{"ps_args", "-eo pid,ppid,user:32,pcpu,etime,args"}}));
  }
  bool has_build_cache() const override { return true; }
  Status complete(std::vector<Summary>&) override { return {}; }
  bool tail_is_sound() const override { return true; }
  bool samples_twice() const override { return false; }
  Status make_stoppable(const std::string&) override { return {}; }
  bool may_revive(const Inspected&) const override { return false; }
};

}  // namespace

std::unique_ptr<Engine> make_docker(std::string socket, EngineInfo info, Seam& seam) {
  return std::make_unique<DockerEngine>(std::move(socket), std::move(info), seam);
}

}  // namespace berth::holder::engine
