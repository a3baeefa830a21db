//===- Options of the correctness gate ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_ENGINE_ORACLEOPTIONS_H
#define TONNO_ENGINE_ORACLEOPTIONS_H

#include "tonno/Core/AcceptedError.h"
#include "tonno/Core/Json.h"
#include "tonno/Core/UsageLimit.h"

#include <optional>
#include <string_view>
#include <vector>

namespace tonno {

/// Part of every record's key. Counts the changes of what passes the
/// correctness gate.
inline constexpr int oracleVersion = 13;

/// The results among which a user lets candidates choose.
enum class Bits {
  free, ///< within the bounds of the correctness gate
  same, ///< of these, those with the bits that the default configuration gives
};

EnumNames getEnumNames(Bits);
inline std::optional<Bits> parseBits(std::string_view text) {
  return parseEnum<Bits>(text);
}

/// The candidates that a user accepts, if not those that the correctness gate
/// accepts by default, and prefers, if not the fastest. Part of a record's key
/// if not the default.
struct OracleOptions {
  /// Equal launches may give unequal results.
  bool allowNondeterminism = false;

  /// Allows sums in the precision of the inputs: f16 or bf16; tf32 products for
  /// f32; f32 for f64.
  bool allowLowerPrecision = false;

  /// The reference may give NaN in more than 1 % of an output.
  bool allowNan = false;

  Bits bits = Bits::free;

  std::vector<UsageLimit> limits = {}; ///< checked before a candidate is run

  std::vector<AcceptedError> errors = {}; ///< beyond the gate's own bounds

  /// The resource that the winner has the least of, and the least time among
  /// those that use the same; none if it has the least time of all.
  std::optional<Resource> objective = {};

  /// The resources beside time by which no other candidate beats those of the
  /// front; no front is tested if there are none.
  std::vector<Resource> front = {};

  /// The most time of a winner of less usage, as a multiple of the default's.
  std::optional<double> mostTime = {};

  /// Returns true if energy is measured.
  bool wantsEnergy() const;

  bool operator==(const OracleOptions &) const = default;
};

void mapFields(JsonFields &fields, OracleOptions &options);

} // namespace tonno

#endif // TONNO_ENGINE_ORACLEOPTIONS_H
