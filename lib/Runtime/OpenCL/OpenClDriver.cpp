//===- OpenCL's loader ----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/OpenClDriver.h"
#include "tonno/Runtime/OpenClNames.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <dlfcn.h>

using namespace tonno;
using F = OpenClFunctions;

namespace {
/// A row of the table: what OpenCL calls a function.
struct FunctionName {
  const char *name;
  void (*bind)(OpenClFunctions &functions, void *symbol);
};
} // namespace

template <auto member>
static void bindSymbol(OpenClFunctions &functions, void *symbol) {
  using Pointer = std::remove_reference_t<decltype(functions.*member)>;
  functions.*member = reinterpret_cast<Pointer>(symbol);
}

static constexpr FunctionName functionNames[] = {
    {"clGetPlatformIDs", bindSymbol<&F::platformIds>},
    {"clGetPlatformInfo", bindSymbol<&F::platformInfo>},
    {"clGetDeviceIDs", bindSymbol<&F::deviceIds>},
    {"clGetDeviceInfo", bindSymbol<&F::deviceInfo>},
    {"clCreateContext", bindSymbol<&F::createContext>},
    {"clReleaseContext", bindSymbol<&F::releaseContext>},
    {"clCreateCommandQueue", bindSymbol<&F::createQueue>},
    {"clReleaseCommandQueue", bindSymbol<&F::releaseQueue>},
    {"clFinish", bindSymbol<&F::finish>},
    {"clCreateBuffer", bindSymbol<&F::createBuffer>},
    {"clCreateSubBuffer", bindSymbol<&F::createSubBuffer>},
    {"clReleaseMemObject", bindSymbol<&F::releaseMemory>},
    {"clEnqueueWriteBuffer", bindSymbol<&F::write>},
    {"clEnqueueReadBuffer", bindSymbol<&F::read>},
    {"clEnqueueFillBuffer", bindSymbol<&F::fill>},
    {"clCreateProgramWithSource", bindSymbol<&F::programOfSource>},
    {"clCreateProgramWithBinary", bindSymbol<&F::programOfBinary>},
    {"clBuildProgram", bindSymbol<&F::buildProgram>},
    {"clGetProgramInfo", bindSymbol<&F::programInfo>},
    {"clGetProgramBuildInfo", bindSymbol<&F::buildInfo>},
    {"clReleaseProgram", bindSymbol<&F::releaseProgram>},
    {"clCreateKernel", bindSymbol<&F::createKernel>},
    {"clReleaseKernel", bindSymbol<&F::releaseKernel>},
    {"clGetKernelInfo", bindSymbol<&F::kernelInfo>},
    {"clGetKernelArgInfo", bindSymbol<&F::argumentInfo>},
    {"clGetKernelWorkGroupInfo", bindSymbol<&F::workGroupInfo>},
    {"clSetKernelArg", bindSymbol<&F::setArgument>},
    {"clEnqueueNDRangeKernel", bindSymbol<&F::launch>},
    {"clGetEventInfo", bindSymbol<&F::eventInfo>},
    {"clGetEventProfilingInfo", bindSymbol<&F::profile>},
    {"clReleaseEvent", bindSymbol<&F::releaseEvent>},
};

Result<OpenClFunctions> tonno::bindOpenCl(const OpenClLookup &lookup) {
  OpenClFunctions functions;
  for (const FunctionName &function : functionNames) {
    void *symbol = lookup(function.name);
    if (!symbol)
      return Error{std::string("OpenCL's loader has no '") + function.name +
                   "'; tonno needs that of OpenCL 1.2 or newer"};
    function.bind(functions, symbol);
  }
  return functions;
}

