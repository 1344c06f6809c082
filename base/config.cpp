#include "base/config.h"

#include "base/fields.h"
#include "base/file.h"
#include "base/json.h"

namespace berth {

Result<Json> read_document(const std::filesystem::path& path) {
  const auto text = TRY(read_file(path));
  return parse_json(text, path.native());
}

}  // namespace berth
