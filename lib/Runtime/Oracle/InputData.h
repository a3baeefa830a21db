//===- What kernels are run on --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_ORACLE_INPUTDATA_H
#define TONNO_LIB_RUNTIME_ORACLE_INPUTDATA_H

#include "tonno/Core/Result.h"
#include "Sampling/BufferSet.h"

#include <cstdint>
#include <filesystem>
#include <random>
#include <span>
#include <string_view>
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

/// The data that a signature's buffers declare (BufferSpec::input), for those
/// that the kernel reads; empty for the others. A seed gives the same on every
/// system. An Error names the buffer: its type can't hold the numbers, or its
/// file can't be read or is not of its shape.
Result<Values> drawDeclared(const Signature &signature,
                            std::mt19937_64 &generator);

/// Of declared data what exact passes keep: that of buffers of integer type,
/// which may be indices, and what is all integers. Empty for the others.
Values exactData(const Signature &signature, const Values &declared);

/// An array from a file of NumPy's format.
struct NpyArray {
  std::vector<int64_t> shape;
  std::vector<double> values; ///< in row-major order
};

/// Reads versions 1.0, 2.0 and 3.0 with little-endian elements of types f2, f4,
/// f8, i1, i2, i4, i8, u1 or b1, in C's or Fortran's order. The Error names the
/// file and says what is wrong in it: another type, integers that are no
/// doubles, a header that says something else than the file holds.
Result<NpyArray> readNpy(const std::filesystem::path &path);

/// The same of a file's bytes.
Result<NpyArray> parseNpy(std::string_view bytes);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_ORACLE_INPUTDATA_H
