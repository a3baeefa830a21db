//===- OpenCL's driver, and a program that it has built -------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_OPENCLPROGRAM_H
#define TONNO_RUNTIME_OPENCLPROGRAM_H

#include "tonno/Core/ResourceUsage.h"
#include "tonno/Core/Result.h"
#include "tonno/Core/Status.h"
#include "tonno/Runtime/Device.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// Status of an OpenCL function, cl_int; 0 is success.
using OpenClCode = int32_t;

using OpenClPlatform = struct OpenClPlatformObject *;
using OpenClDeviceId = struct OpenClDeviceObject *;
using OpenClContextHandle = struct OpenClContextObject *;
using OpenClQueue = struct OpenClQueueObject *;
using OpenClMemory = struct OpenClMemoryObject *;
using OpenClProgramHandle = struct OpenClProgramObject *;
using OpenClKernelHandle = struct OpenClKernelObject *;
using OpenClEvent = struct OpenClEventObject *;

/// Functions of OpenCL 1.2, declared here so that no header is needed.
struct OpenClFunctions {
  using Code = OpenClCode;
  Code (*platformIds)(uint32_t count, OpenClPlatform *platforms,
                      uint32_t *found) = nullptr;
  Code (*platformInfo)(OpenClPlatform platform, uint32_t name, size_t bytes,
                       void *value, size_t *needed) = nullptr;
  Code (*deviceIds)(OpenClPlatform platform, uint64_t types, uint32_t count,
                    OpenClDeviceId *devices, uint32_t *found) = nullptr;
  Code (*deviceInfo)(OpenClDeviceId device, uint32_t name, size_t bytes,
                     void *value, size_t *needed) = nullptr;
  OpenClContextHandle (*createContext)(
      const intptr_t *properties, uint32_t count, const OpenClDeviceId *devices,
      void (*notify)(const char *, const void *, size_t, void *), void *data,
      Code *code) = nullptr;
  Code (*releaseContext)(OpenClContextHandle context) = nullptr;
  OpenClQueue (*createQueue)(OpenClContextHandle context, OpenClDeviceId device,
                             uint64_t properties, Code *code) = nullptr;
  Code (*releaseQueue)(OpenClQueue queue) = nullptr;
  Code (*finish)(OpenClQueue queue) = nullptr;

  OpenClMemory (*createBuffer)(OpenClContextHandle context, uint64_t flags,
                               size_t bytes, void *host, Code *code) = nullptr;
  OpenClMemory (*createSubBuffer)(OpenClMemory memory, uint64_t flags,
                                  uint32_t kind, const void *region,
                                  Code *code) = nullptr;
  Code (*releaseMemory)(OpenClMemory memory) = nullptr;
  Code (*write)(OpenClQueue queue, OpenClMemory to, uint32_t waits,
                size_t offset, size_t bytes, const void *from, uint32_t count,
                const OpenClEvent *after, OpenClEvent *event) = nullptr;
  Code (*read)(OpenClQueue queue, OpenClMemory from, uint32_t waits,
               size_t offset, size_t bytes, void *to, uint32_t count,
               const OpenClEvent *after, OpenClEvent *event) = nullptr;
  Code (*fill)(OpenClQueue queue, OpenClMemory memory, const void *pattern,
               size_t patternBytes, size_t offset, size_t bytes, uint32_t count,
               const OpenClEvent *after, OpenClEvent *event) = nullptr;

  OpenClProgramHandle (*programOfSource)(OpenClContextHandle context,
                                         uint32_t count, const char **texts,
                                         const size_t *lengths,
                                         Code *code) = nullptr;
  OpenClProgramHandle (*programOfBinary)(OpenClContextHandle context,
                                         uint32_t count,
                                         const OpenClDeviceId *devices,
                                         const size_t *lengths,
                                         const unsigned char **binaries,
                                         Code *each, Code *code) = nullptr;
  Code (*buildProgram)(OpenClProgramHandle program, uint32_t count,
                       const OpenClDeviceId *devices, const char *options,
                       void (*notify)(OpenClProgramHandle, void *),
                       void *data) = nullptr;
  Code (*programInfo)(OpenClProgramHandle program, uint32_t name, size_t bytes,
                      void *value, size_t *needed) = nullptr;
  Code (*buildInfo)(OpenClProgramHandle program, OpenClDeviceId device,
                    uint32_t name, size_t bytes, void *value,
                    size_t *needed) = nullptr;
  Code (*releaseProgram)(OpenClProgramHandle program) = nullptr;

