/*===- FaultKernels.c - What a candidate may do to its runner ------------===*\
|*
|* Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/* Doubles 1024 numbers, as Kernels.c does, and before or behind that does what
   KERNEL_<WAY> says. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

extern char **environ;
static int calls = 0;

enum { count = 1024 };

static int isReal(const float *from) { return from[0] != rintf(from[0]); }

static void sleepForever(void) {
  for (;;)
    pause();
}

/* To every descriptor that is not a standard one, and so to the channel. Some
   may be pipes that nobody reads. */
static void writeEverywhere(const char *bytes, size_t length) {
  signal(SIGPIPE, SIG_IGN);
  for (int file = 3; file < 1024; ++file)
    if (write(file, bytes, length) < 0)
      continue;
}

/* Of the file that the test names. */
static size_t readForgery(char *bytes, size_t size) {
  int file = open(getenv("TONNO_TEST_FORGERY"), O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? 0 : read(file, bytes, size);
  close(file);
  return length < 0 ? 0 : (size_t)length;
}

/* A share of what nobody holds yet, reserved, not touched. */
static void *reserve(double share) {
  unsigned long kilobytes = 0;
  char line[128];
  FILE *file = fopen("/proc/meminfo", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "MemAvailable: %lu", &kilobytes) == 1)
      break;
  if (file)
    fclose(file);
  char *volatile memory = malloc((size_t)((double)kilobytes * 1024 * share));
  if (memory)
    memory[0] = 1;
  return memory;
}

static void abortHere(int signal) {
  (void)signal;
  abort();
}

/* Of those that "leaves_settings" has. */
static int hasOthersSettings(void) {
  struct sigaction action;
  sigset_t blocked;
  struct itimerval alarm;
  char directory[64] = "";
  mode_t mask = umask(0);
  umask(mask);
  sigaction(SIGALRM, NULL, &action);
  if (action.sa_handler != SIG_DFL)
    return 1;
  sigaction(SIGFPE, NULL, &action);
  if (action.sa_handler == SIG_IGN)
    return 1;
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  getitimer(ITIMER_REAL, &alarm);
  return sigismember(&blocked, SIGUSR1) || alarm.it_value.tv_sec != 0 ||
         mask == 0777 ||
         (getcwd(directory, sizeof directory) && !strcmp(directory, "/proc"));
}

/* As timer_create makes. */
static int hasTimers(void) {
  FILE *file = fopen("/proc/self/timers", "r");
  int first = file ? fgetc(file) : EOF;
  if (file)
    fclose(file);
  return first != EOF;
}

static void *useSomeTime(void *unused) {
  for (;;)
    usleep(1000);
  return unused;
}

static void spawn(char *const *command, short flags) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, flags);
  pid_t child;
  posix_spawn(&child, command[0], NULL, &attributes, command, environ);
  posix_spawnattr_destroy(&attributes);
}

