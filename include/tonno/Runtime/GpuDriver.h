//===- GPU vendor's driver ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_GPUDRIVER_H
#define TONNO_RUNTIME_GPUDRIVER_H

#include "tonno/Core/Result.h"
#include "tonno/Core/Status.h"
#include "tonno/Runtime/Device.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace tonno {

/// Return code of a driver function: CUresult, hipError_t. 0 is success.
using GpuCode = int;
/// CUdeviceptr, hipDeviceptr_t.
using GpuAddress = uint64_t;
using GpuUuid = std::array<uint8_t, 16>;

using GpuContextHandle = struct GpuContextObject *;
using GpuModule = struct GpuModuleObject *;
using GpuFunction = struct GpuFunctionObject *;
using GpuStream = struct GpuStreamObject *;
using GpuEvent = struct GpuEventObject *;
using GpuGraph = struct GpuGraphObject *;
using GpuGraphExec = struct GpuGraphExecObject *;

/// Driver functions that tonno calls. CUDA's driver interface and HIP's module
/// interface differ in names and numbers, hardly in shape. Declared here so
/// that no vendor's header is needed. Functions that the driver lacks are null.
struct GpuFunctions {
  GpuCode (*init)(unsigned flags) = nullptr;
  GpuCode (*driverVersion)(int *version) = nullptr;
  GpuCode (*errorName)(GpuCode code, const char **name) = nullptr;
  GpuCode (*errorString)(GpuCode code, const char **text) = nullptr;

  GpuCode (*deviceCount)(int *count) = nullptr;
  GpuCode (*deviceGet)(int *device, int index) = nullptr;
  GpuCode (*deviceName)(char *name, int bytes, int device) = nullptr;
  GpuCode (*deviceUuid)(GpuUuid *uuid, int device) = nullptr;
  GpuCode (*deviceBusId)(char *text, int bytes, int device) = nullptr;
  GpuCode (*deviceMemory)(size_t *bytes, int device) = nullptr;
  GpuCode (*deviceAttribute)(int *value, int attribute, int device) = nullptr;
  /// Only HIP: fills a hipDeviceProp_tR0600.
  GpuCode (*deviceProperties)(void *properties, int device) = nullptr;

  /// Only CUDA: retains the context that all users of a device in a process
  /// share.
  GpuCode (*contextRetain)(GpuContextHandle *context, int device) = nullptr;
  GpuCode (*contextRelease)(int device) = nullptr;
  GpuCode (*contextSetCurrent)(GpuContextHandle context) = nullptr;
  GpuCode (*contextGetCurrent)(GpuContextHandle *context) = nullptr;
  /// Only HIP: makes the device current.
  GpuCode (*deviceSet)(int device) = nullptr;
  GpuCode (*deviceGetCurrent)(int *device) = nullptr;

  GpuCode (*allocate)(GpuAddress *address, size_t bytes) = nullptr;
  GpuCode (*free)(GpuAddress address) = nullptr;
  // In the order of a stream, both optional.
  GpuCode (*allocateAsync)(GpuAddress *address, size_t bytes,
                           GpuStream stream) = nullptr;
  GpuCode (*freeAsync)(GpuAddress address, GpuStream stream) = nullptr;
  GpuCode (*upload)(GpuAddress to, const void *from, size_t bytes,
                    GpuStream stream) = nullptr;
  GpuCode (*download)(void *to, GpuAddress from, size_t bytes,
                      GpuStream stream) = nullptr;
  GpuCode (*fill)(GpuAddress to, unsigned char value, size_t bytes,
                  GpuStream stream) = nullptr;
  /// Fills `count` words of 32 bits.
  GpuCode (*fillWords)(GpuAddress to, unsigned value, size_t count,
                       GpuStream stream) = nullptr;

