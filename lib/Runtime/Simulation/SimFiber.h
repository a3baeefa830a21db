//===- What a simulated thread runs on ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SIMULATION_SIMFIBER_H
#define TONNO_LIB_RUNTIME_SIMULATION_SIMFIBER_H

#include "tonno/Core/Result.h"
#include "tonno/Core/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace tonno {

/// Stacks of one size, each with a page below it that nobody may touch: an
/// overflow ends the process, as it would on the host. Kept between launches.
class SimStacks {
public:
  static Result<std::unique_ptr<SimStacks>, Failure> create(size_t count);
  ~SimStacks();
  SimStacks(const SimStacks &) = delete;
  SimStacks &operator=(const SimStacks &) = delete;

  size_t size() const { return count; }
  std::span<std::byte> operator[](size_t index) const;

private:
  SimStacks(std::byte *memory, size_t count) : memory(memory), count(count) {}

  std::byte *memory;
  size_t count;
};

/// A function with a stack of its own that can be left and entered again. One
/// that is not entered again is forgotten: what it has on its stack is not
/// destroyed.
class SimFiber {
public:
  using Body = void (*)(void *argument);

  /// Ready to run from its beginning, whatever it did before.
  void prepare(std::span<std::byte> stack, Body body, void *argument);

  /// Runs until it suspends itself or its body returns.
  void resume();

  /// Called within the body: back to who resumed it.
  void suspend();

  bool ended() const { return hasEnded; }

private:
  static void main(SimFiber *fiber);
  void enter();
  void leave();

  Body body = nullptr;
  void *argument = nullptr;
  bool hasEnded = true;
  std::span<std::byte> stack;
#ifdef __x86_64__
  void *own = nullptr;   ///< its stack pointer while it does not run
  void *outer = nullptr; ///< who resumed it, while it runs
#else
  ucontext_t own = {};
  ucontext_t outer = {};
#endif
  // For the address sanitizer.
  void *fakeStack = nullptr;
  const void *outerStack = nullptr;
  size_t outerBytes = 0;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SIMULATION_SIMFIBER_H
