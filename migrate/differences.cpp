#include "migrate/differences.h"

#include <algorithm>
#include <map>

#include "base/fields.h"
#include "base/json.h"

namespace berth::migrate {
namespace {

/// The settings of a module as the document has them: the machine's over the fleet's.
Result<Json> settings_of(const FleetDocument& fleet, std::string_view machine, const std::string& module) {
  Json merged = Json::object();
  const auto& own = fleet.machine(machine).settings;
  for (const auto* from : {&fleet.facts.settings, &own}) {
    const auto at = from->find(module);
    if (at != from->end()) merged.update(TRY(parse_json(at->second, "settings of " + module)));
  }
  return merged;
}

/// "dns" -> "resolver": the setting whose placeholder stands in the manifest's resource of the engine's file.
std::map<std::string, std::string> settings_by_key(const Json& manifest, const std::string& file) {
  std::map<std::string, std::string> names;
  for (const auto& resource : manifest.value("resources", Json::array())) {
    if (resource.value("type", "") != "json" || resource.value("path", "") != file) continue;
    const auto into = resource.value("into", Json::object());
    for (const auto& [key, value] : into.items()) {
      const auto text = value.dump();
      const auto at = text.find("${setting:");
      if (at == std::string::npos) continue;
      const auto from = at + std::string_view{"${setting:"}.size();
      names[key] = text.substr(from, text.find('}', from) - from);
    }
  }
  return names;
}

struct Comparison {
  const Json& settings;
  const Json& manifest;
  std::map<std::string, std::string> by_key;
  const Json& snapshot;
  std::string module;  // the runtime's

  /// What the runtime module put there itself is no difference: it was decided when it was handed over.
  bool is_own(const KeyFinding& finding) const { return finding.owner.starts_with(module + "."); }

  /// The files that give the engine this key as a flag, as "a, b".
  std::string files_with_flag(const std::string& key) const {
    std::string files;
    const auto flags = snapshot.value("flags", Json::object());
    for (const auto& source : flags.value("sources", Json::array())) {
      if (!source.value("flags", Json::object()).contains(key)) continue;
      files += (files.empty() ? "" : ", ") + source.value("file", "");
    }
    return files;
  }
  Json default_of(const std::string& setting) const {
    const auto all = manifest.value("settings", Json::object());
    return all.contains(setting) ? all.at(setting).value("default", Json{}) : Json{};
  }
  bool keeps(const std::string& key) const {
    const auto keep = settings.value("keep", Json::array());
    return std::ranges::find(keep, Json(key)) != keep.end();
  }
};

/// What the document says about a finding that needs a decision.
void decide(KeyFinding& finding, const Comparison& with, bool can_keep) {
  if (can_keep && with.keeps(finding.key)) {
    finding.decision = "keep";
  } else if (!finding.setting.empty() && with.settings.contains(finding.setting)) {
    finding.decision =
        with.settings.at(finding.setting) == with.default_of(finding.setting) ? "default" : "setting";
  } else {
    finding.undecided = true;
    if (!finding.setting.empty()) {
      finding.choices.push_back(Json{{finding.setting, with.default_of(finding.setting)}}.dump());
      if (finding.found)
        finding.choices.push_back(Json{{finding.setting, Json::parse(*finding.found)}}.dump());
    }
    if (can_keep) finding.choices.push_back(Json{{"keep", {finding.key}}}.dump());
  }
}

/// A list of the module is added to the list found, so only what a record takes out with it can be lost.
bool loses_items(const Json& found, const Json& planned) {
  return std::ranges::any_of(
      found, [&](const Json& item) { return std::ranges::find(planned, item) == planned.end(); });
}

/// Nothing of anybody else's is replaced: the setting stands, whoever chose it.
std::string without_asking(const KeyFinding& finding, const Comparison& with) {
  const bool chosen = with.settings.contains(finding.setting) &&
                      with.settings.at(finding.setting) != with.default_of(finding.setting);
  return chosen ? "setting" : "default";
}

void judge(KeyFinding& finding, const Comparison& with) {
  const bool is_record = finding.owner != "hand" && finding.owner != "flag" && finding.owner != "none";
  const auto found = finding.found ? Json::parse(*finding.found) : Json{};
  const auto planned = finding.planned ? Json::parse(*finding.planned) : Json{};
  if (finding.owner == "flag" && finding.planned) {
    finding.why = "is a flag of the engine in " + with.files_with_flag(finding.key) +
                  ": it would not start with the key in its file too";
    finding.setting.clear();  // whatever its value, it cannot be in both
    decide(finding, with, true);
  } else if (with.is_own(finding)) {
    finding.decision = without_asking(finding, with);
  } else if (is_record && !finding.planned) {
    finding.why = "goes with " + finding.owner;
    decide(finding, with, false);
  } else if (is_record && found.is_array() && planned.is_array() && loses_items(found, planned)) {
    finding.why = "loses what " + finding.owner + " put there and the runtime module does not";
    decide(finding, with, false);
  } else if (finding.found && finding.planned && !planned.is_array() && found != planned) {
    finding.why = "would become " + *finding.planned;
    decide(finding, with, !is_record);
  } else if (finding.planned) {
    finding.decision = without_asking(finding, with);
  } else if (with.keeps(finding.key)) {
    finding.decision = "keep";
  }
}

}  // namespace

Result<std::vector<KeyFinding>> compare_keys(const Json& snapshot, const catalogue::PlannedEngine& planned,
                                             const Json& manifest, const FleetDocument& fleet,
                                             std::string_view machine) {
  const auto settings = TRY(settings_of(fleet, machine, planned.module));
  const Comparison with{settings, manifest, settings_by_key(manifest, planned.file), snapshot, planned.module};
  std::map<std::string, KeyFinding> findings;
  for (const auto& found : snapshot.value("keys", Json::array())) {
    KeyFinding finding;
    finding.key = found.at("key").get<std::string>();
    finding.found = found.at("value").dump();
    finding.owner = found.at("owner").get<std::string>();
    findings[finding.key] = finding;
  }
  const auto flags = snapshot.value("/flags/flags"_json_pointer, Json::object());
  for (const auto& [key, value] : flags.items()) {
    auto& finding = findings[key];
    finding.key = key;
    finding.owner = "flag";
    if (!finding.found) finding.found = value.dump();
  }
  for (const auto& key : planned.keys) {
    auto& finding = findings[key.key];
    finding.key = key.key;
    finding.planned = key.value;
    finding.setting = key.setting;
    if (finding.owner.empty()) finding.owner = "none";
  }
  std::vector<KeyFinding> list;
  for (auto& [key, finding] : findings) {
    if (const auto at = with.by_key.find(key); finding.setting.empty() && at != with.by_key.end())
      finding.setting = at->second;
    judge(finding, with);
    list.push_back(std::move(finding));
  }
  return list;
}

std::string lines_to_paste(const std::vector<KeyFinding>& findings, std::string_view module,
                           std::string_view machine) {
  std::string text;
  for (const auto& finding : findings) {
    if (!finding.undecided) continue;
    text += std::string{machine} + ": \"" + finding.key + "\" (" + finding.found.value_or("absent") +
            ", by " + finding.owner + ") " + finding.why;
    text += "; put one of these under machines." + std::string{machine} + ".settings." + std::string{module} +
            ":\n";
    for (const auto& choice : finding.choices) text += "    " + choice.substr(1, choice.size() - 2) + "\n";
  }
  return text;
}

}  // namespace berth::migrate
