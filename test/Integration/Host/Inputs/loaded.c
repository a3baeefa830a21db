//===- loaded.c - Loads a kernel at run time ------------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <dlfcn.h>

static void (*entry)(void **);

static void product(const float *a, const float *b, float *c) {
  static _Alignas(64) char workspace[1 << 20]; // for those that take one
  void *buffers[] = {(void *)a, (void *)b, c, workspace};
  entry(buffers);
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf("%s\n", dlerror());
    return 1;
  }
  *(void **)&entry = dlsym(library, "matmul_entry");
  return entry ? check(product, argv + 2) : 1;
}
