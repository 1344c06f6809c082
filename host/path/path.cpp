#include "host/path/path.h"

namespace berth::host::path {

std::string_view to_text(Kind kind) {
  switch (kind) {
    case Kind::holder:
      return "holder";
    case Kind::cli:
      return "cli";
    case Kind::none:
      break;
  }
  return "none";
}

}  // namespace berth::host::path
