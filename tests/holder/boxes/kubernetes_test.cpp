#include "tests/holder/boxes/cluster_fixture.h"

// The Kubernetes runtime against a server that takes no request Kubernetes' own document refuses, and makes
// trouble when it is asked to. What runs in a pod is tried on a real cluster (rules_test.cpp).
namespace berth::test {
namespace {

using namespace holder::boxes;
using kubernetes::KubernetesRuntime;

const BoxId kBox = BoxId::parse("a").value();

}  // namespace

TEST_CASE("every request of a box's life is one that Kubernetes' document knows", "[boxes][kubernetes]") {
  Cluster cluster;
  auto& runtime = cluster.runtime();
  have(runtime.prepare());
  cluster.start(kBox);
  have(runtime.start(kBox, cluster.spec()));
  CHECK(runtime.state(kBox) == State::running);
  CHECK(have(runtime.proxy_url(kBox)) == "http://10.0.0.9:3128");
  CHECK(!have(runtime.isolated(kBox)));  // no pod of the proxy is ready here
  const auto listed = have(runtime.inventory());
  REQUIRE(listed.size() == 3);
  CHECK(listed[0].kind + listed[1].kind + listed[2].kind == "podpolicyclaim");
  have(runtime.start_login(LoginId::parse("l").value()));
  have(runtime.remove_object({"login", "login-l", {}}));
  CHECK(have(runtime.details(kBox)).at("container_name") == "box-a");
  have(runtime.deployment_images());
  have(runtime.stop(kBox));
  CHECK(runtime.state(kBox) == State::stopped);
  const auto ran = runtime.run(Place::of(kBox), {{"true"}, {}, {}}, {});
  REQUIRE(!ran);
  CHECK(ran.error().code == Errc::not_found);
  cluster.end(kBox);
}

TEST_CASE("a watch whose version is too old, or that is cut, is taken up again", "[boxes][kubernetes]") {
  Cluster cluster;
  cluster.server().control({{"gone", 2}});
  cluster.start(kBox);
  CHECK(cluster.runtime().state(kBox) == State::running);
  have(cluster.runtime().stop(kBox));
  cluster.server().control({{"cut", 2}});
  have(cluster.runtime().start(kBox, cluster.spec()));
  CHECK(cluster.runtime().state(kBox) == State::running);
  cluster.end(kBox);
}

TEST_CASE("a policy that somebody changed is put right, also when another change gets before",
          "[boxes][kubernetes]") {
  Cluster cluster;
  cluster.start(kBox);
  auto api = cluster.server().api();
  const std::string path = "/apis/networking.k8s.io/v1/namespaces/boxes/networkpolicies/box-a";
  const auto whole = have(api.get(path))["spec"];
  auto open = have(api.get(path));
  open["spec"]["egress"].push_back(Json::object());
  have(api.replace(path, open));
  cluster.server().control({{"conflict", 2}});
  have(cluster.runtime().ensure(kBox, cluster.spec()));
  CHECK(have(api.get(path))["spec"] == whole);
  cluster.server().control({{"conflict", 100}});
  open = have(api.get(path));
  const auto refused = api.replace(path, open);
  REQUIRE(!refused);
  CHECK(refused.error().code == Errc::conflict);
  cluster.server().control({{"conflict", 0}});
  cluster.end(kBox);
}

TEST_CASE("another's policy that opens a box is told, and is not berth's to remove", "[boxes][kubernetes]") {
  Cluster cluster;
  cluster.start(kBox);
  auto api = cluster.server().api();
  const std::string policies = "/apis/networking.k8s.io/v1/namespaces/boxes/networkpolicies";
  have(api.create(policies,
                  {{"apiVersion", "networking.k8s.io/v1"},
                   {"kind", "NetworkPolicy"},
                   {"metadata", {{"name", "open"}}},
                   {"spec", {{"podSelector", Json::object()}, {"egress", Json::array({Json::object()})}}}}));
  CHECK(!have(cluster.runtime().isolated(kBox)));
  const auto ensured = cluster.runtime().ensure(kBox, cluster.spec());
  REQUIRE(!ensured);
  CHECK(ensured.error().code == Errc::conflict);
  have(api.remove(policies + "/open", "", std::chrono::seconds{0}));
  cluster.end(kBox);
}

TEST_CASE("a token that is no longer taken is read again, once", "[boxes][kubernetes]") {
  Cluster cluster;
  TempFolder folder;
  std::ofstream{folder / "token"} << "old";
  auto credentials = cluster.server().credentials();
  credentials.token_file = folder / "token";
  cluster.as(credentials);
  CHECK(cluster.runtime().state(kBox) == State::stopped);
  cluster.server().control({{"unauthorized", "old"}});
  std::ofstream{folder / "token"} << "new";
  have(cluster.runtime().create_storage(kBox));
  std::ofstream{folder / "token"} << "old";
  cluster.as(credentials);
  const auto refused = cluster.runtime().create_storage(BoxId::parse("b").value());
  REQUIRE(!refused);
  CHECK(refused.error().engine_status == 401);
  std::ofstream{folder / "token"} << "new";
  cluster.as(credentials);
  cluster.end(kBox);
}

TEST_CASE("a server that does not answer leaves a box unknown, and every method an error",
          "[boxes][kubernetes]") {
  Cluster cluster;
  cluster.start(kBox);
  cluster.server().control({{"silent", 2}});
  CHECK(cluster.runtime().state(kBox) == State::unknown);
  const auto listed = cluster.runtime().inventory();
  REQUIRE(!listed);
  CHECK(listed.error().code == Errc::engine_unreachable);
  cluster.server().kill();
  auto& runtime = cluster.runtime();
  CHECK(runtime.state(kBox) == State::unknown);
  CHECK(!runtime.health().answering);
  CHECK(runtime.stop(kBox).error().code == Errc::engine_unreachable);
  CHECK(runtime.ensure(kBox, cluster.spec()).error().code == Errc::engine_unreachable);
  CHECK(runtime.remove(kBox).error().code == Errc::engine_unreachable);
  CHECK(runtime.run(Place::of(kBox), {{"true"}, {}, {}}, {}).error().code == Errc::engine_unreachable);
}

TEST_CASE("a pod that cannot start is told at once, and the next start makes it anew",
          "[boxes][kubernetes]") {
  Cluster cluster;
  cluster.server().control({{"phase", "Failed"}});
  have(cluster.runtime().create_storage(kBox));
  const auto started = cluster.runtime().start(kBox, cluster.spec());
  REQUIRE(!started);
  CHECK(started.error().detail.find("ended as it started") != std::string::npos);
  CHECK(cluster.runtime().state(kBox) == State::stopped);
  cluster.server().control({{"phase", "Running"}});
  have(cluster.runtime().start(kBox, cluster.spec()));
  CHECK(cluster.runtime().state(kBox) == State::running);
  cluster.end(kBox);
}

TEST_CASE("a box cut off at any request to the API server is repaired by the next ensure, or removed",
          "[boxes][kubernetes]") {
  const std::vector<std::string> acts = {"api.create", "api.delete", "api.replace"};
  Cluster cluster;
  for (const auto& act : acts) {
    for (int n = 1; n <= 6; ++n) {
      CAPTURE(act, n);
      ScriptedSeam cut;
      cut.fail_at(act, n);
      KubernetesRuntime broken{Cluster::config(), cluster.server().credentials(), cluster.ledger(), cut};
      const auto life = [&]() -> Status {
        TRY(broken.create_storage(kBox));
        TRY(broken.ensure(kBox, cluster.spec()));
        TRY(broken.start(kBox, cluster.spec()));
        TRY(broken.stop(kBox));
        TRY(broken.start(kBox, cluster.spec()));
        TRY(broken.remove(kBox));
        return broken.remove_storage(kBox);
      };
      if (life()) break;  // there are no more acts of that name
      if (n % 2 == 0) cluster.start(kBox);
      cluster.end(kBox);
    }
  }
}

}  // namespace berth::test