std::string tonno::openClErrorText(OpenClCode code) {
  static constexpr std::pair<OpenClCode, const char *> known[] = {
      {-1, "CL_DEVICE_NOT_FOUND"},
      {-2, "CL_DEVICE_NOT_AVAILABLE"},
      {-3, "CL_COMPILER_NOT_AVAILABLE"},
      {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {-5, "CL_OUT_OF_RESOURCES"},
      {-6, "CL_OUT_OF_HOST_MEMORY"},
      {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
      {-11, "CL_BUILD_PROGRAM_FAILURE"},
      {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
      {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
      {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
      {-30, "CL_INVALID_VALUE"},
      {-36, "CL_INVALID_COMMAND_QUEUE"},
      {-42, "CL_INVALID_BINARY"},
      {-43, "CL_INVALID_BUILD_OPTIONS"},
      {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
      {-46, "CL_INVALID_KERNEL_NAME"},
      {-49, "CL_INVALID_ARG_INDEX"},
      {-50, "CL_INVALID_ARG_VALUE"},
      {-51, "CL_INVALID_ARG_SIZE"},
      {-52, "CL_INVALID_KERNEL_ARGS"},
      {-53, "CL_INVALID_WORK_DIMENSION"},
      {-54, "CL_INVALID_WORK_GROUP_SIZE"},
      {-55, "CL_INVALID_WORK_ITEM_SIZE"},
      {-61, "CL_INVALID_BUFFER_SIZE"},
      {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
      {-1001, "CL_PLATFORM_NOT_FOUND_KHR"}};
  for (auto [number, name] : known)
    if (number == code)
      return std::string(name) + " (" + std::to_string(code) + ")";
  return "error " + std::to_string(code);
}

Result<OpenClDriver> OpenClDriver::open(const std::string &path) {
  std::string name = path.empty() ? "libOpenCL.so.1" : path;
  void *library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error{std::string("no loader of OpenCL's drivers (") + ::dlerror() +
                 "); install one (Debian: ocl-icd-libopencl1), or name it by "
                 "--driver"};
  auto functions =
      bindOpenCl([&](const char *symbol) { return ::dlsym(library, symbol); });
  if (!functions)
    return functions.error();
  OpenClDriver driver(*functions);
  if (auto searched = driver.find(); !searched)
    return searched.error();
  return driver;
}

/// A platform without devices may stand beside one with some.
Result<void> OpenClDriver::find() {
  constexpr uint32_t most = 64;
  std::array<OpenClPlatform, most> platforms = {};
  uint32_t count = 0;
  OpenClCode code = table.platformIds(most, platforms.data(), &count);
  if (code != 0 && code != opencl::platformNotFound)
    return Error{"OpenCL cannot tell its platforms: " + openClErrorText(code)};
  for (uint32_t p = 0; code == 0 && p < std::min(count, most); ++p) {
    std::array<OpenClDeviceId, most> devices = {};
    uint32_t deviceCount = 0;
    if (table.deviceIds(platforms[p], opencl::anyDevice, most, devices.data(),
                        &deviceCount) != 0)
      continue;
    for (uint32_t d = 0; d < std::min(deviceCount, most); ++d) {
      auto place = describe(platforms[p], devices[d], d);
      if (!place)
        return place.error();
      found.push_back(std::move(*place));
    }
  }
  if (found.empty())
    return Error{
        "OpenCL has no platform with a device; install a driver "
        "(Debian: pocl-opencl-icd for the CPU), and see OCL_ICD_VENDORS "
        "and /etc/OpenCL/vendors"};
  return {};
}

static std::string uuidText(const std::array<unsigned char, 16> &uuid) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : uuid)
    text += {digits[byte >> 4], digits[byte & 15]};
  return text;
}

Result<OpenClPlace> OpenClDriver::describe(OpenClPlatform platform,
                                           OpenClDeviceId device,
                                           size_t index) const {
  auto platformText = [&](uint32_t name) {
    return opencl::textOf([&](size_t bytes, void *value, size_t *needed) {
      return table.platformInfo(platform, name, bytes, value, needed);
    });
  };
  auto deviceText = [&](uint32_t name) {
    return opencl::textOf([&](size_t bytes, void *value, size_t *needed) {
      return table.deviceInfo(device, name, bytes, value, needed);
    });
  };
  OpenClPlace place;
  place.platform = platform;
  place.device = device;
  place.platformName = platformText(opencl::platformName);
  place.version = platformText(opencl::platformVersion) + "; " +
                  deviceText(opencl::deviceVersion);
  DeviceDescription &about = place.about;
  uint64_t type = 0;
  uint32_t alignmentBits = 0;
  OpenClCode code = 0;
  auto number = [&](uint32_t name, auto &value) {
    if (code == 0)
      code = table.deviceInfo(device, name, sizeof value, &value, nullptr);
  };
  number(opencl::deviceType, type);
  number(opencl::deviceBaseAlignment, alignmentBits);
  number(opencl::deviceCacheBytes, about.cacheBytes);
  number(opencl::deviceMemoryBytes, about.memoryBytes);
  if (code != 0)
    return Error{"OpenCL cannot describe device " + std::to_string(index) +
                 " of '" + place.platformName + "': " + openClErrorText(code)};
  place.isCpu = type & opencl::cpuDevice;
  place.alignment = std::max<uint64_t>(alignmentBits / 8, 64);
  about.kind = "opencl";
  about.name = deviceText(opencl::deviceName);
  about.chip = place.isCpu                ? "cpu"
               : type & opencl::gpuDevice ? "gpu"
                                          : "accelerator";
  about.driver = deviceText(opencl::driverVersion);
  about.uuid = place.platformName + ":" + std::to_string(index);
  std::array<unsigned char, 16> uuid = {};
  if (deviceText(opencl::deviceExtensions).find("cl_khr_device_uuid") !=
          std::string::npos &&
      table.deviceInfo(device, opencl::deviceUuid, uuid.size(), uuid.data(),
                       nullptr) == 0)
    about.uuid = uuidText(uuid);
  return place;
}

Result<OpenClPlace> OpenClDriver::choose(const std::string &which) const {
  if (which.empty())
    return found.front();
  size_t index = found.size();
  const char *end = which.data() + which.size();
  auto [rest, error] = std::from_chars(which.data(), end, index);
  if (error == std::errc() && rest == end && index < found.size())
    return found[index];
  std::string known;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].about.uuid == which)
      return found[i];
    known += "\n  " + std::to_string(i) + "  " + found[i].about.name + "  " +
             found[i].platformName + "  " + found[i].about.uuid;
  }
  return Error{"no opencl device '" + which + "'; there are:" + known};
}
