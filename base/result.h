#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace berth {

/// Why something was not done. Each code is one wire code, one HTTP status and one exit status; the
/// table is in error.cpp and docs/errors.md is checked against it.
enum class Errc {
  bad_request,
  refused_root_equivalent,
  refused_held,
  not_granted,
  not_found,
  unknown_verb,
  ambiguous,
  conflict,
  too_large,
  engine_refused,
  engine_unreachable,
  busy,
  timeout,
  seat_unheld,
  collision,
  missing_verb,
  drift,
  stale,
  flag_conflict,
  unfilled,
  unparsable,
  holder_silent,
  unreachable,  // a machine or the bus does not answer
  failed,       // anything else: the detail says what was being done to what
};

/// One failure, as RFC 9457 has it on the wire. `detail` says what was being done to what, and why not.
struct Error {
  Errc code = Errc::failed;
  std::string detail;
  std::string field = {};                    // the request member at fault
  std::vector<std::string> fields = {};      // every member at fault, where several are named at once
  std::string assignment = {};               // the assignment that holds the container
  std::string seat = {};                     // the seat that is unheld or silent
  std::vector<std::string> candidates = {};  // what could hold that seat
  int engine_status = 0;                     // the engine's own HTTP status, 0 when it was not asked
  std::string engine_message = {};

  /// The same failure, told from one floor up: "while <doing>: <detail>".
  Error while_doing(std::string_view doing) &&;
};

Error fail(Errc code, std::string detail);
Error fail_field(Errc code, std::string field, std::string detail);

/// A value or the reason there is none. Past a TRY the value is there.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  explicit operator bool() const noexcept { return state_.index() == 0; }
  bool ok() const noexcept { return state_.index() == 0; }
  const T& value() const& { return std::get<0>(state_); }
  T& value() & { return std::get<0>(state_); }
  T value() && { return std::get<0>(std::move(state_)); }  // by value: `for (x : f().value())` must not dangle
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }
  T value_or(T other) const& { return ok() ? value() : std::move(other); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT

  explicit operator bool() const noexcept { return !error_.has_value(); }
  bool ok() const noexcept { return !error_.has_value(); }
  void value() const noexcept {}
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace berth

/// The value of a Result, or a return of its error from the enclosing function.
/// Not behind another member of a braced list, where g++ would leak the members made already: scripts/check-try looks.
#define TRY(...)                                                  \
  ({                                                              \
    auto try_result_ = (__VA_ARGS__);                             \
    if (!try_result_.ok()) return std::move(try_result_).error(); \
    std::move(try_result_).value();                               \
  })
