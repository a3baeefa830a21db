//===- Times a kernel once and prints what a command reports --------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_BENCHMARKS_COMMAND_CLOCK_H
#define TONNO_BENCHMARKS_COMMAND_CLOCK_H

#include <stdio.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

/// Writes the results to 'results', for comparison with those of other
/// configurations, and prints the time. Returns the exit status.
static int report(double begin, const void *results, size_t bytes) {
  double taken = seconds() - begin;
  FILE *file = fopen("results", "wb");
  if (!file || fwrite(results, 1, bytes, file) != bytes || fclose(file))
    return 1;
  printf("{\"seconds\": %.9f}\n", taken);
  return 0;
}

#endif // TONNO_BENCHMARKS_COMMAND_CLOCK_H
