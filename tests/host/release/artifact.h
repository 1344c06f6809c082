#pragma once
// An artifact made and signed as scripts/package-release does it: tar, sha256, openssl.
#include <filesystem>
#include <fstream>
#include <string>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/process.h"
#include "tests/host/resources/room.h"

namespace berth::test {

class Artifacts {
 public:
  Artifacts() {
    run("openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out key.pub");
  }
  const std::filesystem::path& path() const { return folder.path(); }
  std::string public_key() const { return must(read_file(folder / "key.pub")); }

  /// {"artifact", "sha256", "signature"} of a release whose program is a shell script.
  Json make(const std::string& version, bool cli, bool holder,
            const std::string& script = "#!/bin/sh\necho 1.0\n") const {
    const auto tree = folder / ("tree-" + version);
    std::filesystem::create_directories(tree / "bin");
    std::ofstream{tree / "bin/berth-host"} << script;
    std::filesystem::permissions(tree / "bin/berth-host", std::filesystem::perms{0755});
    const Json release = {{"version", version},
                          {"platform", "debian-12"},
                          {"cli_path", cli ? "present" : "absent"},
                          {"holder_path", holder ? "present" : "absent"}};
    std::ofstream{tree / "release.json"} << release.dump();
    run("tar -C tree-" + version + " --sort=name --mtime=@0 -I 'gzip -n' -cf " + version + ".tar.gz bin release.json");
    const auto file = folder / (version + ".tar.gz");
    const auto hash = must(sha256_hex_of_file(file));
    return {{"artifact", "file://" + file.native()}, {"sha256", hash}, {"signature", sign(hash)}};
  }
  std::string sign(const std::string& text) const {
    std::ofstream{folder / "text"} << text;
    return run("openssl pkeyutl -sign -inkey key.pem -rawin -in text | base64 -w 0");
  }

 private:
  std::string run(const std::string& line) const {
    return must(run_checked({"sh", "-ec", "cd " + folder.path().native() + "; " + line},
                            std::chrono::seconds{30}, no_faults()));
  }
  TempFolder folder;
};

}  // namespace berth::test
