#include "holder/serve/followers.h"

namespace berth::holder::serve {

Status Followers::start(LineStream& lines, Follow follow) {
  return all_.with([&](std::list<One>& all) -> Status {
    all.remove_if([](const One& one) { return one.over->load(); });
    if (all.size() >= kMost) return fail(Errc::busy, "as many logs are followed as may be: ask again");
    auto& one = all.emplace_back();
    one.thread = std::jthread{[over = one.over, follow = std::move(follow)](std::stop_token stop) {
      follow(std::move(stop));
      over->store(true);
    }};
    lines.when_abandoned([source = one.thread.get_stop_source()]() mutable { source.request_stop(); });
    return {};
  });
}

}  // namespace berth::holder::serve
