#include "tests/support/file_server.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/owned.h"
#include "base/process.h"

extern char** environ;

namespace berth::test {
namespace {

// Prints its port once it listens: until then nobody need ask.
constexpr auto kServer = R"py(
import http.server, os, ssl, sys
files, folder, tls = sys.argv[1], sys.argv[2], sys.argv[3] == "tls"

class Web(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def leads(self, where):
        self.send_response(302)
        self.send_header("Location", where)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def do_GET(self):
        with open(folder + "/asked", "a") as log: log.write(self.path + "\n")
        part, _, name = self.path[1:].partition("/")
        if part == "to": return self.leads("/files/" + name)
        if part == "round": return self.leads("/round")
        if part == "out": return self.leads("file://" + files + "/" + name)
        path = os.path.join(files, name)
        if part not in ("files", "half", "cut") or not os.path.isfile(path): return self.send_error(404)
        data = open(path, "rb").read()
        self.send_response(200)
        if part != "cut": self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data if part == "files" else data[: len(data) // 2])

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
if tls:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder + "/server.crt", folder + "/server.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
)py";

void make_certificate_of_files(const std::filesystem::path& folder) {
  const std::string script =
      "set -e; cd " + folder.native() +
      "; openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=berth-test-ca -keyout ca.key -out ca.crt"
      "; openssl req -newkey rsa:2048 -nodes -subj /CN=files -keyout server.key -out server.csr"
      "; echo subjectAltName=IP:127.0.0.1 >san"
      "; openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile san -out "
      "server.crt";
  const auto made = run_process({"sh", "-c", script}, std::chrono::seconds{60}, no_faults());
  if (!made || made->exit_status != 0) throw std::runtime_error("openssl makes no certificate");
}

}  // namespace

FileServer::FileServer(const std::filesystem::path& files, bool tls) : tls_(tls) {
  std::string pattern = (std::filesystem::temp_directory_path() / "berth-files-XXXXXX").native();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  folder_ = pattern;
  if (tls) make_certificate_of_files(folder_);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const OwnedFd read_end{ends[0]};
  {
    const OwnedFd write_end{ends[1]};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, write_end.get(), 1);
    std::string program = "python3", option = "-c", text = kServer, from = files.native(),
                own = folder_.native();
    std::string how = tls ? "tls" : "plain";
    std::array<char*, 7> arguments{program.data(), option.data(), text.data(), from.data(),
                                   own.data(),     how.data(),    nullptr};
    const int error = ::posix_spawnp(&pid_, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("python3 is needed for this test and cannot be started");
  }
  std::string said;
  for (char c = 0; ::read(read_end.get(), &c, 1) == 1 && c != '\n';) said += c;
  if (said.empty()) throw std::runtime_error("the web server has ended before it listened");
  port_ = std::stoi(said);
}

FileServer::~FileServer() {
  ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string FileServer::url(const std::string& path) const {
  return std::string{tls_ ? "https" : "http"} + "://127.0.0.1:" + std::to_string(port_) + path;
}

std::string FileServer::asked() const {
  std::ostringstream text;
  text << std::ifstream{folder_ / "asked"}.rdbuf();
  return text.str();
}

}  // namespace berth::test
