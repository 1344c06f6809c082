#include "tests/holder/policy/policy_data.h"

#include <fstream>

namespace berth::test {
namespace {

/// The two that are long: their length is what they are about.
std::string written_out(const std::string& bytes) {
  if (bytes == "\"@deep\"") return R"({"image":"mini:1","x":)" + std::string(9000, '[') + std::string(9000, ']') + "}";
  if (bytes == "\"@long\"") return R"({"image":"mini:1","x":")" + std::string(300'000, 'A') + "\"}";
  return bytes;
}

PolicyCase case_of(const Json& row, const Json& ours) {
  PolicyCase one;
  one.id = row["id"];
  one.title = row["title"];
  one.verb = row["verb"];
  one.host = row["caller"] == "host";
  one.accepted = row["expect"] == "accept";
  one.field = row["field"].is_string() ? row["field"].get<std::string>() : "";
  one.intent = row["request_intent"];
  one.precondition = row["precondition"];
  one.answer = ours["answers"].value(one.id, "");
  one.decided_otherwise = ours["decided"].contains(one.id);
  one.of_bytes = ours["bytes"].contains(one.id);
  const auto bytes = ours["bytes"].find(one.id);
  one.bytes = bytes == ours["bytes"].end() ? our_params(one.verb, one.intent, one.host).dump() : written_out(*bytes);
  return one;
}

}  // namespace

std::vector<PolicyCase> policy_cases() {
  const auto ours = data_document("policy-ours.json");
  std::ifstream file{data_file("policy.jsonl")};
  std::vector<PolicyCase> cases;
  for (std::string line; std::getline(file, line);) cases.push_back(case_of(Json::parse(line), ours));
  return cases;
}

}  // namespace berth::test
