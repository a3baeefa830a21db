//===- Elements.h - Numbers as they lie in buffers --------------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_RUNTIME_ELEMENTS_H
#define TONNO_RUNTIME_ELEMENTS_H

#include "tonno/Core/LaunchPlan.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tonno {

/// Whether `encode` and `decode` know this type.
bool isSupported(ElementType type);
bool isFloatingPoint(ElementType type);

/// Unit roundoff: half the distance from 1 to the next number. 0 for integers.
double unitRoundoff(ElementType type);

/// The largest n such that all integers up to n are representable.
double largestExactInteger(ElementType type);

/// Numbers to memory, each rounded once to the element type.
std::vector<std::byte> encode(ElementType type, std::span<const double> values);

/// Memory to numbers; every supported element is exact in a double but 64-bit
/// integers beyond 2^53.
std::vector<double> decode(ElementType type, std::span<const std::byte> bytes);

} // namespace tonno

#endif // TONNO_RUNTIME_ELEMENTS_H
