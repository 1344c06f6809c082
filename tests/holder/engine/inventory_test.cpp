// What engines answer about the machine beside containers, as recorded from Docker 20.10 and Podman 4.3, and the
// kernel's own accounting as both versions of control groups lay it out.
#include <unistd.h>

#include <fstream>
#include <thread>

#include "catch.h"
#include "holder/engine/kernel_stats.h"
#include "holder/engine/log_lines.h"
#include "holder/engine/parse.h"
#include "tests/support/fakes.h"

using namespace berth;
using namespace berth::holder::engine;
using berth::test::TempFolder;

namespace {

void put(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream{path} << text;
}

const std::string kId(64, 'a');

std::string reading(const std::optional<std::int64_t>& value) { return value ? std::to_string(*value) : "none"; }
std::string readings(const Stats& s) {
  return "cpu " + (s.cpu_percent ? std::to_string(static_cast<int>(*s.cpu_percent)) : std::string{"none"}) + " memory " + reading(s.memory_bytes) +
         " of " + reading(s.memory_limit_bytes) + " net " + reading(s.rx_bytes) + "/" + reading(s.tx_bytes) + " disk " + reading(s.read_bytes) + "/" +
         reading(s.write_bytes) + " pids " + reading(s.pids);
}

}  // namespace

TEST_CASE("an engine's none is no reference, and ids are alike from every engine", "[engine]") {
  const auto images = parse_images(R"([{"Id":"sha256:aa","ParentId":"","RepoDigests":["<none>@<none>"],"RepoTags":["<none>:<none>"],"Created":1795990113,"Size":7},
    {"Id":"bb","ParentId":"aa","RepoDigests":null,"RepoTags":["web:1"],"Created":0,"Size":9}])");
  REQUIRE(images);
  CHECK((*images)[0].tags.empty());
  CHECK((*images)[0].digests.empty());
  CHECK((*images)[0].created_at == "2026-11-29T22:08:33.000000000Z");
  CHECK((*images)[1].id == "sha256:bb");
  CHECK((*images)[1].parent == "sha256:aa");
  CHECK((*images)[1].created_at.empty());
  for (const auto* bad : {"", "[", "{}", "null", R"([{"ParentId":"x"}])", "[7]"}) {
    CAPTURE(bad);
    CHECK(parse_images(bad).error().code == Errc::engine_refused);
  }
}

TEST_CASE("a list that is null is empty, one that is something else is an error", "[engine]") {
  CHECK(parse_volumes(R"({"Volumes":null,"Warnings":null})")->empty());
  CHECK_FALSE(parse_volumes(R"({"message":"no"})").ok());
  CHECK_FALSE(parse_volumes("[]").ok());
  CHECK_FALSE(parse_networks(R"({"Name":"x"})").ok());
  const auto volumes = parse_volumes(R"({"Volumes":[{"Name":")" + kId + R"(","Driver":"local","Labels":null},{"Name":"x","Labels":{"com.docker.volume.anonymous":""}},{"Name":"y"}]})");
  REQUIRE(volumes);
  CHECK((*volumes)[0].anonymous);
  CHECK((*volumes)[1].anonymous);
  CHECK_FALSE((*volumes)[2].anonymous);
}

TEST_CASE("ST06 what an engine did not count has no size", "[engine]") {
  const auto usage = parse_disk_usage(R"({"LayersSize":100,"Images":[{"Id":"aa","Size":60,"SharedSize":-1}],
    "Containers":[{"Id":"c1","SizeRootFs":5},{"Id":"c2"},{"Id":"c3","SizeRw":3,"SizeRootFs":9}],
    "Volumes":[{"Name":"v","UsageData":{"RefCount":1,"Size":-1}},{"Name":"w","UsageData":null}],
    "BuildCache":[{"ID":"b","Type":"regular","Description":"RUN x","InUse":true,"Shared":false,"Size":4,"LastUsedAt":"0001-01-01T00:00:00Z"}]})");
  REQUIRE(usage);
  CHECK(usage->layers_bytes == 100);
  CHECK(usage->images[0].id == "sha256:aa");
  CHECK_FALSE(usage->images[0].shared_bytes.has_value());
  CHECK(usage->containers[0].size_bytes == 0);
  CHECK_FALSE(usage->containers[1].size_bytes.has_value());
  CHECK(usage->containers[2].size_bytes == 3);
  CHECK_FALSE(usage->volumes[0].size_bytes.has_value());
  CHECK_FALSE(usage->volumes[1].size_bytes.has_value());
  CHECK(usage->build[0].in_use);
  CHECK(usage->build[0].last_used_at.empty());
  CHECK_FALSE(parse_disk_usage(R"({"LayersSize":0,"Images":[{"Id":"aa","Size":60}]})")->layers_bytes.has_value());
}

