#include "host/config/config.h"

#include "base/config.h"
#include "base/fields.h"
#include "base/json.h"
#include "base/names.h"

namespace berth::host {
namespace {

/// An absolute path, or a refusal naming the key.
std::string absolute(Fields& f, std::string_view key, std::string_view otherwise) {
  auto text = f.text(key, otherwise);
  if (!text.starts_with('/')) f.refuse(key, "\"" + text + "\" is not an absolute path");
  return text;
}

template <class NameType>
void check_name(Fields& f, std::string_view key, const std::string& text) {
  if (const auto name = NameType::parse(text); !name) f.refuse(key, name.error().detail);
}

Result<decltype(Config::subjects)> read_subjects(const Json& object, const std::string& path) {
  Fields f{object, path};
  decltype(Config::subjects) subjects;
  subjects.push = f.text("push");
  subjects.ask = f.text("ask");
  subjects.report = f.text("report");
  TRY(f.finish());
  return subjects;
}

}  // namespace

Result<Config> Config::load(const std::filesystem::path& file) {
  const auto document = TRY(read_document(file));
  Fields f{document, file.native()};
  Config config;
  config.fleet = f.text("fleet", "mesh");
  config.machine = f.text("machine");
  check_name<FleetName>(f, "fleet", config.fleet);
  if (!config.machine.empty()) check_name<MachineName>(f, "machine", config.machine);
  const bool has_subjects = f.has("subjects");
  const auto& subjects = f.object("subjects");
  const bool has_bus = f.has("bus");
  const auto& bus = f.object("bus");
  config.store = absolute(f, "store", "/var/lib/berth/host.db");
  config.holder_socket = absolute(f, "holder_socket", "/run/berth/holder.sock");
  config.seat_file = absolute(f, "seat_file", "/etc/berth/seat.json");
  config.releases = absolute(f, "releases", "/opt/berth/releases");
  config.release_keys = f.texts("release_keys");
  config.release_ca = f.has("release_ca") ? absolute(f, "release_ca", "") : "";
  config.apply_every = std::chrono::seconds{f.integer("apply_every_s", 1, 86400, 300)};
  config.engine_file = absolute(f, "engine_file", "/etc/docker/daemon.json");
  config.engine_unit = f.text("engine_unit", "docker.service");
  if (!has_subjects) f.refuse("subjects", "is missing: the subjects this host was issued");
  TRY(f.finish());
  config.subjects = TRY(read_subjects(subjects, file.native() + ": subjects"));
  if (has_bus) config.bus = TRY(bus::BusConfig::parse(bus, file.native() + ": bus"));
  return config;
}

}  // namespace berth::host
