#include "host/path/path.h"
#include "base/json.h"
#include "holder/client/spec_compare.h"
#include "host/path/cli/create.h"
#include "host/path/cli/read.h"
#include "host/path/cli/run.h"

namespace berth::host::path {
namespace {

class CliPath final : public Path {
 public:
  explicit CliPath(Seam& seam) : seam_(seam) {}

  Kind kind() const override { return Kind::cli; }
  Result<std::vector<Seen>> list() override { return cli::read_list(seam_); }
  Result<Json> inspect(const std::string& container) override { return cli::read_one(container, seam_); }
  Result<std::vector<std::string>> differences(const std::string& id,
                                               const holder::client::ContainerSpec& spec) override {
    return holder::client::spec_differences(spec, TRY(cli::read_one(id, seam_)));
  }
  /// The command line has no one call to replace: the old one goes first, as it always did here.
  Result<std::string> create(const holder::client::ContainerSpec& spec) override {
    if (spec.replaces.empty()) return cli::create_container(spec, seam_);
    TRY(stop(spec.replaces, std::chrono::seconds{spec.stop_grace_s.value_or(10)}));
    TRY(remove(spec.replaces));
    auto alone = spec;
    alone.replaces.clear();
    return cli::create_container(alone, seam_);
  }
  Status start(const std::string& id) override {
    return act("path.start", {"start", "--", id}, cli::kCallBound);
  }
  Status stop(const std::string& id, std::chrono::seconds grace) override {
    return act("path.stop", {"stop", "--time", std::to_string(grace.count()), "--", id},
               cli::kCallBound + grace);
  }
  Status remove(const std::string& id) override {
    return act("path.remove", {"rm", "--force", "--", id}, cli::kCallBound);
  }
  Status signal(const std::string& id, std::string_view signal) override {
    return act("path.signal", {"kill", "--signal", std::string{signal}, "--", id}, cli::kCallBound);
  }
  Result<EngineView> engine() override { return cli::read_engine(seam_); }
  Result<std::string> engine_socket() override { return std::string{}; }
  Result<bool> reloaded_since(Time since) override {
    return cli::read_reload(since, system_clock().now(), seam_);
  }

 private:
  Status act(std::string_view name, const cli::Arguments& arguments, std::chrono::milliseconds limit) {
    TRY(seam_.before(name, arguments.back()));
    TRY(cli::docker(arguments, limit, seam_));
    return {};
  }

  Seam& seam_;
};

}  // namespace

std::unique_ptr<Path> make_cli_path(Seam& seam) { return std::make_unique<CliPath>(seam); }

}  // namespace berth::host::path
