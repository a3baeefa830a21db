//===- An artifact on a GPU -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_GPU_GPUEXECUTABLE_H
#define TONNO_LIB_RUNTIME_GPU_GPUEXECUTABLE_H

#include "GpuContext.h"

#include <map>
#include <vector>

namespace tonno {

/// A graph that is ready to run.
class GpuGraphInstance {
public:
  GpuGraphInstance(GpuContext &context, GpuGraphExec exec)
      : context(&context), exec(exec) {}
  GpuGraphInstance(GpuGraphInstance &&other) noexcept
      : context(other.context), exec(std::exchange(other.exec, nullptr)) {}
  GpuGraphInstance &operator=(GpuGraphInstance &&) = delete;
  ~GpuGraphInstance() {
    if (exec && !context->isLost())
      context->functions().graphExecDestroy(exec);
  }

  GpuGraphExec get() const { return exec; }

private:
  GpuContext *context;
  GpuGraphExec exec;
};

/// A binary in the device's memory, and the kernels that its plan launches.
class GpuExecutable : public Executable {
public:
  /// Fails with `load_error` if the binary is for another chip, corrupt, or
  /// lacks a kernel, and with `unlaunchable` if the device can't hold one
  /// block, or the grid is too large.
  static Result<std::unique_ptr<Executable>, Failure>
  load(GpuContext &context, const Artifact &artifact,
       const std::string &deviceChip);
  ~GpuExecutable() override;

  /// Puts all launches of the plan behind what is in the stream.
  Result<void, Failure> enqueue(std::span<const DevicePointer> buffers);

  size_t launchCount() const { return kernels.size(); }

  /// Whether launching takes so long, compared with running, that it must not
  /// be timed; none before that is known.
  std::optional<bool> isShort;
  size_t plainTimings = 0;
  /// By the addresses of the buffers of a batch.
  std::map<std::vector<GpuAddress>, GpuGraphInstance> graphs;

private:
  struct Kernel {
    std::string name;
    GpuFunction function;
    std::vector<uint32_t> buffers;
    LaunchGeometry geometry;
  };

  explicit GpuExecutable(GpuContext &context) : context(context) {}

  Result<void, Failure> loadModule(const std::vector<uint8_t> &binary);
  Result<void, Failure> addKernel(const Launch &launch, size_t bufferCount);
  Result<void, Failure> checkGeometry(const Kernel &kernel);

  GpuContext &context;
  GpuModule module = nullptr;
  std::vector<Kernel> kernels;
};

inline GpuAddress addressOf(DevicePointer pointer) {
  return reinterpret_cast<GpuAddress>(pointer.memory) + pointer.offset;
}

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_GPU_GPUEXECUTABLE_H
