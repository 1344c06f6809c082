#pragma once
#include <string_view>

#include "base/json_fwd.h"

namespace berth::catalogue {

/// What a member of a resource holds. `name` is a package's, `content` a file's, `change` an on_change.
enum class Kind { text, absolute_path, mode, boolean, object, texts, text_map, content, name, change };

struct Verdict {
  bool ok;
  std::string_view wanted;  // "must be …"
};

/// A value as a push has it.
Verdict judge(Kind kind, const Json& value);
/// A value as a manifest has it: a placeholder may stand where anything will, a name may be names by
/// platform, content a document.
bool may_stand_in_manifest(Kind kind, const Json& value);

bool is_text(const Json& value);  // not empty
bool are_texts(const Json& list);
bool is_change(const Json& value);

}  // namespace berth::catalogue
