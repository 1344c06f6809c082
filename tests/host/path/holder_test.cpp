#include <algorithm>

#include "base/json.h"
#include "host/path/select.h"
#include "tests/host/support/fake_holder.h"
#include "tests/support/catch.h"
#include "tests/support/fakes.h"

using namespace berth;
using namespace berth::host::path;

namespace {
std::unique_ptr<Path> forbidden(Seam&) {
  FAIL("the command line was reached for");
  return nullptr;
}
const Linked kHolderAndCli{forbidden, make_holder_path};
}  // namespace

TEST_CASE("with the latch on, every operation on a container goes to the holder's socket") {
  test::TempFolder folder;
  test::FakeHolder holder(folder / "holder.sock");
  holder.add("stray", "i:1");
  holder.start();
  auto opened = open_path(kHolderAndCli, true, (folder / "holder.sock").native(), no_faults()).value();
  REQUIRE_FALSE(opened.silent);
  CHECK(opened.used() == Kind::holder);
  REQUIRE(opened.containers.size() == 1);
  CHECK(opened.containers[0].pid == 0);  // a summary names no process …
  CHECK(opened.seen_now().value()[0].pid == 1001);  // … and is asked for it where that matters

  holder::client::ContainerSpec spec;
  spec.name = "web";
  spec.image = "i:1";
  spec.assignment = "web";
  const auto id = opened.path->create(spec).value();
  CHECK(opened.path->engine_socket().value() == "/run/docker.sock");  // what a bind is held against
  CHECK(opened.path->signal(id, "HUP").ok());
  CHECK(opened.path->stop(id, std::chrono::seconds{1}).ok());
  CHECK(opened.path->start(id).ok());
  CHECK(opened.path->remove(id).ok());
  const auto asked = holder.asked();
  for (const auto* verb : {"create web", "list"}) CHECK(std::ranges::count(asked, verb) >= 1);
  for (const auto* verb : {"signal ", "stop ", "start ", "remove "})
    CHECK(std::ranges::count(asked, verb + id) == 1);
}

TEST_CASE("a silent holder is no path, and the cause says how it was silent") {
  test::TempFolder folder;
  const auto opened = open_path(kHolderAndCli, true, (folder / "holder.sock").native(), no_faults()).value();
  REQUIRE(opened.silent);
  CHECK(opened.wanted == Kind::holder);
  CHECK(opened.used() == Kind::none);
  CHECK(opened.silent->code == Errc::holder_silent);
  CHECK(opened.silent->detail.find("no such socket") != std::string::npos);
  CHECK(opened.silent->seat == "node-container-runtime");
}

TEST_CASE("what the engine says of itself comes through the holder, its last reload too") {
  test::TempFolder folder;
  test::FakeHolder holder(folder / "holder.sock");
  holder.set_engine(true, {"registry.mesh:5000"}, "2026-01-02T03:04:05.5Z");
  holder.start();
  const auto path = make_holder_path((folder / "holder.sock").native(), no_faults());
  const auto engine = path->engine().value();
  CHECK(engine.live_restore);
  CHECK(engine.insecure_registries == std::vector<std::string>{"registry.mesh:5000"});
  CHECK(path->reloaded_since(parse_rfc3339("2026-01-02T03:04:05Z").value()).value());
  CHECK_FALSE(path->reloaded_since(parse_rfc3339("2026-01-02T03:04:06Z").value()).value());
  CHECK(path->engine_socket().value() == "/run/docker.sock");
}

TEST_CASE("a holder that states no engine socket is an error, never a socket by default") {
  test::TempFolder folder;
  test::FakeHolder holder(folder / "holder.sock");
  holder.seat["engine"] = Json::object();
  holder.start();
  const auto path = make_holder_path((folder / "holder.sock").native(), no_faults());
  CHECK(path->engine_socket().error().detail == "the holder states no engine socket");
  holder.stop();
  CHECK(path->engine_socket().error().code == Errc::holder_silent);
}
