// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of OpenBLAS that are called; the driver has loaded it.
#ifndef TONNO_BENCHMARKS_HOST_C_BLAS_H
#define TONNO_BENCHMARKS_HOST_C_BLAS_H

enum { rowMajor = 101, plain = 111, transposed = 112 };

void cblas_sgemm(int order, int a, int b, int m, int n, int k, float alpha,
                 const float *x, int ldx, const float *y, int ldy, float beta,
                 float *z, int ldz);
void cblas_dgemm(int order, int a, int b, int m, int n, int k, double alpha,
                 const double *x, int ldx, const double *y, int ldy,
                 double beta, double *z, int ldz);
void cblas_sgemv(int order, int a, int m, int n, float alpha, const float *x,
                 int ldx, const float *y, int incy, float beta, float *z,
                 int incz);

#endif
