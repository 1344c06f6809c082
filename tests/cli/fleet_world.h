#pragma once
#include <fstream>
#include <functional>
#include <mutex>

#include "base/error.h"
#include "bus/bus.h"
#include "tests/cli/world.h"
#include "tests/support/nats_server.h"

namespace berth::test {

/// A real broker, a fleet document of three machines, and stand-ins that answer for their holders.
struct FleetDesk : Desk {
  using Reply = Result<Json>;

  FleetDesk() {
    const auto release = [](const char* version) {
      return Json{{"version", version}, {"platforms", {{"debian-12", {{"artifact", "file:///a"}, {"sha256", std::string(64, 'a')}, {"signature", "c2ln"}}}}}};
    };
    document = {{"name", "mesh"},
                {"bus", {{"url", broker.url()}, {"user", "operator"}, {"password_file", broker.password_file("operator", "pw").native()}}},
                {"reach", {{"mesh-artifact-store", "registry.mesh:5000"}, {"mesh-resolver", "10.0.0.2"}}},
                {"machines", Json::object()},
                {"grants", {{{"caller", "operator"}, {"machine", "*"}, {"verbs", {"*"}}, {"class", "read"}}, {{"caller", "operator"}, {"machine", "*"}, {"verbs", {"stop"}}, {"class", "act"}}}},
                {"releases", {{"start", release("1.0.0")}, {"with_holder", release("1.1.0")}, {"without_cli", release("1.2.0")}}},
                {"canary", {"alder"}},
                {"max_parallel", 2}};
    for (const std::string name : {"alder", "birch", "cedar"}) {
      document["machines"][name] = {{"machine_id", std::string(31, '0') + name[0]}, {"platform", "debian-12"}, {"account", "operator"},
                                    {"capabilities", {"package-manager", "service-manager", "privileged"}}, {"modules", {"docker"}}};
    }
    write();
  }

  void write() { std::ofstream{fleet_file} << document.dump(2); }
  Said fleet(std::vector<std::string> words) {
    words.insert(words.begin(), {"--fleet", fleet_file.native()});
    return berth(std::move(words));
  }
  Json fleet_json(std::vector<std::string> words, int status = 0) {
    words.insert(words.begin(), {"--output", "json"});
    const auto said = fleet(std::move(words));
    INFO(said.err);
    REQUIRE(said.status == status);
    return Json::parse(said.out);
  }

  /// The catalogue imported and the runtime seat's subjects issued on these machines.
  void seat_on(const std::vector<std::string>& machines) {
    const auto imported = fleet({"catalogue", "import"});
    INFO(imported.err);
    REQUIRE(imported.status == 0);
    for (const auto& machine : machines) {
      for (const std::string verb : {"read.list", "read.inspect", "read.logs", "act.stop"}) {
        const auto dot = verb.find('.');
        sql("INSERT INTO issued_subject VALUES ('" + machine + "', 'node-container-runtime', '" + verb.substr(0, dot) + "', '" +
            verb.substr(dot + 1) + "', 'mesh." + machine + ".node-container-runtime." + verb + ".*', 't')");
      }
    }
  }

  bus::Bus& bus() {
    if (!holders) {
      bus::BusConfig config;
      config.url = broker.url();
      config.user = "holder";
      config.password_file = broker.password_file("holder", "pw");
      holders = bus::Bus::connect(config, no_faults(), std::chrono::seconds{5}).value();
    }
    return *holders;
  }
  /// From now on somebody answers for this machine's holder.
  void holder(const std::string& machine, std::function<Reply(const std::string& verb, const Json& params)> answer) {
    auto on = bus().subscribe("mesh." + machine + ".node-container-runtime.*.*.operator", [this, answer](bus::Message asked) {
      const auto tail = asked.subject.substr(0, asked.subject.rfind('.'));
      const auto reply = answer(tail.substr(tail.rfind('.') + 1), Json::parse(asked.data));
      bus::Message said{asked.reply, "", {}, reply ? reply->dump() : to_problem(reply.error()).dump()};
      if (!reply) {
        said.headers.emplace("Nats-Service-Error-Code", std::to_string(error_row(reply.error().code).status));
        said.headers.emplace("Nats-Service-Error", reply.error().detail);
      }
      static_cast<void>(holders->publish(said));
    });
    REQUIRE(on);
    subscriptions.push_back(std::move(on).value());
    REQUIRE(bus().flush(std::chrono::seconds{5}));
  }

  /// From now on somebody answers for this machine's host.
  void host(const std::string& machine, std::function<Json(const std::string& what)> answer) {
    auto on = bus().subscribe("mesh." + machine + ".host.ask", [this, answer](bus::Message asked) {
      static_cast<void>(holders->publish({asked.reply, "", {}, answer(Json::parse(asked.data)["what"]).dump()}));
    });
    REQUIRE(on);
    subscriptions.push_back(std::move(on).value());
    REQUIRE(bus().flush(std::chrono::seconds{5}));
  }

  NatsServer broker{"authorization { users = [ {user: operator, password: pw}, {user: holder, password: pw} ] }"};
  std::filesystem::path fleet_file = folder / "fleet.json";
  Json document;
  std::unique_ptr<bus::Bus> holders;
  std::vector<bus::Subscription> subscriptions;
};

inline Json container(const std::string& name, const std::string& state = "running") {
  return {{"id", std::string(63, '0') + name[0]}, {"name", name}, {"state", state}, {"health", "none"}, {"image", "i"},
          {"restarts", 0}, {"started_at", "t"}, {"mesh_held", true}, {"assignment", "web"}, {"ports", Json::array()}};
}

}  // namespace berth::test
