#include "host/release/stager.h"

#include <algorithm>

#include "base/config.h"
#include "base/fields.h"
#include "base/file.h"
#include "base/hash.h"
#include "host/release/fetch.h"
#include "host/release/unpack.h"

namespace berth::host::release {
namespace {

namespace fs = std::filesystem;

// Beside the release's own files: which artifact it came from.
constexpr auto kOrigin = ".artifact.sha256";

struct Artifact {
  std::string url, sha256, signature;
};

Result<Artifact> parse_artifact(const Json& document) {
  Fields f{document, "artifact"};
  Artifact artifact;
  artifact.url = f.text("artifact");
  artifact.sha256 = f.text("sha256");
  artifact.signature = f.text("signature");
  TRY(f.finish());
  return artifact;
}

class FolderStager final : public resources::Stager {
 public:
  FolderStager(fs::path releases, std::vector<std::string> keys, std::string authority, Seam& seam)
      : releases_(std::move(releases)), keys_(std::move(keys)), authority_(std::move(authority)), seam_(seam) {}

  Result<std::string> stage(const Json& document, const std::string& version) override {
    TRY(check_version(version));
    const auto artifact = TRY(parse_artifact(document));
    const auto folder = releases_ / version;
    if (fs::exists(folder)) {
      TRY(check_there(folder, artifact, version));
      return folder.native();
    }
    const auto work = releases_ / ".tmp" / (version + "-" + random_hex(4));
    std::error_code error;
    fs::remove_all(releases_ / ".tmp", error);  // what a death left; one host stages here, one at a time
    fs::create_directories(work / "tree", error);
    if (error) return fail(Errc::failed, "make " + work.native() + ": " + error.message());
    auto staged = bring(artifact, version, work, folder);
    fs::remove_all(work, error);
    if (!staged) return std::move(staged).error().while_doing("stage release " + version);
    return folder.native();
  }

 private:
  Status check_there(const fs::path& folder, const Artifact& artifact, const std::string& version) {
    const auto facts = TRY(read_release(folder));
    if (facts.version != version)
      return fail(Errc::conflict, folder.native() + " holds release " + facts.version);
    const auto origin = read_file(folder / kOrigin, 256);
    if (!origin || *origin == artifact.sha256)
      return {};  // put there by hand: release.json is all that is known
    return fail(Errc::conflict, folder.native() + " came from the artifact with sha256 " + *origin +
                                    ", not " + artifact.sha256 +
                                    ": give the other one a version of its own, or remove that folder if nothing runs from it");
  }

  Status bring(const Artifact& artifact, const std::string& version, const fs::path& work,
               const fs::path& folder) {
    TRY(fetch(artifact.url, work / "artifact", authority_, seam_));
    TRY(check(artifact, work / "artifact"));
    TRY(unpack(work / "artifact", work / "tree", seam_));
    const auto facts = TRY(read_release(work / "tree"));
    if (facts.version != version) {
      return fail_field(Errc::conflict, "version",
                        artifact.url + " is release " + facts.version + ", not " + version);
    }
    TRY(write_file(work / "tree" / kOrigin, artifact.sha256, 0644, seam_));
    fs::permissions(work / "tree", fs::perms{0755});
    TRY(sync_tree(work / "tree"));
    TRY(seam_.before("release.place", folder.native()));
    std::error_code error;
    fs::rename(work / "tree", folder, error);
    if (error) return fail(Errc::failed, "rename to " + folder.native() + ": " + error.message());
    return sync_tree(releases_);
  }

  Status check(const Artifact& artifact, const fs::path& file) const {
    const auto hash = TRY(sha256_hex_of_file(file));
    if (hash != artifact.sha256) {
      return fail_field(Errc::conflict, "sha256",
                        artifact.url + " has sha256 " + hash + ", declared is " + artifact.sha256);
    }
    const bool good = std::ranges::any_of(
        keys_, [&](const std::string& key) { return ed25519_verifies(key, hash, artifact.signature); });
    if (good) return {};
    return fail_field(Errc::conflict, "signature",
                      artifact.url + " is signed by none of this machine's " + std::to_string(keys_.size()) +
                          " release keys");
  }

  fs::path releases_;
  std::vector<std::string> keys_;
  std::string authority_;
  Seam& seam_;
};

}  // namespace

Result<ReleaseFacts> read_release(const fs::path& folder) {
  const auto file = folder / "release.json";
  const auto document = TRY(read_document(file));
  Fields f{document, file.native()};
  ReleaseFacts facts;
  facts.version = f.text("version");
  facts.platform = f.text("platform", "");
  facts.cli_path = f.one_of("cli_path", {"present", "absent"}, "absent") == "present";
  facts.holder_path = f.one_of("holder_path", {"present", "absent"}, "absent") == "present";
  TRY(f.finish());
  return facts;
}

Status check_version(const std::string& version) {
  const auto good = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view{".+-~"}.find(c) != std::string_view::npos;
  };
  const bool named = !version.empty() && version.size() <= 64 && std::ranges::all_of(version, good) &&
                     std::isalnum(static_cast<unsigned char>(version.front())) != 0;
  if (named) return {};
  return fail_field(Errc::bad_request, "version",
                    "\"" + version + "\" is no version: letters, digits and . + - ~, at most 64");
}

std::unique_ptr<resources::Stager> make_stager(fs::path releases, std::vector<std::string> keys, Seam& seam,
                                               std::string authority) {
  return std::make_unique<FolderStager>(std::move(releases), std::move(keys), std::move(authority), seam);
}

}  // namespace berth::host::release
