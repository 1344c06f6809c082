#pragma once
// For engine_edit's sources alone: how the edit is made (engine_edit.cpp) and what is kept of it (engine_settle.cpp).
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/resources/engine_edit.h"
#include "host/resources/engine_leaving.h"

namespace berth::host::resources::edit {

class Plan {
 public:
  Plan(const std::vector<GiveBack>& give_backs, const std::vector<Declare>& declares, bool engine)
      : give_backs_(give_backs), declares_(declares), engine_(engine) {}

  Result<EngineEdit> make(const Bytes& bytes, const std::string& path) {
    edit_.before = bytes;
    now_ = bytes ? TRY(JsonText::parse(*bytes, path)) : JsonText::empty();
    found_ = now_;
    after_ = now_;
    TRY(collect_wanted());
    TRY(give_back_all());
    TRY(declare_all());
    TRY(settle_bytes());
    TRY(settle_neutral());
    TRY(settle_expectation());
    for (const auto& declare : declares_) TRY(settle_record(declare));
    settle_changed();
    return std::move(edit_);
  }

 private:
  Status collect_wanted();
  void note_leaving(const std::string& key, Leaving& leaving);
  Status give_back_key(const std::string& id, const std::string& key, Leaving leaving);
  Status give_back_all();
  Status declare_member(const std::string& key, const Json& value);
  Status declare_all();
  Result<Json> found_member(const std::string& key) const;
  Result<Json> widened_found(const Declare& declare) const;
  Result<Json> added_items(const Declare& declare, const std::string& key, const Json& value) const;
  Status settle_bytes();
  Status settle_neutral();
  Status settle_expectation();
  Status settle_record(const Declare& declare);
  void settle_changed();
  bool made_file() const;
  bool file_was_there() const { return edit_.before && !(made_file() && found_.members().empty()); }
  bool differs(const std::string& key) const;
  void note(const std::string& id, const std::string& text);

  const std::vector<GiveBack>& give_backs_;
  const std::vector<Declare>& declares_;
  const bool engine_;
  EngineEdit edit_;
  JsonText now_ = JsonText::empty();    // the file as it is
  JsonText found_ = JsonText::empty();  // … without all that is given back: what a new record finds
  JsonText after_ = JsonText::empty();  // … as it shall be
  std::map<std::string, Json> wanted_;  // every declared member; lists joined
  std::map<std::string, std::set<std::string>> keys_;  // record id → the keys it touches
  std::map<std::string, std::vector<Leaving>> left_;   // key → what goes of it, newest first
};

}  // namespace berth::host::resources::edit
