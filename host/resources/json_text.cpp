#include "host/resources/json_text.h"

#include <algorithm>

#include "base/json.h"
#include "host/resources/json_scan.h"

namespace berth::host::resources {
namespace {

using Member = JsonText::Member;
using Item = JsonText::Item;

Status read_items(JsonScan& scan, Member& member) {
  member.is_list = true;
  TRY(scan.expect('[', "where a list begins"));
  scan.skip_space();
  if (scan.peek() == ']') return scan.expect(']', "");
  for (;;) {
    scan.skip_space();
    const auto begin = scan.at();
    TRY(scan.value(2));
    member.items.push_back({begin, scan.at()});
    scan.skip_space();
    if (scan.peek() == ']') return scan.expect(']', "");
    TRY(scan.expect(',', "or ']' after an item"));
  }
}

Result<Member> read_member(JsonScan& scan, std::string_view bytes) {
  Member member{};
  scan.skip_space();
  member.begin = scan.at();
  TRY(scan.name());
  member.key_end = scan.at();
  member.key = decode_string(bytes.substr(member.begin, member.key_end - member.begin));
  scan.skip_space();
  TRY(scan.expect(':', "after a member's name"));
  scan.skip_space();
  member.value_begin = scan.at();
  if (scan.peek() == '[') TRY(read_items(scan, member));
  else TRY(scan.value(1));
  member.value_end = scan.at();
  return member;
}

Status read_members(JsonScan& scan, std::string_view bytes, std::vector<Member>& members) {
  scan.skip_space();
  if (scan.peek() == '}') return {};
  for (;;) {
    auto member = TRY(read_member(scan, bytes));
    if (std::ranges::find(members, member.key, &Member::key) != members.end()) {
      return scan.wrong_at(member.begin, "the member \"" + member.key + "\" is there twice");
    }
    members.push_back(std::move(member));
    scan.skip_space();
    if (scan.peek() == '}') return {};
    TRY(scan.expect(',', "or '}' after a member"));
  }
}

/// The white space before the first thing in an empty bracket on several lines, its closing bracket's white
/// space being `space`: one step further in. Nothing when the bracket stands on one line.
std::string lead_within(std::string_view space) {
  const auto newline = space.rfind('\n');
  if (newline == std::string_view::npos) return std::string{space};
  const bool carriage = newline > 0 && space[newline - 1] == '\r';
  const auto indent = space.substr(newline + 1);
  const auto step = indent.empty() || indent.find(' ') != std::string_view::npos ? "  " : "\t";
  return (carriage ? "\r\n" : "\n") + std::string{indent} + step;
}

/// What stands between two things where there is only one yet, `lead` being the white space before it.
std::string after_first(std::string_view lead, bool spaced) {
  if (lead.find('\n') != std::string_view::npos) return "," + std::string{lead};
  return spaced ? ", " : ",";
}

}  // namespace

Result<JsonText> JsonText::parse(std::string bytes, std::string_view file) {
  JsonText text;
  text.bytes_ = std::move(bytes);
  text.file_ = file;
  JsonScan scan{text.bytes_, file};
  TRY(scan.check_encoding());
  scan.skip_space();
  if (scan.peek() != '{') return scan.wrong("the file must hold one object");
  text.open_ = scan.at();
  TRY(scan.expect('{', ""));
  TRY(read_members(scan, text.bytes_, text.members_));
  text.close_ = scan.at();
  TRY(scan.expect('}', ""));
  scan.skip_space();
  if (!scan.ended()) return scan.wrong("text after the end of the object");
  return text;
}

JsonText JsonText::empty() { return *parse("{\n}\n", "a new file"); }

const Member* JsonText::find(std::string_view key) const {
  const auto at = std::ranges::find(members_, key, &Member::key);
  return at == members_.end() ? nullptr : &*at;
}

std::string JsonText::text_of(const Member& member) const {
  return bytes_.substr(member.value_begin, member.value_end - member.value_begin);
}
std::string JsonText::text_of(const Item& item) const { return bytes_.substr(item.begin, item.end - item.begin); }

namespace {

Result<Json> decoded(const std::string& text, std::string_view what) {
  auto value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) return fail(Errc::unparsable, std::string{what} + " cannot be read: " + text.substr(0, 80));
  return value;
}

}  // namespace

