// Releases over HTTP and HTTPS, from a real web server.
#include "host/release/stager.h"
#include "tests/host/release/artifact.h"
#include "tests/support/file_server.h"

using namespace berth;
using namespace berth::test;

namespace {

/// A web server over a folder of artifacts, and a machine that stages from it. Every attempt must leave no
/// file of a release that it did not stage.
struct Web {
  explicit Web(bool tls = false) : server(artifacts.path(), tls) {}

  Json artifact(const std::string& where) {
    auto made = artifacts.make("1.1.0", true, true);
    made["artifact"] = server.url(where);
    return made;
  }
  /// "" when it was staged, else "<field>: <why>".
  std::string stage(const Json& document, const std::string& authority = "") {
    const auto stager =
        host::release::make_stager(folder / "releases", {artifacts.public_key()}, no_faults(), authority);
    const auto staged = stager->stage(document, "1.1.0");
    const auto there = std::filesystem::exists(folder / "releases/1.1.0/bin/berth-host");
    CHECK(there == staged.ok());
    CHECK(std::filesystem::is_empty(folder / "releases/.tmp"));
    return staged ? "" : staged.error().field + ": " + staged.error().detail;
  }
  bool says(const std::string& text, const std::string& part) {
    UNSCOPED_INFO(text);
    return text.find(part) != std::string::npos;
  }

  Artifacts artifacts;
  FileServer server;
  TempFolder folder;
};

}  // namespace

TEST_CASE("a release comes over HTTP, and through a redirect", "[release][web]") {
  Web direct;
  CHECK(direct.stage(direct.artifact("/files/1.1.0.tar.gz")) == "");
  Web led;
  CHECK(led.stage(led.artifact("/to/1.1.0.tar.gz")) == "");
  CHECK(led.server.asked() == "/to/1.1.0.tar.gz\n/files/1.1.0.tar.gz\n");
}

TEST_CASE("a release over HTTP with another sum or another's signature is never unpacked", "[release][web]") {
  Web web;
  auto other = web.artifact("/files/1.1.0.tar.gz");
  const auto good = other["sha256"];
  other["sha256"] = std::string(64, 'a');
  other["signature"] = web.artifacts.sign(other["sha256"]);
  CHECK(web.says(web.stage(other), "sha256: stage release 1.1.0: " + web.server.url("/files/1.1.0.tar.gz") +
                                       " has sha256 " + good.get<std::string>() + ", declared is aaaa"));
  other = web.artifact("/files/1.1.0.tar.gz");
  other["signature"] = Artifacts{}.sign(other["sha256"]);
  CHECK(web.says(web.stage(other), "is signed by none of this machine's 1 release keys"));
  CHECK(web.stage(web.artifact("/files/1.1.0.tar.gz")) == "");
}

TEST_CASE("a download that ends early is refused, whether the server said its length or not",
          "[release][web]") {
  Web web;
  CHECK(web.says(web.stage(web.artifact("/half/1.1.0.tar.gz")), " bytes "));
  CHECK(web.says(web.stage(web.artifact("/cut/1.1.0.tar.gz")), "sha256: stage release 1.1.0"));
}

TEST_CASE(
    "a redirect to a file of the machine, or round and round, is not followed; what is not there is said",
    "[release][web]") {
  Web web;
  const auto out = web.stage(web.artifact("/out/1.1.0.tar.gz"));
  CHECK(web.says(out, "fetch " + web.server.url("/out/1.1.0.tar.gz")));
  CHECK(web.says(out, "file"));
  CHECK(web.says(web.stage(web.artifact("/round")), "5"));
  CHECK(web.says(web.stage(web.artifact("/files/none.tar.gz")), "404"));
}

TEST_CASE(
    "a server whose certificate nobody signed that the machine trusts is refused; with its authority named "
    "it is taken",
    "[release][web]") {
  Web web{true};
  CHECK(web.says(web.stage(web.artifact("/files/1.1.0.tar.gz")), "certificate"));
  CHECK(web.server.asked() == "");
  CHECK(web.stage(web.artifact("/files/1.1.0.tar.gz"), web.server.authority()) == "");
}