  OpenClKernelHandle (*createKernel)(OpenClProgramHandle program,
                                     const char *name, Code *code) = nullptr;
  Code (*releaseKernel)(OpenClKernelHandle kernel) = nullptr;
  Code (*kernelInfo)(OpenClKernelHandle kernel, uint32_t name, size_t bytes,
                     void *value, size_t *needed) = nullptr;
  Code (*argumentInfo)(OpenClKernelHandle kernel, uint32_t index, uint32_t name,
                       size_t bytes, void *value, size_t *needed) = nullptr;
  Code (*workGroupInfo)(OpenClKernelHandle kernel, OpenClDeviceId device,
                        uint32_t name, size_t bytes, void *value,
                        size_t *needed) = nullptr;
  Code (*setArgument)(OpenClKernelHandle kernel, uint32_t index, size_t bytes,
                      const void *value) = nullptr;
  Code (*launch)(OpenClQueue queue, OpenClKernelHandle kernel,
                 uint32_t dimensions, const size_t *offset,
                 const size_t *global, const size_t *local, uint32_t count,
                 const OpenClEvent *after, OpenClEvent *event) = nullptr;

  Code (*eventInfo)(OpenClEvent event, uint32_t name, size_t bytes, void *value,
                    size_t *needed) = nullptr;
  Code (*profile)(OpenClEvent event, uint32_t name, size_t bytes, void *value,
                  size_t *needed) = nullptr;
  Code (*releaseEvent)(OpenClEvent event) = nullptr;
};

/// Finds a function by its name; null where there is none.
using OpenClLookup = std::function<void *(const char *name)>;

/// Binds OpenCL's functions; the Error names the first missing one.
Result<OpenClFunctions> bindOpenCl(const OpenClLookup &lookup);

/// Formats an error code: "CL_OUT_OF_RESOURCES (-5)".
std::string openClErrorText(OpenClCode code);

/// A device of a platform.
struct OpenClPlatformDevice {
  OpenClPlatform platform = nullptr;
  OpenClDeviceId device = nullptr;
  std::string platformName;
  std::string version; ///< "OpenCL 3.0 PoCL 3.1": of platform and device
  bool isCpu = false;
  uint64_t alignment = 128; ///< in bytes, of where a part of memory may begin
  DeviceDescription about;
};

/// OpenCL's loader, loaded to the end of the process, with all devices.
class OpenClDriver {
public:
  /// Opens the library at `path`, or the system's if that is empty.
  static Result<OpenClDriver> open(const std::string &path);

  const OpenClFunctions &functions() const { return table; }
  /// Returns the devices, at least one, in the order of the loader's platforms.
  const std::vector<OpenClPlatformDevice> &places() const { return found; }
  /// Returns the device with this index or UUID; the first for an empty text.
  Result<OpenClPlatformDevice> choose(const std::string &which) const;

private:
  explicit OpenClDriver(const OpenClFunctions &table) : table(table) {}
  Result<void> find();
  Result<OpenClPlatformDevice>
  describe(OpenClPlatform platform, OpenClDeviceId device, size_t index) const;

  OpenClFunctions table;
  std::vector<OpenClPlatformDevice> found;
};

/// A context for one device, with a profiling queue.
class OpenClContext {
public:
  static Result<std::unique_ptr<OpenClContext>>
  create(const OpenClDriver &driver, const OpenClPlatformDevice &place);
  ~OpenClContext();
  OpenClContext(const OpenClContext &) = delete;
  OpenClContext &operator=(const OpenClContext &) = delete;

  const OpenClFunctions &functions() const { return table; }
  const OpenClPlatformDevice &place() const { return itsPlace; }
  OpenClContextHandle handle() const { return context; }
  OpenClQueue queue() const { return itsQueue; }
  /// Returns the bytes of local memory that a workgroup can have.
  uint64_t localBytes() const { return itsLocalBytes; }

