#pragma once
#include <filesystem>
#include <fstream>
#include <string>

#include "base/json.h"
#include "tests/support/fakes.h"

namespace berth::test {

/// A fleet document of four machines, in a folder of its own, that a test changes before writing it.
class FleetFile {
 public:
  FleetFile() : document(practice()) {}

  Json document;
  std::string manifest =
      R"({"name": "web", "resources": [{"id": "page", "type": "container", "spec": {"name": "web", "image": "berth-practice:1"}}], "tools": []})";

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path write(int indent = 2) const {
    std::filesystem::create_directories(folder() / "modules");
    std::ofstream{folder() / "modules/web.json"} << manifest;
    std::ofstream{folder() / "fleet.json"} << document.dump(indent);
    return folder() / "fleet.json";
  }

  static std::string machine_id(const std::string& machine) { return std::string(32, machine[0]); }

 private:
  static Json machine(const std::string& name, const Json& modules) {
    return {{"machine_id", machine_id(name)},
            {"platform", "debian-12"},
            {"account", "operator"},
            {"capabilities", {"package-manager", "service-manager", "privileged"}},
            {"modules", modules}};
  }
  static Json release(const std::string& version, char digit) {
    return {{"version", version},
            {"platforms",
             {{"debian-12",
               {{"artifact", "file:///srv/berth-" + version + ".tar.gz"},
                {"sha256", std::string(64, digit)},
                {"signature", "c2ln"}}}}}};
  }
  static Json practice() {
    return {{"name", "mesh"},
            {"bus",
             {{"url", "nats://127.0.0.1:4222"},
              {"user", "operator"},
              {"password_file", "secrets/operator.password"},
              {"broker", {{"machine", "alder"}, {"module", "broker"}}}}},
            {"manifests", {"modules/web.json"}},
            {"reach", {{"mesh-artifact-store", "registry.mesh:5000"}, {"mesh-resolver", "10.0.0.2"}}},
            {"machines",
             {{"alder", machine("alder", {"docker", "broker", "web"})},
              {"birch", machine("birch", {"docker", "dnsmasq", "private-network", "web"})},
              {"cedar", machine("cedar", {"docker", "web"})},
              {"dogwood", machine("dogwood", {"docker", "web"})}}},
            {"settings", {{"broker", {{"image", "berth-broker:1"}}}}},
            {"grants",
             {{{"caller", "operator"}, {"machine", "*"}, {"verbs", {"*"}}, {"class", "read"}},
              {{"caller", "operator"}, {"machine", "*"}, {"verbs", {"start", "stop"}}, {"class", "act"}}}},
            {"releases",
             {{"start", release("1.0.0", 'a')},
              {"with_holder", release("1.1.0", 'b')},
              {"without_cli", release("1.2.0", 'c')}}},
            {"canary", {"alder"}},
            {"max_parallel", 2}};
  }

  TempFolder folder_;
};

}  // namespace berth::test
