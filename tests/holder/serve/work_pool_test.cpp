#include "holder/serve/work_pool.h"

#include <atomic>
#include <future>
#include <set>

#include "base/guarded.h"
#include "catch.h"
#include "holder/serve/line_stream.h"

using namespace berth;
using namespace std::chrono_literals;
using holder::serve::LineStream;
using holder::serve::WorkPool;

TEST_CASE("work gets a thread while there are any left, then a place in line, then a no", "[pool]") {
  std::promise<void> go_on;
  const auto waited = go_on.get_future().share();
  std::atomic<int> begun = 0, done = 0;
  {
    WorkPool pool{{.most = 3, .waiting = 2}};
    const auto offer = [&] {
      return pool.offer([&, waited] {
        ++begun;
        waited.wait();
        ++done;
      });
    };
    for (int i = 0; i < 5; ++i) CHECK(offer());
    CHECK_FALSE(offer());
    for (int i = 0; i < 200 && begun < 3; ++i) std::this_thread::sleep_for(10ms);
    CHECK(begun == 3);
    go_on.set_value();
    for (int i = 0; i < 200 && done < 5; ++i) std::this_thread::sleep_for(10ms);
    CHECK(offer());
  }
  CHECK(done >= 5);
}

TEST_CASE("threads go when there is no work, and come back with it", "[pool]") {
  WorkPool pool{{.most = 8, .waiting = 8, .idle = 50ms}};
  Guarded<std::set<std::thread::id>> seen;
  std::atomic<int> ran = 0;
  const auto work = [&] {
    seen.with([](auto& ids) { ids.insert(std::this_thread::get_id()); });
    ++ran;
  };
  CHECK(pool.offer(work));
  for (int i = 0; i < 200 && ran < 1; ++i) std::this_thread::sleep_for(10ms);
  std::this_thread::sleep_for(300ms);
  CHECK(pool.offer(work));
  for (int i = 0; i < 200 && ran < 2; ++i) std::this_thread::sleep_for(10ms);
  CHECK(ran == 2);
}

TEST_CASE("a stream that is not read is bounded and says so in its last line", "[stream]") {
  LineStream lines;
  const std::string big(100'000, 'x');
  int taken = 0;
  while (lines.put(big) && taken < 1000) ++taken;
  CHECK(taken < 50);
  const auto all = lines.take();
  CHECK(all.over);
  CHECK(all.text.size() < LineStream::kMostBytes + 1000);
  CHECK(all.text.find("berth:busy") > all.text.size() - 1000);
}

TEST_CASE("whoever feeds a stream is told once that nobody reads it, even afterwards", "[stream]") {
  LineStream lines;
  int stopped = 0;
  lines.when_abandoned([&] { ++stopped; });
  lines.abandon();
  lines.abandon();
  CHECK(stopped == 1);
  CHECK_FALSE(lines.put("x"));
  lines.when_abandoned([&] { ++stopped; });
  CHECK(stopped == 2);
}
