//===- Quantiles of samples -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_QUANTILE_H
#define TONNO_CORE_QUANTILE_H

#include <span>

namespace tonno {

/// The q-quantile of samples in ascending order, of which there is one at
/// least, interpolated between the two it falls between: 0.5 is the median.
double quantileOfSorted(std::span<const double> sorted, double q);

} // namespace tonno

#endif // TONNO_CORE_QUANTILE_H
