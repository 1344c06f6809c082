#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>

namespace berth::test {

/// A real web server of Python's over a folder, on a free port of 127.0.0.1, plain or with TLS by a
/// certificate that an authority of its own has signed. Beside the folder's files under /files/ it serves
/// them broken: /half/NAME says the whole length and ends after half; /cut/NAME says none and ends after
/// half; /to/NAME leads to /files/NAME; /round leads to itself; /out leads to a file:// address; all else is
/// 404.
class FileServer {
 public:
  explicit FileServer(const std::filesystem::path& files, bool tls = false);
  ~FileServer();
  FileServer(const FileServer&) = delete;
  FileServer& operator=(const FileServer&) = delete;

  std::string url(const std::string& path) const;
  std::string authority() const { return (folder_ / "ca.crt").native(); }  // with TLS
  std::string asked() const;                                               // a path a line, as asked for

 private:
  std::filesystem::path folder_;
  bool tls_;
  pid_t pid_ = 0;
  int port_ = 0;
};

}  // namespace berth::test
