//===- Queries of OpenCL objects ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Information.h"
#include "Failures.h"

#include "tonno/OpenCL/KernelSpec.h"

#include <CL/cl_ext.h>
#include <algorithm>
#include <cstring>
#include <optional>

using namespace tonno;

namespace {
/// Query function clGet...Info, with its name.
template <typename Function> struct Question {
  const char *name;
  Function *ask;
};

/// Asks one thing after another, until something fails.
class Inquiry {
public:
  /// Returns the bytes that the function writes.
  template <typename Function, typename... Of>
  std::string bytes(Question<Function> question, Of... of) {
    size_t size = 0;
    std::string bytes;
    if (!succeeds(question.name, question.ask(of..., 0, nullptr, &size)))
      return bytes;
    bytes.resize(size);
    if (!succeeds(question.name,
                  question.ask(of..., size, bytes.data(), nullptr)))
      bytes.clear();
    return bytes;
  }

  template <typename Function, typename... Of>
  std::string text(Question<Function> question, Of... of) {
    std::string text = bytes(question, of...);
    return text.substr(0, text.find('\0'));
  }

  template <typename T, typename Function, typename... Of>
  std::vector<T> values(Question<Function> question, Of... of) {
    std::string raw = bytes(question, of...);
    std::vector<T> values(raw.size() / sizeof(T));
    if (!values.empty())
      std::memcpy(static_cast<void *>(values.data()), raw.data(),
                  values.size() * sizeof(T));
    return values;
  }

  template <typename T, typename Function, typename... Of>
  T value(Question<Function> question, Of... of) {
    auto all = values<T>(question, of...);
    return all.empty() ? T{} : all.front();
  }

  /// Returns `value`, or the first failure.
  template <typename T> Result<T> answer(T value) const {
    if (failure)
      return *failure;
    return value;
  }

private:
  bool succeeds(const char *name, cl_int code) {
    if (!failure && code != CL_SUCCESS)
      failure = makeCallError(name, code);
    return !failure;
  }

  std::optional<Error> failure;
};
} // namespace

static constexpr Question askQueue{"clGetCommandQueueInfo",
                                   clGetCommandQueueInfo};
static constexpr Question askDevice{"clGetDeviceInfo", clGetDeviceInfo};
static constexpr Question askPlatform{"clGetPlatformInfo", clGetPlatformInfo};
static constexpr Question askKernel{"clGetKernelInfo", clGetKernelInfo};
static constexpr Question askGroups{"clGetKernelWorkGroupInfo",
                                    clGetKernelWorkGroupInfo};
static constexpr Question askArgument{"clGetKernelArgInfo", clGetKernelArgInfo};
static constexpr Question askProgram{"clGetProgramInfo", clGetProgramInfo};
static constexpr Question askBuild{"clGetProgramBuildInfo",
                                   clGetProgramBuildInfo};
static constexpr Question askMemory{"clGetMemObjectInfo", clGetMemObjectInfo};

Result<QueueInfo> QueueInfo::of(cl_command_queue queue) {
  Inquiry inquiry;
  QueueInfo place{.queue = queue};
  place.context = inquiry.value<cl_context>(askQueue, queue, CL_QUEUE_CONTEXT);
  place.device = inquiry.value<cl_device_id>(askQueue, queue, CL_QUEUE_DEVICE);
  return inquiry.answer(place);
}

/// Checks that the kernel was built in the queue's context, for its device.
static Result<void> checkBuilt(const KernelInfo &place, Inquiry &inquiry) {
  auto context =
      inquiry.value<cl_context>(askKernel, place.kernel, CL_KERNEL_CONTEXT);
  auto devices = inquiry.values<cl_device_id>(askProgram, place.program,
                                              CL_PROGRAM_DEVICES);
  std::string source =
      inquiry.text(askProgram, place.program, CL_PROGRAM_SOURCE);
  std::string name = inquiry.text(askDevice, place.device, CL_DEVICE_NAME);
  TONNO_TRY(inquiry.answer(true));
  if (context != place.context)
    return Error{"'" + place.name +
                 "' was built in another context than the queue's; create the "
                 "queue in kernel.getInfo<CL_KERNEL_CONTEXT>()"};
  bool isBuilt = std::ranges::find(devices, place.device) != devices.end();
  if (isBuilt && !source.empty()) // of others nobody need tell
    isBuilt = inquiry.value<cl_build_status>(
                  askBuild, place.program, place.device,
                  CL_PROGRAM_BUILD_STATUS) == CL_BUILD_SUCCESS;
  if (!isBuilt)
    return Error{"'" + place.name + "' was not built for the queue's device, " +
                 name +
                 "; build the program for this device, or create the queue for "
                 "a device of the program"};
  return {};
}

