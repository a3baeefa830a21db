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

/// Returns the unit roundoff: half the distance from 1 to the next number. 0
/// for integers.
double unitRoundoff(ElementType type);

/// Returns the smallest positive number. 0 for integers.
double smallestSubnormal(ElementType type);

/// Returns the smallest positive number of full precision. 0 for integers.
double smallestNormal(ElementType type);

/// Returns the largest n such that all integers up to n are representable.
double largestExactInteger(ElementType type);

/// Return the limits of the finite numbers; for i64, the outermost that are
/// doubles.
double lowestFinite(ElementType type);
double largestFinite(ElementType type);

/// Returns false for f8E8M0FNU, whose numbers are all over 0. Integers have
/// one.
bool hasSign(ElementType type);

/// Return true if a type of real numbers has infinity or NaN, respectively. A
/// number beyond the range becomes infinity, else NaN, else the largest number.
bool hasInfinity(ElementType type);
bool hasNan(ElementType type);

/// Returns true if arithmetic is in a type that holds the subnormal numbers of
/// this one as normal ones, so that they are not flushed to 0.
bool isComputedInWiderType(ElementType type);

/// Rounds numbers to an element type: floats to the nearest, ties to even;
/// integers towards 0 and into the range, NaN to 0; i1 to 1 unless 0. As
/// llvm::APFloat does, but for f8E8M0FNU, where negative numbers become NaN,
/// and types without NaN, where infinities become the largest numbers, and NaN
/// 0.
std::vector<std::byte> encode(ElementType type, std::span<const double> values);

/// Decodes memory. All elements but integers beyond 2^53 are exact. Bytes that
/// no f6 or f4 has, whose upper bits are set, are NaN.
std::vector<double> decode(ElementType type, std::span<const std::byte> bytes);

/// Rounds numbers to those of the element type, as `encode` does.
void roundTo(ElementType type, std::vector<double> &values);

/// Puts elements in row-major order where they lie in a buffer's memory. Bytes
/// that belong to no element are `gap`.
std::vector<std::byte> scatter(const BufferSpec &buffer,
                               std::span<const std::byte> elements,
                               std::byte gap);

/// Copies the buffer's elements from strided memory to dense memory, the
/// inverse of scattering.
std::vector<std::byte> gather(const BufferSpec &buffer,
                              std::span<const std::byte> memory);

} // namespace tonno

#endif // TONNO_RUNTIME_ELEMENTS_H
