//===- OpenCL driver and built programs -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/OpenClProgram.h"
#include "tonno/Core/Json.h"
#include "OpenClNames.h"

#include <algorithm>
#include <charconv>
#include <dlfcn.h>

using namespace tonno;

Result<OpenClFunctions> tonno::bindOpenCl(const OpenClLookup &lookup) {
  OpenClFunctions f;
  const char *missing = nullptr;
  auto bind = [&]<typename Function>(const char *name, Function *&function) {
    void *symbol = lookup(name);
    if (!symbol && !missing)
      missing = name;
    function = reinterpret_cast<Function *>(symbol);
  };
  bind("clGetPlatformIDs", f.platformIds);
  bind("clGetPlatformInfo", f.platformInfo);
  bind("clGetDeviceIDs", f.deviceIds);
  bind("clGetDeviceInfo", f.deviceInfo);
  bind("clCreateContext", f.createContext);
  bind("clReleaseContext", f.releaseContext);
  bind("clCreateCommandQueue", f.createQueue);
  bind("clReleaseCommandQueue", f.releaseQueue);
  bind("clFinish", f.finish);
  bind("clCreateBuffer", f.createBuffer);
  bind("clCreateSubBuffer", f.createSubBuffer);
  bind("clReleaseMemObject", f.releaseMemory);
  bind("clEnqueueWriteBuffer", f.write);
  bind("clEnqueueReadBuffer", f.read);
  bind("clEnqueueFillBuffer", f.fill);
  bind("clCreateProgramWithSource", f.programOfSource);
  bind("clCreateProgramWithBinary", f.programOfBinary);
  bind("clBuildProgram", f.buildProgram);
  bind("clGetProgramInfo", f.programInfo);
  bind("clGetProgramBuildInfo", f.buildInfo);
  bind("clReleaseProgram", f.releaseProgram);
  bind("clCreateKernel", f.createKernel);
  bind("clReleaseKernel", f.releaseKernel);
  bind("clGetKernelInfo", f.kernelInfo);
  bind("clGetKernelArgInfo", f.argumentInfo);
  bind("clGetKernelWorkGroupInfo", f.workGroupInfo);
  bind("clSetKernelArg", f.setArgument);
  bind("clEnqueueNDRangeKernel", f.launch);
  bind("clGetEventInfo", f.eventInfo);
  bind("clGetEventProfilingInfo", f.profile);
  bind("clReleaseEvent", f.releaseEvent);
  if (missing)
    return Error{std::string("OpenCL's loader has no '") + missing +
                 "'; tonno needs that of OpenCL 1.2 or newer"};
  return f;
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
                 "'--driver'"};
  OpenClDriver driver(TONNO_TRY(bindOpenCl(
      [&](const char *symbol) { return ::dlsym(library, symbol); })));
  TONNO_TRY(driver.find());
  return driver;
}

/// Finds the devices. A platform without devices is skipped.
Result<void> OpenClDriver::find() {
  constexpr uint32_t most = 64;
  std::array<OpenClPlatform, most> platforms = {};
  uint32_t count = 0;
  OpenClCode code = table.platformIds(most, platforms.data(), &count);
  if (code != 0 && code != opencl::platformNotFound)
    return Error{"OpenCL cannot list its platforms: " + openClErrorText(code)};
  for (uint32_t p = 0; code == 0 && p < std::min(count, most); ++p) {
    std::array<OpenClDeviceId, most> devices = {};
    uint32_t deviceCount = 0;
    if (table.deviceIds(platforms[p], opencl::anyDevice, most, devices.data(),
                        &deviceCount) != 0)
      continue;
    for (uint32_t d = 0; d < std::min(deviceCount, most); ++d)
      found.push_back(TONNO_TRY(describe(platforms[p], devices[d], d)));
  }
  if (found.empty())
    return Error{
        "OpenCL has no platform with a device; install a driver "
        "(Debian: pocl-opencl-icd for the CPU), and see OCL_ICD_VENDORS "
        "and /etc/OpenCL/vendors"};
  return {};
}

