//===- GPU kernels written by hand ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_SIMULATEDKERNEL_H
#define TONNO_RUNTIME_SIMULATEDKERNEL_H

#include "Simulation/SimScheduler.h"

#include <bit>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>

namespace tonno {

/// GPU interface of a kernel written in C++.
class SimulatedThread {
public:
  SimulatedThread(SimRuntime &runtime, uint8_t *area, uint8_t *dynamic)
      : runtime(runtime), area(area), dynamic(dynamic) {}

  uint32_t thread() const { return runtime.threadId[0]; }
  uint32_t block() const { return runtime.blockId[0]; }
  float *shared() const { return reinterpret_cast<float *>(area); }
  float *dynamicShared() const { return reinterpret_cast<float *>(dynamic); }

  void meet(const char *where, SimCollective kind, uint64_t lanes = ~0ull,
            std::array<uint64_t, 3> operands = {}) {
    runtime.meet(&runtime, where, kind, lanes, operands.data(), results);
  }
  void barrier() { meet(barrierName, SimCollective::barrier); }
  uint32_t exchange(uint32_t value, uint32_t from, uint64_t lanes = ~0ull) {
    meet(exchangeName, SimCollective::exchange, lanes, {value, from, 999});
    return static_cast<uint32_t>(results[0]);
  }

  static constexpr const char *barrierName = "a barrier";
  static constexpr const char *exchangeName = "an exchange";

  SimRuntime &runtime;
  uint64_t results[2] = {};

private:
  uint8_t *area, *dynamic;
};

/// Runs kernels with one area of 4096 bytes of static shared memory, and up to
/// 4096 bytes of dynamic shared memory.
class SimulatedKernelTest : public testing::Test {
protected:
  using Kernel = std::function<void(SimulatedThread)>;
  static constexpr uint64_t areaBytes = 4096;

  Result<void, Failure> run(Kernel kernel, const LaunchGeometry &geometry,
                            uint64_t seed = 1) {
    body = std::move(kernel);
    void *pointers[] = {this};
    auto entry = [](void **pointers) {
      auto *test = static_cast<SimulatedKernelTest *>(pointers[0]);
      test->body(SimulatedThread(*test->object.runtime, test->area.start,
                                 test->object.dynamic.start));
    };
    return scheduler.run({entry, pointers, object}, geometry, seed);
  }

  Result<void, Failure> run(Kernel kernel, uint32_t threads,
                            uint64_t seed = 1) {
    return run(std::move(kernel), LaunchGeometry{{1, 1, 1}, {threads, 1, 1}},
               seed);
  }

  /// Expects a failure.
  Failure failure(Kernel kernel, uint32_t threads, uint64_t seed = 1) {
    auto ran = run(std::move(kernel), threads, seed);
    EXPECT_FALSE(ran.ok());
    return ran ? Failure{} : ran.error();
  }

  alignas(64) uint8_t memory[2 * areaBytes + 3 * simRedzoneBytes] = {};
  SimArea area = {memory + simRedzoneBytes, areaBytes};
  SimObject object = {
      simVersion, 32,
      0,          0,
      nullptr,    &area,
      1,          {area.start + areaBytes + simRedzoneBytes, areaBytes}};
  Kernel body;
  SimScheduler scheduler;
};

} // namespace tonno

#endif // TONNO_RUNTIME_SIMULATEDKERNEL_H
