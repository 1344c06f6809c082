#include "host/path/cli/run.h"

#include <algorithm>

#include "base/process.h"

namespace berth::host::path::cli {
namespace {

struct Phrase {
  std::string_view words;
  Errc code;
};

// As 20.10 and 26.1 say them; the command line has one exit status for all of these.
constexpr Phrase kPhrases[] = {
    {"Cannot connect to the Docker daemon", Errc::engine_unreachable},
    {"error during connect", Errc::engine_unreachable},
    {"permission denied while trying to connect", Errc::engine_unreachable},
    {"Is the docker daemon running", Errc::engine_unreachable},
    {"No such container", Errc::not_found},
    {"No such object", Errc::not_found},
    {"No such image", Errc::not_found},
    {"No such network", Errc::not_found},
    {"no such volume", Errc::not_found},
    {"No such volume", Errc::not_found},
    {"is already in use by container", Errc::conflict},
    {"is not running", Errc::conflict},
};

std::string first_words(const Arguments& arguments) {
  std::string line = "docker";
  for (std::size_t i = 0; i < std::min<std::size_t>(arguments.size(), 2); ++i) line += " " + arguments[i];
  return line;
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(0, 2000);
}

}  // namespace

Result<Said> docker_said(const Arguments& arguments, std::chrono::milliseconds limit, Seam& seam) {
  Arguments argv{"docker"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  auto finished = run_process(argv, limit, seam, {}, std::size_t{64} << 20);
  if (finished) return Said{finished->exit_status, std::move(finished->out), std::move(finished->err)};
  if (finished.error().code != Errc::not_found) return std::move(finished).error();
  return fail(Errc::engine_unreachable,
              "the runtime's command line is not on this machine: " + finished.error().detail);
}

Error refusal(const Arguments& arguments, const Said& said) {
  const auto words = trimmed(said.err.empty() ? said.out : said.err);
  const auto* known = std::ranges::find_if(
      kPhrases, [&](const Phrase& phrase) { return words.find(phrase.words) != std::string::npos; });
  Error error =
      fail(known == std::end(kPhrases) ? Errc::engine_refused : known->code,
           first_words(arguments) + ": exit status " + std::to_string(said.exit_status) + ": " + words);
  error.engine_message = words;
  return error;
}

Result<std::string> docker(const Arguments& arguments, std::chrono::milliseconds limit, Seam& seam) {
  auto said = TRY(docker_said(arguments, limit, seam));
  if (said.exit_status != 0) return refusal(arguments, said);
  return trimmed(std::move(said.out));
}

}  // namespace berth::host::path::cli
