//===- Elements in memory -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_ELEMENTS_H
#define TONNO_RUNTIME_ELEMENTS_H

#include "tonno/Core/LaunchPlan.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tonno {

bool isFloatingPoint(ElementType type);

/// Unit roundoff: half the distance from 1 to the next number. 0 for integers.
double unitRoundoff(ElementType type);

/// The smallest number over 0. 0 for integers.
double smallestSubnormal(ElementType type);

/// The smallest number over 0 of full precision. 0 for integers.
double smallestNormal(ElementType type);

/// The largest n such that all integers up to n are representable.
double largestExactInteger(ElementType type);

/// The ends of what the type represents, infinity aside; of i64 the outermost
/// that are doubles.
double lowestFinite(ElementType type);
double largestFinite(ElementType type);

/// Numbers to memory, each rounded once to the element type: of floats to the
/// nearest, ties to even; of integers towards 0, what is out of range to its
/// nearest end, NaN to 0. An i1 takes a byte, 1 where the number is not 0.
std::vector<std::byte> encode(ElementType type, std::span<const double> values);

/// Memory to numbers; every element is exact in a double but 64-bit integers
/// beyond 2^53. A byte that is no i1 comes back as the number that it is.
std::vector<double> decode(ElementType type, std::span<const std::byte> bytes);

/// Puts a buffer's elements, which come in row-major order, where they lie in
/// its memory. Bytes that belong to no element are `gap`. Of a dense buffer the
/// elements are its memory.
std::vector<std::byte> scatter(const BufferSpec &buffer,
                               std::span<const std::byte> elements,
                               std::byte gap);

/// The other way round.
std::vector<std::byte> gather(const BufferSpec &buffer,
                              std::span<const std::byte> memory);

} // namespace tonno

#endif // TONNO_RUNTIME_ELEMENTS_H
