#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"

// What a create names: an image, a network, a volume.
namespace berth::holder::engine {
namespace {

std::map<std::string, std::string> text_map(const Json& object) {
  std::map<std::string, std::string> texts;
  if (!object.is_object()) return texts;
  for (const auto& [key, value] : object.items()) {
    if (value.is_string()) texts.emplace(key, value.get<std::string>());
  }
  return texts;
}

std::vector<std::string> text_list(const Json& list) {
  std::vector<std::string> texts;
  if (list.is_string()) texts.push_back(list.get<std::string>());
  if (!list.is_array()) return texts;
  for (const auto& item : list) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

}  // namespace

Result<Engine::Image> parse_image(std::string_view body) {
  const auto document = TRY(engine_json(body, "image"));
  Engine::Image image;
  image.id = text_member(document, "Id");
  if (image.id.empty()) return fail(Errc::engine_refused, "image: the engine's answer has no Id");
  const auto& config = member(document, "Config");
  image.labels = text_map(member(config, "Labels"));
  image.command = text_list(member(config, "Cmd"));
  image.entrypoint = text_list(member(config, "Entrypoint"));
  if (const auto& volumes = member(config, "Volumes"); volumes.is_object()) {
    for (const auto& [path, nothing] : volumes.items()) image.volumes.push_back(path);
  }
  return image;
}

Result<Engine::Network> parse_network(std::string_view body, std::string_view name) {
  const auto document = TRY(engine_json(body, "network"));
  if (text_member(document, "Name") != name) {  // an id, or the prefix of one, answers too
    return fail(Errc::not_found, "network " + std::string{name} + ": the engine has none of that name");
  }
  return Engine::Network{text_member(document, "Id"), text_member(document, "Driver"),
                         text_map(member(document, "Labels"))};
}

Result<Engine::Volume> parse_volume(std::string_view body) {
  const auto document = TRY(engine_json(body, "volume"));
  if (text_member(document, "Name").empty())
    return fail(Errc::engine_refused, "volume: the engine's answer has no Name");
  return Engine::Volume{text_member(document, "Driver"), text_map(member(document, "Options")),
                        text_map(member(document, "Labels"))};
}

}  // namespace berth::holder::engine