  GpuCode (*moduleLoad)(GpuModule *module, const void *image, unsigned options,
                        int *names, void **values) = nullptr;
  GpuCode (*moduleUnload)(GpuModule module) = nullptr;
  GpuCode (*moduleFunction)(GpuFunction *function, GpuModule module,
                            const char *name) = nullptr;
  GpuCode (*functionAttribute)(int *value, int attribute,
                               GpuFunction function) = nullptr;
  /// Only CUDA, optional: without it a kernel is loaded at its first launch.
  GpuCode (*functionLoad)(GpuFunction function) = nullptr;
  /// Only CUDA: HIP allows a kernel all shared memory.
  GpuCode (*functionSetAttribute)(GpuFunction function, int attribute,
                                  int value) = nullptr;
  GpuCode (*launch)(GpuFunction function, unsigned gridX, unsigned gridY,
                    unsigned gridZ, unsigned blockX, unsigned blockY,
                    unsigned blockZ, unsigned sharedBytes, GpuStream stream,
                    void **parameters, void **extra) = nullptr;

  GpuCode (*streamCreate)(GpuStream *stream, unsigned flags) = nullptr;
  GpuCode (*streamDestroy)(GpuStream stream) = nullptr;
  GpuCode (*streamSynchronize)(GpuStream stream) = nullptr;
  GpuCode (*streamWait)(GpuStream stream, GpuEvent event,
                        unsigned flags) = nullptr;
  GpuCode (*eventCreate)(GpuEvent *event, unsigned flags) = nullptr;
  GpuCode (*eventDestroy)(GpuEvent event) = nullptr;
  GpuCode (*eventRecord)(GpuEvent event, GpuStream stream) = nullptr;
  GpuCode (*eventQuery)(GpuEvent event) = nullptr;
  GpuCode (*eventElapsed)(float *milliseconds, GpuEvent start,
                          GpuEvent stop) = nullptr;

  // Captures of streams and graphs, all optional.
  GpuCode (*streamIsCapturing)(GpuStream stream, int *status) = nullptr;
  GpuCode (*exchangeCaptureMode)(int *mode) = nullptr;
  GpuCode (*captureBegin)(GpuStream stream, int mode) = nullptr;
  GpuCode (*captureEnd)(GpuStream stream, GpuGraph *graph) = nullptr;
  GpuCode (*graphInstantiate)(GpuGraphExec *exec, GpuGraph graph,
                              unsigned long long flags) = nullptr;
  GpuCode (*graphLaunch)(GpuGraphExec exec, GpuStream stream) = nullptr;
  GpuCode (*graphDestroy)(GpuGraph graph) = nullptr;
  GpuCode (*graphExecDestroy)(GpuGraphExec exec) = nullptr;
  GpuCode (*graphUpload)(GpuGraphExec exec, GpuStream stream) = nullptr;
  GpuCode (*eventRecordWithFlags)(GpuEvent event, GpuStream stream,
                                  unsigned flags) = nullptr;
};

/// Name of a function in a vendor's driver.
struct GpuFunctionName {
  const char *name;
  void (*bind)(GpuFunctions &functions, void *symbol);
  bool required = true;
};

/// Meaning of an error code, for all drivers.
enum class GpuTrouble {
  request,   ///< this call was refused; its caller knows the meaning
  memory,    ///< there is not enough
  binary,    ///< the driver can't load it
  resources, ///< a launch asks for more than there is
  fault,     ///< the kernel crashed, and took the context along
  hang,      ///< the kernel was ended by the driver's own time limit
  device,    ///< the device or its driver is gone
  unknown,   ///< no code that tonno knows
};

struct GpuErrorRange {
  GpuCode first, last;
  GpuTrouble trouble;
};

/// The numbers by which the vendor's driver knows a device's properties.
struct GpuAttributes {
  int threads;
  std::array<int, 3> block, grid;
  int sharedBytes, sharedBytesOptIn, cacheBytes;
};

/// The target of a thread's calls: a context with CUDA, a device with HIP.
struct GpuCurrent {
  GpuContextHandle context = nullptr;
  int device = 0;

  bool operator==(const GpuCurrent &) const = default;
};

