#include "host/serve/parts_desk.h"

#include <algorithm>

#include "base/error.h"
#include "base/fields.h"
#include "base/hash.h"
#include "base/json.h"

namespace berth::host::serve {
namespace {

template <class List, class Bytes>
void make_room(List& list, std::size_t coming, Bytes bytes_of) {
  const auto all = [&] {
    std::size_t sum = coming;
    for (const auto& one : list) sum += bytes_of(one);
    return sum;
  };
  while (!list.empty() && (list.size() >= PartsDesk::kMostOpen || all() > PartsDesk::kMostBytes))
    list.pop_front();
}

}  // namespace

/// None for a part whose document was not begun here: it must not push out another's.
Joining* PartsDesk::joining_of(const Part& part) {
  const auto found = std::ranges::find_if(open_, [&](const Joining& one) { return one.is_of(part); });
  if (found != open_.end()) return &*found;
  if (part.at > 0) return nullptr;
  make_room(open_, part.bytes, [](const Joining& one) { return one.bytes(); });
  return &open_.emplace_back(part);
}

Result<PartsDesk::Taken> PartsDesk::take(std::string_view message) {
  const auto part = TRY(Part::parse(message));
  const std::scoped_lock lock{mutex_};
  auto* joining = joining_of(part);
  if (joining == nullptr)
    return fail_field(Errc::conflict, "part", "no part of " + part.whole + " before this one is here");
  // What is here stays for a sender that begins again.
  if (const auto joins = joining->take(part); !joins)
    return fail_field(Errc::conflict, "part", joins.error().detail);
  Taken taken{{}, part.whole, joining->have()};
  if (!joining->is_whole()) return taken;
  auto whole = std::move(*joining).document();
  std::erase_if(open_, [&](const Joining& one) { return one.is_of(part); });
  taken.question = TRY(std::move(whole));
  return taken;
}

Result<std::string> PartsDesk::keep(const std::string& answer, std::size_t room) {
  auto parts = TRY(split(answer, random_hex(8), room));
  auto first = parts.front().document();
  const std::scoped_lock lock{mutex_};
  make_room(kept_, answer.size(), [](const Kept& one) { return one.bytes; });
  kept_.push_back({parts.front().whole, answer.size(), std::move(parts)});
  return first;
}

Result<std::string> PartsDesk::give(const Json& request) {
  Fields f{request, ""};
  f.text("what");
  const auto whole = f.text("whole");
  const auto number = f.integer("part", 1, INT64_MAX);
  TRY(f.finish());
  const std::scoped_lock lock{mutex_};
  const auto found = std::ranges::find_if(kept_, [&](const Kept& one) { return one.whole == whole; });
  if (found == kept_.end())
    return fail_field(Errc::not_found, "whole", "the answer " + whole + " is not kept any more; ask again");
  if (static_cast<std::size_t>(number) > found->parts.size())
    return fail_field(Errc::bad_request, "part",
                      "the answer has " + std::to_string(found->parts.size()) + " parts");
  auto document = found->parts[static_cast<std::size_t>(number) - 1].document();
  // The last one asked for, it has been read whole; a sender whose reply was lost asks anew.
  if (static_cast<std::size_t>(number) == found->parts.size()) kept_.erase(found);
  return document;
}

}  // namespace berth::host::serve
