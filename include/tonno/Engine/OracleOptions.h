//===- Options of the correctness gate ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_ENGINE_ORACLEOPTIONS_H
#define TONNO_ENGINE_ORACLEOPTIONS_H

#include "tonno/Core/Json.h"

namespace tonno {

/// Part of every record's key. Counts the changes of what passes the
/// correctness gate.
inline constexpr int oracleVersion = 12;

/// Deviations that a user allows, which the correctness gate refuses by
/// default. Part of a record's key if not the default.
struct OracleOptions {
  /// Equal launches may give unequal results.
  bool allowNondeterminism = false;

  /// Allows sums in the precision of the inputs: f16 or bf16; tf32 products for
  /// f32; f32 for f64.
  bool allowLowerPrecision = false;

  /// The reference may give NaN in more than 1 % of an output.
  bool allowNan = false;

  bool operator==(const OracleOptions &) const = default;
};

void mapFields(JsonFields &fields, OracleOptions &options);

} // namespace tonno

#endif // TONNO_ENGINE_ORACLEOPTIONS_H
