#include "holder/engine/cgroups.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "base/clock.h"
#include "base/owned.h"

namespace berth::holder::engine {
namespace {

namespace fs = std::filesystem;
using Number = std::optional<std::int64_t>;
constexpr std::size_t kIdLength = 64;

/// A kernel file whole; absent when it cannot be read. They are short, and one read gives them.
std::optional<std::string> kernel_text(const fs::path& path) {
  const OwnedFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd) return std::nullopt;
  std::string text(32768, '\0');
  const auto n = ::read(fd.get(), text.data(), text.size());
  if (n < 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(n));
  return text;
}

Number number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{} ? Number{number} : std::nullopt;
}

Number number_in(const fs::path& path) {
  const auto text = kernel_text(path);
  return text ? number_of(*text) : std::nullopt;
}

/// "name 123" on a line of its own.
Number named_number(std::string_view text, std::string_view name) {
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find('\n', from), text.size());
    const auto line = text.substr(from, end - from);
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ')
      return number_of(line.substr(name.size() + 1));
    from = end + 1;
  }
  return std::nullopt;
}

Number machine_memory() {
  static const Number kAll{static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE)};
  return kAll;
}

/// No limit is a number beyond the machine, or the word "max": then the machine is the limit.
Number limit_of(const Number& said) { return said && *said < *machine_memory() ? said : machine_memory(); }

Number without_cache(const Number& usage, const Number& cache) {
  if (!usage) return std::nullopt;
  return std::max<std::int64_t>(0, *usage - cache.value_or(0));
}

/// The sum of what follows `word` on every line; no line, no reading.
Number sum_after(std::string_view text, std::string_view word) {
  Number sum;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size()))
    sum = sum.value_or(0) + number_of(text.substr(at + word.size())).value_or(0);
  return sum;
}

/// proc(5): "  eth0: received 7 further numbers sent …".
Cgroups::Counters counters_in(const std::string& text) {
  Cgroups::Counters all;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find('\n', from), text.size());
    const auto line = text.substr(from, end - from);
    from = end + 1;
    const auto colon = line.find(':');
    const auto name_at = line.find_first_not_of(' ');
    if (colon == std::string::npos || name_at > colon) continue;
    std::int64_t numbers[9] = {};
    const char* at = line.data() + colon + 1;
    for (auto& number : numbers) {
      while (*at == ' ') ++at;
      at = std::from_chars(at, line.data() + line.size(), number).ptr;
    }
    all[line.substr(name_at, colon - name_at)] = {numbers[0], numbers[8]};
  }
  return all;
}

bool same_interfaces(const Cgroups::Counters& a, const Cgroups::Counters& b) {
  return std::ranges::equal(a, b, {}, [](const auto& row) { return row.first; }, [](const auto& row) { return row.first; });
}

/// Whether `one`, read between them, is the machine's own.
bool lies_between(const Cgroups::Counters& before, const Cgroups::Counters& one, const Cgroups::Counters& after) {
  if (!same_interfaces(before, one) || !same_interfaces(one, after)) return false;
  return std::ranges::all_of(one, [&](const auto& row) {
    const auto received = row.second.first;
    return received >= before.at(row.first).first && received <= after.at(row.first).first;
  });
}

}  // namespace

Cgroups::Cgroups(fs::path groups, fs::path processes)
    : groups_(std::move(groups)), processes_(std::move(processes)), second_(fs::exists(groups_ / "cgroup.controllers")) {}

std::optional<fs::path> Cgroups::group(std::string_view controller, const std::string& id) const {
  const auto base = controller.empty() ? groups_ : groups_ / controller;
  for (const auto& place : {"docker/" + id, "system.slice/docker-" + id + ".scope", "libpod_parent/libpod-" + id,
                            "machine.slice/libpod-" + id + ".scope"}) {
    std::error_code ignored;
    if (fs::is_directory(base / place, ignored)) return base / place;
  }
  return std::nullopt;
}

Cgroups::Counters Cgroups::machine_counters() const {
  return counters_in(kernel_text(processes_ / "self/net/dev").value_or(""));
}

void Cgroups::read_network(const fs::path& group, const Counters& machine, Sample& sample) const {
  const auto pids = kernel_text(group / "cgroup.procs");
  const auto pid = pids ? number_of(*pids) : std::nullopt;
  const auto text = pid ? kernel_text(processes_ / std::to_string(*pid) / "net/dev") : std::nullopt;
  if (!text) return;
  auto own = counters_in(*text);
  // The machine's are read once more only where the interfaces are called the same.
  if (same_interfaces(machine, own) && lies_between(machine, own, machine_counters())) return;
  own.erase("lo");
  for (const auto& [name, counters] : own) {
    sample.stats.rx_bytes = sample.stats.rx_bytes.value_or(0) + counters.first;
    sample.stats.tx_bytes = sample.stats.tx_bytes.value_or(0) + counters.second;
  }
}

/// The first version: a hierarchy a controller.
void Cgroups::read_first(const std::string& id, Sample& sample) const {
  if (const auto memory = group("memory", id)) {
    const auto parts = kernel_text(*memory / "memory.stat").value_or("");
    sample.stats.memory_bytes =
        without_cache(number_in(*memory / "memory.usage_in_bytes"), named_number(parts, "total_inactive_file"));
    sample.stats.memory_limit_bytes = limit_of(number_in(*memory / "memory.limit_in_bytes"));
  }
  if (const auto pids = group("pids", id)) sample.stats.pids = number_in(*pids / "pids.current");
  if (const auto disks = group("blkio", id)) {
    const auto text = kernel_text(*disks / "blkio.throttle.io_service_bytes_recursive").value_or("");
    sample.stats.read_bytes = sum_after(text, " Read ");
    sample.stats.write_bytes = sum_after(text, " Write ");
  }
}

void Cgroups::read_second(const fs::path& group, Sample& sample) const {
  const auto parts = kernel_text(group / "memory.stat").value_or("");
  sample.stats.memory_bytes = without_cache(number_in(group / "memory.current"), named_number(parts, "inactive_file"));
  sample.stats.memory_limit_bytes = limit_of(number_in(group / "memory.max"));
  sample.stats.pids = number_in(group / "pids.current");
  const auto disks = kernel_text(group / "io.stat").value_or("");
  sample.stats.read_bytes = sum_after(disks, " rbytes=");
  sample.stats.write_bytes = sum_after(disks, " wbytes=");
}

std::optional<Sample> Cgroups::read(const std::string& id, const Counters& machine) const {
  if (id.size() != kIdLength) return std::nullopt;  // whole ids alone name a folder
  const auto at = group(second_ ? "" : "cpuacct", id);
  if (!at) return std::nullopt;
  Number used = second_ ? named_number(kernel_text(*at / "cpu.stat").value_or(""), "usage_usec") : number_in(*at / "cpuacct.usage");
  if (!used) return std::nullopt;
  Sample sample;
  sample.stats.id = id;
  sample.cpu = Sample::Cpu{second_ ? *used * 1000 : *used, system_clock().now()};
  if (second_)
    read_second(*at, sample);
  else
    read_first(id, sample);
  read_network(*at, machine, sample);
  return sample;
}

}  // namespace berth::holder::engine
