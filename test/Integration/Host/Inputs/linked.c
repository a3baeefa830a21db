//===- linked.c - Calls a kernel by its header ----------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "matmul.h"

#include "check.h"

int main(int argc, char **argv) {
  return argc == 4 ? check(matmul, argv + 1) : 2;
}
