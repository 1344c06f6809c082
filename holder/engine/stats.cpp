#include <thread>

#include "holder/engine/http_engine.h"
#include "holder/engine/parse.h"
#include "holder/engine/refusal.h"

namespace berth::holder::engine {
namespace {

constexpr std::chrono::milliseconds kBetweenSamples{250};
constexpr std::chrono::seconds kSampleBound{8};  // so that one that hangs keeps nobody's readings back

/// What one container's answer says. One that is gone meanwhile is no error and no row; one whose engine did
/// not answer in time is a row without readings, and holds up nobody else's.
Result<std::optional<Sample>> sample_of(const Result<Answer>& answer, const std::string& id) {
  Sample silent;
  silent.stats.id = id;
  if (!answer && answer.error().code == Errc::timeout) return std::optional{silent};
  if (!answer) return answer.error();
  if (answer->status == 404 || answer->body.empty()) return std::optional<Sample>{};
  if (!answer->ok()) return std::optional{silent};
  return std::optional{TRY(parse_sample(answer->body))};
}

}  // namespace

/// By the engine: slow, and the only way where the kernel's own files are not to be had.
Result<std::vector<Stats>> HttpEngine::ask_stats(const std::vector<std::string>& ids) {
  if (ids.empty()) return std::vector<Stats>{};
  std::vector<std::string> targets;
  for (const auto& id : ids) targets.push_back(container(id, "/stats?stream=0"));
  auto first = samples_twice() ? transport_.read_all(targets, kSampleBound) : std::vector<Result<Answer>>{};
  if (!first.empty()) std::this_thread::sleep_for(kBetweenSamples);
  const auto second = transport_.read_all(targets, kSampleBound);
  std::vector<Stats> rows;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    auto now = TRY(sample_of(second[i], ids[i]));
    if (!now) continue;
    const auto before = first.empty() ? now : TRY(sample_of(first[i], ids[i]));
    const auto& earlier = first.empty() ? now->cpu_before : before ? before->cpu : std::nullopt;
    now->stats.cpu_percent = cpu_percent(earlier, now->cpu);
    rows.push_back(std::move(now->stats));
  }
  return rows;
}

Result<std::vector<Stats>> HttpEngine::stats(const std::vector<std::string>& ids) {
  auto [rows, unread] = kernel_stats_.read(ids);
  for (auto& row : TRY(ask_stats(unread))) rows.push_back(std::move(row));
  return rows;
}

}  // namespace berth::holder::engine
