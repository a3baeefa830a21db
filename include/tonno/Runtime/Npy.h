//===- Arrays in NumPy's files --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_NPY_H
#define TONNO_RUNTIME_NPY_H

#include "tonno/Core/Result.h"

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace tonno {

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

#endif // TONNO_RUNTIME_NPY_H
