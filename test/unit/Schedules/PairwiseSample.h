//===- Few points that meet all pairs -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PAIRWISESAMPLE_H
#define TONNO_PAIRWISESAMPLE_H

#include <cstddef>
#include <vector>

namespace tonno {

/// Points of a space of `sizes` values along each dimension, such that each
/// pair of values of two dimensions is in one of them. Always the same.
std::vector<std::vector<size_t>> samplePairs(const std::vector<size_t> &sizes);

} // namespace tonno

#endif // TONNO_PAIRWISESAMPLE_H
