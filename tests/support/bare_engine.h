#pragma once
#include "holder/engine/engine.h"

namespace berth::test {

/// For a fake that is about containers: it has nothing beside them, and says so by an error.
class BareEngine : public holder::engine::Engine {
 public:
  Result<std::vector<holder::engine::ImageRow>> images() override { return nothing(); }
  Result<std::vector<holder::engine::NetworkRow>> networks() override { return nothing(); }
  Result<std::vector<holder::engine::VolumeRow>> volumes() override { return nothing(); }
  Result<holder::engine::DiskUsage> disk_usage() override { return nothing(); }
  Result<std::vector<holder::engine::Process>> processes(const std::string&) override { return nothing(); }
  Result<std::vector<holder::engine::Inspected>> inspect_all(const std::vector<std::string>&) override { return nothing(); }
  Status remove_image(const std::string&) override { return nothing(); }
  Result<std::int64_t> remove_build_record(const std::string&) override { return nothing(); }
  Status follow_logs(const std::string&, const std::string&, std::stop_token,
                     const std::function<void(holder::engine::LogLine)>&) override {
    return nothing();
  }

 private:
  static Error nothing() { return fail(Errc::failed, "this fake engine has containers alone"); }
};

}  // namespace berth::test
