#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "bus/bus.h"
#include "tests/bench/http.h"

namespace berth::bench {

/// Where everything is: scripts/bench sets it up and says so in the environment.
struct Rig {
  std::string engine, holder, ask, docker, bus_url, holder_program, folder;
  int holder_pid = 0, rounds = 200, containers = 100;
  static Rig from_environment();

  std::unique_ptr<bus::Bus> caller() const;
  std::string subject(const std::string& verb_class, const std::string& verb) const;
};

/// Containers that are there for as long as this is, made and removed on the raw API.
class Herd {
 public:
  Herd(const Rig& rig, const std::string& prefix, int count, bool running);
  ~Herd();
  Herd(const Herd&) = delete;
  Herd& operator=(const Herd&) = delete;
  const std::vector<std::string>& ids() const { return ids_; }
  std::string name(std::size_t i) const { return prefix_ + std::to_string(i); }

 private:
  KeptHttp engine_;
  std::string prefix_;
  std::vector<std::string> ids_;
};

/// The body that makes one container here, on no network.
std::string body_of(const std::string& script);
/// An image to make them of is there afterwards.
void have_image(const Rig& rig);
/// Runs a program without its output; ends the bench when it fails.
void run_quietly(const std::vector<std::string>& words);
/// Ends the bench unless the answer is a 2xx.
void expect_good(const KeptHttp::Answer& answer, const std::string& doing);

}  // namespace berth::bench
