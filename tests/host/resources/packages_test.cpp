// The package managers, by programs of their names that write down how they were called.
#include <cstdlib>

#include "host/resources/packages.h"
#include "tests/host/resources/room.h"

using namespace berth;
using namespace berth::host::resources;
using test::must;

namespace {

/// A PATH that begins with the test's own programs and, of the rest, has only what a shell script needs.
struct Programs {
  Programs() : was(std::getenv("PATH")) {
    for (const auto* tool : {"sh", "env", "cat", "test"}) link(tool);
    ::setenv("PATH", root.at("/bin").c_str(), 1);
  }
  ~Programs() { ::setenv("PATH", was.c_str(), 1); }
  void link(const std::string& tool) const {
    std::filesystem::create_directories(root.at("/bin"));
    for (const auto* folder : {"/usr/bin/", "/bin/"}) {
      if (!std::filesystem::exists(folder + tool)) continue;
      std::filesystem::create_symlink(folder + tool, root.at("/bin/" + tool));
      return;
    }
  }
  void put(const std::string& name, const std::string& body) const {
    root.put("/bin/" + name, "#!/bin/sh\necho \"" + name + " $*\" >>" + root.at("/log") + "\n" + body + "\n", 0755);
  }
  std::string log() const { return root.has("/log") ? root.read("/log") : ""; }
  test::TempRoot root;
  std::string was;
};

}  // namespace

TEST_CASE("each package manager is asked in its own words, and the package's name is never an option") {
  struct Case {
    std::string program, asked, answer, version, install;
  };
  const auto [program, asked, answer, version, install] = GENERATE(
      Case{"apt-get", "dpkg-query", "printf 'installed 20.10.24'", "20.10.24", "apt-get install -y"},
      Case{"dnf", "rpm", "printf '24.0-1.fc40'", "24.0-1.fc40", "dnf install -y"},
      Case{"pacman", "pacman", "echo 'docker 1:26.1-1'", "1:26.1-1", "pacman -S --noconfirm"});
  CAPTURE(program);
  Programs here;
  here.put(program, "exit 0");
  here.put(asked, "test \"$1\" = -S || { " + answer + "; }");
  const auto packages = make_packages(no_faults());
  CHECK(must(packages->installed("docker")) == std::optional{version});
  must(packages->install("docker"));
  CHECK(here.log().find(install) != std::string::npos);
  CHECK(here.log().find(" -- docker\n") != std::string::npos);
  here.put(asked, "exit 1");
  CHECK_FALSE(must(packages->installed("docker")).has_value());
  here.put(asked, "echo broken >&2; exit 2");
  CHECK(packages->installed("docker").error().detail.find("broken") != std::string::npos);
}

TEST_CASE("a machine without a package manager we know says so") {
  Programs here;
  const auto packages = make_packages(no_faults());
  CHECK(packages->installed("docker").error().detail.find("apt-get, dnf and pacman") != std::string::npos);
  CHECK_FALSE(packages->install("docker"));
}

TEST_CASE("a package that is removed but configured counts as not installed") {
  Programs here;
  here.put("apt-get", "exit 0");
  here.put("dpkg-query", "printf 'config-files 20.10.24'");
  CHECK_FALSE(must(make_packages(no_faults())->installed("docker.io")).has_value());
}
