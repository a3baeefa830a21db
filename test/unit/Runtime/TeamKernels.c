/*===- TeamKernels.c - Binaries of several threads -----------------------===*\
|*
|* Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/* Doubles 1024 numbers, each of two threads a half of them, in the way that
   KERNEL_<WAY> says. OpenMP's runtime is found as the runner finds it. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

typedef void (*parallel_function)(void (*)(void *), void *, unsigned, unsigned);

static int (*thread_number)(void);

#ifdef KERNEL_team_leaves_a_thread
static void *sleeps(void *unused) {
  for (;;)
    pause();
  return unused;
}
#endif

static void half(void *buffers) {
  const float *from = ((void **)buffers)[0];
  float *to = ((void **)buffers)[1];
  int number = thread_number();
  for (int i = 512 * number; i < 512 * (number + 1); ++i)
    to[i] = 2 * from[i];
#ifdef KERNEL_team_tells
  cpu_set_t cores;
  sched_getaffinity(0, sizeof cores, &cores);
  to[number] = (float)sched_getcpu();
  to[2 + number] = (float)CPU_COUNT(&cores);
#endif
}

void double_entry(void **buffers) {
  void *runtime = dlopen("libomp.so.5", RTLD_NOW);
  *(void **)&thread_number = dlsym(runtime, "omp_get_thread_num");
  parallel_function parallel;
  *(void **)&parallel = dlsym(runtime, "GOMP_parallel");
  parallel(half, buffers, 2, 0);
  dlclose(runtime);
#ifdef KERNEL_team_leaves_a_thread
  pthread_t thread;
  pthread_create(&thread, 0, sleeps, 0);
#endif
}
