#include "store/outbox.h"

#include "tests/store/world.h"

using namespace berth;
using namespace berth::test;

TEST_CASE("the outbox keeps order, and a seq is never given twice", "[store][outbox]") {
  StoreWorld w;
  auto s = w.open(store::Role::host);
  for (int i = 1; i <= 5; ++i) {
    REQUIRE(store::next_outbox_seq(s).value() == i);
    REQUIRE(store::queue_message(s, "report", "mesh.alder.host.report", "alder:x:" + std::to_string(i), "{}").value() == i);
  }
  for (const auto& row : store::oldest_messages(s, 100).value()) REQUIRE(store::message_delivered(s, row.seq));
  CHECK(store::oldest_messages(s, 100).value().empty());
  CHECK(store::next_outbox_seq(s).value() == 6);  // also after all were taken off
}

TEST_CASE("the oldest messages come first, at most as many as asked for", "[store][outbox]") {
  StoreWorld w;
  auto s = w.open(store::Role::host);
  for (const char* id : {"c", "a", "b"}) REQUIRE(store::queue_message(s, "event", "e", id, R"({"x":1})"));
  std::string order;
  for (const auto& row : store::oldest_messages(s, 2).value()) order += row.message_id + row.body;
  CHECK(order == R"(c{"x":1}a{"x":1})");
}

TEST_CASE("a message id is queued once and delivered once, however often it is said", "[store][outbox]") {
  StoreWorld w;
  auto s = w.open(store::Role::host);
  const auto seq = store::queue_message(s, "event", "e", "alder:x:1", "{}").value();
  const auto again = store::queue_message(s, "event", "e", "alder:x:1", "{}");
  REQUIRE_FALSE(again);
  CHECK(again.error().code == Errc::conflict);
  CHECK(store::message_delivered(s, seq));
  CHECK(store::message_delivered(s, seq));
}

TEST_CASE("a message whose transaction is rolled back was never queued", "[store][outbox]") {
  StoreWorld w;
  auto s = w.open(store::Role::host);
  CHECK_FALSE(s.transaction([&]() -> Status {
    TRY(store::queue_message(s, "event", "e", "alder:x:1", "{}"));
    return fail(Errc::failed, "no");
  }));
  CHECK(store::oldest_messages(s, 10).value().empty());
  CHECK(store::next_outbox_seq(s).value() == 1);
}

TEST_CASE("a body that is no JSON and a kind nobody knows are refused", "[store][outbox]") {
  StoreWorld w;
  auto s = w.open(store::Role::host);
  CHECK_FALSE(store::queue_message(s, "event", "e", "1", "{"));
  CHECK_FALSE(store::queue_message(s, "letter", "e", "2", "{}"));
}
