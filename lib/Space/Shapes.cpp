//===- Sizes of dynamic dimensions ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/Shapes.h"
#include "tonno/Core/Trim.h"
#include "tonno/Space/Constraint.h"

#include <algorithm>
#include <charconv>
#include <string>

using namespace tonno;

/// Parses "M=64".
static Result<Dimension> parseSize(std::string_view text) {
  auto refuse = [&](const std::string &why) {
    return Error{"'" + std::string(text) + "' " + why};
  };
  size_t equals = text.find('=');
  std::string_view name = trim(text.substr(0, equals));
  if (equals == text.npos || !isPlainName(name))
    return refuse("does not give a dimension its size; write M=64");
  std::string_view digits = trim(text.substr(equals + 1));
  Dimension dimension{std::string(name), 0};
  auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), dimension.size);
  bool isNumber = error == std::errc() && end == digits.data() + digits.size();
  if (!isNumber || dimension.size < 1)
    return refuse("has no positive size; write " + dimension.name + "=64");
  return dimension;
}

Result<std::vector<Dimension>> tonno::parseSizes(std::string_view text) {
  std::vector<Dimension> sizes;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    auto size = TONNO_TRY(parseSize(trim(text.substr(begin, end - begin))));
    if (std::any_of(sizes.begin(), sizes.end(), [&](const Dimension &other) {
          return other.name == size.name;
        }))
      return Error{"dimension '" + size.name + "' has two sizes; give it one"};
    sizes.push_back(std::move(size));
    begin = end + 1;
  }
  return sizes;
}
