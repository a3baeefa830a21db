//===- Traits of the vendors' drivers -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/GpuChip.h"
#include "tonno/Runtime/GpuDriver.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <type_traits>

using namespace tonno;

using F = GpuFunctions;

namespace {
/// Names of a function in each driver; null in drivers without it.
struct FunctionRow {
  const char *cuda, *hip;
  void (*bind)(GpuFunctions &functions, void *symbol);
  bool isRequired;
};

/// Meaning of the codes from `first` to `last`, of one driver or both.
enum Drivers { both, cuda, hip };
struct ErrorRow {
  GpuCode first, last;
  Drivers drivers;
  GpuTrouble trouble;
};
} // namespace

template <auto member>
static void bindSymbol(GpuFunctions &functions, void *symbol) {
  using Pointer = std::remove_reference_t<decltype(functions.*member)>;
  functions.*member = reinterpret_cast<Pointer>(symbol);
}

template <auto member>
static constexpr FunctionRow required(const char *cuda, const char *hip) {
  return {cuda, hip, bindSymbol<member>, true};
}

template <auto member>
static constexpr FunctionRow optional(const char *cuda, const char *hip) {
  return {cuda, hip, bindSymbol<member>, false};
}

static constexpr FunctionRow functionRows[] = {
    required<&F::init>("cuInit", "hipInit"),
    required<&F::driverVersion>("cuDriverGetVersion", "hipDriverGetVersion"),
    optional<&F::errorName>("cuGetErrorName", "hipDrvGetErrorName"),
    optional<&F::errorString>("cuGetErrorString", "hipDrvGetErrorString"),
    required<&F::deviceCount>("cuDeviceGetCount", "hipGetDeviceCount"),
    required<&F::deviceGet>("cuDeviceGet", "hipDeviceGet"),
    required<&F::deviceName>("cuDeviceGetName", "hipDeviceGetName"),
    required<&F::deviceUuid>("cuDeviceGetUuid_v2", "hipDeviceGetUuid"),
    optional<&F::deviceBusId>("cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId"),
    required<&F::deviceMemory>("cuDeviceTotalMem_v2", "hipDeviceTotalMem"),
    required<&F::deviceAttribute>("cuDeviceGetAttribute",
                                  "hipDeviceGetAttribute"),
    required<&F::deviceProperties>(nullptr, "hipGetDevicePropertiesR0600"),
    required<&F::contextRetain>("cuDevicePrimaryCtxRetain", nullptr),
    required<&F::contextRelease>("cuDevicePrimaryCtxRelease_v2", nullptr),
    required<&F::contextSetCurrent>("cuCtxSetCurrent", nullptr),
    required<&F::contextGetCurrent>("cuCtxGetCurrent", nullptr),
    required<&F::deviceSet>(nullptr, "hipSetDevice"),
    required<&F::deviceGetCurrent>(nullptr, "hipGetDevice"),
    required<&F::allocate>("cuMemAlloc_v2", "hipMalloc"),
    required<&F::free>("cuMemFree_v2", "hipFree"),
    optional<&F::allocateAsync>("cuMemAllocAsync", "hipMallocAsync"),
    optional<&F::freeAsync>("cuMemFreeAsync", "hipFreeAsync"),
    required<&F::upload>("cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync"),
    required<&F::download>("cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync"),
    required<&F::fill>("cuMemsetD8Async", "hipMemsetD8Async"),
    required<&F::fillWords>("cuMemsetD32Async", "hipMemsetD32Async"),
    required<&F::moduleLoad>("cuModuleLoadDataEx", "hipModuleLoadDataEx"),
    required<&F::moduleUnload>("cuModuleUnload", "hipModuleUnload"),
    required<&F::moduleFunction>("cuModuleGetFunction", "hipModuleGetFunction"),
    required<&F::functionAttribute>("cuFuncGetAttribute",
                                    "hipFuncGetAttribute"),
    optional<&F::functionLoad>("cuFuncLoad", nullptr),
    required<&F::functionSetAttribute>("cuFuncSetAttribute", nullptr),
    required<&F::launch>("cuLaunchKernel", "hipModuleLaunchKernel"),
    required<&F::streamCreate>("cuStreamCreate", "hipStreamCreateWithFlags"),
    required<&F::streamDestroy>("cuStreamDestroy_v2", "hipStreamDestroy"),
    required<&F::streamSynchronize>("cuStreamSynchronize",
                                    "hipStreamSynchronize"),
    required<&F::streamWait>("cuStreamWaitEvent", "hipStreamWaitEvent"),
    required<&F::eventCreate>("cuEventCreate", "hipEventCreateWithFlags"),
    required<&F::eventDestroy>("cuEventDestroy_v2", "hipEventDestroy"),
    required<&F::eventRecord>("cuEventRecord", "hipEventRecord"),
    required<&F::eventQuery>("cuEventQuery", "hipEventQuery"),
    required<&F::eventElapsed>("cuEventElapsedTime", "hipEventElapsedTime"),
    optional<&F::streamIsCapturing>("cuStreamIsCapturing",
                                    "hipStreamIsCapturing"),
    optional<&F::exchangeCaptureMode>("cuThreadExchangeStreamCaptureMode",
                                      "hipThreadExchangeStreamCaptureMode"),
    optional<&F::captureBegin>("cuStreamBeginCapture_v2",
                               "hipStreamBeginCapture"),
    optional<&F::captureEnd>("cuStreamEndCapture", "hipStreamEndCapture"),
    optional<&F::graphInstantiate>("cuGraphInstantiateWithFlags",
                                   "hipGraphInstantiateWithFlags"),
    optional<&F::graphLaunch>("cuGraphLaunch", "hipGraphLaunch"),
    optional<&F::graphDestroy>("cuGraphDestroy", "hipGraphDestroy"),
    optional<&F::graphExecDestroy>("cuGraphExecDestroy", "hipGraphExecDestroy"),
    optional<&F::graphUpload>("cuGraphUpload", "hipGraphUpload"),
    optional<&F::eventRecordWithFlags>("cuEventRecordWithFlags",
                                       "hipEventRecordWithFlags"),
};

