#include <algorithm>

#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"

namespace berth::holder::engine {
namespace {

/// What is used without the page cache: inactive_file by cgroup version; Podman says usage alone.
std::optional<std::int64_t> memory_used(const Json& memory) {
  const auto usage = maybe_number(memory, "usage");
  if (!usage) return std::nullopt;
  const auto& parts = member(memory, "stats");
  auto cache = maybe_number(parts, "total_inactive_file");
  if (!cache) cache = maybe_number(parts, "inactive_file");
  return std::max<std::int64_t>(0, *usage - cache.value_or(0));
}

void read_networks(const Json& networks, Stats& stats) {
  if (!networks.is_object()) return;
  for (const auto& [name, counts] : networks.items()) {
    stats.rx_bytes = stats.rx_bytes.value_or(0) + number_member(counts, "rx_bytes");
    stats.tx_bytes = stats.tx_bytes.value_or(0) + number_member(counts, "tx_bytes");
  }
}

void read_disks(const Json& rows, Stats& stats) {
  if (!rows.is_array()) return;
  for (const auto& row : rows) {
    const auto what = text_member(row, "op");
    auto* total = what == "Read" || what == "read"     ? &stats.read_bytes
                  : what == "Write" || what == "write" ? &stats.write_bytes
                                                       : nullptr;
    if (total != nullptr) *total = total->value_or(0) + number_member(row, "value");
  }
}

std::optional<Sample::Cpu> cpu_of(const Json& cpu_stats, const std::string& read) {
  const auto used = maybe_number(member(cpu_stats, "cpu_usage"), "total_usage");
  const auto at =
      read.starts_with("0001-") ? Result<Time>{fail(Errc::failed, "no reading")} : parse_rfc3339(read);
  if (!used || !at) return std::nullopt;
  return Sample::Cpu{*used, *at};
}

bool has_reading(const Json& document) {
  const auto read = text_member(document, "read");
  return !read.empty() && !read.starts_with("0001-");
}

}  // namespace

Result<Sample> parse_sample(std::string_view body) {
  const auto document = TRY(engine_json(body, "stats"));
  Sample sample;
  sample.stats.id = text_member(document, "id");
  if (sample.stats.id.empty()) sample.stats.id = text_member(document, "Id");
  sample.stats.name = text_member(document, "name");
  if (sample.stats.name.starts_with('/')) sample.stats.name.erase(0, 1);
  if (!has_reading(document)) return sample;
  sample.stats.memory_bytes = memory_used(member(document, "memory_stats"));
  sample.stats.memory_limit_bytes = maybe_number(member(document, "memory_stats"), "limit");
  sample.stats.pids = maybe_number(member(document, "pids_stats"), "current");
  read_networks(member(document, "networks"), sample.stats);
  read_disks(member(member(document, "blkio_stats"), "io_service_bytes_recursive"), sample.stats);
  sample.cpu = cpu_of(member(document, "cpu_stats"), text_member(document, "read"));
  sample.cpu_before = cpu_of(member(document, "precpu_stats"), text_member(document, "preread"));
  return sample;
}

std::optional<double> cpu_percent(const std::optional<Sample::Cpu>& before,
                                  const std::optional<Sample::Cpu>& after) {
  if (!before || !after) return std::nullopt;
  const auto passed = (after->at - before->at).count();
  const auto used = after->used_ns - before->used_ns;
  if (passed <= 0 || used < 0) return std::nullopt;
  return static_cast<double>(used) * 100.0 / static_cast<double>(passed);
}

}  // namespace berth::holder::engine
