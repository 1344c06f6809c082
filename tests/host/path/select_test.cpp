#include "host/path/select.h"

#include "tests/support/catch.h"

using namespace berth;
using namespace berth::host::path;

namespace {
std::unique_ptr<Path> no_cli(Seam&) { return nullptr; }
std::unique_ptr<Path> no_holder(const std::string&, Seam&) { return nullptr; }
const Linked kStart{no_cli, nullptr};
const Linked kBoth{no_cli, no_holder};
const Linked kHolderAlone{nullptr, no_holder};
}  // namespace

TEST_CASE("the path belongs to the release and its latch, never to the moment") {
  CHECK(allowed_kind(kStart, false).value() == Kind::cli);
  CHECK(allowed_kind(kStart, true).value() == Kind::cli);
  CHECK(allowed_kind(kBoth, false).value() == Kind::cli);
  CHECK(allowed_kind(kBoth, true).value() == Kind::holder);
  CHECK(allowed_kind(kHolderAlone, false).value() == Kind::holder);
  CHECK(allowed_kind(kHolderAlone, true).value() == Kind::holder);
  CHECK_FALSE(allowed_kind({}, true).ok());
}
