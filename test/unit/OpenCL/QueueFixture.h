//===- A queue of the device that there is --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_OPENCL_QUEUEFIXTURE_H
#define TEST_UNIT_OPENCL_QUEUEFIXTURE_H

#include "TemporaryDirectory.h"

#include "tonno/OpenCL/Autotuner.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// Kernels on the first device of a platform, in a fresh cache; skipped where
/// there is none.
class QueueTest : public testing::Test {
protected:
  void SetUp() override { open("Portable Computing Language"); }

  void open(const std::string &platformName) {
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    for (const cl::Platform &platform : platforms) {
      std::vector<cl::Device> devices;
      if (platform.getInfo<CL_PLATFORM_NAME>() == platformName)
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
      if (devices.empty())
        continue;
      device = devices.front();
      context = cl::Context(device);
      queue = cl::CommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE);
      options.cacheDirectory = (cache / "cache").string();
      return;
    }
    GTEST_SKIP() << "no device of " << platformName;
  }

  cl::Kernel kernel(const std::string &source, const std::string &name,
                    const std::string &buildOptions = {}) {
    auto built = KernelSpec{name, source, buildOptions}.build(queue);
    EXPECT_TRUE(built) << built.error().message;
    return built ? *built : cl::Kernel();
  }

  cl::Buffer buffer(std::vector<float> values) {
    return {context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
            values.size() * sizeof(float), values.data()};
  }

  std::vector<float> contents(const cl::Buffer &buffer, size_t count) {
    std::vector<float> values(count);
    EXPECT_EQ(queue.enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(float),
                                      values.data()),
              CL_SUCCESS);
    return values;
  }

  AutotuneResult tune(const WorkGroupTuner &tuner) {
    auto result = tuner.tune(queue, options);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : AutotuneResult{};
  }

  /// Repeats the tuning while other load disturbs it, up to a limit.
  AutotuneResult tuneWhenIdle(const WorkGroupTuner &tuner) {
    AutotuneResult result = tune(tuner);
    for (int i = 0; i != 30 && !result.isLasting(); ++i)
      result = tune(tuner);
    return result;
  }

  std::string refusal(const WorkGroupTuner &tuner) {
    auto result = tuner.tune(queue, options);
    return result ? "nothing was refused" : result.error().message;
  }

  TemporaryDirectory cache;
  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
  TuneOptions options;
};

inline const std::string scaleSource =
    "__kernel void scale(__global float *x) {"
    "  int i = get_global_id(0); x[i] = x[i] * 2.0f; }";

} // namespace tonno

#endif // TEST_UNIT_OPENCL_QUEUEFIXTURE_H