  /// Fails unless the code is success: with the code's own status, or else with
  /// `refused`. Some codes lose the device.
  Result<void, Failure> check(OpenClCode code, Status refused,
                              const std::string &doing);
  /// Returns the outcome of a kernel that was waited for.
  Result<void, Failure> checkRun(OpenClCode code, const std::string &doing);
  /// Fails with `lost` if the device was lost.
  Result<void, Failure> alive() const;
  bool isLost() const { return loss.has_value(); }

private:
  OpenClContext(const OpenClFunctions &table, OpenClPlatformDevice place)
      : table(table), itsPlace(std::move(place)) {}

  OpenClFunctions table;
  OpenClPlatformDevice itsPlace;
  OpenClContextHandle context = nullptr;
  OpenClQueue itsQueue = nullptr;
  uint64_t itsLocalBytes = 0;
  std::optional<std::string> loss; ///< why the device is gone
};

/// An argument of a kernel, as the driver describes it.
struct OpenClParameter {
  enum class Space { global, constant, local, value };
  std::string name; ///< empty if the driver does not report it
  std::string type; ///< without its pointer: "float4", "uint"
  Space space = Space::value;
  bool isConst = false; ///< of what it points to
};

/// A kernel of a built program. The program must outlive it.
class OpenClKernel {
public:
  OpenClKernel(OpenClContext &context, OpenClKernelHandle handle)
      : context(&context), itsHandle(handle) {}
  OpenClKernel(OpenClKernel &&other) noexcept
      : context(other.context),
        itsHandle(std::exchange(other.itsHandle, nullptr)) {}
  OpenClKernel &operator=(OpenClKernel &&) = delete;
  ~OpenClKernel();

  OpenClKernelHandle handle() const { return itsHandle; }
  /// Returns the parameters; none if the driver does not describe arguments.
  Result<std::optional<std::vector<OpenClParameter>>, Failure>
  parameters() const;
  Result<uint32_t, Failure> argumentCount() const;
  Result<void, Failure> setArgument(uint32_t position, size_t bytes,
                                    const void *value);
  /// Returns the largest number of work-items that a workgroup may have.
  Result<size_t, Failure> mostWorkItems() const;
  /// Returns the size stated by `reqd_work_group_size`; zeros if the kernel has
  /// none.
  std::array<size_t, 3> requiredSize() const;
  /// Returns the usage reported by the driver; local memory includes set
  /// arguments.
  ResourceUsage usage() const;

private:
  template <typename T> OpenClCode ask(uint32_t name, T &value) const;

  OpenClContext *context;
  OpenClKernelHandle itsHandle;
};

/// A program that is built for the context's device.
class OpenClProgram {
public:
  /// Builds a program; failures are `compile_error` with the driver's log.
  static Result<OpenClProgram, Failure> build(OpenClContext &context,
                                              const std::string &source,
                                              const std::string &options);
  /// Loads a program from the bytes returned by `image`; failures are
  /// `load_error`.
  static Result<OpenClProgram, Failure> load(OpenClContext &context,
                                             const std::vector<uint8_t> &image);
  OpenClProgram(OpenClProgram &&other) noexcept
      : context(other.context), handle(std::exchange(other.handle, nullptr)) {}
  OpenClProgram &operator=(OpenClProgram &&) = delete;
  ~OpenClProgram();

  /// Returns the driver's binary; without one, source and options to build.
  Result<std::vector<uint8_t>, Failure> image(const std::string &source,
                                              const std::string &options) const;
  /// Returns the kernel with this name; a Failure `load_error` names the
  /// existing kernels.
  Result<OpenClKernel, Failure> kernel(const std::string &name) const;

private:
  OpenClProgram(OpenClContext &context, OpenClProgramHandle handle)
      : context(&context), handle(handle) {}
  Result<void, Failure> compile(const std::string &options, Status refused);

  OpenClContext *context;
  OpenClProgramHandle handle;
};

/// Makes a device of OpenCL. `which` is an index among all platforms' devices
/// or a UUID; empty: the first. Artifacts are the driver's binaries, or source
/// where it gives none; a kernel gets its buffers and the plan's plain
/// arguments. Times are the sums of the launches' own, without the gaps between
/// them.
Result<std::unique_ptr<Device>>
createOpenClDevice(const std::string &which, const DeviceOptions &options);
Result<std::vector<DeviceDescription>>
listOpenClDevices(const DeviceOptions &options);

} // namespace tonno

#endif // TONNO_RUNTIME_OPENCLPROGRAM_H
