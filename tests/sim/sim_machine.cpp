#include "tests/sim/sim_machine.h"

#include <fstream>

#include "base/error.h"
#include "base/fields.h"
#include "base/file.h"
#include "base/hash.h"
#include "host/records/records.h"
#include "host/release/link.h"
#include "host/release/stager.h"
#include "host/release/trial.h"
#include "host/release/watch.h"
#include "host/resources/accounts.h"
#include "host/resources/types.h"
#include "host/serve/asks.h"
#include "store/outbox.h"
#include "tests/host/apply/world.h"

namespace berth::test {
namespace {

namespace fs = std::filesystem;
namespace resources = berth::host::resources;

const std::vector<std::string> kSeatVerbs{"list", "inspect", "logs",   "stats", "start",
                                          "stop", "restart", "create", "remove"};
const std::vector<std::string> kEvents{"created", "started", "stopped", "died", "removed", "health"};

/// No account of this computer is ever made: every one is there and in its groups.
class SettledAccounts final : public resources::Accounts {
 public:
  Result<std::optional<resources::Account>> find(const std::string&) override {
    return std::optional{resources::Account{"/usr/sbin/nologin", "/nonexistent"}};
  }
  Result<std::vector<std::string>> groups_of(const std::string&) override {
    return std::vector<std::string>{"docker"};
  }
  Status add_system(const std::string&) override { return {}; }
  Status join(const std::string&, const std::string&) override { return {}; }
  Status set_shell(const std::string&, const std::string&) override { return {}; }
  Status set_home(const std::string&, const std::string&) override { return {}; }
};

/// As long as it lives the world asks those accounts.
struct Settled {
  explicit Settled(resources::World& w) : world(w) { world.accounts = &accounts; }
  ~Settled() { world.accounts = nullptr; }
  resources::World& world;
  SettledAccounts accounts{};
};

constexpr char kProcess[] = "process";
constexpr char kUser[] = "user";

template <const char* kName>
resources::Type with_settled_accounts() {
  using resources::World;
  auto type = *resources::find_type(kName);
  type.read = [](World& world, const Json& declared) {
    const Settled accounts{world};
    return resources::find_type(kName)->read(world, declared);
  };
  type.apply = [](World& world, const Json& declared, const Json& found, const Json& before) {
    const Settled accounts{world};
    return resources::find_type(kName)->apply(world, declared, found, before);
  };
  type.give_back = [](World& world, const Json& declared, const Json& found, const Json& before) {
    const Settled accounts{world};
    return resources::find_type(kName)->give_back(world, declared, found, before);
  };
  if (type.widen != nullptr) {
    type.widen = [](World& world, const Json& declared, const Json& found) {
      const Settled accounts{world};
      return resources::find_type(kName)->widen(world, declared, found);
    };
  }
  return type;
}

const resources::Type* sim_types(std::string_view name) {
  static const resources::Type process = with_settled_accounts<kProcess>();
  static const resources::Type user = with_settled_accounts<kUser>();
  if (name == kProcess) return &process;
  return name == kUser ? &user : resources::find_type(name);
}

host::path::Linked linked_of(const host::release::ReleaseFacts& facts) {
  return {facts.cli_path ? sim_cli : nullptr, facts.holder_path ? sim_holder : nullptr};
}

}  // namespace

/// A host process: gone with its memory, its store's file stays.
struct SimMachine::Process {
  Process(SimMachine& m, store::Store opened, const host::release::ReleaseFacts& facts)
      : store(std::move(opened)),
        site{m.config,     linked_of(facts), m.seam,          system_clock(),
             m.units,      m.packages,       m.stager_.get(), m.root,
             m.machine_id, facts.version,    sim_types,       [](std::chrono::milliseconds) {}},
        applier(store, site),
        started_at(to_rfc3339(system_clock().now())) {
    site.made_at_once = 1;  // the acts in one order, run for run
  }
  store::Store store;
  host::apply::Site site;
  host::apply::Applier applier;
  std::string started_at;
};

SimMachine::SimMachine(std::string name_, std::string id, const SimGround& g, const std::string& engine_file)
    : name(std::move(name_)), machine_id(std::move(id)), ground(g), root((folder / "root").native()) {
  for (const auto* path :
       {"/etc/berth", "/etc/docker", "/etc/systemd/system", "/etc/nats", "/opt/berth", "/run/berth"})
    fs::create_directories(root + path);
  std::ofstream{root + "/etc/berth/holder.password"} << "secret";
  if (!engine_file.empty()) std::ofstream{root + kFile} << engine_file;
  config.fleet = ground.fleet;
  config.machine = name;
  const auto subject = ground.fleet + "." + name + ".host.";
  config.subjects = {subject + "push", subject + "ask", subject + "report"};
  config.store = folder / "host.db";
  config.holder_socket = "/run/berth/holder.sock";
  config.seat_file = "/etc/berth/seat.json";
  config.releases = "/opt/berth/releases";
  config.engine_file = kFile;
  config.engine_unit = "docker.service";
  places = {root, root + "/opt/berth/releases", "/etc/berth/host.json"};
  if (!ground.shared_releases.empty()) fs::create_directory_symlink(ground.shared_releases, places.releases);
  stager_ = host::release::make_stager(places.releases, {ground.public_key}, seam);
  engine = std::make_unique<FakeEngine>(root + kFile, system_clock(), seam);
  engine->view.name = "Docker Engine";
  engine->view.version = "20.10.24";
  for (const auto* unit : {"docker.service", "docker.socket"}) unit_table.add(unit, "active", "enabled");
  unit_table.unit_files["docker.service"] = {
      {"/lib/systemd/system/docker.service", "[Service]\nExecStart=/usr/sbin/dockerd -H fd://\n"}};
  unit_table.add("dnsmasq.service", "inactive", "disabled");
  packages.versions = {{"docker.io", "20.10.24"}};
  packages.offered = {{"docker.io", "20.10.24"}, {"dnsmasq", "2.90"}};
  for (const auto* stray : {"devbox", "scratch"}) {
    host::path::Seen seen;
    seen.id = sha256_hex(name + stray);
    seen.name = stray;
    seen.image = "berth-practice:1";
    seen.state = "running";
    seen.pid = 100 + static_cast<std::int64_t>(engine->containers.size());
    seen.started_at = "2026-01-01T00:00:00.000000000Z";
    engine->containers.push_back(seen);
  }
}

SimMachine::~SimMachine() {
  ++watch_life_;
  watches_.clear();
  const std::scoped_lock lock{process_lock_};
  process_.reset();
}

/// The release that the link points at is what runs.
void SimMachine::boot() {
  const std::scoped_lock lock{process_lock_};
  process_.reset();
  alive_ = false;
  const auto facts = must(host::release::read_release(must(host::release::link_target(places.link()))));
  try {
    auto opened = store::Store::open(config.store, store::Role::host, system_clock(), seam);
    if (!opened) return;
    process_ = std::make_unique<Process>(*this, std::move(opened).value(), facts);
    alive_ = true;
  } catch (const SimSeam::Died&) {
    alive_ = false;
    return;
  }
  carry([&](Process& process) {
    (void)process.applier.start();
    (void)process.applier.again();
    prove(process);
  });
}

/// Restart=always.
void SimMachine::revive() {
  if (wanted_ && !alive_) boot();
}

/// One thing the process does. Dying in it, it is gone: what it held in memory with it.
void SimMachine::carry(const std::function<void(Process&)>& what) {
  const std::scoped_lock lock{process_lock_};
  if (!process_) return;
  try {
    what(*process_);
    drain(*process_);
  } catch (const SimSeam::Died&) {
    process_.reset();
    alive_ = false;
  }
}

void SimMachine::host_starts() {
  wanted_ = true;
  boot();
}
void SimMachine::host_stops() {
  wanted_ = false;
  const std::scoped_lock lock{process_lock_};
  process_.reset();
  alive_ = false;
}

Result<Json> SimMachine::answer(Process& process, const bus::Message& message, bool is_push) {
  const auto body = TRY(parse_json(message.data, is_push ? "the push" : "the request"));
  if (is_push) return process.applier.take(body);
  const auto* row = TRY(host::serve::find_ask(body));
  host::serve::Asked asked{process.site, process.store, &process.applier, places, process.started_at};
  return row->answer(asked, body);
}

/// Whom nobody answers is told at once what a broker, or the runner's own limit, would tell it later: nobody
/// listens there, or no answer came and what came of it is unknown.
void SimMachine::take(const bus::Message& message, bool is_push) {
  bool begun = false;
  bool answered = false;
  carry([&](Process& process) {
    begun = true;
    const auto said = answer(process, message, is_push);
    const auto text = said ? said->dump() : to_problem(said.error()).dump();
    reply(message, text);
    answered = true;
    if (!is_push || !said || !said->contains("accepted")) return;
    (void)process.applier.work();
    prove(process);
  });
  if (answered) return;
  const auto why = begun ? fail(Errc::timeout, name + " gave no answer")
                         : fail(Errc::unreachable, "nobody listens on " + message.subject);
  reply(message, to_problem(why).dump());
}

void SimMachine::reply(const bus::Message& message, const std::string& text) {
  if (!message.reply.empty()) (void)ground.bus.publish({message.reply, "", {}, text});
}

void SimMachine::prove(Process& process) {
  const auto& said = process.applier.last_said();
  if (said && said->well() && !process.applier.confirm_by()) (void)host::release::prove(process.store, process.site.version);
}

void SimMachine::drain(Process& process) {
  if (!ground.bus.connected()) return;
  send_events();
  for (;;) {
    const auto messages = store::oldest_messages(process.store, 50);
    if (!messages || messages->empty()) return;
    for (const auto& message : *messages) {
      if (!ground.bus.publish_durable(message.subject, message.message_id, message.body)) return;
      if (!store::message_delivered(process.store, message.seq)) return;
    }
  }
}

void SimMachine::on_time() {
  // An apply that did not go well is made again by the host itself, as is what a push left open.
  const bool turn = ++looks_ % 10 == 0;
  carry([this, turn](Process& process) {
    const auto open = turn ? process.store.table("SELECT 1 FROM push WHERE state = 'accepted'", {})
                           : Result<store::Store::Table>{store::Store::Table{}};
    const auto& said = process.applier.last_said();
    const bool once_more = turn && (!said || !said->well());
    if (once_more || (open && !open->rows.empty())) {
      (void)process.applier.again();
      prove(process);
    }
    const auto by = process.applier.confirm_by();
    if (by && system_clock().now() >= *by) (void)process.applier.again();
  });
  send_events();
}

void SimMachine::send_events() {
  const std::scoped_lock lock{events_lock_};
  while (!events_.empty() && ground.bus.connected()) {
    const auto& event = events_.front();
    if (!ground.bus.publish_durable(event["subject"].get<std::string>(),
                                    event["body"]["id"].get<std::string>(), event["body"].dump()))
      return;
    events_.pop_front();
  }
}

Json SimMachine::seat() const {
  Json answer = {{"machine", name},
                 {"seat", "node-container-runtime"},
                 {"module", nullptr},
                 {"held", false},
                 {"verbs", kSeatVerbs},
                 {"tools", Json::array()},
                 {"events", kEvents},
                 {"version", "1.1.0"},
                 {"store", "11111111"},
                 {"engine",
                  {{"kind", "docker"},
                   {"name", "Docker Engine"},
                   {"version", "20.10.24"},
                   {"api_version", "1.41"},
                   {"socket", "/run/docker.sock"},
                   {"answering", true},
                   {"cause", ""}}}};
  if (const auto file = read_file(root + config.seat_file.native())) {
    const auto document = Json::parse(*file, nullptr, false);
    if (document.is_object()) answer["module"] = document["module"], answer["held"] = document["held"];
  }
  return answer;
}

/// As the holder does it: nothing is emitted without a seat, and what cannot be sent now is sent later.
void SimMachine::emit(std::string_view kind, const host::path::Seen& container) {
  const auto file = read_file(root + config.seat_file.native());
  // What goes by while the holder is dead is not told: a probe that was made and removed then is made anew.
  if (!file || !holder_up()) return;
  const auto document = Json::parse(*file, nullptr, false);
  const std::scoped_lock lock{events_lock_};
  const auto id = name + ":11111111:" + std::to_string(++event_seq_);
  events_.push_back({{"subject", document["subjects"]["event"][std::string{kind}]},
                     {"body",
                      {{"id", id},
                       {"machine", name},
                       {"kind", kind},
                       {"at", to_rfc3339(system_clock().now())},
                       {"container", container.id},
                       {"name", container.name},
                       {"image", container.image},
                       {"mesh_held", !container.assignment.empty()},
                       {"assignment", container.assignment.empty() ? Json{} : Json(container.assignment)},
                       {"inferred", false}}}});
}

/// Its own thread, as it is its own process. One that is started again ends the one before.
void SimMachine::watch_starts() {
  const int life = ++watch_life_;
  watches_.emplace_back([this, life] { watch(life); });
}

void SimMachine::watch(int life) {
  const auto pause = [&](std::chrono::milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
    if (life != watch_life_) throw SimSeam::Died{};
  };
  while (life == watch_life_) {
    try {
      { const std::scoped_lock lock{process_lock_}; }  // the host that started it answers first
      if (host::release::watch_release({places, config.store, units, system_clock(), seam, pause})) return;
    } catch (const SimSeam::Died&) {
      // Restart=on-failure: its unit is started again.
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

void SimMachine::seed_with_dnsmasq() {
  const std::scoped_lock lock{process_lock_};
  const Json push = {{"push_id", "seed-" + name},
                     {"fleet", ground.fleet},
                     {"machine", name},
                     {"machine_id", machine_id},
                     {"token", 0},
                     {"runner", "seed"},
                     {"sequence", 1},
                     {"kind", "apply"},
                     {"give_back", Json::array()},
                     {"declaration", {{"modules", {dnsmasq(), private_network()}}}},
                     {"composed_at", "2026-01-02T03:04:05Z"}};
  must(process_->applier.take(push));
  must(process_->applier.work());
}

std::string SimMachine::version() const {
  return must(host::release::link_target(places.link())).filename().native();
}

/// What must be the same however the migration came there: files, records with what was found, containers,
/// release and seat. Ids of pushes and times are not in it.
std::string SimMachine::portrait() {
  const std::scoped_lock lock{process_lock_, engine_lock};
  std::string text = name + " runs " + version() + ", seat " + seat()["held"].dump() + "\n" +
                     read_file(root + kFile).value_or("no file") + "\n";
  for (const auto& container : engine->containers)
    text += "  " + container.name + " " + container.state +
            (container.started_at.empty() ? "" : " pid " + std::to_string(container.pid)) + "\n";
  if (!process_) return text + "  no host\n";
  for (const auto& record : must(host::Records(process_->store, name).all())) {
    const auto document = record.document();
    text += "  " + document["id"].get<std::string>() + " " + document["origin"].get<std::string>() + " " +
            document["state"].get<std::string>() + " found " + document["found"].dump() + "\n";
  }
  const auto hand_overs = must(
      process_->store.table("SELECT count(*) FROM push WHERE kind = 'hand_over' AND state = 'applied'", {}));
  const auto open = must(process_->store.table("SELECT count(*) FROM push WHERE state = 'accepted'", {}));
  return text + "  hand-overs " + std::to_string(std::get<std::int64_t>(hand_overs.rows[0][0])) +
         ", open pushes " + std::to_string(std::get<std::int64_t>(open.rows[0][0])) +
         ", engine reloads leave " + std::to_string(engine->view.live_restore) + "\n";
}

}  // namespace berth::test