Result<OpenClPlatformDevice> OpenClDriver::describe(OpenClPlatform platform,
                                                    OpenClDeviceId device,
                                                    size_t index) const {
  auto platformText = [&](uint32_t name) {
    return opencl::getInfoText(table.platformInfo, platform, name);
  };
  auto deviceText = [&](uint32_t name) {
    return opencl::getInfoText(table.deviceInfo, device, name);
  };
  OpenClPlatformDevice place;
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
      code = opencl::getInfo(value, table.deviceInfo, device, name);
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
  about.name = deviceText(opencl::deviceName);
  about.chip = place.isCpu                ? "cpu"
               : type & opencl::gpuDevice ? "gpu"
                                          : "accelerator";
  about.driver = deviceText(opencl::driverVersion);
  std::optional<OpenClUuid> uuid = OpenClUuid();
  if (deviceText(opencl::deviceExtensions).find("cl_khr_device_uuid") ==
          std::string::npos ||
      opencl::getInfo(*uuid, table.deviceInfo, device, opencl::deviceUuid) != 0)
    uuid.reset();
  DeviceIdentity identity = getOpenClIdentity(place.platformName, index, uuid);
  about.kind = identity.kind;
  about.uuid = identity.uuid;
  return place;
}

Result<OpenClPlatformDevice>
OpenClDriver::choose(const std::string &which) const {
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
  return Error{"no opencl device '" + which + "'; the devices are:" + known};
}

Result<std::unique_ptr<OpenClContext>>
OpenClContext::create(const OpenClDriver &driver,
                      const OpenClPlatformDevice &place) {
  const OpenClFunctions &f = driver.functions();
  std::unique_ptr<OpenClContext> made(new OpenClContext(f, place));
  auto failed = [&](OpenClCode code) {
    return Error{"cannot use the OpenCL device '" + place.about.name +
                 "': " + openClErrorText(code)};
  };
  const intptr_t properties[] = {opencl::platformProperty,
                                 reinterpret_cast<intptr_t>(place.platform), 0};
  OpenClCode code = 0;
  made->context =
      f.createContext(properties, 1, &place.device, nullptr, nullptr, &code);
  if (code != 0)
    return failed(code);
  made->itsQueue =
      f.createQueue(made->context, place.device, opencl::profilingQueue, &code);
  if (code != 0)
    return failed(code);
  code = opencl::getInfo(made->itsLocalBytes, f.deviceInfo, place.device,
                         opencl::deviceLocalBytes);
  if (code != 0)
    return failed(code);
  return made;
}

OpenClContext::~OpenClContext() {
  // A driver in a broken state may not come back from a call.
  if (loss)
    return;
  if (itsQueue)
    table.releaseQueue(itsQueue);
  if (context)
    table.releaseContext(context);
}

Result<void, Failure> OpenClContext::check(OpenClCode code, Status refused,
                                           const std::string &doing) {
  if (code == 0)
    return {};
  Failure failure = {refused, "cannot " + doing + ": " + openClErrorText(code)};
  switch (code) {
  case opencl::memoryAllocationFailure:
  case opencl::outOfHostMemory:
    failure.status = Status::out_of_memory;
    break;
  case opencl::deviceNotAvailable:
    failure.status = Status::lost;
    loss = failure.message;
    break;
  case opencl::execStatusError:
  case opencl::invalidQueue: // as a kernel that crashed leaves it
    failure.status = Status::fault;
    loss = failure.message;
    break;
  default:
    break;
  }
  return failure;
}

Result<void, Failure> OpenClContext::checkRun(OpenClCode code,
                                              const std::string &doing) {
  auto ended = check(code, Status::fault, doing);
  // A crashed kernel may have corrupted the context.
  if (!ended && ended.error().status == Status::fault && !loss)
    loss = ended.error().message;
  return ended;
}

