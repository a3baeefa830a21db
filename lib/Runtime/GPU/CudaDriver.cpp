//===- NVIDIA's driver ----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuFunctionTable.h"

#include <charconv>
#include <optional>

using namespace tonno;
using F = GpuFunctions;

static constexpr const char *libraries[] = {"libcuda.so.1", "libcuda.so"};

static constexpr GpuFunctionName functions[] = {
    required<&F::init>("cuInit"),
    required<&F::driverVersion>("cuDriverGetVersion"),
    optional<&F::errorName>("cuGetErrorName"),
    optional<&F::errorString>("cuGetErrorString"),
    required<&F::deviceCount>("cuDeviceGetCount"),
    required<&F::deviceGet>("cuDeviceGet"),
    required<&F::deviceName>("cuDeviceGetName"),
    required<&F::deviceUuid>("cuDeviceGetUuid_v2"),
    optional<&F::deviceBusId>("cuDeviceGetPCIBusId"),
    required<&F::deviceMemory>("cuDeviceTotalMem_v2"),
    required<&F::deviceAttribute>("cuDeviceGetAttribute"),
    required<&F::contextRetain>("cuDevicePrimaryCtxRetain"),
    required<&F::contextRelease>("cuDevicePrimaryCtxRelease_v2"),
    required<&F::contextSetCurrent>("cuCtxSetCurrent"),
    required<&F::allocate>("cuMemAlloc_v2"),
    required<&F::free>("cuMemFree_v2"),
    required<&F::upload>("cuMemcpyHtoDAsync_v2"),
    required<&F::download>("cuMemcpyDtoHAsync_v2"),
    required<&F::fill>("cuMemsetD8Async"),
    required<&F::moduleLoad>("cuModuleLoadDataEx"),
    required<&F::moduleUnload>("cuModuleUnload"),
    required<&F::moduleFunction>("cuModuleGetFunction"),
    required<&F::functionAttribute>("cuFuncGetAttribute"),
    optional<&F::functionLoad>("cuFuncLoad"),
    required<&F::functionSetAttribute>("cuFuncSetAttribute"),
    required<&F::launch>("cuLaunchKernel"),
    required<&F::streamCreate>("cuStreamCreate"),
    required<&F::streamDestroy>("cuStreamDestroy_v2"),
    required<&F::streamSynchronize>("cuStreamSynchronize"),
    required<&F::eventCreate>("cuEventCreate"),
    required<&F::eventDestroy>("cuEventDestroy_v2"),
    required<&F::eventRecord>("cuEventRecord"),
    required<&F::eventElapsed>("cuEventElapsedTime"),
    optional<&F::captureBegin>("cuStreamBeginCapture_v2"),
    optional<&F::captureEnd>("cuStreamEndCapture"),
    optional<&F::graphInstantiate>("cuGraphInstantiateWithFlags"),
    optional<&F::graphLaunch>("cuGraphLaunch"),
    optional<&F::graphDestroy>("cuGraphDestroy"),
    optional<&F::graphExecDestroy>("cuGraphExecDestroy"),
    optional<&F::graphUpload>("cuGraphUpload"),
    optional<&F::eventRecordWithFlags>("cuEventRecordWithFlags"),
};

