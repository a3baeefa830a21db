//===- Kernels of a program -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_OPENCL_OPENCLEXECUTABLE_H
#define TONNO_LIB_RUNTIME_OPENCL_OPENCLEXECUTABLE_H

#include "tonno/Core/Artifact.h"
#include "tonno/Runtime/Device.h"
#include "tonno/Runtime/OpenClProgram.h"

namespace tonno {

/// A program that is loaded on an OpenCL device, with its plan.
class OpenClExecutable : public Executable {
public:
  static Result<std::unique_ptr<OpenClExecutable>, Failure>
  load(OpenClContext &context, const Artifact &artifact);

  /// Enqueues all launches, with a memory object for each of the plan's
  /// buffers; their events are added, for the caller to release.
  Result<void, Failure> enqueue(std::span<const OpenClMemory> buffers,
                                std::vector<OpenClEvent> &events);

  /// Of each of the plan's buffers.
  std::span<const size_t> bufferBytes() const { return bytes; }

private:
  struct Call {
    OpenClKernel kernel;
    Launch launch;
    std::vector<uint32_t> positions; ///< of each of the launch's buffers
  };

  OpenClExecutable(OpenClContext &context, OpenClProgram program)
      : context(context), program(std::move(program)) {}
  Result<void, Failure> add(const Launch &launch);
  Result<void, Failure> checkGeometry(const Call &call) const;

  OpenClContext &context;
  OpenClProgram program;
  std::vector<Call> calls; ///< destroyed before the program
  std::vector<size_t> bytes;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_OPENCL_OPENCLEXECUTABLE_H
