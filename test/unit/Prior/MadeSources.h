//===- Kernels that tests make up -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_PRIOR_MADESOURCES_H
#define TONNO_TEST_UNIT_PRIOR_MADESOURCES_H

#include "tonno/Prior/Prior.h"

#include <cmath>

namespace tonno {

/// Returns the features of a product whose register tile is `MR` x `NR`.
inline KernelFeatures makeProduct(int64_t size,
                                  const std::string &prefix = "") {
  OpFeatures op;
  op.kind = "contraction";
  op.bits = 32;
  op.sizes = {{"m", size}, {"n", size}, {"k", size}};
  op.settings = {{"subgroup.m", {Json(), prefix + "MR"}},
                 {"subgroup.n", {Json(), prefix + "NR"}}};
  return {{op}};
}

/// Returns the loss of a tile: least at 8 x 16.
inline double computeLoss(double rows, double columns) {
  double away =
      std::abs(std::log2(rows / 8)) + std::abs(std::log2(columns / 16));
  return std::min(0.3 * away, mostLoss);
}

/// Returns a product of which all tiles were measured.
inline PriorSource makeSource(const std::string &name, int64_t size,
                              const std::string &chip = "a",
                              bool isOpposite = false) {
  PriorSource source = {name, {makeProduct(size), chip, {"MR", "NR"}}, {}};
  for (int64_t rows = 1; rows <= 32; rows *= 2)
    for (int64_t columns = 4; columns <= 64; columns *= 2) {
      double loss = computeLoss(double(rows), double(columns));
      source.points.push_back(
          {{rows, columns}, isOpposite ? 1.5 - loss : loss});
    }
  return source;
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_PRIOR_MADESOURCES_H
