//===- The kernel whose results are right ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_REFERENCEKERNEL_H
#define TONNO_RUNTIME_REFERENCEKERNEL_H

#include "tonno/Runtime/InputData.h"

#include <memory>

namespace tonno {

/// Of the outputs, in the signature's order; empty for the others.
struct ReferenceResults {
  Values values;
  /// The same, rounded once to the signature's element types: what a candidate
  /// that computes exactly would store. Integers of 64 bits are all exact here.
  BufferContents rounded;
};

/// The reference of a problem, loaded on the host. Its buffers have the
/// signature's shapes and accesses; strides and floating-point types are its
/// own.
class ReferenceKernel {
public:
  /// Fails if its buffers do not match the signature, or if elements of a
  /// buffer may share memory.
  static Result<ReferenceKernel> load(Device &host, const Artifact &artifact,
                                      const Signature &signature);

  /// Computes on these inputs. What it reads and writes begins with them, too.
  Result<ReferenceResults> run(const Values &inputs);
  /// The same, of inputs as they lie in its own buffers.
  Result<ReferenceResults> run(const BufferContents &inputs);

  /// Runs with each buffer where nothing can be accessed behind it: an index
  /// out of bounds ends the process, where otherwise the result is made of what
  /// is beside the buffer. Devices without such memory run nothing.
  Result<void> checkAccesses(const Values &inputs);

  /// The largest unit roundoff of its own floating-point buffers.
  double coarsestRoundoff() const;

private:
  ReferenceKernel(Device &host, const Artifact &artifact,
                  const Signature &signature,
                  std::unique_ptr<Executable> executable, DeviceBlock block,
                  BufferSet set)
      : host(host), plan(artifact.plan), signature(signature),
        executable(std::move(executable)), block(std::move(block)),
        set(std::move(set)) {}

  Device &host;
  LaunchPlan plan;
  Signature signature;
  std::unique_ptr<Executable> executable;
  DeviceBlock block;
  BufferSet set;
};

} // namespace tonno

#endif // TONNO_RUNTIME_REFERENCEKERNEL_H
