//===- Binaries that a GPU has loaded -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_GPUPROGRAM_H
#define TONNO_RUNTIME_GPUPROGRAM_H

#include "tonno/Core/Artifact.h"
#include "tonno/Runtime/GpuDriver.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tonno {

/// A GPU's limits on the geometry of launches.
struct GpuLimits {
  int threads = 0; ///< of a block
  std::array<int, 3> block = {};
  std::array<int, 3> grid = {};
  int sharedBytes = 0; ///< of a block, all that can be had

  static Result<GpuLimits> read(const GpuDriver &driver, int device);
};

/// A binary in a device's memory, and the kernels that its plan launches. All
/// calls need the device to be current. Threads may enqueue at the same time.
class GpuProgram {
public:
  /// Loads the artifact on a device with that chip and these limits. Fails with
  /// `load_error` for another chip's or corrupt binaries and missing kernels,
  /// with `unlaunchable` for blocks or grids that are too large.
  static Result<GpuProgram, GpuFailure> load(const GpuDriver &driver,
                                             const GpuLimits &limits,
                                             const std::string &deviceChip,
                                             const Artifact &artifact);

  /// Returns the same binary's program for another plan. Unload only one of
  /// both. Fails like `load`.
  Result<GpuProgram, GpuFailure> withPlan(const LaunchPlan &plan,
                                          const GpuLimits &limits) const;

  /// Enqueues all launches of the plan on the stream, in their order. `buffers`
  /// has an address for each buffer of the plan.
  Result<void, GpuFailure> enqueue(GpuStream stream,
                                   std::span<const GpuAddress> buffers) const;

  size_t launchCount() const { return kernels.size(); }

  /// Unloads the binary. Without this call, it stays loaded.
  Result<void, GpuFailure> unload();

private:
  struct Kernel {
    Launch launch;
    GpuFunction function = nullptr;
  };

  explicit GpuProgram(const GpuDriver &driver) : driver(driver) {}

  Result<void, GpuFailure> loadModule(const std::vector<uint8_t> &binary);
  Result<void, GpuFailure> addKernels(const LaunchPlan &plan,
                                      const GpuLimits &limits);
  Result<void, GpuFailure> addKernel(const Launch &launch, size_t bufferCount,
                                     const GpuLimits &limits);
  Result<void, GpuFailure> checkGeometry(const Kernel &kernel,
                                         const GpuLimits &limits) const;

  GpuDriver driver;
  GpuModule module = nullptr;
  std::vector<Kernel> kernels;
};

} // namespace tonno

#endif // TONNO_RUNTIME_GPUPROGRAM_H
