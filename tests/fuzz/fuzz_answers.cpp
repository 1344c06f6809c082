// What an engine answers, by the first byte one of its documents: an error or a whole value, never a crash; and no
// environment value of an inspect stays anywhere in it.
#include "base/json.h"
#include "holder/engine/parse.h"
#include "tests/fuzz/fuzz.h"

namespace berth::fuzz {
namespace {

using namespace berth::holder::engine;

/// A value of the environment is taken out wherever it is repeated.
void keeps_no_secret(std::string_view body) {
  const auto inspected = parse_inspect(body);
  if (!inspected || !inspected->document) return;
  for (const auto& name : inspected->environment) must_hold(name.find('=') == std::string::npos, "a name alone: " + name);
  const auto config = inspected->document->find("Config");
  if (config == inspected->document->end() || !config->is_object() || !config->contains("Env")) return;
  for (const auto& item : (*config)["Env"].is_array() ? (*config)["Env"] : Json::array()) {
    must_hold(!item.is_string() || item.get<std::string>().find('=') == std::string::npos, "no value in Env");
  }
}

void lists_whole(std::string_view body) {
  const auto list = parse_list(body);
  if (!list) return;
  for (const auto& row : *list) must_hold(!row.id.empty(), "a row has an id");
}

void samples(std::string_view body) {
  const auto sample = parse_sample(body);
  if (!sample) return;
  const auto percent = cpu_percent(sample->cpu_before, sample->cpu);
  must_hold(!percent || (*percent >= 0 && *percent < 1e300), "a percentage is a number");
}

}  // namespace

void take_answers(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto body = bytes.substr(1);
  switch (static_cast<unsigned char>(bytes.front()) % 16) {
    case 0: keeps_no_secret(body); break;
    case 1: lists_whole(body); break;
    case 2: samples(body); break;
    case 3: static_cast<void>(parse_version(body)); break;
    case 4: static_cast<void>(parse_info(body)); break;
    case 5: static_cast<void>(parse_image(body)); break;
    case 6: static_cast<void>(parse_network(body, "app-net")); break;
    case 7: static_cast<void>(parse_volume(body)); break;
    case 8: static_cast<void>(parse_images(body)); break;
    case 9: static_cast<void>(parse_networks(body)); break;
    case 10: static_cast<void>(parse_volumes(body)); break;
    case 11: static_cast<void>(parse_disk_usage(body)); break;
    default: static_cast<void>(parse_processes(body));
  }
}

}  // namespace berth::fuzz