Result<void, Failure> OpenClContext::alive() const {
  if (loss)
    return Failure{Status::lost, "the device was lost before: " + *loss};
  return {};
}

/// Prefix of the source that replaces a binary if the driver has none.
static constexpr std::string_view sourceMark = "tonno OpenCL source\n";

static bool isSource(const std::vector<uint8_t> &image) {
  return image.size() >= sourceMark.size() &&
         std::equal(sourceMark.begin(), sourceMark.end(), image.begin());
}

Result<OpenClProgram, Failure>
OpenClProgram::build(OpenClContext &context, const std::string &source,
                     const std::string &options) {
  const char *text = source.data();
  size_t length = source.size();
  OpenClCode code = 0;
  OpenClProgramHandle handle = context.functions().programOfSource(
      context.handle(), 1, &text, &length, &code);
  TONNO_TRY(context.check(code, Status::compile_error, "take the source"));
  OpenClProgram program(context, handle);
  TONNO_TRY(program.compile(options, Status::compile_error));
  return program;
}

Result<OpenClProgram, Failure>
OpenClProgram::load(OpenClContext &context, const std::vector<uint8_t> &image) {
  if (isSource(image)) {
    auto json = parseCbor(std::span(image).subspan(sourceMark.size()));
    auto source = json ? decodeMember<std::string>(*json, "source")
                       : Result<std::string>(json.error());
    auto options = json ? decodeMember<std::string>(*json, "options")
                        : Result<std::string>(json.error());
    if (!source || !options)
      return Failure{Status::load_error, "the program's source is damaged"};
    auto built = build(context, *source, *options);
    if (!built && built.error().status == Status::compile_error)
      return Failure{Status::load_error, built.error().message};
    return built;
  }
  const unsigned char *bytes = image.data();
  size_t length = image.size();
  OpenClCode each = 0, code = 0;
  OpenClProgramHandle handle = context.functions().programOfBinary(
      context.handle(), 1, &context.place().device, &length, &bytes, &each,
      &code);
  for (OpenClCode told : {code, each})
    TONNO_TRY(context.check(told, Status::load_error, "load the binary"));
  OpenClProgram program(context, handle);
  TONNO_TRY(program.compile("", Status::load_error));
  return program;
}

OpenClProgram::~OpenClProgram() {
  if (handle && !context->isLost())
    context->functions().releaseProgram(handle);
}

Result<void, Failure> OpenClProgram::compile(const std::string &options,
                                             Status refused) {
  OpenClCode code = context->functions().buildProgram(
      handle, 1, &context->place().device, options.c_str(), nullptr, nullptr);
  auto built = context->check(code, refused, "build the program");
  if (built)
    return built;
  Failure failure = built.error();
  std::string log =
      opencl::getInfoText(context->functions().buildInfo, handle,
                          context->place().device, opencl::buildLog);
  if (!log.empty())
    failure.message += "\n" + log;
  return failure;
}

Result<std::vector<uint8_t>, Failure>
OpenClProgram::image(const std::string &source,
                     const std::string &options) const {
  const OpenClFunctions &f = context->functions();
  size_t size = 0;
  std::vector<uint8_t> binary;
  if (opencl::getInfo(size, f.programInfo, handle,
                      opencl::programBinarySizes) == 0 &&
      size > 0) {
    binary.resize(size);
    unsigned char *place = binary.data();
    if (opencl::getInfo(place, f.programInfo, handle,
                        opencl::programBinaries) == 0)
      return binary;
  }
  std::vector<uint8_t> text(sourceMark.begin(), sourceMark.end());
  std::ranges::copy(
      Json::to_cbor(Json{{"source", source}, {"options", options}}),
      std::back_inserter(text));
  return text;
}