Result<Json> JsonText::value_of(const Member& member) const {
  return decoded(text_of(member), file_ + ": the member \"" + member.key + "\"");
}
Result<Json> JsonText::value_of(const Item& item) const { return decoded(text_of(item), file_ + ": an item of a list"); }

Result<JsonText> JsonText::spliced(std::size_t at, std::size_t length, std::string_view text) const {
  auto bytes = bytes_;
  bytes.replace(at, length, text);
  return parse(std::move(bytes), file_);
}

std::string JsonText::member_separator(std::string_view& colon) const {
  const std::string_view bytes = bytes_;
  colon = ": ";
  if (members_.empty()) return lead_within(bytes.substr(open_ + 1, close_ - open_ - 1));
  const auto& last = members_.back();
  colon = bytes.substr(last.key_end, last.value_begin - last.key_end);
  if (members_.size() > 1) {
    const auto& previous = members_[members_.size() - 2];
    return std::string{bytes.substr(previous.value_end, last.begin - previous.value_end)};
  }
  return after_first(bytes.substr(open_ + 1, last.begin - open_ - 1), colon != ":");
}

Result<JsonText> JsonText::with(std::string_view key, std::string_view text) const {
  if (const auto* member = find(key)) {
    return spliced(member->value_begin, member->value_end - member->value_begin, text);
  }
  std::string_view colon;
  auto put = member_separator(colon);
  put += Json(key).dump();
  put += colon;
  put += text;
  return spliced(members_.empty() ? open_ + 1 : members_.back().value_end, 0, put);
}

Result<JsonText> JsonText::without(std::string_view key) const {
  const auto* member = find(key);
  if (member == nullptr) return *this;
  const auto index = static_cast<std::size_t>(member - members_.data());
  if (index > 0) {
    const auto from = members_[index - 1].value_end;
    return spliced(from, member->value_end - from, "");
  }
  if (members_.size() > 1) return spliced(member->begin, members_[1].begin - member->begin, "");
  return spliced(open_ + 1, member->value_end - open_ - 1, "");
}

std::string JsonText::item_separator(const Member& list) const {
  const std::string_view bytes = bytes_;
  const auto& items = list.items;
  if (items.empty()) {
    return lead_within(bytes.substr(list.value_begin + 1, list.value_end - list.value_begin - 2));
  }
  if (items.size() > 1) {
    const auto from = items[items.size() - 2].end;
    return std::string{bytes.substr(from, items.back().begin - from)};
  }
  const auto lead = bytes.substr(list.value_begin + 1, items[0].begin - list.value_begin - 1);
  return after_first(lead, list.value_begin - list.key_end > 1);
}

Result<JsonText> JsonText::with_item(std::string_view key, std::string_view text) const {
  const auto* list = find(key);
  if (list == nullptr || !list->is_list) return fail(Errc::failed, std::string{key} + " is not a list");
  const auto at = list->items.empty() ? list->value_begin + 1 : list->items.back().end;
  return spliced(at, 0, item_separator(*list) + std::string{text});
}

Result<JsonText> JsonText::without_item(std::string_view key, std::size_t index) const {
  const auto* list = find(key);
  if (list == nullptr || index >= list->items.size()) return fail(Errc::failed, std::string{key} + " has no such item");
  const auto& items = list->items;
  if (index > 0) return spliced(items[index - 1].end, items[index].end - items[index - 1].end, "");
  if (items.size() > 1) return spliced(items[0].begin, items[1].begin - items[0].begin, "");
  return spliced(list->value_begin + 1, items[0].end - list->value_begin - 1, "");
}

std::string inline_text(const Json& value) {
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, item] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += Json(key).dump() + ": ";
    text += inline_text(item);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace berth::host::resources
