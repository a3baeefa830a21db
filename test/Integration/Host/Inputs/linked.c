//===- linked.c - Calls a kernel by its header ----------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "matmul.h"

#include "check.h"

static void product(const float *a, const float *b, float *c) {
#ifdef TAKES_WORKSPACE
  static _Alignas(64) int8_t workspace[1 << 20];
  matmul(a, b, c, workspace);
#else
  matmul(a, b, c);
#endif
}

int main(int argc, char **argv) {
  return argc == 4 ? check(product, argv + 1) : 2;
}
