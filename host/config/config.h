#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bus/bus.h"

namespace berth::host {

/// `/etc/berth/host.json` (docs/formats.md). Every member has a default but machine and subjects: no program
/// composes a subject. Without `bus` the host works from files alone and its reports wait in the outbox.
struct Config {
  std::string fleet;
  std::string machine;
  std::optional<bus::BusConfig> bus;
  struct {
    std::string push, ask, report;
  } subjects;
  std::filesystem::path store;
  std::string holder_socket;
  std::filesystem::path seat_file;
  std::filesystem::path releases;         // /opt/berth/releases; the links are beside it
  std::vector<std::string> release_keys;  // PEM public keys, Ed25519
  std::string release_ca;  // a PEM file: who may sign the certificate of a server of releases; empty: whom the machine trusts
  std::chrono::seconds apply_every{300};
  std::string engine_file;
  std::string engine_unit;

  /// Strict: a wrong one is refused naming the file, the key and the reason.
  static Result<Config> load(const std::filesystem::path& file);
};

}  // namespace berth::host