// Meanings of CUresult and hipError_t. Codes without a row are later than CUDA
// 13.0 and HIP 7.0.
static constexpr ErrorRow errorRows[] = {
    {1, 1, both, GpuTrouble::request},     // invalid value
    {2, 2, both, GpuTrouble::memory},      // out of memory
    {3, 4, both, GpuTrouble::device},      // not initialized, shutting down
    {5, 8, both, GpuTrouble::request},     // profiler
    {9, 9, hip, GpuTrouble::resources},    // invalid launch configuration
    {12, 21, hip, GpuTrouble::request},    // pitches, symbols, pointers, copies
    {34, 34, cuda, GpuTrouble::device},    // stub library
    {35, 35, both, GpuTrouble::device},    // too old a driver
    {36, 36, cuda, GpuTrouble::device},    // stub library
    {46, 46, cuda, GpuTrouble::device},    // unavailable
    {52, 52, hip, GpuTrouble::request},    // no launch configuration
    {53, 53, hip, GpuTrouble::fault},      // a former launch failed
    {98, 98, hip, GpuTrouble::binary},     // invalid device function
    {100, 101, both, GpuTrouble::device},  // no device, invalid device
    {102, 102, cuda, GpuTrouble::device},  // not licensed
    {200, 200, both, GpuTrouble::binary},  // invalid image
    {201, 201, both, GpuTrouble::device},  // invalid context
    {202, 208, both, GpuTrouble::request}, // contexts and mappings
    {209, 209, both, GpuTrouble::binary},  // no binary for this GPU
    {210, 213, both, GpuTrouble::request}, // mappings
    {214, 214, both, GpuTrouble::device},  // uncorrectable ECC error
    {215, 217, both, GpuTrouble::request}, // limits, contexts, peers
    {218, 218, both, GpuTrouble::binary},  // invalid PTX or code object
    {219, 219, both, GpuTrouble::request}, // graphics context
    {220, 220, cuda, GpuTrouble::device},  // uncorrectable NVLink error
    {221, 225, cuda,
     GpuTrouble::binary},                // no JIT compiler, newer PTX, disabled
    {226, 226, cuda, GpuTrouble::fault}, // contained memory error
    {300, 303, both, GpuTrouble::binary},    // source, file, shared object
    {304, 304, both, GpuTrouble::device},    // operating system
    {400, 401, both, GpuTrouble::request},   // handles, state
    {402, 402, cuda, GpuTrouble::request},   // state
    {500, 500, both, GpuTrouble::binary},    // not found
    {600, 600, both, GpuTrouble::request},   // not ready
    {700, 700, both, GpuTrouble::fault},     // illegal address
    {701, 701, both, GpuTrouble::resources}, // out of resources
    {702, 702, both, GpuTrouble::hang},      // launch timeout
    {703, 703, cuda, GpuTrouble::request},   // texturing mode
    {704, 708, both, GpuTrouble::request},   // peers, contexts
    {709, 709, both, GpuTrouble::device},    // context is destroyed
    {710, 710, both, GpuTrouble::fault},     // assert
    {711, 711, cuda, GpuTrouble::request},   // peers
    {712, 713, both, GpuTrouble::request},   // host memory
    {714, 718, cuda, GpuTrouble::fault}, // stack, instruction, alignment, ...
    {719, 719, both, GpuTrouble::fault}, // an exception in a kernel
    {720, 720, both, GpuTrouble::resources}, // cooperative launch too large
    {721, 721, cuda, GpuTrouble::fault},     // tensor memory leak
    {800, 800, cuda, GpuTrouble::request},   // not permitted
    {801, 801, both, GpuTrouble::request},   // not supported
    {802, 804, cuda, GpuTrouble::device},    // system not ready, mismatch
    {805, 810, cuda, GpuTrouble::device},  // the server that shares the device
    {811, 812, cuda, GpuTrouble::binary},  // nested launches
    {900, 908, both, GpuTrouble::request}, // stream capture
    {909, 909, cuda, GpuTrouble::hang},    // timeout
    {910, 910, both, GpuTrouble::request}, // graph update
    {911, 911, cuda, GpuTrouble::device},  // external device
    {911, 912, hip, GpuTrouble::request},  // graph update, textures
    {912, 912, cuda, GpuTrouble::resources}, // cluster size
    {913, 913, cuda, GpuTrouble::binary},    // function not loaded
    {914, 915, cuda, GpuTrouble::request},   // resource type, configuration
    {916, 916, cuda, GpuTrouble::device},    // key rotation
    {999, 999, both, GpuTrouble::device},    // unknown
    {1052, 1052, hip, GpuTrouble::memory},   // of the runtime below
    {1053, 1053, hip, GpuTrouble::device},   // anything else of it
};

