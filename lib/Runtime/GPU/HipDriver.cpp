//===- AMD's driver -------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuFunctionTable.h"

#include <algorithm>
#include <array>
#include <cctype>

using namespace tonno;
using F = GpuFunctions;

static constexpr const char *libraries[] = {
    "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"};

static constexpr GpuFunctionName functions[] = {
    required<&F::init>("hipInit"),
    required<&F::driverVersion>("hipDriverGetVersion"),
    optional<&F::errorName>("hipDrvGetErrorName"),
    optional<&F::errorString>("hipDrvGetErrorString"),
    required<&F::deviceCount>("hipGetDeviceCount"),
    required<&F::deviceGet>("hipDeviceGet"),
    required<&F::deviceName>("hipDeviceGetName"),
    required<&F::deviceUuid>("hipDeviceGetUuid"),
    optional<&F::deviceBusId>("hipDeviceGetPCIBusId"),
    required<&F::deviceMemory>("hipDeviceTotalMem"),
    required<&F::deviceAttribute>("hipDeviceGetAttribute"),
    required<&F::deviceProperties>("hipGetDevicePropertiesR0600"),
    required<&F::deviceSet>("hipSetDevice"),
    required<&F::allocate>("hipMalloc"),
    required<&F::free>("hipFree"),
    required<&F::upload>("hipMemcpyHtoDAsync"),
    required<&F::download>("hipMemcpyDtoHAsync"),
    required<&F::fill>("hipMemsetD8Async"),
    required<&F::moduleLoad>("hipModuleLoadDataEx"),
    required<&F::moduleUnload>("hipModuleUnload"),
    required<&F::moduleFunction>("hipModuleGetFunction"),
    required<&F::functionAttribute>("hipFuncGetAttribute"),
    required<&F::launch>("hipModuleLaunchKernel"),
    required<&F::streamCreate>("hipStreamCreateWithFlags"),
    required<&F::streamDestroy>("hipStreamDestroy"),
    required<&F::streamSynchronize>("hipStreamSynchronize"),
    required<&F::eventCreate>("hipEventCreateWithFlags"),
    required<&F::eventDestroy>("hipEventDestroy"),
    required<&F::eventRecord>("hipEventRecord"),
    required<&F::eventElapsed>("hipEventElapsedTime"),
    optional<&F::captureBegin>("hipStreamBeginCapture"),
    optional<&F::captureEnd>("hipStreamEndCapture"),
    optional<&F::graphInstantiate>("hipGraphInstantiateWithFlags"),
    optional<&F::graphLaunch>("hipGraphLaunch"),
    optional<&F::graphDestroy>("hipGraphDestroy"),
    optional<&F::graphExecDestroy>("hipGraphExecDestroy"),
    optional<&F::graphUpload>("hipGraphUpload"),
    optional<&F::eventRecordWithFlags>("hipEventRecordWithFlags"),
};

