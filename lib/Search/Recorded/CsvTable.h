//===- Comma-separated values ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_CSVTABLE_H
#define TONNO_LIB_SEARCH_CSVTABLE_H

#include "tonno/Core/Result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tonno {

/// Reads comma-separated values, line by line: fields may be quoted, with
/// quotes in them doubled, commas and newlines kept (RFC 4180). Empty lines are
/// left out.
class CsvTable {
public:
  explicit CsvTable(std::string_view text) : rest(text) {}

  /// The fields of the next line; none at the end. A quote that does not end,
  /// or ends before its field does, is an Error.
  Result<std::optional<std::vector<std::string>>> next();

  size_t line() const { return lineNumber; } ///< of what `next` gave, from 1
  /// Whether that line has an end, as all but the last one have.
  bool hasEnd() const { return isEnded; }

private:
  Result<std::string> field();
  Result<std::string> quoted();

  std::string_view rest;
  size_t lineNumber = 0;
  size_t linesPassed = 0;
  bool isEnded = false;
};

/// As a field that reads as this.
std::string csvField(const std::string &text);

} // namespace tonno

#endif // TONNO_LIB_SEARCH_CSVTABLE_H