template <auto name> static consteval auto selectFunctions() {
  auto isThere = [](const FunctionRow &row) { return row.*name != nullptr; };
  std::array<GpuFunctionName, std::ranges::count_if(functionRows, isThere)>
      selected = {};
  size_t count = 0;
  for (const FunctionRow &row : functionRows)
    if (isThere(row))
      selected[count++] = {row.*name, row.bind, row.isRequired};
  return selected;
}

template <Drivers driver> static consteval auto selectErrors() {
  auto matchesDriver = [](const ErrorRow &row) {
    return row.drivers == both || row.drivers == driver;
  };
  std::array<GpuErrorRange, std::ranges::count_if(errorRows, matchesDriver)>
      selected = {};
  size_t count = 0;
  for (const ErrorRow &row : errorRows)
    if (matchesDriver(row))
      selected[count++] = {row.first, row.last, row.trouble};
  return selected;
}

static constexpr auto cudaFunctions = selectFunctions<&FunctionRow::cuda>();
static constexpr auto hipFunctions = selectFunctions<&FunctionRow::hip>();
static constexpr auto cudaErrors = selectErrors<cuda>();
static constexpr auto hipErrors = selectErrors<hip>();

static constexpr const char *cudaLibraries[] = {"libcuda.so.1", "libcuda.so"};

