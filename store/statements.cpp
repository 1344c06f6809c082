#include <algorithm>
#include <cctype>

#include "store/impl.h"
#include "store/sqlite_error.h"

namespace berth::store {
namespace {

/// Gives a cached statement back ready for its next run, whatever happened to this one.
struct Resetting {
  SQLite::Statement& statement;
  ~Resetting() {
    statement.tryReset();
    statement.clearBindings();
  }
};

std::string_view first_word(std::string_view sql) {
  while (!sql.empty()) {
    if (std::isspace(static_cast<unsigned char>(sql[0])) != 0) sql.remove_prefix(1);
    else if (sql.starts_with("--")) sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
    else break;
  }
  const auto* end = std::ranges::find_if(sql, [](unsigned char c) { return std::isalpha(c) == 0; });
  return sql.substr(0, static_cast<std::size_t>(end - sql.begin()));
}

/// A statement that answers rows and writes (… RETURNING) needs the transaction that a plain read does not.
bool writes(std::string_view sql) {
  const auto word = first_word(sql);
  return word == "INSERT" || word == "UPDATE" || word == "DELETE" ||
         (word == "WITH" && sql.find("RETURNING") != std::string_view::npos);
}

/// "INSERT INTO setting(key, …": enough of a statement to know it by.
std::string shortened(std::string_view sql) {
  std::string text{sql.substr(0, 60)};
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

SQLite::Statement& Store::Impl::prepared(std::string_view sql) {
  if (const auto at = statements.find(sql); at != statements.end()) return at->second;
  std::string text{sql};
  SQLite::Statement statement{db, text};
  return statements.emplace(std::move(text), std::move(statement)).first->second;
}

Status Store::each(std::string_view sql, const std::vector<Value>& args,
                   const std::function<void(const Columns&)>& row) {
  if (!impl_->now && !impl_->read_only && writes(sql)) {
    return transaction([&] { return each(sql, args, row); });
  }
  TRY(impl_->usable());
  return catching(impl_->path, shortened(sql), [&]() -> Status {
    auto& statement = impl_->prepared(sql);
    const Resetting resetting{statement};
    bind_values(statement, args);
    while (statement.executeStep()) row(columns_of(statement));
    return {};
  });
}

Result<std::int64_t> Store::change(std::string_view sql, const std::vector<Value>& args) {
  std::int64_t changed = 0;
  const auto act = [&]() -> Status {
    TRY(impl_->usable());
    return catching(impl_->path, shortened(sql), [&]() -> Status {
      auto& statement = impl_->prepared(sql);
      const Resetting resetting{statement};
      bind_values(statement, args);
      changed = statement.exec();
      return {};
    });
  };
  TRY(impl_->now ? act() : transaction(act));
  return changed;
}

Result<Store::Table> Store::table(std::string_view sql, const std::vector<Value>& args) {
  TRY(impl_->usable());
  return catching(impl_->path, shortened(sql), [&]() -> Result<Table> {
    SQLite::Statement statement{impl_->db, std::string{sql}};
    bind_values(statement, args);
    Table table;
    for (int i = 0; i < statement.getColumnCount(); ++i) table.columns.emplace_back(statement.getColumnName(i));
    while (statement.executeStep()) table.rows.push_back(columns_of(statement).values());
    return table;
  });
}

}  // namespace berth::store
