//===- One set of inputs with its right results ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_ORACLEPASS_H
#define TONNO_RUNTIME_ORACLEPASS_H

#include "tonno/Core/Status.h"
#include "tonno/Runtime/InputData.h"

#include <string>
#include <vector>

namespace tonno {

/// The one that shows sums of less precision than the IR's.
inline constexpr const char *wideExactPass = "wide exact";

/// How far a result may be from the reference's.
struct Tolerance {
  double relative = 0; ///< of the reference's magnitude
  double absolute = 0;
  double roundoffs = 0; ///< of the arithmetic in which sums are formed

  bool operator==(const Tolerance &) const = default;
};

/// One launch of the correctness gate.
struct OraclePass {
  std::string name;
  bool exact = false;
  /// Only what may win is launched on it.
  bool isForWinners = false;
  BufferContents inputs = {};
  // Of the outputs; empty or default for other buffers.
  Values expected = {};
  BufferContents rounded = {}; ///< once, to the buffers' element types
  std::vector<Tolerance> tolerances = {};
  /// To be added to Tolerance::roundoffs, for each element; empty where that is
  /// nothing.
  Values slack = {};
  /// Where results have steps: between these, too, an element is right.
  Values lowest = {}, highest = {};

  /// Where the reference is not finite, so must a result be, whichever way:
  /// inf - inf is in the one order what inf is in the other.
  bool takesAnyNonFinite = false;
  /// Where any result is right; empty where none is.
  std::vector<std::vector<bool>> isOpen = {};

  /// Leaves open where these results are wrong.
  void openWhereWrong(const Signature &signature, const BufferContents &found,
                      double roundoff);

  /// How far an element may be off, of sums with this unit roundoff.
  double allowed(size_t buffer, size_t element, double roundoff) const;

  /// Whether what a launch left in the outputs is right; else a Failure, wrong,
  /// that names the first element.
  Result<void, Failure> check(const Signature &signature,
                              const BufferContents &found,
                              double roundoff) const;

  bool operator==(const OraclePass &) const = default;
};

} // namespace tonno

#endif // TONNO_RUNTIME_ORACLEPASS_H
