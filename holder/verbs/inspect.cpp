#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

/// A spec that the container is compared with: the host's, who must know whether it may take one over and
/// is told no environment value either.
Result<client::ContainerSpec> read_against(Session& session, Fields& fields) {
  if (!fields.has("against")) return client::ContainerSpec{};
  if (session.face != Face::socket) {
    fields.refuse("against", "is the host's socket's alone");
    return client::ContainerSpec{};
  }
  const auto& spec = fields.object("against");
  TRY(fields.finish());
  return client::parse_spec(spec, client::Asker::host);
}

}  // namespace

Result<Json> inspect(Session& session, const Json& params) {
  Fields fields{params, ""};
  const auto ref = TRY(read_container(fields));
  const bool compares = fields.has("against");
  const auto against = TRY(read_against(session, fields));
  TRY(fields.finish());
  const auto container = TRY(resolve(session, ref));
  auto answer = summary_document(container.summary);
  answer["pid"] = container.pid;
  answer["labels"] = container.summary.labels;
  answer["environment"] = container.environment;
  answer["document"] = container.document ? *container.document : Json();
  if (compares) answer["differs"] = TRY(session.engine.differences(container.summary.id, against));
  return answer;
}

}  // namespace berth::holder::verbs
