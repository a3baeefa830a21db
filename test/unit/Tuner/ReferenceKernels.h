//===- Kernels of every kind of loop --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_TUNER_REFERENCEKERNELS_H
#define TEST_UNIT_TUNER_REFERENCEKERNELS_H

#include <ostream>
#include <string>
#include <vector>

/// A function `@f` that references are tested with.
struct TestedKernel {
  std::string name;
  std::string text;
  bool isShared = true;      ///< some launch has several workgroups
  bool isExact = true;       ///< of integers, so that no order matters
  bool takesIndices = false; ///< in its integer buffers: 0 to 3
};

inline std::ostream &operator<<(std::ostream &stream,
                                const TestedKernel &kernel) {
  return stream << kernel.name;
}

std::vector<TestedKernel> testedKernels();

#endif // TEST_UNIT_TUNER_REFERENCEKERNELS_H
