//===- Errors of results that a user accepts ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/AcceptedError.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace tonno;

EnumNames tonno::getEnumNames(ErrorUnit) {
  static constexpr std::string_view names[] = {"rms", "rel", "abs", "ulps"};
  static_assert(std::size(names) == static_cast<size_t>(ErrorUnit::ulps) + 1);
  return {"unit", names};
}

void tonno::mapFields(JsonFields &fields, AcceptedError &error) {
  fields("output", error.output, {});
  fields("unit", error.unit);
  fields("most", error.most);
}

static Error refuse(std::string_view part) {
  return Error{"'" + std::string(part) +
               "' is not an error; give one such as 1e-3, 1e-3rel, 1e-6abs or "
               "result0=4ulps"};
}

/// Parses "result0=1e-3rel".
static Result<AcceptedError> parseOne(std::string_view part) {
  AcceptedError error;
  std::string_view number = part;
  if (size_t sign = part.find('='); sign != part.npos) {
    error.output = part.substr(0, sign);
    number = part.substr(sign + 1);
    if (error.output.empty())
      return refuse(part);
  }
  auto [rest, problem] =
      std::from_chars(number.data(), number.data() + number.size(), error.most);
  if (problem != std::errc() || !std::isfinite(error.most) || error.most < 0)
    return refuse(part);
  std::string_view unit(rest, number.data() + number.size());
  auto known = unit.empty() ? ErrorUnit::rms : parseEnum<ErrorUnit>(unit);
  if (!known)
    return refuse(part);
  error.unit = *known;
  return error;
}

Result<std::vector<AcceptedError>>
tonno::parseAcceptedErrors(std::string_view text) {
  std::vector<AcceptedError> errors;
  for (bool isLast = false; !isLast;) {
    size_t end = text.find(',');
    isLast = end == text.npos;
    errors.push_back(TONNO_TRY(parseOne(text.substr(0, end))));
    text.remove_prefix(isLast ? text.size() : end + 1);
  }
  // The order in which errors are written is no part of a key.
  std::ranges::sort(errors);
  auto isTwice = [](const AcceptedError &a, const AcceptedError &b) {
    return a.output == b.output && a.unit == b.unit;
  };
  if (auto twice = std::ranges::adjacent_find(errors, isTwice);
      twice != errors.end())
    return Error{
        (twice->output.empty() ? "all outputs have" : twice->output + " has") +
        std::string(" two errors of the unit '") +
        std::string(toString(twice->unit)) + "'; remove one of them"};
  return errors;
}

std::string tonno::toString(std::span<const AcceptedError> errors) {
  std::string text;
  for (const AcceptedError &error : errors) {
    text += text.empty() ? "" : ",";
    text += error.output.empty() ? "" : error.output + "=";
    text += printed(Json(error.most));
    if (error.unit != ErrorUnit::rms)
      text += toString(error.unit);
  }
  return text;
}
