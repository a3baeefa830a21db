//===- Input data of kernels ----------------------------------------------===//
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

/// Numbers in a signature's buffers, representable in their types; empty for
/// buffers that the kernel does not read.
using Values = std::vector<std::vector<double>>;

bool isInput(const BufferSpec &buffer);
bool isOutput(const BufferSpec &buffer);

// All functions keep the numbers that `given`, of the signature's size, has for
// an input.

/// Draws +-1; for i1, 0 or 1, as all functions below do.
Values drawSigns(const Signature &signature, const Values &given,
                 std::mt19937_64 &generator);

/// Draws integers except 0, of magnitude up to `wide` in every other drawn
/// input, starting with the first, and up to `narrow` in those between.
Values drawIntegers(const Signature &signature, const Values &given,
                    std::mt19937_64 &generator, double wide, double narrow);

/// Draws uniformly from [-1, 1); for integer types, integers from -8 to 8.
Values drawReals(const Signature &signature, const Values &given,
                 std::mt19937_64 &generator);

double largestMagnitude(std::span<const double> values);

/// Returns the root mean square of the finite values; 0 if there is none.
double rootMeanSquare(std::span<const double> values);

/// Encodes the numbers as in memory.
BufferContents encodeAll(std::span<const BufferSpec> buffers,
                         const Values &values);

// Numbers that are not tame.

/// Part of a type's range from which numbers are drawn.
enum class FloatRange {
  whole,    ///< non-finite numbers, too
  finite,   ///< all that is
  moderate, ///< magnitudes from 2^-30 to 2^30
};

/// Fills each floating-point input that is not given with finite numbers of any
/// magnitude and at boundaries; with `areEnds`, half of it with ordinary
/// numbers, half with zeros, subnormals and non-finite numbers. Draws integers
/// as drawReals does.
Values drawSpecial(const Signature &signature, const Values &given,
                   FloatRange range, bool areEnds, std::mt19937_64 &generator);

/// Fills each floating-point input that is not given so that sums depend on the
/// order of their terms: magnitudes are spread over the type's significand, and
/// half of the elements cancel an earlier element, the one before or one at a
/// random distance. Draws integers as drawReals does.
Values drawCancelling(const Signature &signature, const Values &given,
                      std::mt19937_64 &generator);

/// Fills each floating-point input that is not given with random bits, which
/// are NaNs of all payloads, subnormals and numbers of any magnitude. Draws
/// integers as drawReals does.
BufferContents drawAnyBits(const Signature &signature, const Values &given,
                           std::mt19937_64 &generator);

/// Puts single numbers that are not tame into some lines of the last dimension,
/// which together can't overflow in a sum. Some other lines become negative,
/// tiny, far below zero, equal, zero, or, in the whole range, infinite.
/// `number` says what comes first.
void putSpecial(const BufferSpec &buffer, std::vector<double> &values,
                FloatRange range, size_t number, std::mt19937_64 &generator);

/// A way to fill buffers with integers of any size. Narrower sums show where
/// all terms are large, other comparisons where they are close together.
enum class IntegerData {
  mixed,       ///< of any length, ends of the range, powers of two, neighbours
  lines,       ///< each line of the last dimension in one of the ways below
  linesAcross, ///< each line of the first dimension
  least,       ///< all the least number
  largest,     ///< all the largest
  allOnes,     ///< all bits set
  ends,        ///< the least or the largest, at random
  clustered,   ///< large, and close together
  consecutive, ///< each number once, from below 0 on
};

inline constexpr IntegerData allIntegerData[] = {
    IntegerData::mixed, IntegerData::lines,     IntegerData::linesAcross,
    IntegerData::least, IntegerData::largest,   IntegerData::allOnes,
    IntegerData::ends,  IntegerData::clustered, IntegerData::consecutive};

std::string_view toString(IntegerData data);

/// Fills each integer input that is not given.
BufferContents drawAnyIntegers(const Signature &signature, const Values &given,
                               IntegerData data, std::mt19937_64 &generator);

/// Draws the data that a signature's buffers declare (BufferSpec::input), the
/// same on every system. An Error names the buffer whose type can't hold it or
/// whose file can't be read or has another shape.
Result<Values> drawDeclared(const Signature &signature,
                            std::mt19937_64 &generator);

/// Returns the declared data that exact passes keep: data of integer type,
/// which may be indices, and data with integral values only.
Values exactData(const Signature &signature, const Values &declared);

/// An array from a file of NumPy's format.
struct NpyArray {
  std::vector<int64_t> shape;
  std::vector<double> values; ///< in row-major order
};

/// Reads versions 1.0 to 3.0 with little-endian f2, f4, f8, i1, i2, i4, i8, u1
/// or b1, in C or Fortran order. Errors name the file and the cause. NumPy
/// writes elements of ml_dtypes as V1 or V2, untyped bytes: they are read as
/// elements of `wanted` if that type has the same size.
Result<NpyArray> readNpy(const std::filesystem::path &path,
                         ElementType wanted = ElementType::f32);

/// Writes a buffer's elements, in row-major order without gaps, to such a file.
Result<void> writeNpy(const std::filesystem::path &path,
                      const BufferSpec &buffer,
                      std::span<const std::byte> elements);

/// Parses the bytes of such a file.
Result<NpyArray> parseNpy(std::string_view bytes,
                          ElementType wanted = ElementType::f32);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_ORACLE_INPUTDATA_H
