//===- OpenCL's fake loader -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_RUNTIME_FAKES_FAKELOADER_H
#define TEST_UNIT_RUNTIME_FAKES_FAKELOADER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tonno {

/// A library with OpenCL's functions: one platform with one device, whose
/// programs have one kernel,
///
///   kernel void scale(global const float *x, global float *y, float a,
///                     local float *scratch)
///
/// that makes y[i] of x[i], times a, for as many elements as the launch has
/// work-items.
struct FakeLoader {
  bool hasPlatform = true;
  bool isCpu = false;
  bool givesBinaries = true;
  bool tellsArguments = true;
  uint32_t baseAlignBits = 1024;
  size_t mostWorkItems = 256;
  std::array<size_t, 3> required = {};
  uint64_t localBytes = 0; ///< that the kernel has beside its argument
  uint64_t runNs = 100'000;
  int allocateCode = 0, buildCode = 0, binaryCode = 0, launchCode = 0,
      finishCode = 0, eventStatus = 0;
  std::string buildLog;
  /// Result code of a build, in place of `buildCode`, if set.
  std::function<int(const std::string &options)> build;

  std::vector<std::string> options;                   ///< of each build
  std::vector<std::array<size_t, 3>> globals, locals; ///< of each launch
  std::vector<uint32_t> dimensions;
  size_t filled = 0; ///< bytes
  int objects = 0;   ///< that were made and not released
};

/// The name under which the library gives its state.
inline constexpr const char *fakeLoaderSymbol = "tonnoFakeLoader";

} // namespace tonno

#endif // TEST_UNIT_RUNTIME_FAKES_FAKELOADER_H
