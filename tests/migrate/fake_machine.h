#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "migrate/port.h"

namespace berth::test {

/// One machine as its host answers for it: what pushes and asks mean (docs/formats.md), without an engine.
/// Its engine file is plain JSON; what a push makes of it is worked out by the same function that `plan`
/// answers from.
class FakeMachine {
 public:
  FakeMachine(std::string name, std::string machine_id, Json file);

  Result<Json> answer(const Json& request);
  Result<Json> take(const Json& push);

  // What a test arranges.
  bool silent = false;  // nobody listens
  bool engine_answers = true;
  bool holder_answers = true;
  bool push_fails = false;     // the next hand_over gives everything back
  bool release_fails = false;  // a new host never proves itself
  bool restarts_a_container = false;
  bool tells_its_past = true;  // its host knows the questions `pushes` and `before`
  bool on_trial = false;
  bool is_between = false;  // its newest push has not ended
  std::vector<std::string> lacking_verbs;
  std::vector<std::string> waits;  // keys that a push leaves to the engine's next start
  std::string file_text;
  std::string machine_id;
  std::string answers_as;  // another name than its own
  std::string engine_id = "ONE:OF:MANY";
  std::vector<migrate::Kept> reports, events;
  std::uint64_t* sequences = nullptr;  // of the fleet's streams

  const std::string& version() const { return version_; }
  int accepted() const { return static_cast<int>(pushes_.size()); }
  int hand_overs() const;
  bool seat_held() const { return held_; }
  const Json& records() const { return records_; }
  void report_path(const std::string& path);  // an apply of its own accord
  void run_version(const std::string& version);
  void hold_seat(bool held) { held_ = held; }  // somebody took its file away, and put it back
  /// The machine as text: what must be equal however the migration came there.
  std::string portrait() const;

 private:
  struct Before {
    std::string file;
    Json records;
  };
  struct Push {
    Json document;
    std::string state;
    Json report, before, after;
    Before was;
    std::string file_after;
  };

  Json snapshot() const;
  Json status() const;
  Json seat() const;
  Json probe();
  Json pushes() const;
  Result<Json> before(const std::string& push_id) const;
  Json keys_of(const std::string& text, const Json& records) const;
  Result<Json> release(const Json& request);
  std::string path() const;
  std::string planned(const Json& push) const;
  void apply(Push& push);
  Json report(const std::string& result, const std::string& push_id);

  std::string name_;
  Json records_ = Json::array();
  Json containers_ = Json::array();
  std::map<std::string, Push> pushes_;
  std::int64_t sequence_ = 2, token_ = 0;
  std::string version_ = "1.0.0";
  std::string previous_;
  bool held_ = false;
  bool holder_there_ = false;
  int seq_ = 0;
};

}  // namespace berth::test
