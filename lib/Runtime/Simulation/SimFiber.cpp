//===- What a simulated thread runs on ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimFiber.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define TONNO_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TONNO_ASAN
#endif
#endif
#ifdef TONNO_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

using namespace tonno;

static constexpr size_t stackBytes = 128 << 10;

static size_t pageBytes() {
  return static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

Result<std::unique_ptr<SimStacks>, Failure> SimStacks::create(size_t count) {
  size_t each = stackBytes + pageBytes();
  auto refuse = [&] {
    return Failure{Status::out_of_memory,
                   "no stacks for " + std::to_string(count) +
                       " simulated threads: " + std::strerror(errno)};
  };
  void *memory = ::mmap(nullptr, count * each, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return refuse();
  std::unique_ptr<SimStacks> stacks(
      new SimStacks(static_cast<std::byte *>(memory), count));
  for (size_t index = 0; index < count; ++index)
    if (::mprotect(stacks->memory + index * each, pageBytes(), PROT_NONE) != 0)
      return refuse();
  return stacks;
}

SimStacks::~SimStacks() {
  ::munmap(memory, count * (stackBytes + pageBytes()));
}

std::span<std::byte> SimStacks::operator[](size_t index) const {
  // Stacks in use begin at different lines of the cache: at one and the same
  // they would push each other out.
  size_t colour = index % 32 * 128;
  return {memory + index * (stackBytes + pageBytes()) + pageBytes(),
          stackBytes - colour};
}

#ifdef __x86_64__

// What a call must leave as it was goes to the stack that is left, and comes
// from the one that is entered. (swapcontext makes two system calls each time:
// forty times as long.)
extern "C" void switchStacks(void **left,
                             void *entered) asm("tonno_sim_switch");
extern "C" void beginStack() asm("tonno_sim_begin");
asm(R"(
.text
.p2align 4
.type tonno_sim_switch, @function
tonno_sim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.size tonno_sim_switch, .-tonno_sim_switch
.p2align 4
.type tonno_sim_begin, @function
tonno_sim_begin:
  movq %r12, %rdi
  callq *%r13
  ud2
.size tonno_sim_begin, .-tonno_sim_begin
)");

void SimFiber::prepare(std::span<std::byte> memory, Body function,
                       void *value) {
  body = function;
  argument = value;
  hasEnded = false;
  stack = memory;
  // As switchStacks leaves it: r15, r14, r13, r12, rbx, rbp, and where to
  // go on; above that the stack is aligned as before a call.
  auto top = reinterpret_cast<uintptr_t>(memory.data() + memory.size()) & ~15ul;
  auto *frame = reinterpret_cast<uintptr_t *>(top) - 9;
  std::memset(frame, 0, 9 * sizeof *frame);
  frame[2] = reinterpret_cast<uintptr_t>(&SimFiber::main);
  frame[3] = reinterpret_cast<uintptr_t>(this);
  frame[6] = reinterpret_cast<uintptr_t>(&beginStack);
  own = frame;
}

void SimFiber::enter() { switchStacks(&outer, own); }
void SimFiber::leave() { switchStacks(&own, outer); }

#else

void SimFiber::prepare(std::span<std::byte> memory, Body function,
                       void *value) {
  body = function;
  argument = value;
  hasEnded = false;
  stack = memory;
  ::getcontext(&own);
  own.uc_stack.ss_sp = memory.data();
  own.uc_stack.ss_size = memory.size();
  own.uc_link = nullptr;
  auto address = reinterpret_cast<uintptr_t>(this);
  ::makecontext(
      &own, reinterpret_cast<void (*)()>(+[](unsigned high, unsigned low) {
        main(reinterpret_cast<SimFiber *>(uintptr_t(high) << 32 | low));
      }),
      2, static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
}

void SimFiber::enter() { ::swapcontext(&outer, &own); }
void SimFiber::leave() { ::swapcontext(&own, &outer); }

#endif

// The address sanitizer must know which stack is in use; without it these do
// nothing.
static void announceSwitch(void **fakeStack, const void *to, size_t bytes) {
#ifdef TONNO_ASAN
  __sanitizer_start_switch_fiber(fakeStack, to, bytes);
#endif
}

static void finishSwitch(void *fakeStack, const void **from, size_t *bytes) {
#ifdef TONNO_ASAN
  __sanitizer_finish_switch_fiber(fakeStack, from, bytes);
#endif
}

void SimFiber::main(SimFiber *fiber) {
  finishSwitch(nullptr, &fiber->outerStack, &fiber->outerBytes);
  fiber->body(fiber->argument);
  fiber->hasEnded = true;
  announceSwitch(nullptr, fiber->outerStack, fiber->outerBytes);
  fiber->leave();
}

void SimFiber::resume() {
  void *outerFake = nullptr;
  announceSwitch(&outerFake, stack.data(), stack.size());
  enter();
  finishSwitch(outerFake, nullptr, nullptr);
}

void SimFiber::suspend() {
  announceSwitch(&fakeStack, outerStack, outerBytes);
  leave();
  finishSwitch(fakeStack, &outerStack, &outerBytes);
}
