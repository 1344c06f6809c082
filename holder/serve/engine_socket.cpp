#include "holder/serve/engine_socket.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/log.h"
#include "holder/engine/access.h"
#include "holder/serve/holder_config.h"

namespace berth::holder::serve {
namespace {

/// A link is followed: what counts is what is read.
Status must_be_roots(const std::filesystem::path& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0)
    return fail(Errc::bad_request, path.native() + ": " + std::strerror(errno));
  if (file.st_uid == 0 && (file.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return fail(Errc::bad_request,
              path.native() + " can be written by others than root: it must not say what root connects to");
}

}  // namespace

void help_with_access(const std::string& program, const std::shared_ptr<Hopeless>& hopeless) {
  engine::set_access_help({.program = program, .give_up = [hopeless](const std::string& why) {
                             const bool first = hopeless->with([&](auto& told) {
                               if (!told.empty()) return false;
                               told = why;
                               return true;
                             });
                             if (!first) return;
                             log::error("the engine's socket is out of reach", {{"why", why}});
                             ::kill(::getpid(), SIGTERM);
                           }});
}

Status hand_over_engine_socket(const std::filesystem::path& config) {
  if (::geteuid() != 0)
    return fail(Errc::not_granted, "engine-socket is for root: a holder asks for it through sudo");
  TRY(must_be_roots(config));
  return engine::hand_over_engine(TRY(HolderConfig::read(config)).engine_socket);
}

std::string own_path(const char* argv0) {
  if (argv0 != nullptr && *argv0 == '/') return argv0;
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).native();
}

}  // namespace berth::holder::serve
