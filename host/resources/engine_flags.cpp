#include "host/resources/engine_flags.h"

#include <glob.h>

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "host/resources/command_line.h"
#include "host/resources/engine_keys.h"

namespace berth::host::resources {
namespace {

/// The effective [Service] settings of a unit, as far as they decide its command line.
struct ServiceLines {
  struct Line { std::string text, file; };
  std::vector<Line> exec, environment, environment_files;
};

void take_setting(const std::string& line, const std::string& file, ServiceLines& service) {
  const auto equals = line.find('=');
  if (equals == std::string::npos) return;
  const auto name = line.substr(0, line.find_last_not_of(" \t", equals - 1) + 1);
  const auto from = line.find_first_not_of(" \t", equals + 1);
  const auto value = from == std::string::npos ? std::string{} : line.substr(from);
  auto* lines = name == "ExecStart" ? &service.exec
                : name == "Environment" ? &service.environment
                : name == "EnvironmentFile" ? &service.environment_files : nullptr;
  if (lines == nullptr) return;
  if (value.empty()) lines->clear();  // an empty assignment takes back all before it
  else lines->push_back({value, file});
}

ServiceLines read_service(const std::vector<UnitFile>& files) {
  ServiceLines service;
  for (const auto& file : files) {
    bool in_service = false;
    for (const auto& line : unit_lines(file.text)) {
      if (line.starts_with('[')) in_service = line == "[Service]";
      else if (in_service) take_setting(line, file.path, service);
    }
  }
  return service;
}

/// The files that a pattern names below root, by their paths on the machine.
std::vector<std::string> matches(const std::string& root, const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (::glob((root + pattern).c_str(), GLOB_NOCHECK, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(std::string{found.gl_pathv[i]}.substr(root.size()));
  }
  ::globfree(&found);
  return paths;
}

Result<Variables> read_variables(const ServiceLines& service, const std::string& root) {
  Variables variables;
  for (const auto& line : service.environment) {
    for (const auto& word : split_words(line.text)) {
      const auto equals = word.find('=');
      if (equals != std::string::npos) variables[word.substr(0, equals)] = {word.substr(equals + 1), line.file};
    }
  }
  for (const auto& line : service.environment_files) {  // they come after Environment= and win
    const bool optional = line.text.starts_with('-');
    for (const auto& path : matches(root, optional ? line.text.substr(1) : line.text)) {
      const auto text = read_file(root + path);
      if (text) read_environment(*text, path, variables);
      else if (!optional || text.error().code != Errc::not_found) {
        return fail(text.error().code, "the environment file of the engine's unit: " + text.error().detail);
      }
    }
  }
  return variables;
}

/// The words behind dockerd; where a shell runs it, the words of the shell's own line.
std::vector<Word> engine_words(const std::string& line, const std::string& file, const Variables& variables) {
  auto words = expand_words(line, file, variables);
  const auto named = [](const Word& word, std::string_view name) {
    return word.text == name || word.text.ends_with("/" + std::string{name});
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (named(words[i], "dockerd")) return {words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end()};
    if (words[i].text.find("dockerd ") == std::string::npos) continue;
    const auto inner = engine_words(words[i].text, file, variables);
    if (!inner.empty()) return inner;
  }
  return {};
}

std::vector<EngineFlag> flags_of(const std::vector<Word>& words) {
  std::vector<std::string> texts;
  for (const auto& word : words) texts.push_back(word.text);
  std::vector<EngineFlag> flags;
  for (auto& set : holder::client::flags_in(texts)) {
    flags.push_back({std::move(set.flag), std::move(set.key), std::move(set.value), words[set.at].file});
  }
  return flags;
}

}  // namespace

const EngineFlag* EngineFlags::of_key(std::string_view key) const {
  const auto at = std::ranges::find(flags, key, &EngineFlag::key);
  return at == flags.end() ? nullptr : &*at;
}

Json EngineFlags::document() const {
  Json all = Json::object();
  std::vector<std::string> files;
  Json by_file = Json::object();
  for (const auto& flag : flags) {
    all[flag.key].push_back(flag.value);
    if (!by_file.contains(flag.file)) files.push_back(flag.file);
    by_file[flag.file][flag.key].push_back(flag.value);
  }
  Json sources = Json::array();
  for (const auto& file : files) sources.push_back({{"file", file}, {"flags", by_file[file]}});
  return {{"sources", sources}, {"flags", all}, {"sha256", canonical_hash(all)}};
}

Result<EngineFlags> read_engine_flags(const std::vector<UnitFile>& files, const std::string& root) {
  const auto service = read_service(files);
  const auto variables = TRY(read_variables(service, root));
  EngineFlags found;
  for (const auto& line : service.exec) {
    for (auto& flag : flags_of(engine_words(line.text, line.file, variables))) found.flags.push_back(std::move(flag));
  }
  return found;
}

std::string key_of_flag(std::string_view flag) { return flag_name(flag).key; }

}  // namespace berth::host::resources
