//===- Data of input buffers ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_INPUTSPEC_H
#define TONNO_CORE_INPUTSPEC_H

#include "tonno/Core/Json.h"
#include "tonno/Core/Result.h"

#include <string>
#include <string_view>

namespace tonno {

/// The data that a kernel reads from a buffer, as people write it:
///
///   uniform(low, high)    reals in [low, high); of integer types, rounded down
///   normal(mean, stddev)  reals
///   integers(low, high)   low to high, both included, in any element type
///   permutation           0 to n - 1 in any order, n the number of elements
///   constant(value)
///   npy("file.npy")       of the buffer's shape; converted to its element type
///   sorted(data)          any of the above, in ascending order
///
/// Numbers are finite, low < high (of integers <=), stddev >= 0, integers at
/// most 2^53 in magnitude. The file's quotes may be single; in them a backslash
/// takes the character behind it as it is.
struct InputSpec {
  enum class Kind { uniform, normal, integers, permutation, constant, npy };

  Kind kind = Kind::uniform;
  double low = -1, high = 1;      ///< of uniform and integers
  double mean = 0, deviation = 1; ///< of normal
  double value = 0;               ///< of constant
  std::string path;               ///< of npy
  bool sorted = false;

  /// Parses a spec. The Error has the column, from 1, and the valid forms. Does
  /// not open files.
  static Result<InputSpec> parse(std::string_view text);

  /// Returns the text that `parse` reads.
  std::string text() const;

  /// Returns true if all that is drawn is one number. Files are not looked at.
  bool isConstant() const;

  bool operator==(const InputSpec &) const = default;
};

/// Writes the spec as a JSON string, in the form that `parse` reads.
void to_json(Json &json, const InputSpec &input);
void from_json(const Json &json, InputSpec &input);

} // namespace tonno

#endif // TONNO_CORE_INPUTSPEC_H
