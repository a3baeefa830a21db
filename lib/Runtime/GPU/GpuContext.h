//===- This process's hold on a GPU ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_GPU_GPUCONTEXT_H
#define TONNO_LIB_RUNTIME_GPU_GPUCONTEXT_H

#include "tonno/Runtime/GpuDriver.h"

#include <memory>
#include <optional>

namespace tonno {

/// What a kernel's launch may ask of a device.
struct GpuLimits {
  int threads = 0; ///< of a block
  std::array<int, 3> block = {};
  std::array<int, 3> grid = {};
  int sharedBytes = 0; ///< of a block, all that can be had
};

/// A GPU that this process uses: its driver, one stream, on which all of
/// tonno's work goes in order, and whether it is lost. After a kernel has
/// crashed, a driver fails every call of the process, on purpose.
class GpuContext {
public:
  static Result<std::unique_ptr<GpuContext>> create(const GpuDriver &driver,
                                                    int index);
  ~GpuContext();
  GpuContext(const GpuContext &) = delete;
  GpuContext &operator=(const GpuContext &) = delete;

  const GpuFunctions &functions() const { return driver.functions(); }
  const GpuVendor &vendor() const { return driver.vendor(); }
  const GpuLimits &limits() const { return itsLimits; }
  GpuStream stream() const { return itsStream; }
  /// "0000:17:00.0"; empty if the driver doesn't say.
  std::string busId() const;

  /// What a call returned, as a Failure "cannot <doing>: ...". Its status
  /// follows from the code; `refused` is that of codes that only say that this
  /// call was wrong. A crash loses the device.
  Result<void, Failure> check(GpuCode code, Status refused,
                              const std::string &doing);
  /// Waits for all of the stream. A kernel that crashed shows here.
  Result<void, Failure> synchronize(const std::string &doing);

  /// A Failure `lost` if the device is.
  Result<void, Failure> alive() const;
  bool isLost() const { return loss.has_value(); }

private:
  GpuContext(const GpuDriver &driver, int device)
      : driver(driver), device(device) {}

  Result<void> readLimits();

  GpuDriver driver;
  int device;
  GpuLimits itsLimits;
  GpuStream itsStream = nullptr;
  std::optional<std::string> loss; ///< why
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_GPU_GPUCONTEXT_H
