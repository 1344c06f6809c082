#include "holder/verbs/engine_file.h"

#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

namespace berth::holder::verbs {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Why an engine would not read it; empty when it does. What follows the document counts too: Docker 26 refuses it.
std::string why_unreadable(const std::string& text) {
  if (text.starts_with(kByteOrderMark)) return "offset 0: it begins with a UTF-8 byte order mark (BOM)";
  try {
    const auto document = Json::parse(text);
    return document.is_object() ? "" : "it is no JSON object";
  } catch (const Json::exception& error) {
    return error.what();
  }
}

std::optional<Time> modified(const std::filesystem::path& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return std::nullopt;
  return Time{std::chrono::seconds{about.st_mtim.tv_sec} + std::chrono::nanoseconds{about.st_mtim.tv_nsec}};
}

Json stop_row(const Json& key, const std::string& why) { return {{"key", key}, {"why", why}}; }

}  // namespace

Result<EngineFile> EngineFile::read(const Facts& facts) {
  EngineFile file;
  file.path_ = facts.engine_file;
  file.document_ = std::make_shared<const Json>();
  const auto text = read_file(facts.engine_file);
  if (!text && text.error().code == Errc::not_found) return file;
  if (!text) return text.error();
  file.exists_ = true;
  file.text_ = *text;
  file.changed_ = modified(facts.engine_file);
  file.unreadable_ = why_unreadable(*text);
  if (file.unreadable_.empty()) file.document_ = std::make_shared<const Json>(Json::parse(*text));
  return file;
}

Json EngineFile::would_stop(const EngineProcess& process) const {
  Json rows = Json::array();
  if (!unreadable_.empty()) rows.push_back(stop_row(nullptr, path_.native() + ": " + unreadable_));
  if (!document_->is_object()) return rows;
  for (const auto& [key, value] : document_->items()) {
    if (!client::is_engine_key(key)) rows.push_back(stop_row(key, "no engine that berth knows has this key"));
    for (const auto& flag : process.flags) {
      if (flag.key == key)
        rows.push_back(stop_row(key, "it is also the flag " + flag.flag + " of the engine's command line"));
    }
  }
  if (const auto shapes = client::check_engine_document(*document_, path_.native()); !shapes)
    rows.push_back(stop_row(shapes.error().field, shapes.error().detail));
  return rows;
}

}  // namespace berth::holder::verbs
