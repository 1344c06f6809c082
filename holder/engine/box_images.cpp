#include <algorithm>

#include "base/json.h"
#include "holder/engine/box_calls.h"
#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"
#include "holder/engine/refusal.h"
#include "holder/engine/url.h"

// Pulls, and the images that are left behind.
namespace berth::holder::engine {
namespace {

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const auto& item : list) {
    if (item.is_string() && !item.get_ref<const std::string&>().starts_with("<none>"))
      texts.push_back(item.get<std::string>());
  }
  return texts;
}

/// A pull answers 200 at once, and says in its last lines whether it worked.
std::string error_in(const std::string& lines) {
  std::string error;
  std::size_t from = 0;
  while (from < lines.size()) {
    const auto end = std::min(lines.find('\n', from), lines.size());
    const auto line = Json::parse(lines.substr(from, end - from), nullptr, false);
    if (line.is_object() && !text_member(line, "error").empty()) error = text_member(line, "error");
    from = end + 1;
  }
  return error;
}

}  // namespace

Status BoxCalls::pull(const std::string& reference) {
  TRY(url_image(reference));
  const auto slash = reference.rfind('/');
  const auto colon = reference.rfind(':');
  const bool tagged = reference.find('@') != std::string::npos ||
                      (colon != std::string::npos && (slash == std::string::npos || colon > slash));
  // Without a tag the engine would pull every one of them.
  const auto query = url_query({{"fromImage", reference}, {"tag", tagged ? "" : "latest"}});
  const Call call{.method = "POST",
                  .target = at("/images/create" + query),
                  .limit = std::chrono::milliseconds{0},
                  .silence = kBound};
  const auto answer = TRY(accepted(act("engine.pull", call, reference), "pull " + reference));
  if (const auto error = error_in(answer.body); !error.empty())
    return fail(Errc::engine_refused, "pull " + reference + ": the engine says: " + error);
  return {};
}

Status BoxCalls::import_image(const std::string& repository, const std::string& tag, const std::string& tar) {
  const auto query = url_query({{"fromSrc", "-"}, {"repo", repository}, {"tag", tag}});
  const Call call{.method = "POST",
                  .target = at("/images/create" + query),
                  .body = tar,
                  .content_type = "application/x-tar"};
  TRY(accepted(act("engine.import", call, repository), "import image " + repository));
  return {};
}

Result<std::vector<BoxCalls::ImageRow>> BoxCalls::images() {
  const auto rows = TRY(get("/images/json", "list of images"));
  if (!rows.is_array()) return fail(Errc::engine_refused, "list of images: the answer is no list");
  std::vector<ImageRow> found;
  for (const auto& row : rows)
    found.push_back(
        {text_member(row, "Id"), texts_of(member(row, "RepoTags")), texts_of(member(row, "RepoDigests"))});
  return found;
}

Status BoxCalls::remove_image(const std::string& id) {
  const Call call{.method = "DELETE", .target = at("/images/" + url_segment(id))};
  const auto answer = TRY(act("engine.image_remove", call, id));
  if (answer.ok() || answer.status == 404) return {};
  return refusal(answer, "remove image " + id);
}

}  // namespace berth::holder::engine
