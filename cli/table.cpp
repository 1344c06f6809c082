#include "cli/table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include <nlohmann/json.hpp>

#include "cli/text.h"

namespace berth::cli {
namespace {

using Row = std::vector<std::string>;
constexpr std::size_t kWidest = 100;
using Ordered = nlohmann::ordered_json;

std::string real_text(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", number);
  return text.data();
}

std::string text_of(const store::Value& value, std::string_view null) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&value)) return real_text(*real);
  return std::string{null};
}

Ordered json_of(const store::Value& value) {
  return std::visit(
      [](const auto& held) -> Ordered {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
          return nullptr;
        else
          return held;
      },
      value);
}

/// A statement may name two columns alike: the second is name_2, so that no value is lost.
std::vector<std::string> member_names(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) {
    auto name = column;
    for (int nth = 2; std::ranges::find(names, name) != names.end(); ++nth)
      name = column + "_" + std::to_string(nth);
    names.push_back(std::move(name));
  }
  return names;
}

void print_json(std::ostream& out, const Table& table) {
  const auto names = member_names(table.columns);
  Ordered list = Ordered::array();
  for (const auto& row : table.rows) {
    Ordered object = Ordered::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[names[i]] = json_of(row[i]);
    list.push_back(std::move(object));
  }
  out << list.dump(2, ' ', false, Ordered::error_handler_t::replace) << '\n';
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void print_csv(std::ostream& out, const Table& table) {
  const auto line = [&](const Row& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) out << (i == 0 ? "" : ",") << csv_field(fields[i]);
    out << "\r\n";
  };
  line(table.columns);
  for (const auto& row : table.rows) {
    Row fields;
    for (const auto& value : row) fields.push_back(text_of(value, ""));
    line(fields);
  }
}

/// A document in a column would push every other one out of sight; CSV and JSON give it whole.
std::string shortened(const std::string& text) {
  if (width_of(text) <= kWidest) return text;
  std::size_t end = 0;
  for (std::size_t width = 0; width < kWidest; ++end) {
    if ((static_cast<unsigned char>(text[end + 1]) & 0xC0) != 0x80) ++width;
  }
  return text.substr(0, end) + "\xE2\x80\xA6";
}

std::string line_of(const Row& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    line += row[i];
    if (i + 1 < row.size()) line.append(widths[i] - width_of(row[i]) + 2, ' ');
  }
  return line;
}

void print_table(std::ostream& out, const Table& table, bool colour) {
  std::vector<Row> rows{table.columns};
  for (const auto& row : table.rows) {
    Row& cells = rows.emplace_back();
    for (const auto& value : row) cells.push_back(shortened(printable(text_of(value, "-"))));
  }
  std::vector<std::size_t> widths(table.columns.size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  out << (colour ? "\033[1m" : "") << line_of(rows[0], widths) << (colour ? "\033[0m" : "") << '\n';
  for (std::size_t i = 1; i < rows.size(); ++i) out << line_of(rows[i], widths) << '\n';
  if (table.rows.empty()) out << "(none)\n";
}

}  // namespace

void print(std::ostream& out, const Table& table, Output output, bool colour) {
  switch (output) {
    case Output::json:
      return print_json(out, table);
    case Output::csv:
      return print_csv(out, table);
    case Output::table:
      return print_table(out, table, colour);
  }
}

}  // namespace berth::cli
