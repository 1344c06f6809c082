#include "holder/boxes/conformance/practice_image.h"

#include <filesystem>

#include "base/process.h"

namespace berth::holder::boxes::conformance {
namespace {

constexpr const char* kMake = R"sh(set -e
busybox=$(command -v busybox) || { echo "busybox is not installed (busybox-static)" >&2; exit 1; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cd "$root"
mkdir -p bin tmp etc proc sys dev www home/box box/work box/cache
chmod 1777 tmp
cp "$busybox" bin/busybox
for applet in $("$busybox" --list); do [ "$applet" = busybox ] || ln -s busybox "bin/$applet"; done
printf 'root:x:0:0:root:/:/bin/sh\nbox:x:1000:1000:box:/home/box:/bin/sh\n' > etc/passwd
printf 'root:x:0:\nbox:x:1000:\n' > etc/group
echo berth > www/index.html
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -c .)sh";

}  // namespace

Result<std::string> practice_image_tar(Seam& seam) {
  auto made =
      TRY(run_process({"sh", "-c", kMake}, std::chrono::seconds{60}, seam, {}, std::size_t{32} << 20));
  if (made.exit_status != 0) return fail(Errc::failed, "make the practice image: " + made.err);
  return std::move(made.out);
}

}  // namespace berth::holder::boxes::conformance
