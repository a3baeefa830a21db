//===- Interface of the fake OpenCL driver --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_OPENCL_FAKES_FAKEOPENCL_H
#define TEST_UNIT_OPENCL_FAKES_FAKEOPENCL_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tonno {

/// Platform "tonno's fake" with one device and one kernel, whose argument is
/// `__global float *x`. Launches take the configured times in nanoseconds; the
/// last pair of a list repeats.
struct FakeOpenCl {
  struct Launch {
    uint64_t waitNs = 1000;
    uint64_t runNs = 100'000;
  };

  size_t maxGroup = 256;       ///< CL_DEVICE_MAX_WORK_GROUP_SIZE
  size_t maxKernelGroup = 256; ///< CL_KERNEL_WORK_GROUP_SIZE
  uint64_t localBytes = 0;     ///< CL_KERNEL_LOCAL_MEM_SIZE, of 1024 there are
  std::string version = "OpenCL 3.0 fake";
  std::array<unsigned char, 16> uuid = {0xfa, 0x4e};
  std::string driver = "1.0";
  std::string platformVersion = "OpenCL 3.0 1";
  std::string buildOptions; ///< as the program was built, or is to say
  int buildStatus = 0;      ///< CL_BUILD_SUCCESS
  bool isNonUniform = false;
  bool tellsArguments = true;
  bool isConst = false; ///< what the argument points to
  bool hasSource = true;
  std::string binary = "binary";
  std::map<size_t, std::vector<Launch>> launches; ///< by the local size
  std::map<size_t, int> enqueueErrors, waitErrors;
  std::set<size_t> hanging; ///< local sizes whose launches never end
  std::set<std::string> hangingCommands; ///< "marker", "copy", "fill"
  int copiesUntilHanging = -1;           ///< and then all do; -1: none
  int copyError = 0;                     ///< of clEnqueueCopyBuffer
  int bufferError = 0;                   ///< of clCreateBuffer

  std::vector<std::string> log; ///< "marker", "launch 64", "copy", ...
  int objects = 0;              ///< that were made and not released
};

/// The name under which the driver gives its state.
inline constexpr const char *fakeOpenClSymbol = "tonnoFakeOpenCl";

} // namespace tonno

#endif // TEST_UNIT_OPENCL_FAKES_FAKEOPENCL_H