Result<OpenClKernel, Failure>
OpenClProgram::kernel(const std::string &name) const {
  OpenClCode code = 0;
  OpenClKernelHandle kernel =
      context->functions().createKernel(handle, name.c_str(), &code);
  if (code == opencl::invalidKernelName) {
    std::string names = opencl::getInfoText(context->functions().programInfo,
                                            handle, opencl::programKernelNames);
    std::ranges::replace(names, ';', ' ');
    return Failure{Status::load_error, "unknown kernel '" + name +
                                           "'; the kernels are: " +
                                           (names.empty() ? "none" : names)};
  }
  TONNO_TRY(context->check(code, Status::load_error,
                           "find the kernel '" + name + "'"));
  return OpenClKernel(*context, kernel);
}

OpenClKernel::~OpenClKernel() {
  if (itsHandle && !context->isLost())
    context->functions().releaseKernel(itsHandle);
}

template <typename T>
OpenClCode OpenClKernel::ask(uint32_t name, T &value) const {
  return opencl::getInfo(value, context->functions().workGroupInfo, itsHandle,
                         context->place().device, name);
}

Result<uint32_t, Failure> OpenClKernel::argumentCount() const {
  uint32_t count = 0;
  TONNO_TRY(
      context->check(opencl::getInfo(count, context->functions().kernelInfo,
                                     itsHandle, opencl::kernelArgumentCount),
                     Status::load_error, "describe the kernel"));
  return count;
}

Result<void, Failure> OpenClKernel::setArgument(uint32_t position, size_t bytes,
                                                const void *value) {
  return context->check(
      context->functions().setArgument(itsHandle, position, bytes, value),
      Status::unlaunchable, "set argument " + std::to_string(position));
}

Result<size_t, Failure> OpenClKernel::mostWorkItems() const {
  size_t most = 0;
  TONNO_TRY(context->check(ask(opencl::kernelWorkGroupSize, most),
                           Status::load_error, "describe the kernel"));
  return most;
}

std::array<size_t, 3> OpenClKernel::requiredSize() const {
  std::array<size_t, 3> size = {};
  return ask(opencl::kernelRequiredSize, size) == 0 ? size
                                                    : std::array<size_t, 3>{};
}

ResourceUsage OpenClKernel::usage() const {
  ResourceUsage usage;
  uint64_t bytes = 0;
  if (ask(opencl::kernelLocalBytes, bytes) == 0)
    usage.sharedBytes = bytes;
  if (ask(opencl::kernelPrivateBytes, bytes) == 0)
    usage.stackBytes = bytes;
  return usage;
}

Result<std::optional<std::vector<OpenClParameter>>, Failure>
OpenClKernel::parameters() const {
  using Parameters = std::optional<std::vector<OpenClParameter>>;
  const OpenClFunctions &f = context->functions();
  auto count = TONNO_TRY(argumentCount());
  std::vector<OpenClParameter> parameters(count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t address = 0;
    uint64_t qualifiers = 0;
    for (OpenClCode code :
         {opencl::getInfo(address, f.argumentInfo, itsHandle, i,
                          opencl::argumentAddress),
          opencl::getInfo(qualifiers, f.argumentInfo, itsHandle, i,
                          opencl::argumentTypeQualifier)}) {
      if (code == opencl::argumentInfoNotAvailable)
        return Parameters();
      TONNO_TRY(context->check(code, Status::load_error,
                               "describe argument " + std::to_string(i)));
    }
    OpenClParameter &parameter = parameters[i];
    parameter.name =
        opencl::getInfoText(f.argumentInfo, itsHandle, i, opencl::argumentName);
    parameter.type = opencl::getInfoText(f.argumentInfo, itsHandle, i,
                                         opencl::argumentTypeName);
    while (parameter.type.ends_with('*') || parameter.type.ends_with(' '))
      parameter.type.pop_back();
    using Space = OpenClParameter::Space;
    parameter.space = address == opencl::globalArgument     ? Space::global
                      : address == opencl::constantArgument ? Space::constant
                      : address == opencl::localArgument    ? Space::local
                                                            : Space::value;
    parameter.isConst = (qualifiers & opencl::constQualifier) ||
                        parameter.space == Space::constant;
  }
  return Parameters(std::move(parameters));
}
