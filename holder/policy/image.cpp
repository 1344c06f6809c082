#include "holder/policy/image.h"

#include <algorithm>
#include <array>

#include "holder/client/spec_words.h"
#include "holder/policy/labels.h"

namespace berth::holder::policy {
namespace {

using Words = std::vector<std::string>;

bool is_the_meshs(std::string_view label) {
  std::string text{label};
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text.starts_with("mesh-host.") || text.starts_with("mesh-holder.") || text.starts_with("mesh.");
}

Status judge_labels(const engine::Engine::Image& image) {
  if (const auto held = image.labels.find(std::string{kHeldLabel}); held != image.labels.end()) {
    auto error =
        fail_field(Errc::refused_held, "image",
                   "the image carries the label mesh-host.id: its container would be one that assignment \"" +
                       held->second + "\" holds");
    error.assignment = held->second;
    return error;
  }
  for (const auto& [key, value] : image.labels) {
    if (is_the_meshs(key))
      return fail_field(Errc::bad_request, "image", "the image carries the label " + key + " of the mesh");
  }
  return {};
}

/// What would run: an entrypoint of the spec's, even an empty one, puts the image's aside.
Words effective_words(const engine::Engine::Image& image, const client::ContainerSpec& spec) {
  auto words = spec.entrypoint.value_or(image.entrypoint);
  const bool own_entrypoint = spec.entrypoint && !spec.entrypoint->empty();
  const auto& command = spec.command ? *spec.command : own_entrypoint ? Words{} : image.command;
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

/// The program a shell line starts with: "exec /sbin/init" starts /sbin/init.
std::string first_program(std::string_view line) {
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\n"), line.size()));
    const auto word = line.substr(0, line.find_first_of(" \t\n;&|"));
    if (word != "exec") return std::string{word};
    line.remove_prefix(word.size());
  }
}

bool runs_an_init_system(const Words& words) {
  constexpr std::array<std::string_view, 6> kShells = {"/bin/sh", "sh",       "/bin/bash",
                                                       "bash",    "/bin/ash", "ash"};
  if (words.empty()) return false;
  if (client::is_init_system(words[0])) return true;
  const bool shell = std::ranges::find(kShells, std::string_view{words[0]}) != kShells.end();
  return shell && words.size() >= 3 && words[1] == "-c" && client::is_init_system(first_program(words[2]));
}

}  // namespace

Status judge_image(const engine::Engine::Image& image, const client::ContainerSpec& spec) {
  TRY(judge_labels(image));
  for (const auto& volume : image.volumes) {
    if (!client::is_safe_target(volume)) {
      return fail_field(Errc::bad_request, "image",
                        "the image declares a volume at " + volume + ", where no bus caller may mount");
    }
  }
  if (!runs_an_init_system(effective_words(image, spec))) return {};
  const bool asked = spec.command || spec.entrypoint;
  auto error = fail_field(
      Errc::refused_root_equivalent, asked ? "command" : "image",
      "the command is an init system: some engines give such a container the machine's own cgroups");
  error.fields = {error.field};
  return error;
}

}  // namespace berth::holder::policy
