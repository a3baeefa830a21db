// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "blas.h"

void entry(void **buffers) {
#ifdef AS_PRODUCT
  cblas_sgemm(rowMajor, plain, plain, M, 1, K, 1, buffers[0], K, buffers[1], 1,
              0, buffers[2], 1);
#else
  cblas_sgemv(rowMajor, plain, M, K, 1, buffers[0], K, buffers[1], 1, 0,
              buffers[2], 1);
#endif
}
