//===- The backends there are ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Backend.h"

#include "GPU/GpuBackend.h"
#include "Host/HostBackend.h"
#include "Host/SharedObject.h"

#include "mlir/IR/Diagnostics.h"

using namespace tonno;

Backend::~Backend() = default;

static constexpr llvm::StringLiteral fromOutside = "tonno.from_outside";

void tonno::markAsFromOutside(mlir::InFlightDiagnostic &error) {
  error.getUnderlyingDiagnostic()->getMetadata().emplace_back(
      llvm::StringRef(fromOutside));
}

bool tonno::isFromOutside(mlir::Diagnostic &error) {
  using Argument = mlir::DiagnosticArgument;
  return llvm::any_of(error.getMetadata(), [](const Argument &data) {
    return data.getKind() == Argument::DiagnosticArgumentKind::String &&
           data.getAsString() == fromOutside;
  });
}

/// Scratch memory, over all buffers of it.
static uint64_t workspaceBytes(const LaunchPlan &plan) {
  uint64_t bytes = 0;
  for (const BufferSpec &buffer : plan.buffers)
    if (buffer.access == Access::workspace)
      bytes += buffer.bytes();
  return bytes;
}

ResourceUsage Backend::usage(const Code &code, const LaunchPlan &plan) const {
  ResourceUsage usage;
  if (Result<uint64_t> bytes = codeBytes(code.bytes))
    usage.codeBytes = *bytes;
  usage.workspaceBytes = workspaceBytes(plan);
  return usage;
}

Result<std::unique_ptr<Backend>>
tonno::createBackend(const BackendRequest &request) {
  if (request.target == "host") {
    if (request.isSimulated)
      return Error{"the host's kernels run as they are: simulate those of "
                   "--target=nvptx or amdgpu"};
    return createHostBackend(request.chip);
  }
  if (request.target == "nvptx" || request.target == "amdgpu")
    return createGpuBackend(request);
  return Error{"unknown target '" + request.target +
               "'; there are: host, nvptx, amdgpu"};
}
