//===- The fake drivers, seen by a test -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_FAKEDRIVERS_H
#define TONNO_RUNTIME_FAKEDRIVERS_H

#include "GPU/GpuDevice.h"

#include "TestKernels.h"

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace tonno {

/// Returns the path of a fake driver's library or a variant: "libfakecuda",
/// "libfakecuda-without-graphs".
inline std::string fakeLibrary(const std::string &name) {
  return std::string(FAKE_DIRECTORY) + "/" + name + ".so";
}

/// Vendor's names of the functions that tests refer to.
struct FakeVendor {
  const GpuDriverTraits &(*vendor)();
  std::string library;
  std::string chip; ///< of its devices
  std::string launch, synchronize, graphLaunch, moduleLoad;
};

inline FakeVendor fakeCuda() {
  return {cudaVendor,          "libfakecuda",         "sm_90a",
          "cuLaunchKernel",    "cuStreamSynchronize", "cuGraphLaunch",
          "cuModuleLoadDataEx"};
}

inline FakeVendor fakeHip() {
  return {hipVendor,
          "libfakehip",
          "gfx90a",
          "hipModuleLaunchKernel",
          "hipStreamSynchronize",
          "hipGraphLaunch",
          "hipModuleLoadDataEx"};
}

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for it.
inline void PrintTo(const FakeVendor &fake, std::ostream *stream) {
  *stream << fake.library;
}

/// Returns "TONNO-FAKE" and this line: see Fakes/FakeGpu.h.
inline std::vector<uint8_t> fakeBinary(const std::string &line) {
  std::string text = "TONNO-FAKE\n" + line + "\n";
  return {text.begin(), text.end()};
}

/// Doubles 1024 numbers on the vendor's fake device, or fails to in the way
/// that the operation says.
inline Artifact fakeArtifact(const FakeVendor &fake,
                             const std::string &operation = "scale") {
  Artifact artifact;
  artifact.target = fake.vendor().target;
  artifact.chip = fake.chip;
  artifact.binary = fakeBinary("double_entry " + operation + " 1024");
  artifact.plan = doublingPlan(ElementType::f32);
  artifact.plan.launches[0].geometry = {{8, 1, 1}, {128, 1, 1}, 0};
  return artifact;
}

/// A test with a vendor's fake driver, fresh for each.
class FakeDriverTest : public testing::TestWithParam<FakeVendor> {
protected:
  void SetUp() override { useLibrary(GetParam().library); }
  void TearDown() override {
    for (const char *name :
         {"FAKE_DRIVER_FAIL", "FAKE_DRIVER_DEVICES", "FAKE_DRIVER_VERSION",
          "FAKE_DRIVER_CHIP", "FAKE_DRIVER_MEMORY", "FAKE_DRIVER_LAZY",
          "FAKE_NVML_FAIL"})
      ::unsetenv(name);
    reset();
  }

  void useLibrary(const std::string &name) {
    options.driver = fakeLibrary(name);
    library = ::dlopen(options.driver.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << ::dlerror();
    reset();
  }

  void reset() { find<void()>("fakeReset")(); }
  int calls(const std::string &function) {
    return find<int(const char *)>("fakeCalls")(function.c_str());
  }
  int live() { return find<int()>("fakeLive")(); }

  /// Makes a function fail, given as "function:code[:n]".
  static void fail(const std::string &what) {
    ::setenv("FAKE_DRIVER_FAIL", what.c_str(), 1);
  }
  static void failNothing() { ::unsetenv("FAKE_DRIVER_FAIL"); }

  Result<std::unique_ptr<Device>> open(const std::string &which = "") {
    return createGpuDevice(GetParam().vendor(), which, options);
  }
  std::unique_ptr<Device> openWell(const std::string &which = "") {
    auto device = open(which);
    EXPECT_TRUE(device.ok()) << device.error().message;
    return device ? std::move(*device) : nullptr;
  }

  Artifact artifact(const std::string &operation = "scale") {
    return fakeArtifact(GetParam(), operation);
  }

  template <typename Function> Function *find(const char *name) {
    return reinterpret_cast<Function *>(::dlsym(library, name));
  }

  DeviceOptions options = {"", "/nowhere/libnvidia-ml.so"};
  void *library = nullptr;
};

/// Instantiates the fixture for both vendors.
#define TONNO_FOR_BOTH_VENDORS(fixture)                                        \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      Both, fixture, testing::Values(fakeCuda(), fakeHip()),                   \
      [](const testing::TestParamInfo<FakeVendor> &fake) {                     \
        return std::string(fake.param.vendor().kind);                          \
      })

} // namespace tonno

#endif // TONNO_RUNTIME_FAKEDRIVERS_H
