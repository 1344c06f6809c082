#pragma once
// tests/data: the policy's cases and the world they are about.
#include <map>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/error.h"
#include "base/json.h"
#include "catch.h"
#include "tests/holder/policy/engine_terms.h"

namespace berth::test {

using Labels = std::map<std::string, std::string>;
using Words = std::vector<std::string>;

inline std::string data_file(const std::string& name) { return std::string{BERTH_SOURCE_DIR} + "/tests/data/" + name; }

inline Json data_document(const std::string& name) {
  auto read = read_document(data_file(name));
  if (!read) FAIL(to_text(read.error()));
  return std::move(read).value();
}

/// One line of policy.jsonl, and what it comes to here.
struct PolicyCase {
  std::string id, title, verb, bytes, answer;
  bool host = false, accepted = false, decided_otherwise = false, of_bytes = false;
  std::string field;  // the case's, in the engine's terms; empty: none
  Json intent, precondition;
};

std::vector<PolicyCase> policy_cases();

}  // namespace berth::test
