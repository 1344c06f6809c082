#pragma once
#include <iosfwd>
#include <string_view>

#include "base/result.h"
#include "store/store.h"

namespace berth::cli {

enum class Output { table, json, csv };

using Table = store::Store::Table;

/// A listing for people (columns in line, null as "-", text made printable, a cell
/// over 100 characters cut with "…"), for programs as one JSON list of
/// objects in column order of the table, or as CSV (RFC 4180: CRLF, quotes doubled, null as nothing).
/// `colour` sets the heading off and is only for a terminal.
void print(std::ostream& out, const Table& table, Output output, bool colour);

}  // namespace berth::cli
