//===- Simulated kernels that do anything ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fuzz.h"
#include "Simulation/SimScheduler.h"

#include <algorithm>
#include <array>
#include <fuzzer/FuzzedDataProvider.h>

using namespace tonno;

// What a thread that is forgotten has on its stack is not destroyed: the
// sanitizer would keep a stack of its own for each.
extern "C" const char *sanitizerOptions() asm("__asan_default_options");
extern "C" const char *sanitizerOptions() {
  return "detect_stack_use_after_return=0";
}

namespace {

/// A call of the simulator.
struct Step {
  const char *where;
  SimCollective kind;
  uint64_t lanes;
  std::array<uint64_t, 3> operands;
  bool isStray;
};

/// What the threads do: each begins at another step.
struct Script {
  SimObject *object;
  std::vector<Step> steps;
  size_t stepsOfThread = 0;
  size_t threadsLeft = 4096; ///< until the launch is ended

  void runThread() {
    SimRuntime &runtime = *object->runtime;
    if (threadsLeft-- <= 1) {
      threadsLeft = 1;
      runtime.stray(&runtime, 0, 0, 1, 1); // ends it after this workgroup
    }
    size_t first = runtime.threadId[0] * (size_t(runtime.blockId[0]) + 1);
    for (size_t i = 0; i < stepsOfThread; ++i) {
      const Step &step = steps[(first + i) % steps.size()];
      std::array<uint64_t, 2> results = {};
      if (step.isStray)
        runtime.stray(&runtime, 0, static_cast<int64_t>(step.lanes),
                      step.operands[0], 0);
      else
        runtime.meet(&runtime, step.where, step.kind, step.lanes,
                     step.operands.data(), results.data());
    }
  }
};

} // namespace

static uint32_t size(FuzzedDataProvider &input, uint32_t usual) {
  return input.ConsumeIntegralInRange(0, 7) == 0
             ? input.ConsumeIntegral<uint32_t>()
             : input.ConsumeIntegralInRange<uint32_t>(1, usual);
}

static Step nextStep(FuzzedDataProvider &input) {
  static constexpr std::array<const char *, 3> places = {"a", "b", "c"};
  Step step = {};
  step.where = input.PickValueInArray(places);
  step.kind =
      static_cast<SimCollective>(input.ConsumeIntegralInRange<uint32_t>(0, 13));
  step.lanes =
      input.ConsumeBool() ? ~uint64_t(0) : input.ConsumeIntegral<uint64_t>();
  for (uint64_t &operand : step.operands)
    operand = input.ConsumeIntegral<uint8_t>();
  step.isStray = input.ConsumeIntegralInRange(0, 31) == 31;
  return step;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static SimScheduler scheduler; // keeps the stacks
  constexpr uint64_t areaBytes = 1024;
  alignas(64) static uint8_t memory[2 * areaBytes + 3 * simRedzoneBytes];
  FuzzedDataProvider input(data, bytes);
  SimArea area = {memory + simRedzoneBytes, areaBytes};
  SimObject object = {simVersion,
                      input.ConsumeBool() ? 32u : 64u,
                      input.ConsumeBool() ? 1u : 0u,
                      0,
                      nullptr,
                      &area,
                      input.ConsumeBool() ? 1u : 0u,
                      {area.start + areaBytes + simRedzoneBytes, areaBytes}};
  LaunchGeometry geometry;
  std::ranges::generate(geometry.grid, [&] { return ::size(input, 4); });
  std::ranges::generate(geometry.block, [&] { return ::size(input, 8); });
  geometry.sharedBytes = ::size(input, areaBytes);
  auto seed = input.ConsumeIntegral<uint64_t>();
  Script script;
  script.object = &object;
  script.stepsOfThread = input.ConsumeIntegralInRange<size_t>(0, 16);
  do
    script.steps.push_back(nextStep(input));
  while (input.remaining_bytes() > 0);
  void *pointers[] = {&script};
  uint64_t bufferBytes[] = {sizeof script};
  auto entry = [](void **given) {
    static_cast<Script *>(given[0])->runThread();
  };
  SimKernel kernel = {entry, pointers, object, bufferBytes};
  auto ran = scheduler.run(kernel, geometry, seed);
  require(ran || !ran.error().message.empty(), "a failure says why");
  return 0;
}