// CUresult. What is in no row came after CUDA 13.0.
static constexpr GpuErrorRange errors[] = {
    {1, 1, GpuTrouble::request},     // invalid value
    {2, 2, GpuTrouble::memory},      // out of memory
    {3, 4, GpuTrouble::device},      // not initialized, shutting down
    {5, 8, GpuTrouble::request},     // profiler
    {34, 36, GpuTrouble::device},    // stub library, too old a driver
    {46, 46, GpuTrouble::device},    // unavailable
    {100, 102, GpuTrouble::device},  // no device, invalid, not licensed
    {200, 200, GpuTrouble::binary},  // invalid image
    {201, 201, GpuTrouble::device},  // invalid context
    {202, 208, GpuTrouble::request}, // contexts and mappings
    {209, 209, GpuTrouble::binary},  // no binary for this GPU
    {210, 213, GpuTrouble::request}, // mappings
    {214, 214, GpuTrouble::device},  // uncorrectable ECC error
    {215, 217, GpuTrouble::request}, // limits, contexts, peers
    {218, 218, GpuTrouble::binary},  // invalid PTX
    {219, 219, GpuTrouble::request}, // graphics context
    {220, 220, GpuTrouble::device},  // uncorrectable NVLink error
    {221, 225, GpuTrouble::binary},  // no JIT compiler, newer PTX, disabled
    {226, 226, GpuTrouble::fault},   // contained memory error
    {300, 303, GpuTrouble::binary},  // source, file, shared object
    {304, 304, GpuTrouble::device},  // operating system
    {400, 402, GpuTrouble::request}, // handles, state
    {500, 500, GpuTrouble::binary},  // not found
    {600, 600, GpuTrouble::request}, // not ready
    {700, 700, GpuTrouble::fault},   // illegal address
    {701, 701, GpuTrouble::resources},
    {702, 702, GpuTrouble::hang},      // launch timeout
    {703, 708, GpuTrouble::request},   // texturing mode, peers, contexts
    {709, 709, GpuTrouble::device},    // context is destroyed
    {710, 710, GpuTrouble::fault},     // assert
    {711, 713, GpuTrouble::request},   // peers, host memory
    {714, 719, GpuTrouble::fault},     // stack, instruction, alignment, ...
    {720, 720, GpuTrouble::resources}, // cooperative launch too large
    {721, 721, GpuTrouble::fault},     // tensor memory leak
    {800, 801, GpuTrouble::request},   // not permitted, not supported
    {802, 804, GpuTrouble::device},    // system not ready, mismatch
    {805, 810, GpuTrouble::device},    // the server that shares the device
    {811, 812, GpuTrouble::binary},    // nested launches
    {900, 908, GpuTrouble::request},   // stream capture
    {909, 909, GpuTrouble::hang},      // timeout
    {910, 910, GpuTrouble::request},   // graph update
    {911, 911, GpuTrouble::device},    // external device
    {912, 912, GpuTrouble::resources}, // cluster size
    {913, 913, GpuTrouble::binary},    // function not loaded
    {914, 915, GpuTrouble::request},   // resource type, configuration
    {916, 916, GpuTrouble::device},    // key rotation
    {999, 999, GpuTrouble::device},    // unknown
};

static constexpr int majorAttribute = 75;
static constexpr int minorAttribute = 76;

static std::string versionText(int version) {
  return "CUDA " + std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

static GpuCode chipOf(const F &f, int device, std::string &chip) {
  int major = 0, minor = 0;
  if (GpuCode code = f.deviceAttribute(&major, majorAttribute, device))
    return code;
  if (GpuCode code = f.deviceAttribute(&minor, minorAttribute, device))
    return code;
  chip = "sm_" + std::to_string(major) + std::to_string(minor);
  return 0;
}

static uint64_t cacheBytes(const std::string &, uint64_t attribute) {
  return attribute;
}

static GpuCode use(const F &f, int device) {
  GpuContextHandle context = nullptr;
  if (GpuCode code = f.contextRetain(&context, device))
    return code;
  GpuCode code = f.contextSetCurrent(context);
  if (code)
    f.contextRelease(device);
  return code;
}

static void leave(const F &f, int device) { f.contextRelease(device); }

namespace {
/// "sm_90a"
struct Capability {
  int major, minor;
  char suffix; ///< 'a': this chip alone; 'f': its family; 0: what follows, too
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

/// PTX is compiled for this chip and what follows it; machine code runs on
/// later minor versions of one major version.
static bool runs(const std::string &deviceChip, const std::string &chip,
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

const GpuVendor &tonno::cudaVendor() {
  static constexpr GpuVendor vendor = {
      .kind = "cuda",
      .target = "nvptx",
      .name = "NVIDIA",
      .libraries = libraries,
      .package = "NVIDIA's driver (libcuda.so.1 comes with it)",
      .visible = "CUDA_VISIBLE_DEVICES",
      .functions = functions,
      .errors = errors,
      .attributes = {.threads = 1,
                     .block = {2, 3, 4},
                     .grid = {5, 6, 7},
                     .sharedBytes = 8,
                     .sharedBytesOptIn = 97,
                     .cacheBytes = 38},
      .oldestVersion = 11040,
      .oldestRelease = "CUDA 11.4 (driver 470)",
      .versionText = versionText,
      .chip = chipOf,
      .uuidText = formatUuid,
      .cacheBytes = cacheBytes,
      .use = use,
      .leave = leave,
      .runs = runs,
  };
  return vendor;
}
