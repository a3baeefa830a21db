//===- What kernels are run on --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_INPUTDATA_H
#define TONNO_RUNTIME_INPUTDATA_H

#include "tonno/Runtime/BufferSet.h"

#include <random>
#include <span>
#include <vector>

namespace tonno {

/// The numbers in the buffers of a signature, in its order; empty for those
/// that the kernel does not read. Each is representable in its element type.
using Values = std::vector<std::vector<double>>;

bool isInput(const BufferSpec &buffer);
bool isOutput(const BufferSpec &buffer);

// Where `given`, of the signature's size, has numbers for an input, they stay.

/// +-1; of i1, 0 or 1, as in all that follow.
Values drawSigns(const Signature &signature, const Values &given,
                 std::mt19937_64 &generator);

/// Integers but 0: of magnitude up to `wide` in every other input that is
/// drawn, beginning with the first, and up to `narrow` in those between.
Values drawIntegers(const Signature &signature, const Values &given,
                    std::mt19937_64 &generator, double wide, double narrow);

/// Uniform in [-1, 1); for integer types, integers from -8 to 8.
Values drawReals(const Signature &signature, const Values &given,
                 std::mt19937_64 &generator);

Values absolute(Values values);
double largestMagnitude(std::span<const double> values);

/// Of the finite values; 0 of none.
double rootMeanSquare(std::span<const double> values);

/// The numbers as they lie in memory.
BufferContents encodeAll(std::span<const BufferSpec> buffers,
                         const Values &values);

} // namespace tonno

#endif // TONNO_RUNTIME_INPUTDATA_H
