//===- Constants of the OpenCL API ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_OPENCLNAMES_H
#define TONNO_RUNTIME_OPENCLNAMES_H

#include "tonno/Runtime/OpenClProgram.h"

#include <string>

/// OpenCL's constants that tonno uses; unit tests compare the headers'.
namespace tonno::opencl {

inline constexpr OpenClCode deviceNotAvailable = -2;
inline constexpr OpenClCode memoryAllocationFailure = -4;
inline constexpr OpenClCode outOfHostMemory = -6;
inline constexpr OpenClCode execStatusError = -14;
inline constexpr OpenClCode argumentInfoNotAvailable = -19;
inline constexpr OpenClCode invalidQueue = -36;
inline constexpr OpenClCode invalidKernelName = -46;
inline constexpr OpenClCode platformNotFound = -1001;

inline constexpr intptr_t platformProperty = 0x1084;
inline constexpr uint32_t platformVersion = 0x0901;
inline constexpr uint32_t platformName = 0x0902;

inline constexpr uint64_t anyDevice = 0xFFFFFFFF;
inline constexpr uint64_t cpuDevice = 1 << 1;
inline constexpr uint64_t gpuDevice = 1 << 2;
inline constexpr uint32_t deviceType = 0x1000;
inline constexpr uint32_t deviceBaseAlignment = 0x1019; ///< in bits
inline constexpr uint32_t deviceCacheBytes = 0x101E;
inline constexpr uint32_t deviceMemoryBytes = 0x101F;
inline constexpr uint32_t deviceLocalBytes = 0x1023;
inline constexpr uint32_t deviceName = 0x102B;
inline constexpr uint32_t driverVersion = 0x102D;
inline constexpr uint32_t deviceVersion = 0x102F;
inline constexpr uint32_t deviceExtensions = 0x1030;
inline constexpr uint32_t deviceUuid = 0x106A; ///< of cl_khr_device_uuid

inline constexpr uint64_t profilingQueue = 1 << 1;
inline constexpr uint64_t readWriteMemory = 1 << 0;
inline constexpr uint32_t regionOfBuffer = 0x1220;

inline constexpr uint32_t programBinarySizes = 0x1165;
inline constexpr uint32_t programBinaries = 0x1166;
inline constexpr uint32_t programKernelNames = 0x1168;
inline constexpr uint32_t buildLog = 0x1183;

inline constexpr uint32_t kernelArgumentCount = 0x1191;
inline constexpr uint32_t argumentAddress = 0x1196;
inline constexpr uint32_t argumentTypeName = 0x1198;
inline constexpr uint32_t argumentTypeQualifier = 0x1199;
inline constexpr uint32_t argumentName = 0x119A;
inline constexpr uint32_t globalArgument = 0x119B;
inline constexpr uint32_t localArgument = 0x119C;
inline constexpr uint32_t constantArgument = 0x119D;
inline constexpr uint64_t constQualifier = 1 << 0;

inline constexpr uint32_t kernelWorkGroupSize = 0x11B0;
inline constexpr uint32_t kernelRequiredSize = 0x11B1;
inline constexpr uint32_t kernelLocalBytes = 0x11B2;
inline constexpr uint32_t kernelPrivateBytes = 0x11B4;

inline constexpr uint32_t eventStatus = 0x11D3;
inline constexpr uint32_t profileStart = 0x1282;
inline constexpr uint32_t profileEnd = 0x1283;

/// Returns a property as text up to its null character; empty if that fails.
template <typename Ask, typename... Arguments>
std::string getInfoText(Ask ask, Arguments... arguments) {
  size_t bytes = 0;
  if (ask(arguments..., 0, nullptr, &bytes) != 0 || bytes == 0)
    return "";
  std::string text(bytes, '\0');
  if (ask(arguments..., bytes, text.data(), nullptr) != 0)
    return "";
  return text.substr(0, text.find('\0'));
}

/// Stores the answer of an info function in `value`, of fixed size.
template <typename T, typename Ask, typename... Arguments>
OpenClCode getInfo(T &value, Ask ask, Arguments... arguments) {
  return ask(arguments..., sizeof value, static_cast<void *>(&value), nullptr);
}

} // namespace tonno::opencl

#endif // TONNO_RUNTIME_OPENCLNAMES_H
