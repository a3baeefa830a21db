//===- Options of the correctness gate ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/OracleOptions.h"

#include <algorithm>

using namespace tonno;

EnumNames tonno::getEnumNames(Bits) {
  static constexpr std::string_view names[] = {"free", "same"};
  return {"class of bits", names};
}

bool OracleOptions::wantsEnergy() const {
  return objective == Resource::energy ||
         std::ranges::find(front, Resource::energy) != front.end();
}

void tonno::mapFields(JsonFields &fields, OracleOptions &options) {
  fields("allow_nondeterminism", options.allowNondeterminism);
  fields("allow_lower_precision", options.allowLowerPrecision);
  fields("allow_nan", options.allowNan);
  fields("bits", options.bits, Bits::free);
  fields("limits", options.limits, {});
  fields("errors", options.errors, {});
  fields("objective", options.objective);
  fields("most_time", options.mostTime);
  fields("front", options.front, {});
}
