#include <fstream>

#include "holder/boxes/kubernetes/credentials.h"
#include "tests/holder/boxes/boxes_world.h"

namespace berth::test {
namespace {

using holder::boxes::kubernetes::Credentials;
using holder::boxes::kubernetes::Token;

void put(const std::filesystem::path& path, const std::string& text) { std::ofstream{path} << text; }

/// A kubeconfig whose cluster and user have these lines.
std::string kubeconfig(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: here\ncontexts:\n- name: here\n  context: {cluster: "
         "c, user: u, namespace: n}\n"
         "clusters:\n- name: c\n  cluster: " +
         cluster + "\nusers:\n- name: u\n  user: " + user + "\n";
}

std::string why_not(const TempFolder& folder, const std::string& text) {
  put(folder / "config", text);
  const auto read = Credentials::from_kubeconfig(folder / "config");
  return read ? std::string{"taken"} : read.error().detail;
}

}  // namespace

TEST_CASE("a kubeconfig's current context says server, authority and user", "[boxes][kubernetes]") {
  TempFolder folder;
  put(folder / "ca.crt", "AUTHORITY");
  put(folder / "config", kubeconfig("{server: 'https://10.0.0.1:6443/', certificate-authority: ca.crt}",
                                    "{client-certificate-data: Q0VSVA==, client-key-data: S0VZ}"));
  const auto read = have(Credentials::from_kubeconfig(folder / "config"));
  CHECK(read.server == "https://10.0.0.1:6443");
  CHECK(read.ca_pem == "AUTHORITY");
  CHECK(read.cert_pem == "CERT");
  CHECK(read.key_pem == "KEY");
  CHECK(read.name_space == "n");
}

TEST_CASE("a kubeconfig that cannot be used is refused with file, member and reason", "[boxes][kubernetes]") {
  TempFolder folder;
  const std::string good = "{server: 'https://x'}";
  CHECK(why_not(folder, kubeconfig(good, "{token: t}")) == "taken");
  CHECK(why_not(folder, kubeconfig("{server: 'x:1'}", "{token: t}")).find("cluster.server") !=
        std::string::npos);
  CHECK(why_not(folder, kubeconfig("{server: 'https://x', insecure-skip-tls-verify: true}", "{token: t}"))
            .find("insecure") != std::string::npos);
  CHECK(why_not(folder, kubeconfig(good, "{exec: {command: aws}}")).find("user.exec") != std::string::npos);
  CHECK(why_not(folder, kubeconfig(good, "{client-certificate-data: Q0VSVA==}")).find("go together") !=
        std::string::npos);
  CHECK(why_not(folder, kubeconfig("{server: 'https://x', certificate-authority-data: '***'}", "{}"))
            .find("no base64") != std::string::npos);
  CHECK(why_not(folder, "current-context: gone\ncontexts: []\n").find("none named \"gone\"") !=
        std::string::npos);
  CHECK(why_not(folder, "a: [b").find((folder / "config").native()) != std::string::npos);
  CHECK(why_not(folder, "").find("current-context") != std::string::npos);
}

TEST_CASE("a token in a file is read again when it is refused", "[boxes][kubernetes]") {
  TempFolder folder;
  put(folder / "token", "first\n");
  Token token{"", folder / "token"};
  CHECK(have(token.text()) == "first");
  put(folder / "token", "second\n");
  CHECK(have(token.text()) == "first");
  CHECK(token.renew());
  CHECK(have(token.text()) == "second");
  std::filesystem::remove(folder / "token");
  CHECK(token.renew());
  CHECK(have(token.text()) == "second");
  Token fixed{"given", {}};
  CHECK(have(fixed.text()) == "given");
  CHECK(!fixed.renew());
}

TEST_CASE("in a pod, the credentials are the pod's own", "[boxes][kubernetes]") {
  TempFolder folder;
  CHECK(!Credentials::in_cluster(folder.path()));
  ::setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  ::setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  CHECK(!Credentials::in_cluster(folder.path()));
  put(folder / "ca.crt", "AUTHORITY");
  put(folder / "token", "t");
  put(folder / "namespace", "boxes\n");
  const auto read = have(Credentials::in_cluster(folder.path()));
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  ::unsetenv("KUBERNETES_SERVICE_PORT");
  CHECK(read.server == "https://[fd00::1]:443");
  CHECK(read.name_space == "boxes");
  CHECK(read.token_file == folder / "token");
}

}  // namespace berth::test
