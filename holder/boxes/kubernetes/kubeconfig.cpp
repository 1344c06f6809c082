#include <yaml-cpp/binary.h>
#include <yaml-cpp/yaml.h>

#include <optional>

#include "base/file.h"
#include "holder/boxes/kubernetes/credentials.h"

// The one unit that sees yaml-cpp: it throws, and what it throws ends here.
namespace berth::holder::boxes::kubernetes {
namespace {

Error wrong(const std::string& member, const std::string& why) {
  return fail_field(Errc::bad_request, member, member + ": " + why);
}

std::string text_at(const YAML::Node& node, const char* key) {
  const auto value = node[key];
  return value && value.IsScalar() ? value.as<std::string>() : std::string{};
}

/// The entry of that name in a list of {name, <kind>}.
Result<YAML::Node> entry(const YAML::Node& document, const char* list, const char* kind,
                         const std::string& name) {
  for (const auto& one : document[list])
    if (text_at(one, "name") == name) return YAML::Node{one[kind]};
  return wrong(list, "there is none named \"" + name + "\"");
}

/// "<key>-data" in base64, or the file that "<key>" names, beside the kubeconfig when it is relative.
Result<std::string> pem_of(const YAML::Node& node, const std::string& key,
                           const std::filesystem::path& folder) {
  if (const auto data = text_at(node, (key + "-data").c_str()); !data.empty()) {
    const auto bytes = YAML::DecodeBase64(data);
    if (bytes.empty()) return wrong(key + "-data", "is no base64");
    return std::string{bytes.begin(), bytes.end()};
  }
  const auto file = text_at(node, key.c_str());
  return file.empty() ? Result<std::string>{std::string{}} : read_file(folder / file);
}

Status read_cluster(const YAML::Node& cluster, const std::filesystem::path& folder, Credentials& found) {
  found.server = text_at(cluster, "server");
  while (found.server.ends_with('/')) found.server.pop_back();
  if (!found.server.starts_with("https://") && !found.server.starts_with("http://"))
    return wrong("cluster.server", "\"" + found.server + "\" is no http or https address");
  if (text_at(cluster, "insecure-skip-tls-verify") == "true")
    return wrong("cluster.insecure-skip-tls-verify", "a server that anybody could be is not spoken to");
  found.ca_pem = TRY(pem_of(cluster, "certificate-authority", folder));
  return {};
}

Status read_user(const YAML::Node& user, const std::filesystem::path& folder, Credentials& found) {
  for (const auto* member : {"exec", "auth-provider"})
    if (user[member])
      return wrong(std::string{"user."} + member,
                   "no program is run for credentials: use a token or a certificate");
  if (user["username"]) return wrong("user.username", "basic authentication is not served");
  found.cert_pem = TRY(pem_of(user, "client-certificate", folder));
  found.key_pem = TRY(pem_of(user, "client-key", folder));
  if (found.cert_pem.empty() != found.key_pem.empty())
    return wrong("user.client-certificate", "a certificate and its key go together");
  found.token = text_at(user, "token");
  const auto file = text_at(user, "tokenFile");
  if (!file.empty()) found.token_file = folder / file;
  return {};
}

Result<Credentials> read_document(const YAML::Node& document, const std::filesystem::path& folder) {
  const auto current = text_at(document, "current-context");
  if (current.empty()) return wrong("current-context", "names no context");
  const auto context = TRY(entry(document, "contexts", "context", current));
  Credentials found;
  TRY(read_cluster(TRY(entry(document, "clusters", "cluster", text_at(context, "cluster"))), folder, found));
  const auto user = text_at(context, "user");
  if (!user.empty()) TRY(read_user(TRY(entry(document, "users", "user", user)), folder, found));
  found.name_space = text_at(context, "namespace");
  return found;
}

}  // namespace

Result<Credentials> Credentials::from_kubeconfig(const std::filesystem::path& file) {
  const auto text = TRY(read_file(file));
  try {
    auto found = read_document(YAML::Load(text), file.parent_path());
    if (!found) return std::move(found).error().while_doing(file.native());
    return found;
  } catch (const YAML::Exception& error) {
    return fail(Errc::unparsable, file.native() + ": " + error.what());
  }
}

}  // namespace berth::holder::boxes::kubernetes
