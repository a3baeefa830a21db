//===- Two artifacts on a fake device -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_RUNTIME_SAMPLERFIXTURE_H
#define TEST_UNIT_RUNTIME_SAMPLERFIXTURE_H

#include "Sampling/DeviceSampler.h"

#include "FakeDevice.h"

#include <gmock/gmock.h>
#include <set>

namespace tonno {

class SamplerFixture : public testing::Test {
protected:
  SamplerFixture() {
    plan.buffers = {{"arg0", ElementType::f32, {64}, Access::read, 64},
                    {"result0", ElementType::f32, {64}, Access::write, 64}};
    plan.launches = {{"entry", {0, 1}, {}}};
    for (const char *name : {"candidate", "baseline"})
      device.kernels[name] = [this, name](auto buffers) {
        ran.emplace_back(name);
        EXPECT_EQ(*static_cast<unsigned char *>(buffers[0]), 0x42);
      };
    candidate = FakeDevice::artifactOf("candidate", plan);
    baseline = FakeDevice::artifactOf("baseline", plan);
  }

  BufferRotation rotate(uint64_t seed = 1) {
    BufferContents inputs = {std::vector<std::byte>(256, std::byte(0x42)), {}};
    auto rotation =
        BufferRotation::create(device, plan.signature(), inputs, options, seed);
    EXPECT_TRUE(rotation.ok());
    return std::move(*rotation);
  }

  Result<DeviceSampler, Failure> sampleFrom(BufferRotation &rotation) {
    return DeviceSampler::create(device, rotation, {&baseline, &candidate},
                                 options);
  }

  /// Returns the addresses of the first buffer over one turn of the rotation.
  std::vector<void *> turn(BufferRotation &rotation) {
    std::vector<void *> order;
    std::set<void *> seen;
    for (;;) {
      void *first = addressOf(rotation.next().pointers()[0]);
      if (!seen.insert(first).second)
        return order;
      order.push_back(first);
    }
  }

  FakeDevice device;
  ProtocolOptions options;
  LaunchPlan plan;
  Artifact candidate, baseline;
  std::vector<std::string> ran;
  size_t launches = 0;
};

} // namespace tonno

#endif // TEST_UNIT_RUNTIME_SAMPLERFIXTURE_H