Result<KernelInfo> KernelInfo::of(cl_command_queue queue, cl_kernel kernel) {
  auto at = TONNO_TRY(QueueInfo::of(queue));
  KernelInfo place;
  static_cast<QueueInfo &>(place) = at;
  place.kernel = kernel;
  Inquiry inquiry;
  auto properties = inquiry.value<cl_command_queue_properties>(
      askQueue, queue, CL_QUEUE_PROPERTIES);
  place.program =
      inquiry.value<cl_program>(askKernel, kernel, CL_KERNEL_PROGRAM);
  place.name = inquiry.text(askKernel, kernel, CL_KERNEL_FUNCTION_NAME);
  auto answer = inquiry.answer(place);
  if (!answer)
    return answer;
  TONNO_TRY(checkBuilt(place, inquiry));
  if (!(properties & CL_QUEUE_PROFILING_ENABLE))
    return Error{"the queue has no profiling, which timing needs; create it "
                 "with CL_QUEUE_PROFILING_ENABLE"};
  return answer;
}

static bool isNonUniform(const KernelInfo &place, Inquiry &inquiry) {
  cl_bool deviceSays = CL_FALSE; // older devices don't know the question
  (void)clGetDeviceInfo(place.device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
                        sizeof deviceSays, &deviceSays, nullptr);
  return allowsNonUniform(
      inquiry.text(askDevice, place.device, CL_DEVICE_VERSION),
      deviceSays != CL_FALSE,
      inquiry.text(askBuild, place.program, place.device,
                   CL_PROGRAM_BUILD_OPTIONS));
}

Result<WorkGroupLimits> tonno::getWorkGroupLimits(const KernelInfo &place) {
  Inquiry inquiry;
  WorkGroupLimits limits;
  limits.deviceItems = inquiry.value<size_t>(askDevice, place.device,
                                             CL_DEVICE_MAX_WORK_GROUP_SIZE);
  for (size_t extent : inquiry.values<size_t>(askDevice, place.device,
                                              CL_DEVICE_MAX_WORK_ITEM_SIZES))
    limits.deviceExtents.push_back(extent);
  limits.kernelItems = inquiry.value<size_t>(
      askGroups, place.kernel, place.device, CL_KERNEL_WORK_GROUP_SIZE);
  for (size_t extent :
       inquiry.values<size_t>(askGroups, place.kernel, place.device,
                              CL_KERNEL_COMPILE_WORK_GROUP_SIZE))
    if (extent != 0) // all are, where nothing is required
      limits.required.push_back(extent);
  limits.isNonUniform = isNonUniform(place, inquiry);
  return inquiry.answer(limits);
}

Result<void> tonno::checkLocalMemory(const KernelInfo &place,
                                     cl_kernel kernel) {
  Inquiry inquiry;
  auto asked = inquiry.value<cl_ulong>(askGroups, kernel, place.device,
                                       CL_KERNEL_LOCAL_MEM_SIZE);
  auto most = inquiry.value<cl_ulong>(askDevice, place.device,
                                      CL_DEVICE_LOCAL_MEM_SIZE);
  TONNO_TRY(inquiry.answer(most));
  if (asked > most)
    return Error{"'" + place.name + "' asks for " + std::to_string(asked) +
                 " bytes of local memory, but at most " + std::to_string(most) +
                 " are possible"};
  return {};
}

/// Returns the binary for one device of a program that was created without
/// source.
static std::string getProgramBinary(const KernelInfo &place, Inquiry &inquiry) {
  auto devices = inquiry.values<cl_device_id>(askProgram, place.program,
                                              CL_PROGRAM_DEVICES);
  auto sizes = inquiry.values<size_t>(askProgram, place.program,
                                      CL_PROGRAM_BINARY_SIZES);
  std::vector<std::string> binaries(sizes.size());
  std::vector<unsigned char *> places;
  for (size_t i = 0; i != sizes.size(); ++i) {
    binaries[i].resize(sizes[i]);
    places.push_back(reinterpret_cast<unsigned char *>(binaries[i].data()));
  }
  if (clGetProgramInfo(place.program, CL_PROGRAM_BINARIES,
                       places.size() * sizeof(unsigned char *),
                       static_cast<void *>(places.data()),
                       nullptr) != CL_SUCCESS)
    return "";
  for (size_t i = 0; i != devices.size() && i != binaries.size(); ++i)
    if (devices[i] == place.device)
      return binaries[i];
  return "";
}

Result<KernelIdentity> tonno::getKernelIdentity(const KernelInfo &place) {
  Inquiry inquiry;
  auto device = [&](cl_device_info what) {
    return inquiry.text(askDevice, place.device, what);
  };
  auto platform = [&](cl_platform_info what) {
    auto id = inquiry.value<cl_platform_id>(askDevice, place.device,
                                            CL_DEVICE_PLATFORM);
    return inquiry.text(askPlatform, id, what);
  };
  KernelIdentity identity;
  identity.source = inquiry.text(askProgram, place.program, CL_PROGRAM_SOURCE);
  if (identity.source.empty())
    identity.source = getProgramBinary(place, inquiry);
  identity.name = place.name;
  identity.buildOptions = inquiry.text(askBuild, place.program, place.device,
                                       CL_PROGRAM_BUILD_OPTIONS);
  identity.platform =
      platform(CL_PLATFORM_NAME) + ", " + platform(CL_PLATFORM_VERSION);
  identity.device = device(CL_DEVICE_NAME) + ", " + device(CL_DEVICE_VERSION);
  identity.driver = device(CL_DRIVER_VERSION);
  return inquiry.answer(identity);
}

