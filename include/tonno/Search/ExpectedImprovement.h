//===- How much better a point may be -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_EXPECTEDIMPROVEMENT_H
#define TONNO_SEARCH_EXPECTEDIMPROVEMENT_H

namespace tonno {

/// Of a value that is normal with this mean and standard deviation, how much it
/// is expected to be above `best`, where less counts as nothing (D. R. Jones et
/// al., "Efficient global optimization of expensive black-box functions",
/// 1998). Precondition: deviation > 0.
double expectedImprovement(double mean, double deviation, double best);

} // namespace tonno

#endif // TONNO_SEARCH_EXPECTEDIMPROVEMENT_H
