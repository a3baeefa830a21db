//===- Backends -----------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Backend.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "GPU/GpuBackend.h"
#include "Host/HostBackend.h"
#include "Linker.h"

using namespace tonno;

// Everything upstream: a kernel's module may hold anything beside the kernel,
// and the interfaces of tiling and bufferisation come in one registration.
void tonno::registerBackendDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  mlir::registerOpenMPDialectTranslation(registry);
  mlir::registerROCDLDialectTranslation(registry);
  registry.insert<TonnoDialect>();
}

Backend::~Backend() = default;

bool Backend::mayTruncateSums(mlir::func::FuncOp) const { return false; }

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

/// Returns the total size of the plan's workspace buffers.
static uint64_t workspaceBytes(const LaunchPlan &plan) {
  uint64_t bytes = 0;
  for (const BufferSpec &buffer : plan.buffers)
    if (buffer.access == Access::workspace && !buffer.isDynamic())
      bytes += buffer.bytes();
  return bytes;
}

ResourceUsage Backend::usage(const Code &code, const LaunchPlan &plan,
                             const KernelWork & /*work*/) const {
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
      return Error{"only kernels for GPUs can be simulated; give "
                   "'--target=nvptx' or '--target=amdgpu'"};
    return createHostBackend(request.chip);
  }
  if (request.target == "nvptx" || request.target == "amdgpu")
    return createGpuBackend(request);
  return Error{"unknown target '" + request.target +
               "'; the targets are: host, nvptx, amdgpu"};
}
