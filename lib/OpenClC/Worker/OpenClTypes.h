//===- Types of OpenCL C in memory ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_OPENCLC_WORKER_OPENCLTYPES_H
#define TONNO_LIB_OPENCLC_WORKER_OPENCLTYPES_H

#include "tonno/Core/LaunchPlan.h"
#include "tonno/Core/Result.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tonno {

/// A type of OpenCL C, in memory.
struct TypeInMemory {
  ElementType element;
  int64_t count = 1; ///< elements of a vector, of three too: 4
  int64_t lanes = 1; ///< of these, that have values
};

/// Finds a type by its OpenCL or tonno name. Returns nothing for images,
/// samplers and structures, for which tonno has no data.
std::optional<TypeInMemory> parseOpenClType(std::string_view name);

/// Parses a number as in C, "-2" or "0.5f"; for a vector all elements, "(1,
/// 2)", or one for all. The Error says what is wrong with the text.
Result<std::vector<uint8_t>> parseBytes(std::string_view text,
                                        TypeInMemory type);

/// Returns the bytes of an integer, signed or not; none if the type can't
/// represent it.
std::optional<std::vector<uint8_t>> integerBytes(int64_t value,
                                                 ElementType type);

/// Returns true if the text is an integer literal rather than an expression.
bool isNumber(std::string_view text);

} // namespace tonno

#endif // TONNO_LIB_OPENCLC_WORKER_OPENCLTYPES_H
