#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "cli/program.h"

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const char* no_colour = std::getenv("NO_COLOR");
  const bool colour = ::isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
  return berth::cli::run(words, std::cout, std::cerr, colour, berth::system_clock(), berth::no_faults());
}
