#include "base/parts.h"

#include "base/fields.h"
#include "base/json.h"
#include "catch.h"

using namespace berth;

namespace {

std::string document_of(int rows) {
  Json rows_of_it = Json::array();
  for (int i = 0; i < rows; ++i)
    rows_of_it.push_back({{"id", "net.conf-" + std::to_string(i)}, {"detail", "»\"\\\n\x01«é😀"}});
  return rows_of_it.dump();
}

Result<std::string> join(const std::vector<Part>& parts) {
  Joining joining{parts.front()};
  for (const auto& part : parts) TRY(joining.take(part));
  return std::move(joining).document();
}

}  // namespace

TEST_CASE("a document in parts is itself again, and no part is larger than there is room for", "[parts]") {
  const auto whole = document_of(300);
  for (const std::size_t room : {512U, 700U, 1024U, 4096U, 65536U}) {
    const auto parts = split(whole, "birch:01234567:9", room).value();
    CHECK((parts.size() > 1) == (room < 60000));
    for (const auto& part : parts) {
      CHECK(part.document().size() <= room);
      CHECK(is_part(part.document()));
      CHECK(Part::parse(part.document()).value().text == part.text);
    }
    CHECK(join(parts).value() == whole);
  }
}

TEST_CASE(
    "a part that comes twice changes nothing, and those cut otherwise after half of the first join them",
    "[parts]") {
  const auto whole = document_of(40);
  auto parts = split(whole, "w", 600).value();
  const auto wider = split(whole, "w", 900).value();
  std::vector<Part> mixed{parts[0], parts[1], parts[1], parts[0]};
  mixed.insert(mixed.end(), wider.begin(), wider.end());
  CHECK(join(mixed).value() == whole);
}

TEST_CASE("a part that is lost, of another document, cut short or changed is told from a whole one",
          "[parts]") {
  const auto parts = split(document_of(40), "w", 600).value();
  auto lost = parts;
  lost.erase(lost.begin() + 1);
  CHECK(join(lost).error().code == Errc::conflict);
  CHECK(join(lost).error().detail.find("a part before it is lost") != std::string::npos);
  CHECK(join({parts.begin(), parts.end() - 1}).error().code == Errc::conflict);
  auto foreign = parts;
  foreign[1] = split(document_of(41), "w", 600).value()[1];
  CHECK(join(foreign).error().detail == "part 2 of w is of another document than the parts before it");
  auto changed = parts;
  changed[1].text[0] = static_cast<char>(changed[1].text[0] == 'x' ? 'y' : 'x');
  CHECK(join(changed).error().detail == "the parts of w are not what was sent");
}

TEST_CASE("what is no part, or lies about its size, is refused by its field", "[parts]") {
  CHECK_FALSE(is_part("{\"machine\":\"birch\"}"));
  CHECK_FALSE(is_part("{\"at\":\"2026-01-01T00:00:00Z\",\"machine\":\"birch\"}"));  // a report
  CHECK_FALSE(is_part("{\"at\":"));
  auto part = split(document_of(10), "w", 600).value()[0];
  part.bytes = 3;
  CHECK(Part::parse(part.document()).error().field == "part.text");
  part.bytes = kMostWhole + 1;
  CHECK(Part::parse(part.document()).error().field == "part.bytes");
  part.bytes = 4000;
  part.part = 99;
  CHECK(Part::parse(part.document()).error().field == "part.part");
}

TEST_CASE("a document over the bound, or a broker that takes too little for one part, is too_large",
          "[parts]") {
  CHECK(split(std::string(kMostWhole + 1, 'x'), "w", 1 << 20).error().code == Errc::too_large);
  CHECK(split("abc", "w", 100).error().code == Errc::too_large);
}
