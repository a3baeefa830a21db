//===- Compile.cpp - Kernels to artifacts ---------------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Backend/Compile.h"

#include "SharedObject.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tonno;

FailureOr<LaunchPlan> tonno::lowerKernel(const Backend &backend,
                                         ModuleOp module, StringRef kernel) {
  auto function = module.lookupSymbol<func::FuncOp>(kernel);
  if (!function)
    return module.emitError() << "no function '" << kernel << "'";
  if (failed(backend.check(function)))
    return failure();
  FailureOr<LaunchPlan> plan = launchPlan(function);
  if (failed(plan))
    return failure();
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  backend.buildPipeline(pm, kernel);
  if (failed(pm.run(module)))
    return failure();
  return plan;
}

FailureOr<Artifact> tonno::compileCandidate(const Backend &backend,
                                            ModuleOp module, StringRef kernel) {
  FailureOr<LaunchPlan> plan = lowerKernel(backend, module, kernel);
  if (failed(plan))
    return failure();
  FailureOr<std::string> binary = backend.emit(module, EmitKind::shared);
  if (failed(binary))
    return failure();

  Artifact artifact;
  artifact.target = backend.name().str();
  artifact.triple = backend.target().triple;
  artifact.chip = backend.target().chip;
  artifact.binary.assign(binary->begin(), binary->end());
  artifact.plan = std::move(*plan);
  if (Result<uint64_t> bytes = codeBytes(*binary))
    artifact.usage.codeBytes = *bytes;
  artifact.usage.workspaceBytes = 0;
  return artifact;
}
