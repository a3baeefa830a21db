//===- A GPU's kernel in this process -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_GPUKERNEL_H
#define PYTHON_SRC_GPUKERNEL_H

#include "CompiledKernel.h"
#include "SharedGpu.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace tonno::python {

/// The value of a scalar that the caller has on the host.
struct ScalarValue {
  size_t buffer; ///< of the plan
  /// Its bytes; the last ones are 0.
  std::array<uint32_t, 2> words = {};
};

/// A GPU's kernel. Its code is loaded on each device when it first runs there.
class GpuKernel : public CompiledKernel {
public:
  /// An Error says that the target is no GPU. `driver` is the library's path,
  /// or empty for the system's.
  static Result<GpuKernel> make(const std::string &name, Artifact artifact,
                                std::string driver);

  const GpuDriverTraits &vendor() const { return *itsVendor; }

  /// Returns the device with this index.
  Result<SharedGpu *> findGpu(int index) const {
    return SharedGpu::find(*itsVendor, driver, index);
  }

  /// Enqueues the launches on the stream, and does not wait for them. `buffers`
  /// has a place for each buffer of the plan: the caller's are filled in, those
  /// of `scalars` and of the workspace are not.
  Result<void> run(SharedGpu &gpu, GpuStream stream,
                   std::span<GpuAddress> buffers,
                   std::span<const ScalarValue> scalars) const;

private:
  GpuKernel(const std::string &name, Artifact artifact, std::string driver,
            const GpuDriverTraits &vendor);

  Result<void> enqueue(SharedGpu &gpu, const GpuProgram &code, GpuStream stream,
                       std::span<GpuAddress> buffers,
                       std::span<const ScalarValue> scalars,
                       GpuAddress block) const;
  /// As `run`, on a driver without stream-ordered memory.
  Result<void> runInTurn(SharedGpu &gpu, SharedGpu::Program &program,
                         GpuStream stream, std::span<GpuAddress> buffers,
                         std::span<const ScalarValue> scalars) const;

  Artifact artifact;
  std::string driver;
  const GpuDriverTraits *itsVendor;
  BlockLayout block;                 ///< the workspace, then the scalars
  std::vector<size_t> scalarOffsets; ///< by buffer of the plan
  std::vector<ScalarValue> sizes;    ///< in the workspace, with stated contents
  uint64_t blockBytes;               ///< to allocate
};

} // namespace tonno::python

#endif // PYTHON_SRC_GPUKERNEL_H
