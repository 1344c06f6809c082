#pragma once
#include <functional>
#include <string>

#include "base/owned.h"
#include "base/result.h"

namespace berth::holder::engine {

/// What to do where the engine's socket refuses this process: the groups a process has are those it started
/// with, so one that was put into the engine's group meanwhile is refused all the same. Set once, by main,
/// before the first call; without it a refusal is just told. Process-wide, as the groups are.
struct AccessHelp {
  std::string program;                                  // this program, as a line of sudoers names it
  std::function<void(const std::string& why)> give_up;  // nothing helps but to be started anew
};
void set_access_help(AccessHelp help);

/// The line of sudoers that lets `account` ask: one command with no other argument.
std::string sudoers_line(const std::string& account, const std::string& program);

/// After a connect was refused with EACCES: whether it is worth another, because connections are made with
/// help from now on. Answers true once; never for root, nor without help.
bool turn_to_help();
bool connects_with_help();

/// A connected descriptor, or none and why not. Where this process is refused it asks once: `sudo -n
/// <program> engine-socket` connects as root and hands the descriptor back over its standard input. Under
/// no_new_privs sudo cannot work: `give_up` is told. Any thread.
struct Connected {
  OwnedFd fd;
  int os_error = 0;      // of our own attempt
  std::string why = {};  // why help did not help; empty where none was asked for
};
Connected connect_engine(const std::string& socket);

/// The other side, run as root: connects to the socket and sends the descriptor over standard input.
Status hand_over_engine(const std::string& socket);

}  // namespace berth::holder::engine
