#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "host/apply/plan.h"
#include "host/apply/site.h"
#include "host/path/select.h"
#include "store/store.h"

namespace berth::host::apply {

/// What became of one resource, in the report's words.
struct Outcome {
  std::string id, action, detail;
};

/// What one run did.
struct Ran {
  std::vector<Outcome> outcomes;
  std::optional<Error> failure;  // the first one; a whole run stops there
  bool refused = false;          // drift: nothing was changed
  bool changed = false;
};

/// Carries a plan out: for each resource read what is there, write the intended row with the found state,
/// act, mark it applied, each durable before the next begins. So a process that dies anywhere is followed by
/// one that finishes the same plan. One object a run; the store's thread.
class Run {
 public:
  Run(store::Store& store, const Site& site, path::Opened& opened, Plan plan);
  Ran go();

  /// A record that will be written before its resource is touched.
  struct Intent {
    Record record;
    bool stands = false;           // it is on record as this already
    bool reopens = false;          // it was applied or being given back
    bool maybe_changed = false;    // an act was under way when a process died
  };

 private:
  friend class EngineStep;
  friend class ContainerStep;

  Status prepare();
  Status give_back_all();
  Status apply_all();
  Status apply_one(const Item& item);
  Status remove_orphans();
  Result<Intent> look(const Item& item);
  Status intend(const Intent& intent);
  Status keep(const Item& item, Record record, const resources::Acted& acted);
  std::string push_of(const Item& item, const std::optional<Record>& there) const;
  Status give_back_one(const Record& record);
  Status follow_changes();
  void wake_path();
  Error silence(std::string_view doing) const;

  bool is_engine_file(std::string_view type, const Json& declared) const;
  Status note_handed();
  const Record* handed_to(const Item& item) const;  // the record given back that it takes over
  Status settled(const Record& applied, bool is_exact, bool changed, const Record* handed);
  Status note(const std::string& id, std::string_view action, const std::string& detail);
  Status failed(const std::string& id, const Error& error);

  store::Store& store_;
  const Site& site_;
  path::Opened& opened_;
  Plan plan_;
  resources::World world_;
  Records records_;
  Pushes pushes_;
  std::set<std::string> changed_;    // record ids whose change others may have to follow
  std::map<std::string, const Record*> handed_;
  std::set<std::string> untouched_;  // given back, but declared anew by another record: nothing is undone
  bool engine_done_ = false;
  Ran ran_;
};

}  // namespace berth::host::apply
