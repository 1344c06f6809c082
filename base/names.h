#pragma once
#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth {

/// A string that means something: only `parse` makes one, so past the front door nobody validates again.
template <class Tag>
class Name {
 public:
  static Result<Name> parse(std::string_view text) {
    if (!Tag::allows(text)) {
      return fail_field(Errc::bad_request, std::string{Tag::kWhat},
                        "\"" + std::string{text} + "\" is not a " + std::string{Tag::kWhat} + ": " +
                            std::string{Tag::kRule});
    }
    return Name{std::string{text}};
  }
  const std::string& text() const { return text_; }
  auto operator<=>(const Name&) const = default;

 private:
  explicit Name(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// A name that is also one token of a bus subject: machines, callers, fleets, modules, seats.
struct TokenRule {
  static constexpr std::string_view kRule = "lower-case letters, digits and '-', a letter or digit first, at most 63";
  static bool allows(std::string_view text);
};
struct MachineTag : TokenRule { static constexpr std::string_view kWhat = "machine name"; };
struct CallerTag : TokenRule { static constexpr std::string_view kWhat = "caller name"; };
struct FleetTag : TokenRule { static constexpr std::string_view kWhat = "fleet name"; };
struct ModuleTag : TokenRule { static constexpr std::string_view kWhat = "module name"; };

using MachineName = Name<MachineTag>;
using CallerName = Name<CallerTag>;
using FleetName = Name<FleetTag>;
using ModuleName = Name<ModuleTag>;

/// What a caller may give as `container`: an id, a name or an id prefix. Never an option, path or query.
struct ContainerRefTag {
  static constexpr std::string_view kWhat = "container";
  static constexpr std::string_view kRule = "letters, digits, '_', '.' and '-', a letter or digit first, at most 255";
  static bool allows(std::string_view text);
};
using ContainerRef = Name<ContainerRefTag>;

}  // namespace berth