static constexpr int majorAttribute = 75;
static constexpr int minorAttribute = 76;

static std::string formatCudaVersion(int version) {
  return "CUDA " + std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

static GpuCode readCudaChip(const F &f, int device, std::string &chip) {
  int major = 0, minor = 0;
  if (GpuCode code = f.deviceAttribute(&major, majorAttribute, device))
    return code;
  if (GpuCode code = f.deviceAttribute(&minor, minorAttribute, device))
    return code;
  chip = "sm_" + std::to_string(major) + std::to_string(minor);
  // Prefers the target with architecture-specific instructions, if there is
  // one.
  if (findGpuChip(chip + "a"))
    chip += "a";
  return 0;
}

static uint64_t getCudaCacheBytes(const std::string &, uint64_t attribute) {
  return attribute;
}

static GpuCode retainCuda(const F &f, int device, GpuCurrent &retained) {
  return f.contextRetain(&retained.context, device);
}

static void releaseCuda(const F &f, int device) { f.contextRelease(device); }

static GpuCode getCudaCurrent(const F &f, GpuCurrent &current) {
  return f.contextGetCurrent(&current.context);
}

static GpuCode setCudaCurrent(const F &f, const GpuCurrent &current) {
  return f.contextSetCurrent(current.context);
}

namespace {
/// "sm_90a"
struct Capability {
  int major, minor;
  char suffix; ///< 'a': this chip only; 'f': its family; 0: later chips, too
};
} // namespace

static std::optional<Capability> parseCapability(const std::string &chip) {
  if (!chip.starts_with("sm_"))
    return std::nullopt;
  int number = 0;
  const char *end = chip.data() + chip.size();
  auto [rest, error] = std::from_chars(chip.data() + 3, end, number);
  if (error != std::errc() || number < 10 || end - rest > 1)
    return std::nullopt;
  return Capability{number / 10, number % 10, rest == end ? '\0' : *rest};
}

/// Returns true if the device runs the binary: PTX runs on later chips, machine
/// code on later minor versions.
static bool runsOnCuda(const std::string &deviceChip, const std::string &chip,
                       bool isText) {
  auto device = parseCapability(deviceChip), wanted = parseCapability(chip);
  if (!device || !wanted)
    return deviceChip == chip;
  bool isSameMajor = device->major == wanted->major;
  if (wanted->suffix == 'a')
    return isSameMajor && device->minor == wanted->minor;
  if (isText && !wanted->suffix && device->major > wanted->major)
    return true;
  return isSameMajor && device->minor >= wanted->minor;
}

const GpuDriverTraits &tonno::cudaVendor() {
  static constexpr GpuDriverTraits vendor = {
      .kind = "cuda",
      .target = "nvptx",
      .name = "NVIDIA",
      .libraries = cudaLibraries,
      .package = "NVIDIA's driver (libcuda.so.1 comes with it)",
      .visible = "CUDA_VISIBLE_DEVICES",
      .functions = cudaFunctions,
      .errors = cudaErrors,
      .attributes = {.threads = 1,
                     .block = {2, 3, 4},
                     .grid = {5, 6, 7},
                     .sharedBytes = 8,
                     .sharedBytesOptIn = 97,
                     .cacheBytes = 38},
      .oldestVersion = 11040,
      .oldestRelease = "CUDA 11.4 (driver 470)",
      .versionText = formatCudaVersion,
      .chip = readCudaChip,
      .uuidText = formatUuid,
      .cacheBytes = getCudaCacheBytes,
      .retain = retainCuda,
      .release = releaseCuda,
      .getCurrent = getCudaCurrent,
      .setCurrent = setCudaCurrent,
      .runs = runsOnCuda,
  };
  return vendor;
}

static constexpr const char *hipLibraries[] = {
    "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"};

static std::string formatHipVersion(int version) {
  return "HIP " + std::to_string(version / 10'000'000) + "." +
         std::to_string(version / 100'000 % 100);
}

/// Reads the architecture's name, which only hipDeviceProp_tR0600 contains.
static GpuCode readHipChip(const F &f, int device, std::string &chip) {
  constexpr size_t structBytes = 1472, nameAt = 1160, nameBytes = 256;
  // Larger than the struct, in case a driver's has grown at its end.
  alignas(16) std::array<char, 4 * structBytes> properties = {};
  if (GpuCode code = f.deviceProperties(properties.data(), device))
    return code;
  const char *name = properties.data() + nameAt;
  chip.assign(name, std::find(name, name + nameBytes, '\0'));
  chip.resize(std::min(chip.find(':'), chip.size())); // ":sramecc+:xnack-"
  return 0;
}

/// Formats ROCm's unique id: 16 hexadecimal digits, as text in the 16 bytes.
static std::string formatHipUuid(const GpuUuid &uuid) {
  bool isText = std::all_of(uuid.begin(), uuid.end(), [](uint8_t byte) {
    return std::isxdigit(byte) != 0;
  });
  return isText ? "GPU-" + std::string(uuid.begin(), uuid.end())
                : formatUuid(uuid);
}

/// Returns the size of the last-level cache. The driver reports the L2, but not
/// the Infinity Cache behind it.
static uint64_t getHipCacheBytes(const std::string &chip, uint64_t attribute) {
  struct Row {
    const char *chip;
    uint64_t megabytes;
  };
  constexpr Row rows[] = {{"gfx942", 256}, {"gfx950", 256}, {"gfx1030", 128},
                          {"gfx1031", 96}, {"gfx1032", 32}, {"gfx1100", 96},
                          {"gfx1101", 64}, {"gfx1102", 32}, {"gfx1200", 32},
                          {"gfx1201", 64}};
  for (const Row &row : rows)
    if (chip == row.chip)
      return std::max(attribute, row.megabytes << 20);
  return attribute;
}

static GpuCode retainHip(const F &, int device, GpuCurrent &retained) {
  retained.device = device;
  return 0;
}

static void releaseHip(const F &, int) {}

static GpuCode getHipCurrent(const F &f, GpuCurrent &current) {
  return f.deviceGetCurrent(&current.device);
}

static GpuCode setHipCurrent(const F &f, const GpuCurrent &current) {
  return f.deviceSet(current.device);
}

/// Returns true if the device may run the binary. The driver decides for
/// generic chips ("gfx9-4-generic").
static bool runsOnHip(const std::string &deviceChip, const std::string &chip,
                      bool) {
  std::string base = chip.substr(0, chip.find(':'));
  return base == deviceChip || base.ends_with("-generic");
}

const GpuDriverTraits &tonno::hipVendor() {
  static constexpr GpuDriverTraits vendor = {
      .kind = "hip",
      .target = "amdgpu",
      .name = "AMD",
      .libraries = hipLibraries,
      .package = "ROCm's HIP runtime (libamdhip64.so comes with it)",
      .visible = "HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES",
      .functions = hipFunctions,
      .errors = hipErrors,
      .attributes = {.threads = 56,
                     .block = {26, 27, 28},
                     .grid = {29, 30, 31},
                     .sharedBytes = 74,
                     .sharedBytesOptIn = 75,
                     .cacheBytes = 19},
      .oldestVersion = 60'000'000,
      .oldestRelease = "ROCm 6.0",
      .versionText = formatHipVersion,
      .chip = readHipChip,
      .uuidText = formatHipUuid,
      .cacheBytes = getHipCacheBytes,
      .retain = retainHip,
      .release = releaseHip,
      .getCurrent = getHipCurrent,
      .setCurrent = setHipCurrent,
      .runs = runsOnHip,
  };
  return vendor;
}