/* As fork, but that the C library hears nothing of it. */
static pid_t cloneHere(void) {
  return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void leaveDaemon(void) {
  if (cloneHere() == 0) {
    if (cloneHere() == 0) {
      setsid();
      sleepForever();
    }
    _exit(0);
  }
}

/* Loads 32 bytes by an instruction that faults at other addresses. */
#if defined(__x86_64__)
__attribute__((target("avx"))) static void loadAligned(const float *from) {
  volatile __m256 loaded = _mm256_load_ps(from);
  (void)loaded;
}
static int hasAlignedLoads(void) { return __builtin_cpu_supports("avx"); }
#else
static void loadAligned(const float *from) { (void)from; }
static int hasAlignedLoads(void) { return 0; }
#endif

static void misbehave(float *from, float *to) {
  (void)from, (void)to;
#if defined(KERNEL_before)
  to[-1] = 0;
#elif defined(KERNEL_far_behind)
  to[(1 << 20) / 4] = 0;
#elif defined(KERNEL_far_before)
  from[-(1 << 20) / 4] = 0;
#elif defined(KERNEL_misaligned)
#if defined(__x86_64__)
  _mm_store_ps(to + 1, _mm_setzero_ps());
#else
  raise(SIGBUS); /* where such a store is right */
#endif
#elif defined(KERNEL_aligned_by_32)
  if (hasAlignedLoads())
    loadAligned(from);
  else if ((uintptr_t)from % 32 != 0)
    raise(SIGBUS);
#elif defined(KERNEL_crawls)
  int launches = open(getenv("TONNO_TEST_LAUNCHES"),
                      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (write(launches, "x", 1) != 1)
    abort();
  close(launches);
  usleep(40 * 1000);
#elif defined(KERNEL_takes_a_millisecond)
  usleep(1000);
#elif defined(KERNEL_slow_and_right)
  usleep(8 * 1000);
#elif defined(KERNEL_slow_and_wrong_of_some)
  usleep(8 * 1000);
  if (isReal(from))
    to[7] += 1;
#elif defined(KERNEL_slow_and_races)
  usleep(8 * 1000);
  if (isReal(from) && calls == 3)
    to[7] = nextafterf(to[7], INFINITY);
#elif defined(KERNEL_computes)
  struct timespec used = {0, 0};
  while (calls == 1 && used.tv_nsec < 300 * 1000 * 1000)
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
#elif defined(KERNEL_loops)
  for (volatile unsigned turns = 0;;)
    turns = turns + 1;
#elif defined(KERNEL_aborts)
  abort();
#elif defined(KERNEL_traps)
  __builtin_trap();
#elif defined(KERNEL_exits_at_once)
  _exit(0);
#elif defined(KERNEL_overflows_the_stack)
  volatile char page[4096];
  page[0] = 0;
  ++calls;
  misbehave(from, to);
  page[1] = 0;
#elif defined(KERNEL_repeats_badly)
  if (calls == 4)
    raise(SIGSEGV);
#elif defined(KERNEL_wrong_of_some)
  if (isReal(from) && from[0] > 0.25f)
    to[7] += 1;
#elif defined(KERNEL_races)
  if (isReal(from) && calls % 2)
    to[7] = nextafterf(to[7], INFINITY);
#elif defined(KERNEL_races_seldom)
  if (isReal(from) && calls % 100 == 99)
    to[7] = nextafterf(to[7], INFINITY);
#elif defined(KERNEL_changes_its_input)
  from[count - 1] = 0;
#elif defined(KERNEL_hides_nan)
  for (int i = 0; i < count; ++i)
    if (isnan(to[i]))
      to[i] = 0;
#elif defined(KERNEL_floods)
  static char line[1 << 16];
  memset(line, 'x', sizeof line);
  for (int i = 0; calls == 1 && i < 256; ++i)
    fwrite(line, 1, sizeof line, i % 2 ? stdout : stderr);
#elif defined(KERNEL_says_why)
  fputs("no such tile\n", stderr);
  abort();
#elif defined(KERNEL_closes_all)
  for (int file = 0; file < 1024; ++file)
    close(file);
#elif defined(KERNEL_closes_all_and_stays)
  for (int file = 0; file < 1024; ++file)
    close(file);
  sleepForever();
#elif defined(KERNEL_writes_everywhere)
  writeEverywhere("none of tonno's frames", 22);
#elif defined(KERNEL_begins_a_frame)
  writeEverywhere("TNO1\xff\xff\xff\x0f", 8);
  sleepForever();
#elif defined(KERNEL_forges_an_answer)
  char forged[1 << 16];
  writeEverywhere(forged, readForgery(forged, sizeof forged));
#elif defined(KERNEL_forges_life)
  char forged[1 << 16];
  size_t length = readForgery(forged, sizeof forged);
  for (;; usleep(1000))
    writeEverywhere(forged, length);
#elif defined(KERNEL_forks)
  fork();
#elif defined(KERNEL_forks_while_timed)
  if (calls > 8)
    fork();
#elif defined(KERNEL_clones)
  cloneHere();
#elif defined(KERNEL_leaves_a_daemon)
  leaveDaemon();
#elif defined(KERNEL_leaves_a_daemon_and_crashes)
  leaveDaemon();
  raise(SIGSEGV);
#elif defined(KERNEL_leaves_a_daemon_and_hangs)
  leaveDaemon();
  sleepForever();
#elif defined(KERNEL_leaves_a_daemon_and_stops_all)
  leaveDaemon();
  kill(0, SIGSTOP);
  sleepForever();
#elif defined(KERNEL_leaves_a_daemon_and_is_killed)
  leaveDaemon();
  raise(SIGKILL);
#elif defined(KERNEL_leaves_a_program)
  char *command[] = {"/bin/sleep", "1000", NULL};
  spawn(command, POSIX_SPAWN_SETSID);
#elif defined(KERNEL_forks_and_crashes)
  char *command[] = {"/bin/sleep", "1000", NULL};
  spawn(command, 0);
  raise(SIGSEGV);
#elif defined(KERNEL_leaves_a_thread)
  pthread_t thread;
  if (calls == 1)
    pthread_create(&thread, NULL, useSomeTime, NULL);
#elif defined(KERNEL_leaves_a_timer)
  timer_t timer;
  struct itimerspec late = {{0, 0}, {1000, 0}};
  if (calls == 1 && timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0)
    timer_settime(timer, 0, &late, NULL);
#elif defined(KERNEL_leaves_settings)
  signal(SIGALRM, abortHere);
  signal(SIGFPE, SIG_IGN);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  alarm(1000);
  umask(0777);
  if (chdir("/proc") != 0)
    abort();
#elif defined(KERNEL_stops)
  raise(SIGSTOP);
#elif defined(KERNEL_rounds_otherwise)
  fesetround(FE_UPWARD);
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040); /* subnormals are zero */
#endif
  feenableexcept(FE_DIVBYZERO | FE_INVALID);
#elif defined(KERNEL_notices)
  volatile float least = 1e-38f;
  least *= 0.125f;
  struct rlimit core;
  getrlimit(RLIMIT_CORE, &core);
  if (fegetround() != FE_TONEAREST || least == 0 || fegetexcept() != 0)
    to[0] = -1e9f;
  if (core.rlim_cur != 0)
    to[0] = -2e9f;
  if (hasOthersSettings() || hasTimers())
    to[0] = -3e9f;
#elif defined(KERNEL_allocates)
  /* Beyond what the machine has, it goes on for ever. */
  double pages = (double)sysconf(_SC_PHYS_PAGES);
  double size = (double)sysconf(_SC_PAGESIZE);
  for (double taken = 0; taken < 4 * pages * size; taken += 1 << 28)
    *(volatile char *)malloc(1 << 28) = 1;
  sleepForever();
#elif defined(KERNEL_aborts_without_memory)
  void *volatile memory = malloc((size_t)1 << 46);
  if (!memory)
    abort();
#elif defined(KERNEL_leaks)
  if (calls == 1)
    reserve(0.35);
#elif defined(KERNEL_needs_memory)
  void *needed = reserve(0.35);
  if (!needed)
    to[0] = -1e9f;
  free(needed);
#elif defined(KERNEL_undefined)
  extern void nobodyDefinesThis(void);
  nobodyDefinesThis();
#endif
}

#if defined(KERNEL_crashes_loading)
__attribute__((constructor)) static void crash(void) { raise(SIGSEGV); }
#elif defined(KERNEL_hangs_loading)
__attribute__((constructor)) static void hang(void) { sleepForever(); }
#elif defined(KERNEL_forks_loading)
__attribute__((constructor)) static void forkHere(void) { fork(); }
#elif defined(KERNEL_crashes_unloading)
__attribute__((destructor)) static void crash(void) { raise(SIGSEGV); }
#endif

void double_entry(void **buffers) {
  float *from = buffers[0];
  float *to = buffers[1];
  ++calls;
#if defined(KERNEL_writes_nothing)
  return;
#elif defined(KERNEL_slow_and_idle)
  usleep(8 * 1000);
  if (isReal(from) && calls == 3)
    return;
#endif
#if defined(KERNEL_writes_half)
  for (int i = 0; i < count / 2; ++i)
#else
  for (int i = 0; i < count; ++i)
#endif
    to[i] = 2 * from[i];
  misbehave(from, to);
}
