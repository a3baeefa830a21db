//===- ReferenceKernel.h - The kernel whose results are right ---*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_RUNTIME_REFERENCEKERNEL_H
#define TONNO_RUNTIME_REFERENCEKERNEL_H

#include "tonno/Runtime/InputData.h"

#include <memory>

namespace tonno {

/// The reference of a problem, loaded on the host.
class ReferenceKernel {
public:
  /// Fails if its buffers do not match the signature, or can't be compared.
  static Result<ReferenceKernel> load(Device &host, const Artifact &artifact,
                                      const Signature &signature);

  /// The values of the outputs, in the signature's order; empty for others.
  Result<Values> run(const Values &inputs);

private:
  ReferenceKernel(Device &host, const Artifact &artifact,
                  const Signature &signature)
      : host(host), plan(artifact.plan), signature(signature) {}

  Device &host;
  LaunchPlan plan;
  Signature signature;
  std::unique_ptr<Executable> executable;
};

} // namespace tonno

#endif // TONNO_RUNTIME_REFERENCEKERNEL_H
