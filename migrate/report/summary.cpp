#include "migrate/report/summary.h"

#include "base/json.h"

namespace berth::migrate::report_detail {
namespace {

using Pointer = Json::json_pointer;

std::string text_at(const Json& document, const char* path) {
  const auto at = document.value(Pointer{path}, Json{});
  return at.is_string() ? at.get<std::string>() : std::string{"?"};
}

std::size_t size_at(const Json& document, const char* path) {
  const auto at = document.value(Pointer{path}, Json{});
  return at.is_array() ? at.size() : at.is_number_unsigned() ? at.get<std::size_t>() : 0;
}

std::string many(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string joined(const Json& list) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + item.get<std::string>();
  return text;
}

std::string containers(const Json& proof) {
  if (!proof.contains("containers")) return "which containers ran before and after is lost";
  return many(size_at(proof, "/containers/same"), "container") + " with the same process, " +
         std::to_string(size_at(proof, "/containers/restarted")) + " restarted";
}

std::string read_configs(const Json& proof) {
  return many(size_at(proof, "/keys"), "key") + " read, every difference decided; " +
         many(size_at(proof, "/containers/held"), "held container") + ", " +
         many(size_at(proof, "/containers/strays"), "stray");
}

std::string hand_over(const Json& proof) {
  const auto keys = proof.value("keys", Json::object());
  auto text = "the file holds what was planned, byte for byte; the engine reports " +
              joined(keys.value("taken", Json::array()));
  if (const auto waiting = joined(keys.value("waiting", Json::array())); !waiting.empty())
    text += "; " + waiting + " waits for its next start";
  return text + "; " + containers(proof);
}

std::string seed_seat(const Json& proof) {
  return "the seat is held by " + text_at(proof, "/seat/module") +
         (proof.contains("probe") ? "; a probe's created and removed came by as events" : "") +
         "; without the seat a container is refused there";
}

std::string release(const Json& proof) {
  auto text = "release " + text_at(proof, "/version") + " reports path " + text_at(proof, "/path") +
              " and an unchanged apply; " +
              (proof.contains("probe") ? "a probe went by " + text_at(proof, "/probe/path") + "; " : "") + containers(proof);
  return text_at(proof, "/cli_path") == "absent" ? text + "; its command-line path is absent" : text;
}

}  // namespace

namespace {

std::string observed(int step, const Json& proof) {
  switch (step) {
    case 1:
      return read_configs(proof);
    case 2:
      return hand_over(proof);
    case 3:
      return seed_seat(proof);
    default:
      return release(proof);
  }
}

/// A proof that was made again says so, and what it does not have.
std::string rebuilt(const Json& proof) {
  if (!proof.contains("rebuilt")) return "";
  const auto missing = proof["rebuilt"].value("missing", Json::array());
  return "; made again after the operator's store was lost" + (missing.empty() ? "" : ", without " + joined(missing));
}

}  // namespace

std::string sentence_of(int step, const Json& proof) {
  return proof.is_object() ? observed(step, proof) + rebuilt(proof) : "";
}

std::optional<std::size_t> restarts_in(const Json& proof) {
  if (!proof.is_object() || !proof.contains(Pointer{"/containers/restarted"})) return {};
  return size_at(proof, "/containers/restarted");
}

}  // namespace berth::migrate::report_detail
