//===- Compile.cpp - Kernels to artifacts ---------------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Backend/Compile.h"

#include "tonno/Transforms/Schedule/KernelBuffers.h"
#include "SharedObject.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tonno;

/// Appends the buffers that the lowered entry point says it takes beyond the
/// kernel's signature.
static LogicalResult addWorkspace(LaunchPlan &plan, ModuleOp lowered) {
  Launch &launch = plan.launches.front();
  Operation *entry = SymbolTable::lookupSymbolIn(lowered, launch.symbol);
  auto buffers = entry ? getKernelBuffers(entry) : std::nullopt;
  if (!buffers)
    return success();
  if (buffers->size() < plan.buffers.size())
    return entry->emitError() << "the lowering lost the kernel's buffers";
  auto added = llvm::ArrayRef(*buffers).drop_front(plan.buffers.size());
  for (auto [i, buffer] : llvm::enumerate(added)) {
    BufferSpec spec;
    spec.name = "workspace" + std::to_string(i);
    spec.elementType = ElementType::i8;
    llvm::append_range(spec.shape, buffer.type.getShape());
    spec.access = Access::workspace;
    spec.alignment = buffer.alignment;
    launch.buffers.push_back(plan.buffers.size());
    plan.buffers.push_back(std::move(spec));
  }
  return success();
}

/// Lowers a kernel and completes its plan.
static LogicalResult lower(const Backend &backend, ModuleOp module,
                           StringRef kernel, LaunchPlan &plan) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  backend.buildPipeline(pm, kernel);
  return success(succeeded(pm.run(module)) &&
                 succeeded(addWorkspace(plan, module)));
}

FailureOr<LaunchPlan> tonno::lowerKernel(const Backend &backend,
                                         ModuleOp module, StringRef kernel) {
  auto function = module.lookupSymbol<func::FuncOp>(kernel);
  if (!function)
    return module.emitError() << "no function '" << kernel << "'";
  if (failed(backend.check(function)))
    return failure();
  FailureOr<LaunchPlan> plan = launchPlan(function);
  if (failed(plan) || failed(lower(backend, module, kernel, *plan)))
    return failure();
  return plan;
}

static FailureOr<Artifact> emitArtifact(const Backend &backend,
                                        ModuleOp lowered, LaunchPlan plan) {
  FailureOr<std::string> binary = backend.emit(lowered, EmitKind::shared);
  if (failed(binary))
    return failure();
  Artifact artifact;
  artifact.target = backend.name().str();
  artifact.triple = backend.target().triple;
  artifact.chip = backend.target().chip;
  artifact.binary.assign(binary->begin(), binary->end());
  artifact.plan = std::move(plan);
  if (Result<uint64_t> bytes = codeBytes(*binary))
    artifact.usage.codeBytes = *bytes;
  uint64_t workspaceBytes = 0;
  for (const BufferSpec &buffer : artifact.plan.buffers)
    if (buffer.access == Access::workspace)
      workspaceBytes += buffer.bytes();
  artifact.usage.workspaceBytes = workspaceBytes;
  return artifact;
}

FailureOr<Artifact> tonno::compileCandidate(const Backend &backend,
                                            ModuleOp module, StringRef kernel) {
  FailureOr<LaunchPlan> plan = lowerKernel(backend, module, kernel);
  if (failed(plan))
    return failure();
  return emitArtifact(backend, module, std::move(*plan));
}

FailureOr<Artifact> tonno::compileWithPlan(const Backend &backend,
                                           ModuleOp module, StringRef kernel,
                                           LaunchPlan plan) {
  if (failed(lower(backend, module, kernel, plan)))
    return failure();
  return emitArtifact(backend, module, std::move(plan));
}
