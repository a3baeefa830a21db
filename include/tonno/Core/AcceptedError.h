//===- Errors of results that a user accepts ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_ACCEPTEDERROR_H
#define TONNO_CORE_ACCEPTEDERROR_H

#include "tonno/Core/Json.h"
#include "tonno/Core/Result.h"

#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tonno {

/// The scale of an error.
enum class ErrorUnit {
  rms,  ///< the root mean square of the output's results
  rel,  ///< the magnitude of the element's result
  abs,  ///< 1
  ulps, ///< the distance of numbers of the output's type at that result
};

EnumNames getEnumNames(ErrorUnit);

/// An error that a user accepts beyond the correctness gate's own bounds.
struct AcceptedError {
  std::string output; ///< its name; empty: all of floating point
  ErrorUnit unit = ErrorUnit::rms;
  double most = 0;

  auto operator<=>(const AcceptedError &) const = default;
};

void mapFields(JsonFields &fields, AcceptedError &error);

/// Parses "1e-3", "4ulps" or "result0=1e-3rel,result1=0.5abs": errors, with the
/// unit `rms` if they have none, sorted. The Error has a remedy.
Result<std::vector<AcceptedError>> parseAcceptedErrors(std::string_view text);

/// Returns errors in the form that `parseAcceptedErrors` takes.
std::string toString(std::span<const AcceptedError> errors);

} // namespace tonno

#endif // TONNO_CORE_ACCEPTEDERROR_H
