/*===- Kernels.c - Binaries for a runner to run --------------------------===*\
|*
|* Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/* Doubles 1024 numbers, or fails to in the way that KERNEL_<WAY> says. */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(KERNEL_reference) || defined(KERNEL_reference_killed) ||           \
    defined(KERNEL_reference_tells)
typedef double real;
#else
typedef float real;
#endif

#ifdef KERNEL_other_symbol
#define double_entry other_entry
#endif

int calls = 0;

#ifdef KERNEL_workgroups
/* Each of 64 doubles 16 of the numbers. */
void double_entry(void **buffers, unsigned long workgroup) {
  const real *from = buffers[0];
  real *to = buffers[1];
  for (unsigned long i = 16 * workgroup; i < 16 * (workgroup + 1); ++i)
    to[i] = 2 * from[i];
}
#else
void double_entry(void **buffers) {
  const real *from = buffers[0];
  real *to = buffers[1];
  ++calls;
  for (int i = 0; i < 1024; ++i)
    to[i] = 2 * from[i];
#if defined(KERNEL_wrong)
  to[1023] += 1;
#elif defined(KERNEL_beyond)
  to[1024] = 0;
#elif defined(KERNEL_segfault)
  *(volatile int *)0 = 0;
#elif defined(KERNEL_later)
  /* Verified well, then crashes while it is timed. */
  if (calls == 5)
    raise(SIGBUS);
#elif defined(KERNEL_exits)
  exit(0);
#elif defined(KERNEL_endless)
  for (;;)
    pause();
#elif defined(KERNEL_killed)
  raise(SIGKILL);
#elif defined(KERNEL_reference_killed)
  /* Where the environment names a file, only while that is not there. */
  const char *once = getenv("TONNO_TEST_ONCE");
  if (!once || open(once, O_CREAT | O_EXCL | O_CLOEXEC, 0600) >= 0)
    raise(SIGKILL);
#elif defined(KERNEL_reference_tells)
  /* Each run adds a byte to the file that the test names. */
  int runs = open(getenv("TONNO_TEST_RUNS"), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (write(runs, "x", 1) != 1)
    to[0] = 0;
  close(runs);
  usleep(100 * 1000);
#elif defined(KERNEL_slow)
  usleep(50 * 1000);
#elif defined(KERNEL_prints)
  char noise[64] = "TNO1\x05";
  printf("TNO1 garbage on standard output\n");
  fflush(stdout);
  if (write(STDOUT_FILENO, noise, sizeof noise) < 0)
    return;
  /* Whoever reads standard input must not get the protocol either. */
  if (read(STDIN_FILENO, noise, sizeof noise) != 0)
    to[0] = -1;
#elif defined(KERNEL_counts)
  to[0] = (real)calls;
#endif
}
#endif
