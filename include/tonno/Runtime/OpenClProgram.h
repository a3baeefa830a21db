//===- Programs of a device -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_OPENCLPROGRAM_H
#define TONNO_RUNTIME_OPENCLPROGRAM_H

#include "tonno/Core/ResourceUsage.h"
#include "tonno/Runtime/OpenClDriver.h"

#include <array>
#include <memory>
#include <optional>
#include <string_view>

namespace tonno {

/// A context of one device, with a queue that tells times.
class OpenClContext {
public:
  static Result<std::unique_ptr<OpenClContext>>
  create(const OpenClDriver &driver, const OpenClPlace &place);
  ~OpenClContext();
  OpenClContext(const OpenClContext &) = delete;
  OpenClContext &operator=(const OpenClContext &) = delete;

  const OpenClFunctions &functions() const { return table; }
  const OpenClPlace &place() const { return itsPlace; }
  OpenClContextHandle handle() const { return context; }
  OpenClQueue queue() const { return itsQueue; }
  /// Bytes of local memory that a workgroup can have.
  uint64_t localBytes() const { return itsLocalBytes; }

  /// A Failure unless the code is that of success: `refused`, or what the code
  /// itself means. Some codes say that the device is gone.
  Result<void, Failure> check(OpenClCode code, Status refused,
                              const std::string &doing);
  /// What a kernel did that was waited for.
  Result<void, Failure> checkRun(OpenClCode code, const std::string &doing);
  /// A Failure `lost` if that has happened.
  Result<void, Failure> alive() const;
  bool isLost() const { return loss.has_value(); }

private:
  OpenClContext(const OpenClFunctions &table, OpenClPlace place)
      : table(table), itsPlace(std::move(place)) {}

  OpenClFunctions table;
  OpenClPlace itsPlace;
  OpenClContextHandle context = nullptr;
  OpenClQueue itsQueue = nullptr;
  uint64_t itsLocalBytes = 0;
  std::optional<std::string> loss; ///< why the device is gone
};

/// What a kernel says of one of its arguments.
struct OpenClParameter {
  enum class Space { global, constant, local, value };
  std::string name; ///< empty where the driver does not tell
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
  /// None where the driver does not tell of arguments.
  Result<std::optional<std::vector<OpenClParameter>>, Failure>
  parameters() const;
  /// Of a workgroup: that a launch may have at most.
  Result<size_t, Failure> mostWorkItems() const;
  /// What `reqd_work_group_size` says; zeros where the kernel has none.
  std::array<size_t, 3> requiredSize() const;
  /// What the driver tells; local memory is that of a workgroup, with what its
  /// arguments add once they are set.
  ResourceUsage usage() const;

private:
  template <typename T> OpenClCode ask(uint32_t name, T &value) const;

  OpenClContext *context;
  OpenClKernelHandle itsHandle;
};

/// A program that is built for the context's device.
class OpenClProgram {
public:
  /// Failures are `compile_error` with the driver's log.
  static Result<OpenClProgram, Failure> build(OpenClContext &context,
                                              const std::string &source,
                                              const std::string &options);
  /// Of what `image` gave; failures are `load_error`.
  static Result<OpenClProgram, Failure> load(OpenClContext &context,
                                             const std::vector<uint8_t> &image);
  OpenClProgram(OpenClProgram &&other) noexcept
      : context(other.context), handle(std::exchange(other.handle, nullptr)) {}
  OpenClProgram &operator=(OpenClProgram &&) = delete;
  ~OpenClProgram();

  /// The driver's binary; of a driver that gives none, source and options,
  /// which `load` builds.
  Result<std::vector<uint8_t>, Failure> image(const std::string &source,
                                              const std::string &options) const;
  /// A Failure `load_error` names the kernels that there are.
  Result<OpenClKernel, Failure> kernel(const std::string &name) const;

private:
  OpenClProgram(OpenClContext &context, OpenClProgramHandle handle)
      : context(&context), handle(handle) {}
  Result<void, Failure> compile(const std::string &options, Status refused);
  std::string log() const;

  OpenClContext *context;
  OpenClProgramHandle handle;
};

} // namespace tonno

#endif // TONNO_RUNTIME_OPENCLPROGRAM_H
