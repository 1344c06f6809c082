#include "host/resources/units.h"

namespace berth::host::resources {

std::string cat_text(const std::vector<UnitFile>& files) {
  std::string text;
  for (const auto& file : files) {
    if (!text.empty()) text += "\n";
    text += "# " + file.path + "\n" + file.text;
  }
  return text;
}

}  // namespace berth::host::resources
