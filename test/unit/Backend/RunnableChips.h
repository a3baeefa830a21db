//===- Chips that run here ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_BACKEND_RUNNABLECHIPS_H
#define TEST_UNIT_BACKEND_RUNNABLECHIPS_H

#include <vector>

/// Chips whose kernels this machine runs: with fused operations and without.
inline std::vector<const char *> chipsToRunOn() {
#if defined(__x86_64__)
  return {"native", "x86-64"};
#else
  return {"native"};
#endif
}

#endif // TEST_UNIT_BACKEND_RUNNABLECHIPS_H
