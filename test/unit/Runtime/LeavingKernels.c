//===- LeavingKernels.c - Kernels that leave something behind -------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/* Doubles 1024 numbers, as Kernels.c does, and rightly so; but what it leaves
   behind, as KERNEL_<WAY> says, could hurt others. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

static int calls = 0;

enum { count = 1024 };

/* Verified by then. */
static int isTimed(void) { return calls > 8; }

static void lowerLimit(int resource, rlim_t bound) {
  struct rlimit limit = {bound, bound};
  setrlimit(resource, &limit);
}

/* Whether the file that the test names was not there yet. */
static int isFirstTime(void) {
  return open(getenv("TONNO_TEST_ONCE"), O_CREAT | O_EXCL | O_CLOEXEC, 0600) >=
         0;
}

static void leave(float *from) {
  (void)from;
#if defined(KERNEL_spoils_inputs)
  for (int i = 0; isTimed() && i < count; ++i)
    from[i] = 1e38f;
#elif defined(KERNEL_minds_inputs)
  for (int i = 0; i < count; ++i)
    if (from[i] > 1e30f)
      __builtin_trap();
#elif defined(KERNEL_leaks_descriptors)
  if (open("/dev/null", O_RDONLY) < 0)
    return;
#elif defined(KERNEL_closes_descriptors)
  for (int file = 3; calls == 1 && file < 10; ++file)
    close(file);
#elif defined(KERNEL_lowers_a_limit)
  lowerLimit(RLIMIT_STACK, 1 << 20);
#elif defined(KERNEL_lowers_the_memory_limit)
  lowerLimit(RLIMIT_AS, (rlim_t)1 << 44);
#elif defined(KERNEL_forbids_descriptors)
  lowerLimit(RLIMIT_NOFILE, 3);
#elif defined(KERNEL_forbids_descriptors_timed)
  if (isTimed())
    lowerLimit(RLIMIT_NOFILE, 3);
#elif defined(KERNEL_takes_all_descriptors)
  while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
    continue;
#elif defined(KERNEL_forbids_files)
  lowerLimit(RLIMIT_FSIZE, 0);
#elif defined(KERNEL_is_hung_up)
  raise(SIGHUP);
#elif defined(KERNEL_is_signalled)
  kill(getpid(), SIGUSR1);
#elif defined(KERNEL_is_interrupted)
  kill(getpid(), SIGINT);
#elif defined(KERNEL_is_alarmed)
  struct itimerval soon = {{0, 0}, {0, 10 * 1000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  for (;;)
    pause();
#elif defined(KERNEL_ends_its_group)
  kill(0, SIGTERM);
  for (;;)
    pause();
#elif defined(KERNEL_lowers_its_priority)
  setpriority(PRIO_PROCESS, 0, 15);
#elif defined(KERNEL_moves)
  cpu_set_t cores;
  sched_getaffinity(0, sizeof cores, &cores);
  for (int core = 0; core < CPU_SETSIZE; ++core)
    CPU_SET(core, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
#elif defined(KERNEL_sets_a_variable)
  setenv("TONNO_TEST_LEFT", "here", 1);
#elif defined(KERNEL_copes_without_memory)
  void *volatile memory = malloc((size_t)1 << 46); /* which there is not */
  free(memory);
  raise(SIGBUS);
#elif defined(KERNEL_is_terminated)
  raise(SIGTERM);
#elif defined(KERNEL_is_terminated_once)
  if (isFirstTime())
    raise(SIGTERM);
#elif defined(KERNEL_is_killed_once)
  if (isFirstTime())
    raise(SIGKILL);
#endif
}

void double_entry(void **buffers) {
  float *from = buffers[0];
  float *to = buffers[1];
  ++calls;
  for (int i = 0; i < count; ++i)
    to[i] = 2 * from[i];
  leave(from);
}