TEST_CASE("processes are read under the engine's titles, ps and Podman's alike", "[engine]") {
  const auto docker = parse_processes(R"({"Processes":[["8459","8425","root","0.2","1-02:03:04","sh -c x"]],"Titles":["PID","PPID","USER","%CPU","ELAPSED","COMMAND"]})");
  const auto podman = parse_processes(R"({"Processes":[["6","1","0","0.000","26h3m4.27s","sleep 1"]],"Titles":["PID","PPID","USER","%CPU","ELAPSED","COMMAND"]})");
  REQUIRE(docker);
  REQUIRE(podman);
  CHECK((*docker)[0].pid == 8459);
  CHECK((*docker)[0].elapsed_s == 93784);
  CHECK((*docker)[0].cpu_percent == 0.2);
  CHECK((*podman)[0].elapsed_s == 93784);
  CHECK((*podman)[0].command == "sleep 1");
  CHECK(parse_processes(R"({"Processes":null,"Titles":["PID"]})")->empty());
  CHECK(parse_processes(R"({"Processes":[["1"],[],7,[null,3]],"Titles":["PID","COMMAND"]})")->size() == 4);
  CHECK_FALSE(parse_processes("{}").ok());
}

TEST_CASE("ST03 ST04 the kernel's accounting, first version: no cache in the memory, two samples for the processor", "[engine][stats]") {
  TempFolder folder;
  const auto group = [&](const char* controller) { return folder / controller / "docker" / kId; };
  put(group("cpuacct") / "cpuacct.usage", "1000000\n");
  put(group("cpuacct") / "cgroup.procs", "7\n8\n");
  put(group("memory") / "memory.usage_in_bytes", "5000\n");
  put(group("memory") / "memory.stat", "cache 9\ninactive_file 100\ntotal_inactive_file 2000\n");
  put(group("memory") / "memory.limit_in_bytes", "67108864\n");
  put(group("pids") / "pids.current", "2\n");
  put(group("blkio") / "blkio.throttle.io_service_bytes_recursive", "8:0 Read 10\n8:0 Write 20\n8:16 Read 5\n8:16 Total 35\nTotal 35\n");
  put(folder / "proc/7/net/dev", "Inter-|\n face |\n    lo: 99 0 0 0 0 0 0 0 99 0\n  eth0: 500 1 0 0 0 0 0 0 700 1\n");
  put(folder / "proc/self/net/dev", "Inter-|\n face |\n    lo: 1 0 0 0 0 0 0 0 1 0\n  eth0: 9 1 0 0 0 0 0 0 9 1\n");
  KernelStats stats{Cgroups{folder.path(), folder / "proc"}};
  const auto first = stats.read({kId, std::string(64, 'b')});
  CHECK(first.unread == std::vector<std::string>{std::string(64, 'b')});
  REQUIRE(first.rows.size() == 1);
  CHECK(readings(first.rows[0]) == "cpu 0 memory 3000 of 67108864 net 500/700 disk 15/20 pids 2");
  std::this_thread::sleep_for(std::chrono::milliseconds{150});
  put(group("cpuacct") / "cpuacct.usage", "900000000000\n");
  CHECK(stats.read({kId}).rows[0].cpu_percent > 100);
  std::this_thread::sleep_for(std::chrono::milliseconds{150});
  put(group("cpuacct") / "cpuacct.usage", "5\n");  // another container of the same id cannot be; a counter that fell is no reading
  CHECK_FALSE(stats.read({kId}).rows[0].cpu_percent.has_value());
}

TEST_CASE("ST01 what the kernel does not say is no zero, and the machine's counters are nobody's", "[engine][stats]") {
  TempFolder folder;
  const auto group = folder / "system.slice" / ("docker-" + kId + ".scope");
  put(folder / "cgroup.controllers", "cpu memory\n");
  put(group / "cpu.stat", "usage_usec 1000\nuser_usec 5\n");
  put(group / "cgroup.procs", "7\n");
  put(group / "memory.max", "max\n");
  const std::string machine = "Inter-|\n face |\n    lo: 99 0 0 0 0 0 0 0 99 0\n  eth0: 500 1 0 0 0 0 0 0 700 1\n";
  put(folder / "proc/7/net/dev", machine);
  put(folder / "proc/self/net/dev", machine);
  KernelStats stats{Cgroups{folder.path(), folder / "proc"}};
  const auto machine_bytes = std::to_string(static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE));
  CHECK(readings(stats.read({kId}).rows.at(0)) == "cpu 0 memory none of " + machine_bytes + " net none/none disk none/none pids none");
}

TEST_CASE("lines that ended can be taken while others are still written", "[engine][logs]") {
  LogLines lines{Kind::docker};
  lines.add(1, "2026-01-01T00:00:01.000000000Z whole\n");
  lines.add(2, "2026-01-01T00:00:02.000000000Z half");
  const auto first = lines.take();
  REQUIRE(first.size() == 1);
  CHECK(first[0].text == "whole");
  CHECK(lines.take().empty());
  lines.add(2, "2026-01-01T00:00:02.000000000Z  and half\n");
  CHECK(lines.take().at(0).text == "half and half");
}