/// Returns the device that a part of a device is of.
static cl_device_id getWholeDevice(cl_device_id device) {
  for (;;) {
    cl_device_id parent = nullptr; // older devices don't know the question
    (void)clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof(cl_device_id),
                          static_cast<void *>(&parent), nullptr);
    if (!parent)
      return device;
    device = parent;
  }
}

Result<DeviceIdentity> tonno::getDeviceIdentity(const QueueInfo &place) {
  Inquiry inquiry;
  cl_device_id device = getWholeDevice(place.device);
  auto type = inquiry.value<cl_device_type>(askDevice, device, CL_DEVICE_TYPE);
  auto platform =
      inquiry.value<cl_platform_id>(askDevice, device, CL_DEVICE_PLATFORM);
  std::string name = inquiry.text(askPlatform, platform, CL_PLATFORM_NAME);
  std::string extensions =
      inquiry.text(askDevice, device, CL_DEVICE_EXTENSIONS);
  TONNO_TRY(inquiry.answer(true));
  if (type & CL_DEVICE_TYPE_CPU)
    return getHostIdentity();
  std::vector<cl_device_id> devices(64);
  cl_uint count = 0;
  cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL,
                               static_cast<cl_uint>(devices.size()),
                               devices.data(), &count);
  if (code != CL_SUCCESS)
    return makeCallError("clGetDeviceIDs", code);
  devices.resize(std::min<size_t>(count, devices.size()));
  auto index = std::ranges::find(devices, device) - devices.begin();
  std::optional<OpenClUuid> uuid = OpenClUuid();
  if (extensions.find("cl_khr_device_uuid") == std::string::npos ||
      clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, uuid->size(), uuid->data(),
                      nullptr) != CL_SUCCESS)
    uuid.reset();
  return getOpenClIdentity(name, static_cast<size_t>(index), uuid);
}

static ArgumentInfo::Space
toAddressSpace(cl_kernel_arg_address_qualifier qualifier) {
  switch (qualifier) {
  case CL_KERNEL_ARG_ADDRESS_GLOBAL:
    return ArgumentInfo::Space::global;
  case CL_KERNEL_ARG_ADDRESS_CONSTANT:
    return ArgumentInfo::Space::constant;
  case CL_KERNEL_ARG_ADDRESS_LOCAL:
    return ArgumentInfo::Space::local;
  default:
    return ArgumentInfo::Space::value;
  }
}

static Result<std::vector<ArgumentInfo>> queryArguments(cl_kernel kernel) {
  Inquiry inquiry;
  auto count = inquiry.value<cl_uint>(askKernel, kernel, CL_KERNEL_NUM_ARGS);
  std::vector<ArgumentInfo> arguments(count);
  for (cl_uint i = 0; i != count; ++i) {
    ArgumentInfo &each = arguments[i];
    auto text = [&](cl_kernel_arg_info what) {
      return inquiry.text(askArgument, kernel, i, what);
    };
    each.name = text(CL_KERNEL_ARG_NAME);
    each.type = text(CL_KERNEL_ARG_TYPE_NAME);
    each.space = toAddressSpace(inquiry.value<cl_kernel_arg_address_qualifier>(
        askArgument, kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER));
    each.isConst = inquiry.value<cl_kernel_arg_type_qualifier>(
                       askArgument, kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER) &
                   CL_KERNEL_ARG_TYPE_CONST;
  }
  return inquiry.answer(arguments);
}

Result<std::vector<ArgumentInfo>>
tonno::getKernelArguments(const KernelInfo &place) {
  auto told = queryArguments(place.kernel);
  if (told)
    return told;
  // Another build of the program may tell; it is never launched.
  Inquiry inquiry;
  std::string source =
      inquiry.text(askProgram, place.program, CL_PROGRAM_SOURCE);
  std::string options = inquiry.text(askBuild, place.program, place.device,
                                     CL_PROGRAM_BUILD_OPTIONS);
  if (!inquiry.answer(source) || source.empty())
    return told;
  cl::CommandQueue queue(place.queue, /*retainObject=*/true);
  auto again = KernelSpec{place.name, source, options}.build(queue);
  return again ? queryArguments(again->get()) : told;
}

std::string tonno::getBuildLog(cl_program program, cl_device_id device) {
  Inquiry inquiry;
  return inquiry.text(askBuild, program, device, CL_PROGRAM_BUILD_LOG);
}

Result<MemoryInfo> tonno::describeMemory(cl_mem memory) {
  Inquiry inquiry;
  MemoryInfo info;
  info.bytes = inquiry.value<size_t>(askMemory, memory, CL_MEM_SIZE);
  info.isReadOnly =
      inquiry.value<cl_mem_flags>(askMemory, memory, CL_MEM_FLAGS) &
      CL_MEM_READ_ONLY;
  info.isBuffer = inquiry.value<cl_mem_object_type>(
                      askMemory, memory, CL_MEM_TYPE) == CL_MEM_OBJECT_BUFFER;
  return inquiry.answer(info);
}
