#pragma once
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/owned.h"
#include "catch.h"

namespace berth::test {

/// A program that ends with its input, or is killed; its output, where asked for, can be read line by line.
class Child {
 public:
  explicit Child(const std::vector<std::string>& argv) {
    int in[2];
    int out[2];
    REQUIRE(::pipe2(in, O_CLOEXEC) == 0);
    REQUIRE(::pipe2(out, O_CLOEXEC) == 0);
    std::vector<char*> words;
    for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      ::execvp(words[0], words.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    input_.reset(in[1]);
    output_.reset(out[0]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { kill(); }

  void say(const std::string& line) {
    const auto text = line + "\n";
    REQUIRE(::write(input_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  /// One line of its output.
  std::string hear() {
    std::string line;
    char c = 0;
    while (::read(output_.get(), &c, 1) == 1 && c != '\n') line += c;
    return line;
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  OwnedFd input_, output_;
};

}  // namespace berth::test
