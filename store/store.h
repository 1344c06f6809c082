#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/seam.h"

namespace berth::store {

enum class Role { host, holder, fleet };

/// The schema this program writes: major * 1000 + minor.
int schema_version();

/// One bound or read value. Text is UTF-8; null is std::monostate.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

/// The columns of the row a query stands on, by position from 0. A column of another type reads as the
/// type's empty value; the schema is STRICT, so that happens to null alone.
class Columns {
 public:
  explicit Columns(std::vector<Value> values) : values_(std::move(values)) {}
  std::string text(std::size_t i) const;
  std::optional<std::string> maybe_text(std::size_t i) const;
  std::int64_t integer(std::size_t i) const;
  std::optional<std::int64_t> maybe_integer(std::size_t i) const;
  bool boolean(std::size_t i) const { return integer(i) != 0; }
  const std::vector<Value>& values() const { return values_; }

 private:
  std::vector<Value> values_;
};

/// A statement of schema/queries/ with its types: constexpr Query<Record(std::string_view)> kRecordsInState{...}.
/// Row is void for a statement that answers nothing, std::string or std::int64_t for one column, or a struct
/// with `static Row from(const Columns&)`.
template <class Signature>
struct Query;
template <class Row, class... Args>
struct Query<Row(Args...)> {
  const std::string_view& sql;  // refers to the embedded text
};

/// One SQLite file: opened with WAL, synchronous FULL, foreign keys on, its schema brought up to date, its
/// role and application_id checked. One thread at a time; after a failure the transaction is rolled back
/// and the store stays usable. Every commit asks the seam ("store.commit") first.
class Store {
 public:
  /// Makes the file (mode 0600) if it is not there. A machine's store that was there and is gone, or whose
  /// write-ahead log is, is Errc::conflict and never begun anew by itself. A newer major schema is refused and left untouched; a
  /// file of another role or that is no store of ours is refused naming the path.
  static Result<Store> open(const std::filesystem::path& path, Role role, const Clock& clock, Seam& seam);
  /// The same schema on a read-only handle, for audits: nothing can be written through it. With a role, a store of
  /// another one is refused naming both.
  static Result<Store> open_read_only(const std::filesystem::path& path, std::optional<Role> role = {});

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// 8 hex digits made with the file.
  const std::string& id() const;
  const std::filesystem::path& path() const;
  /// The transaction's one instant inside `transaction`, the clock's now outside.
  std::string now() const;

  /// Runs `body` in BEGIN IMMEDIATE … COMMIT; an error answered by it rolls back. Not nested: inside a
  /// transaction a further `transaction` call joins the outer one.
  Status transaction(const std::function<Status()>& body);

  template <class Row, class... Args>
  Result<std::vector<Row>> all(const Query<Row(Args...)>& query, std::type_identity_t<Args>... args) {
    std::vector<Row> rows;
    TRY(each(query.sql, {value_of(args)...}, [&](const Columns& c) { rows.push_back(row_of<Row>(c)); }));
    return rows;
  }
  template <class Row, class... Args>
  Result<std::optional<Row>> first(const Query<Row(Args...)>& query, std::type_identity_t<Args>... args) {
    std::optional<Row> row;
    TRY(each(query.sql, {value_of(args)...}, [&](const Columns& c) {
      if (!row) row = row_of<Row>(c);
    }));
    return row;
  }
  /// Runs a statement that answers no rows; the number of rows it changed.
  template <class... Args>
  Result<std::int64_t> run(const Query<void(Args...)>& query, std::type_identity_t<Args>... args) {
    return change(query.sql, {value_of(args)...});
  }

  // Untyped, for audits whose columns are not known beforehand. Named parameters are bound by position.
  struct Table {
    std::vector<std::string> columns;
    std::vector<std::vector<Value>> rows;
  };
  Result<Table> table(std::string_view sql, const std::vector<Value>& args);

  /// The durable facts of one program (table `setting`).
  Result<std::optional<std::string>> setting(std::string_view key);
  Status set_setting(std::string_view key, std::string_view value);

  /// Puts a backup in the place of a store that nobody has open; what was there is kept beside it under a name
  /// of its own, which is answered (empty: nothing was). The backup must be whole and of this role; nothing is
  /// written where it lies, so that it may be on a medium that takes no writes.
  static Result<std::string> restore(const std::filesystem::path& backup, const std::filesystem::path& path, Role role,
                                     const Clock& clock, Seam& seam);

  /// Errc::conflict when a store with anything in it is at `path`, or a file that is none.
  static Status check_vacant(const std::filesystem::path& path, Role role);
  /// Makes a store with what `fill` writes into it, whole or not at all: until then it lies under another name, and
  /// what `fill` answers as an error leaves nothing. Errc::conflict when a store with anything in it is there; an
  /// empty one is kept beside it.
  static Status make_filled(const std::filesystem::path& path, Role role, const Clock& clock, Seam& seam,
                            const std::function<Status(Store&)>& fill);

  /// Online backup to a new file; quick_check and foreign_key_check of this one.
  Status backup_to(const std::filesystem::path& target);
  Status verify();

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  static Result<Store> open_to_read(const std::filesystem::path& path, std::optional<Role> role, bool frozen);
  Status check_log(bool has_log);
  void close();

  static Value value_of(std::string_view v) { return std::string{v}; }
  static Value value_of(const std::string& v) { return v; }
  static Value value_of(const char* v) { return std::string{v}; }
  static Value value_of(std::int64_t v) { return v; }
  static Value value_of(double v) { return v; }
  static Value value_of(int v) { return std::int64_t{v}; }
  static Value value_of(bool v) { return std::int64_t{v ? 1 : 0}; }
  static Value value_of(const Value& v) { return v; }
  template <class T>
  static Value value_of(const std::optional<T>& v) {
    return v ? value_of(*v) : Value{};
  }
  template <class Row>
  static Row row_of(const Columns& c) {
    if constexpr (std::is_same_v<Row, std::string>) return c.text(0);
    else if constexpr (std::is_same_v<Row, std::int64_t>) return c.integer(0);
    else return Row::from(c);
  }
  friend Result<Table> run_select(const std::filesystem::path& path, std::string_view sql, std::optional<Role> role);
  Result<Table> select(std::string_view sql);
  Status each(std::string_view sql, const std::vector<Value>& args, const std::function<void(const Columns&)>& row);
  Result<std::int64_t> change(std::string_view sql, const std::vector<Value>& args);

  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::store
