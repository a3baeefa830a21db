// Calls the kernel that small.h declares and compares with plain loops.
#include "small.h"

#include <math.h>
#include <stdio.h>

enum { M = 64, N = 48, K = 32 };

static _Alignas(64) float a[M][K], b[K][N], c[M][N];

int main(void) {
  for (int i = 0; i < M; ++i)
    for (int k = 0; k < K; ++k)
      a[i][k] = (float)((i * 7 + k * 3) % 11) - 5;
  for (int k = 0; k < K; ++k)
    for (int j = 0; j < N; ++j)
      b[k][j] = (float)((k * 5 + j) % 13) - 6;
  small(&a[0][0], &b[0][0], &c[0][0]);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k)
        sum += a[i][k] * b[k][j];
      if (c[i][j] != sum) { // small integers: every order of sums is exact
        fprintf(stderr, "c[%d][%d] is %f, should be %f\n", i, j, c[i][j], sum);
        return 1;
      }
    }
  return 0;
}
