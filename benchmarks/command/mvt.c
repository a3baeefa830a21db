//===- A matrix, and its transpose, times vectors -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers are small integers: sums are exact in any order, so that all
// configurations write equal bytes.

#include "clock.h"

enum { N = 1536 };
static float a[N][N], y[2][N], x[2][N];

#define MIN(p, q) ((p) < (q) ? (p) : (q))
#define FOR(i, from, step) for (int i = from; i < MIN(from + step, N); ++i)

static void multiply(void) {
  for (int i0 = 0; i0 < N; i0 += TILE_I)
    for (int j0 = 0; j0 < N; j0 += TILE_J) {
      FOR(i, i0, TILE_I) FOR(j, j0, TILE_J) x[0][i] += a[i][j] * y[0][j];
      FOR(i, i0, TILE_I) FOR(j, j0, TILE_J) x[1][j] += a[i][j] * y[1][i];
    }
}

int main(void) {
  for (int i = 0; i < N; ++i) {
    y[0][i] = i % 5, y[1][i] = i % 3;
    for (int j = 0; j < N; ++j)
      a[i][j] = (i * 3 + j) % 7;
  }
  double begin = seconds();
  multiply();
  return report(begin, x, sizeof x);
}
