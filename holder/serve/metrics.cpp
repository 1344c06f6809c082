#include "holder/serve/metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace berth::holder::serve {
namespace {

/// A label's value: what stands for itself, and the three characters that do not.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

/// The page as it grows: a family's head, then its samples.
class Exposition {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += "# HELP " + name_ + " " + std::string{help} + "\n# TYPE " + name_ + " " + std::string{type} + "\n";
  }
  void sample(const std::string& labels, const std::string& value, std::string_view suffix = {}) {
    text_ += name_ + std::string{suffix} + (labels.empty() ? "" : "{" + labels + "}") + " " + value + "\n";
  }
  std::string take() && { return std::move(text_); }

 private:
  std::string name_, text_;
};

std::string label(std::string_view name, std::string_view value) {
  return std::string{name} + "=\"" + quoted(value) + "\"";
}

std::string verb_labels(const verbs::Tally::Key& key) {
  return label("face", verbs::to_text(key.first)) + "," + label("verb", key.second);
}

void put_calls(Exposition& page, const verbs::Tally& tally) {
  page.family("berth_holder_calls_total", "counter", "Calls of verbs since the start.");
  const auto verbs = tally.verbs();
  for (const auto& [key, row] : verbs) {
    for (const auto& [outcome, count] : row.outcomes)
      page.sample(verb_labels(key) + "," + label("outcome", outcome), std::to_string(count));
  }
  page.family("berth_holder_call_seconds", "histogram", "How long calls took.");
  for (const auto& [key, row] : verbs) {
    for (std::size_t i = 0; i < row.buckets.size(); ++i) {
      page.sample(verb_labels(key) + "," + label("le", number(verbs::Tally::kBuckets[i])),
                  std::to_string(row.buckets[i]), "_bucket");
    }
    page.sample(verb_labels(key) + ",le=\"+Inf\"", std::to_string(row.requests()), "_bucket");
    page.sample(verb_labels(key), number(std::chrono::duration<double>(row.took).count()), "_sum");
    page.sample(verb_labels(key), std::to_string(row.requests()), "_count");
  }
  page.family("berth_holder_turned_away_total", "counter", "Calls told busy because a queue was full.");
  const auto busy = tally.busy();
  for (const auto face : {verbs::Face::socket, verbs::Face::bus}) {
    const auto at = busy.find(face);
    page.sample(label("face", verbs::to_text(face)), std::to_string(at == busy.end() ? 0 : at->second));
  }
}

/// Pages of memory that are in it, from /proc/self/statm.
std::int64_t resident_bytes() {
  std::int64_t whole = 0, resident = 0;
  std::ifstream{"/proc/self/statm"} >> whole >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void put_process(Exposition& page, const verbs::Dispatcher& dispatcher) {
  page.family("berth_holder_info", "gauge", "What runs here; always 1.");
  page.sample(label("machine", dispatcher.facts().machine) + "," + label("version", dispatcher.facts().version), "1");
  page.family("berth_holder_engine_up", "gauge", "Whether the engine answered when it was last asked.");
  page.sample("", dispatcher.engine_is_up() ? "1" : "0");
  page.family("process_resident_memory_bytes", "gauge", "Memory that is resident.");
  page.sample("", std::to_string(resident_bytes()));
  page.family("process_cpu_seconds_total", "counter", "Processor time used.");
  page.sample("", number(cpu_seconds()));
}

}  // namespace

std::string metrics_page(const verbs::Dispatcher& dispatcher) {
  Exposition page;
  put_calls(page, dispatcher.tally());
  put_process(page, dispatcher);
  return std::move(page).take();
}

}  // namespace berth::holder::serve
