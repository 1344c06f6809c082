#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth::host::resources {

/// A JSON file whose top value is an object, with the place of each member and of each item of a member
/// that is a list. Never rebuilt from values: every change answers the old bytes with only that member or
/// item put in, taken out or replaced, so that all others keep theirs, order, white space, spelling and final
/// newline included. What is put in comes last and copies the file's own separators; taking it out again
/// restores the exact bytes.
class JsonText {
 public:
  struct Item { std::size_t begin, end; };
  struct Member {
    std::string key;                   // decoded
    std::size_t begin, key_end;        // of the key's text, quotes included
    std::size_t value_begin, value_end;
    bool is_list = false;
    std::vector<Item> items;
  };

  /// Strict, as the strictest supported engine: one value, an object, UTF-8, no BOM, no comment, no duplicate
  /// member at the top. Else Errc::unparsable naming `file`, line, column and reason.
  static Result<JsonText> parse(std::string bytes, std::string_view file);
  /// What a file that is not there starts from.
  static JsonText empty();

  const std::string& bytes() const { return bytes_; }
  const std::vector<Member>& members() const { return members_; }
  const Member* find(std::string_view key) const;
  std::string text_of(const Member& member) const;
  std::string text_of(const Item& item) const;
  Result<Json> value_of(const Member& member) const;
  Result<Json> value_of(const Item& item) const;

  /// Replaces the member's value, or adds the member last. `text` is one JSON value, put in verbatim.
  Result<JsonText> with(std::string_view key, std::string_view text) const;
  Result<JsonText> without(std::string_view key) const;
  /// The member must be a list.
  Result<JsonText> with_item(std::string_view key, std::string_view text) const;
  Result<JsonText> without_item(std::string_view key, std::size_t index) const;

 private:
  Result<JsonText> spliced(std::size_t at, std::size_t length, std::string_view text) const;
  std::string member_separator(std::string_view& colon) const;
  std::string item_separator(const Member& list) const;

  std::string bytes_;
  std::string file_;
  std::size_t open_ = 0, close_ = 0;  // the object's braces
  std::vector<Member> members_;
};

/// A value on one line, with a space after each colon and comma.
std::string inline_text(const Json& value);

}  // namespace berth::host::resources
