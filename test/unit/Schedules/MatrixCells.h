//===- Products on matrix units to verify ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_MATRIXCELLS_H
#define TONNO_MATRIXCELLS_H

#include <string>
#include <vector>

namespace tonno {

/// A kernel whose configuration names a matrix instruction.
struct MatrixCell {
  std::string family, name, chip, text;
};

/// Returns kernels that cover each pair of family, element types, shape,
/// instruction, tiles, and depth with stages and order, each for all chips; and
/// some with dynamic shared memory. Kernels with equal results are adjacent.
std::vector<MatrixCell> matrixCells();

} // namespace tonno

#endif // TONNO_MATRIXCELLS_H