// hipError_t. What is in no row came after HIP 7.0.
static constexpr GpuErrorRange errors[] = {
    {1, 1, GpuTrouble::request},       // invalid value
    {2, 2, GpuTrouble::memory},        // out of memory
    {3, 4, GpuTrouble::device},        // not initialized, shutting down
    {5, 8, GpuTrouble::request},       // profiler
    {9, 9, GpuTrouble::resources},     // invalid launch configuration
    {12, 21, GpuTrouble::request},     // pitches, symbols, pointers, copies
    {35, 35, GpuTrouble::device},      // too old a driver
    {52, 52, GpuTrouble::request},     // no launch configuration
    {53, 53, GpuTrouble::fault},       // a former launch failed
    {98, 98, GpuTrouble::binary},      // invalid device function
    {100, 101, GpuTrouble::device},    // no device, invalid device
    {200, 200, GpuTrouble::binary},    // invalid image
    {201, 201, GpuTrouble::device},    // invalid context
    {202, 208, GpuTrouble::request},   // contexts and mappings
    {209, 209, GpuTrouble::binary},    // no binary for this GPU
    {210, 213, GpuTrouble::request},   // mappings
    {214, 214, GpuTrouble::device},    // uncorrectable ECC error
    {215, 217, GpuTrouble::request},   // limits, contexts, peers
    {218, 218, GpuTrouble::binary},    // invalid code object
    {219, 219, GpuTrouble::request},   // graphics context
    {300, 303, GpuTrouble::binary},    // source, file, shared object
    {304, 304, GpuTrouble::device},    // operating system
    {400, 401, GpuTrouble::request},   // handles, state
    {500, 500, GpuTrouble::binary},    // not found
    {600, 600, GpuTrouble::request},   // not ready
    {700, 700, GpuTrouble::fault},     // illegal address
    {701, 701, GpuTrouble::resources}, // out of resources
    {702, 702, GpuTrouble::hang},      // launch timeout
    {704, 708, GpuTrouble::request},   // peers, contexts
    {709, 709, GpuTrouble::device},    // context is destroyed
    {710, 710, GpuTrouble::fault},     // assert
    {712, 713, GpuTrouble::request},   // host memory
    {719, 719, GpuTrouble::fault},     // an exception in a kernel
    {720, 720, GpuTrouble::resources}, // cooperative launch too large
    {801, 801, GpuTrouble::request},   // not supported
    {900, 908, GpuTrouble::request},   // stream capture
    {910, 912, GpuTrouble::request},   // graph update, textures
    {999, 999, GpuTrouble::device},    // unknown
    {1052, 1052, GpuTrouble::memory},  // of the runtime below
    {1053, 1053, GpuTrouble::device},  // anything else of it
};

static std::string versionText(int version) {
  return "HIP " + std::to_string(version / 10'000'000) + "." +
         std::to_string(version / 100'000 % 100);
}

/// The architecture's name is in hipDeviceProp_tR0600 alone, whose layout the
/// number in its name fixes.
static GpuCode chipOf(const F &f, int device, std::string &chip) {
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

/// ROCm's unique id is 16 hexadecimal digits, as text in the 16 bytes.
static std::string uuidText(const GpuUuid &uuid) {
  bool isText = std::all_of(uuid.begin(), uuid.end(), [](uint8_t byte) {
    return std::isxdigit(byte) != 0;
  });
  return isText ? "GPU-" + std::string(uuid.begin(), uuid.end())
                : formatUuid(uuid);
}

/// Behind the L2, of which the attribute tells, lies the Infinity Cache, of
/// which the driver tells nothing.
static uint64_t cacheBytes(const std::string &chip, uint64_t attribute) {
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

static GpuCode use(const F &f, int device) { return f.deviceSet(device); }

static void leave(const F &, int) {}

/// A code object runs on its own chip; on others too if it is for a generic
/// one ("gfx9-4-generic"), which the driver judges.
static bool runs(const std::string &deviceChip, const std::string &chip, bool) {
  std::string base = chip.substr(0, chip.find(':'));
  return base == deviceChip || base.ends_with("-generic");
}

const GpuVendor &tonno::hipVendor() {
  static constexpr GpuVendor vendor = {
      .kind = "hip",
      .target = "amdgpu",
      .name = "AMD",
      .libraries = libraries,
      .package = "ROCm's HIP runtime (libamdhip64.so comes with it)",
      .visible = "HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES",
      .functions = functions,
      .errors = errors,
      .attributes = {.threads = 56,
                     .block = {26, 27, 28},
                     .grid = {29, 30, 31},
                     .sharedBytes = 74,
                     .sharedBytesOptIn = 75,
                     .cacheBytes = 19},
      .oldestVersion = 60'000'000,
      .oldestRelease = "ROCm 6.0",
      .versionText = versionText,
      .chip = chipOf,
      .uuidText = uuidText,
      .cacheBytes = cacheBytes,
      .use = use,
      .leave = leave,
      .runs = runs,
  };
  return vendor;
}
