//===- Poison and redzones ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimulatedKernel.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

class SimSharedMemoryTest : public SimulatedKernelTest {
protected:
  static constexpr LaunchGeometry geometry = {{4, 1, 1}, {32, 1, 1}, 256};

  /// Returns the failure if thread 7 of each workgroup writes this byte.
  Failure writeTo(const std::function<uint8_t *(SimulatedThread)> &place) {
    auto kernel = [&](SimulatedThread gpu) {
      if (gpu.thread() == 7)
        *place(gpu) = 42;
    };
    auto ran = run(kernel, geometry);
    return ran ? Failure{Status::ok, {}} : ran.error();
  }
};

} // namespace

TEST_F(SimSharedMemoryTest, IsPoisonedForEachWorkgroup) {
  int read = 0;
  auto kernel = [&](SimulatedThread gpu) {
    gpu.barrier();
    for (float *shared : {gpu.shared(), gpu.dynamicShared()}) {
      EXPECT_TRUE(std::isnan(shared[gpu.thread()]));
      EXPECT_TRUE(std::isnan(shared[63 - gpu.thread()]));
      shared[gpu.thread()] = shared[63 - gpu.thread()] = 1;
    }
    ++read;
  };
  ASSERT_TRUE(run(kernel, geometry).ok());
  EXPECT_EQ(read, 128);
}

TEST_F(SimSharedMemoryTest, BeyondItIsPoisonToo) {
  auto kernel = [&](SimulatedThread gpu) {
    EXPECT_TRUE(std::isnan(gpu.shared()[-1]));
    EXPECT_TRUE(std::isnan(gpu.shared()[areaBytes / 4]));
    EXPECT_TRUE(std::isnan(gpu.dynamicShared()[64]));
  };
  ASSERT_TRUE(run(kernel, geometry).ok());
}

TEST_F(SimSharedMemoryTest, WritesOutsideAreCaught) {
  auto static0 = [](SimulatedThread gpu) {
    return reinterpret_cast<uint8_t *>(gpu.shared());
  };
  auto dynamic = [](SimulatedThread gpu) {
    return reinterpret_cast<uint8_t *>(gpu.dynamicShared());
  };
  auto message = [&](auto start, int64_t offset) {
    Failure got =
        writeTo([&](SimulatedThread gpu) { return start(gpu) + offset; });
    EXPECT_EQ(got.status, Status::out_of_bounds);
    return got.message;
  };
  EXPECT_THAT(message(static0, -1),
              HasSubstr("as far as 1 bytes before an area of 4096 bytes"));
  EXPECT_THAT(message(static0, -128), HasSubstr("128 bytes before"));
  EXPECT_THAT(message(static0, 4096), HasSubstr("0 bytes past"));
  EXPECT_THAT(message(static0, 4096 + 100), HasSubstr("100 bytes past"));
  EXPECT_THAT(message(dynamic, 256),
              HasSubstr("0 bytes past an area of 256 bytes"));
  EXPECT_EQ(writeTo([&](SimulatedThread gpu) { return static0(gpu); }).status,
            Status::ok);
  EXPECT_EQ(
      writeTo([&](SimulatedThread gpu) { return dynamic(gpu) + 255; }).status,
      Status::ok);
}

TEST_F(SimSharedMemoryTest, AnObjectMayHaveNone) {
  object.areaCount = 0;
  object.dynamic = {};
  EXPECT_TRUE(run([](SimulatedThread) {}, 32).ok());
  // Memory that is requested but not used costs nothing.
  EXPECT_TRUE(run([](SimulatedThread) {}, geometry).ok());
}
