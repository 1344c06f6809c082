#pragma once
#include "base/json_fwd.h"
#include "base/result.h"
#include "holder/verbs/session.h"

namespace berth::holder::verbs {

// One function a verb, each in the file of its name; the table lists them.
Result<Json> list(Session& session, const Json& params);
Result<Json> inspect(Session& session, const Json& params);
Result<Json> logs(Session& session, const Json& params);
Result<Json> stats(Session& session, const Json& params);
Result<Json> start(Session& session, const Json& params);
Result<Json> stop(Session& session, const Json& params);
Result<Json> restart(Session& session, const Json& params);
Result<Json> create(Session& session, const Json& params);
Result<Json> remove(Session& session, const Json& params);
Result<Json> signal(Session& session, const Json& params);
Result<Json> daemon_config(Session& session, const Json& params);
Result<Json> top(Session& session, const Json& params);
Result<Json> images(Session& session, const Json& params);
Result<Json> prune(Session& session, const Json& params);
Result<Json> disk_usage(Session& session, const Json& params);
Result<Json> networks(Session& session, const Json& params);
Result<Json> volumes(Session& session, const Json& params);
Result<Json> unlabelled(Session& session, const Json& params);
Result<Json> problems(Session& session, const Json& params);
Result<Json> ports(Session& session, const Json& params);
Result<Json> events(Session& session, const Json& params);

}  // namespace berth::holder::verbs
