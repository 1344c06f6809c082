#include <SQLiteCpp/Column.h>

#include "store/impl.h"

namespace berth::store {
namespace {

Value value_at(SQLite::Statement& statement, int i) {
  const auto column = statement.getColumn(i);
  if (column.isNull()) return {};
  if (column.isInteger()) return std::int64_t{column.getInt64()};
  if (column.isFloat()) return column.getDouble();
  return column.getString();
}

}  // namespace

std::string Columns::text(std::size_t i) const { return maybe_text(i).value_or(std::string{}); }

std::optional<std::string> Columns::maybe_text(std::size_t i) const {
  const auto* text = i < values_.size() ? std::get_if<std::string>(&values_[i]) : nullptr;
  return text == nullptr ? std::nullopt : std::optional{*text};
}

std::int64_t Columns::integer(std::size_t i) const { return maybe_integer(i).value_or(0); }

std::optional<std::int64_t> Columns::maybe_integer(std::size_t i) const {
  const auto* number = i < values_.size() ? std::get_if<std::int64_t>(&values_[i]) : nullptr;
  return number == nullptr ? std::nullopt : std::optional{*number};
}

void bind_values(SQLite::Statement& statement, const std::vector<Value>& args) {
  int i = 0;
  for (const auto& arg : args) {
    ++i;
    if (const auto* text = std::get_if<std::string>(&arg)) statement.bind(i, *text);
    else if (const auto* number = std::get_if<std::int64_t>(&arg)) statement.bind(i, *number);
    else if (const auto* real = std::get_if<double>(&arg)) statement.bind(i, *real);
    else statement.bind(i);
  }
}

Columns columns_of(SQLite::Statement& statement) {
  std::vector<Value> values;
  for (int i = 0; i < statement.getColumnCount(); ++i) values.push_back(value_at(statement, i));
  return Columns{std::move(values)};
}

}  // namespace berth::store
