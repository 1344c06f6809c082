#include "base/markup.h"

#include "catch.h"

namespace berth::test {

TEST_CASE("text shown in HTML or XML holds no markup, no broken bytes and no control character", "[base]") {
  CHECK(escaped_markup("a plain text, also of Zo\xc3\xab") == "a plain text, also of Zo\xc3\xab");
  CHECK(escaped_markup("<b a=\"x\">&amp;") == "&lt;b a=&quot;x&quot;&gt;&amp;amp;");
  CHECK(escaped_markup("one\ntwo\tthree") == "one&#10;two\tthree");
  CHECK(escaped_markup(std::string_view{"\0\x01\x1b[0m", 6}) == "&#x2400;&#x2401;&#x241b;[0m");
  CHECK(escaped_markup("left \xff right \xc3") == "left \xef\xbf\xbd right \xef\xbf\xbd");
  CHECK(escaped_markup("").empty());
}

}  // namespace berth::test
