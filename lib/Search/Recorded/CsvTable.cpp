//===- Comma-separated values ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CsvTable.h"

#include <algorithm>

using namespace tonno;

Result<std::string> CsvTable::quoted() {
  std::string text;
  rest.remove_prefix(1);
  for (;;) {
    size_t end = rest.find('"');
    if (end == std::string_view::npos)
      return Error{"line " + std::to_string(lineNumber) +
                   ": a quote has no end"};
    linesPassed +=
        static_cast<size_t>(std::ranges::count(rest.substr(0, end), '\n'));
    text += rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (!rest.starts_with('"'))
      break;
    text += '"';
    rest.remove_prefix(1);
  }
  if (!rest.empty() && rest.find_first_of(",\r\n") != 0)
    return Error{"line " + std::to_string(lineNumber) +
                 ": a quote ends before its field does"};
  return text;
}

Result<std::string> CsvTable::field() {
  if (rest.starts_with('"'))
    return quoted();
  size_t end = std::min(rest.find_first_of(",\r\n"), rest.size());
  std::string text(rest.substr(0, end));
  rest.remove_prefix(end);
  return text;
}

Result<std::optional<std::vector<std::string>>> CsvTable::next() {
  std::optional<std::vector<std::string>> fields;
  while (!rest.empty() && !fields) {
    lineNumber = ++linesPassed;
    fields.emplace();
    for (bool goesOn = true; goesOn;) {
      auto text = field();
      if (!text)
        return text.error();
      fields->push_back(std::move(*text));
      goesOn = rest.starts_with(',');
      if (goesOn)
        rest.remove_prefix(1);
    }
    isEnded = !rest.empty();
    if (rest.starts_with('\r'))
      rest.remove_prefix(1);
    if (rest.starts_with('\n'))
      rest.remove_prefix(1);
    if (fields->size() == 1 && fields->front().empty())
      fields.reset();
  }
  return fields;
}

std::string tonno::csvField(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && !text.empty())
    return text;
  std::string field = "\"";
  for (char each : text) {
    if (each == '"')
      field += '"';
    field += each;
  }
  return field + '"';
}
