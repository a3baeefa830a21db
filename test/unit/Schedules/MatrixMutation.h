//===- Mistakes in products on matrix units -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_MATRIXMUTATION_H
#define TONNO_MATRIXMUTATION_H

#include "MatrixProgram.h"

#include <functional>
#include <string>
#include <vector>

namespace tonno {

/// A mistake that the schedule might make.
struct MatrixMutation {
  std::string kind, name;
  /// Returns false if the program has no place for it.
  std::function<bool(MatrixProgram &)> apply;
  /// True if the results stay the same: a check that mutants are caught for
  /// their fault, not for being edited.
  bool isEquivalent = false;
};

/// Returns all of them.
std::vector<MatrixMutation> matrixMutations();

} // namespace tonno

#endif // TONNO_MATRIXMUTATION_H