/// Differences between the vendors' drivers.
struct GpuDriverTraits {
  const char *kind;                       ///< "cuda": of the device
  const char *target;                     ///< "nvptx": of loadable artifacts
  const char *name;                       ///< "NVIDIA"
  std::span<const char *const> libraries; ///< names, the best first
  const char *package;                    ///< to install if there is none
  const char *visible;                    ///< the variables that hide devices
  std::span<const GpuFunctionName> functions;
  std::span<const GpuErrorRange> errors;
  GpuAttributes attributes;
  int oldestVersion;                       ///< as driverVersion counts
  const char *oldestRelease;               ///< the vendor's release that has it
  std::string (*versionText)(int version); ///< "12.8"
  /// Reads the chip's name, "sm_90", "gfx942".
  GpuCode (*chip)(const GpuFunctions &functions, int device, std::string &chip);
  std::string (*uuidText)(const GpuUuid &uuid);
  /// Returns the size of the last-level cache, which the driver's attribute may
  /// underreport.
  uint64_t (*cacheBytes)(const std::string &chip, uint64_t attribute);
  /// Retains what all users of the device in this process share.
  GpuCode (*retain)(const GpuFunctions &functions, int device,
                    GpuCurrent &retained);
  void (*release)(const GpuFunctions &functions, int device);
  GpuCode (*getCurrent)(const GpuFunctions &functions, GpuCurrent &current);
  GpuCode (*setCurrent)(const GpuFunctions &functions,
                        const GpuCurrent &current);
  /// Returns true if the device can run a binary for this chip.
  bool (*runs)(const std::string &deviceChip, const std::string &chip,
               bool isText);
};

const GpuDriverTraits &cudaVendor();
const GpuDriverTraits &hipVendor();

/// Finds a function by its name; null where there is none.
using SymbolLookup = std::function<void *(const char *name)>;

/// Binds a vendor's functions. An Error names the first that is missing.
Result<GpuFunctions> bindFunctions(const GpuDriverTraits &vendor,
                                   const SymbolLookup &lookup);

GpuTrouble classifyGpuError(const GpuDriverTraits &vendor, GpuCode code);

/// Why a call of a driver failed.
struct GpuFailure {
  Failure failure;
  /// True if the driver fails every later call of this process, on purpose.
  bool losesDevice = false;
};

/// A driver with devices. Stays loaded, since drivers have threads.
class GpuDriver {
public:
  /// Opens the library at `path`, or the system's if that is empty. Without a
  /// library, the Error advises to name one by `option`.
  static Result<GpuDriver> open(const GpuDriverTraits &vendor,
                                const std::string &path,
                                const std::string &option = "'--driver'");
  static Result<GpuDriver> start(const GpuDriverTraits &vendor,
                                 const GpuFunctions &functions);

  const GpuDriverTraits &vendor() const { return *itsVendor; }
  const GpuFunctions &functions() const { return table; }
  int deviceCount() const { return devices; }

  /// Returns the text of an error, such as "CUDA_ERROR_ILLEGAL_ADDRESS (700),
  /// an illegal memory access was encountered".
  std::string errorText(GpuCode code) const;

  /// Fails with "cannot <doing>: ..." for what a call returned; with `refused`
  /// if the code only says that the call was wrong.
  Result<void, GpuFailure> checkCall(GpuCode code, Status refused,
                                     const std::string &doing) const;

  Result<DeviceDescription> describe(int index) const;

private:
  GpuDriver(const GpuDriverTraits &vendor, const GpuFunctions &functions)
      : itsVendor(&vendor), table(functions) {}

  Result<void> check(GpuCode code, const std::string &doing) const;

  const GpuDriverTraits *itsVendor;
  GpuFunctions table;
  int version = 0;
  int devices = 0;
};

/// Formats a UUID as vendors' tools do,
/// "GPU-00112233-4455-6677-8899-aabbccddeeff".
std::string formatUuid(const GpuUuid &uuid);

} // namespace tonno

#endif // TONNO_RUNTIME_GPUDRIVER_H
