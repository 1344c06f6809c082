#include "host/release/stager.h"

#include "tests/host/release/artifact.h"

using namespace berth;
using namespace berth::test;
namespace fs = std::filesystem;

namespace {

struct Releases {
  Artifacts artifacts;
  TempFolder folder;
  std::unique_ptr<host::resources::Stager> stager =
      host::release::make_stager(folder / "releases", {artifacts.public_key()}, no_faults());

  bool nothing_staged() const {
    if (!fs::exists(folder / "releases")) return true;
    for (const auto& entry : fs::recursive_directory_iterator{folder / "releases"}) {
      if (entry.is_regular_file()) return false;
    }
    return true;
  }
};

}  // namespace

TEST_CASE("a signed artifact is staged under its version, and once more is the same") {
  Releases releases;
  const auto artifact = releases.artifacts.make("1.1.0", true, true);
  const auto folder = must(releases.stager->stage(artifact, "1.1.0"));
  CHECK(folder == (releases.folder / "releases/1.1.0").native());
  const auto facts = must(host::release::read_release(folder));
  CHECK(facts.version == "1.1.0");
  CHECK(facts.holder_path);
  CHECK(fs::exists(folder + "/bin/berth-host"));
  CHECK(must(releases.stager->stage(artifact, "1.1.0")) == folder);
  CHECK(fs::is_empty(releases.folder / "releases/.tmp"));
}

TEST_CASE("what is not signed by one of the machine's keys is not unpacked") {
  Releases releases;
  auto artifact = releases.artifacts.make("1.1.0", true, true);
  artifact["signature"] = Artifacts{}.sign(artifact["sha256"]);
  const auto refused = releases.stager->stage(artifact, "1.1.0");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().field == "signature");
  CHECK(releases.nothing_staged());
}

TEST_CASE(
    "bytes other than declared, another version inside, no file, and a strange address are refused by name") {
  Releases releases;
  auto artifact = releases.artifacts.make("1.1.0", true, true);
  auto other = artifact;
  other["sha256"] = std::string(64, 'a');
  CHECK(releases.stager->stage(other, "1.1.0").error().field == "sha256");
  CHECK(releases.stager->stage(artifact, "1.2.0").error().field == "version");
  other = artifact;
  other["artifact"] = "file:///no/such/file.tar.gz";
  CHECK(releases.stager->stage(other, "1.1.0").error().detail.find("/no/such/file") != std::string::npos);
  other["artifact"] = "gopher://x/";
  CHECK(releases.stager->stage(other, "1.1.0").error().field == "artifact");
  CHECK(releases.stager->stage(artifact, "../evil").error().field == "version");
  CHECK(releases.nothing_staged());
}

TEST_CASE("a version means one artifact: another one under its name is refused") {
  Releases releases;
  must(releases.stager->stage(releases.artifacts.make("1.1.0", true, true), "1.1.0"));
  const auto other = releases.artifacts.make("1.1.0", false, true, "#!/bin/sh\necho 1.0 # another\n");
  CHECK(releases.stager->stage(other, "1.1.0").error().code == Errc::conflict);
}
