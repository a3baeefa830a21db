//===- Default search space of kernels ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Annotator.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/Passes.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "DefaultSpace/DefaultSpaces.h"
#include "Schedule/Decomposition/Decomposition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace tonno {
#define GEN_PASS_DEF_ANNOTATE
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

int64_t tonno::countIterations(Operation *op) {
  auto loops = dyn_cast<linalg::LinalgOp>(op);
  if (!loops || loops.hasDynamicShape())
    return 0;
  return computeProduct(loops.getStaticLoopRanges());
}

int64_t tonno::countElements(Operation *op) {
  int64_t elements = 0;
  if (isa<linalg::LinalgOp, linalg::SoftmaxOp>(op))
    for (Type type : op->getOperandTypes())
      if (auto shaped = dyn_cast<ShapedType>(type)) {
        if (!shaped.hasStaticShape())
          return 0;
        elements += shaped.getNumElements();
      }
  return elements;
}

static Result<DefaultSchedule> findGpuSchedule(StringRef chip, GpuVendor vendor,
                                               StringRef example) {
  Result<const GpuChip *> gpu = findGpuChip(chip);
  if (!gpu)
    return gpu.error();
  if ((*gpu)->vendor != vendor)
    return Error{"'" + chip.str() +
                 "' is another vendor's chip; give one such "
                 "as '" +
                 example.str() + "'"};
  return DefaultSchedule{[gpu = *gpu](func::FuncOp function) {
                           return annotateForGpu(function, *gpu);
                         },
                         findGpuGroups, countElements};
}

Result<DefaultSchedule> tonno::findDefaultSchedule(StringRef target,
                                                   StringRef chip) {
  if (target == "nvptx")
    return findGpuSchedule(chip, GpuVendor::nvidia, "sm_90");
  if (target == "amdgpu")
    return findGpuSchedule(chip, GpuVendor::amd, "gfx942");
  if (target != "host")
    return Error{"unknown target '" + target.str() +
                 "'; the targets are: host, nvptx, amdgpu"};
  Result<HostTraits> host = hostTraits(chip);
  if (!host)
    return host.error();
  return DefaultSchedule{[host = *host](func::FuncOp function) {
                           return annotateForHost(function, host);
                         },
                         findHostGroups, countIterations};
}

Result<Annotator> tonno::annotatorFor(StringRef target, StringRef chip) {
  return TONNO_TRY(findDefaultSchedule(target, chip)).annotate;
}

/// Returns the function without calls and with linalg ops for what computes
/// tensors; null if it can't be brought to that form. Lowering it says why.
static OwningOpRef<func::FuncOp> flatten(func::FuncOp function) {
  ScopedDiagnosticHandler quiet(function.getContext(),
                                [](Diagnostic &) { return success(); });
  OwningOpRef<func::FuncOp> flat = function.clone();
  // Inserts the copy into the module, where its symbols resolve.
  SymbolTable(function->getParentOp()).insert(*flat);
  bool isFlat =
      succeeded(inlineCalls(*flat)) && succeeded(convertToLinalg(*flat));
  flat->getOperation()->remove();
  return isFlat ? std::move(flat) : nullptr;
}

void tonno::swapBodies(func::FuncOp one, func::FuncOp other) {
  Region body;
  body.takeBody(one.getBody());
  one.getBody().takeBody(other.getBody());
  other.getBody().takeBody(body);
}

OwningOpRef<func::FuncOp> tonno::flattenBody(func::FuncOp function) {
  OwningOpRef<func::FuncOp> flat = flatten(function);
  if (flat)
    swapBodies(function, *flat);
  return flat;
}

bool tonno::isConfigured(func::FuncOp kernel) {
  auto hasConfiguration = [](Operation *op) {
    return op->hasAttr(TonnoDialect::kLoweringConfig);
  };
  return kernel->hasAttr(TonnoDialect::kTuned) ||
         llvm::any_of(collectClosure(kernel), [&](Operation *op) {
           return anyOp(op, hasConfiguration);
         });
}

bool tonno::isReference(func::FuncOp function) {
  auto isNamedBy = [&](func::FuncOp kernel) {
    auto name =
        kernel->getAttrOfType<FlatSymbolRefAttr>(TonnoDialect::kReference);
    return name && kernel != function &&
           name.getAttr() == function.getSymNameAttr();
  };
  return llvm::any_of(
      function->getParentOfType<ModuleOp>().getOps<func::FuncOp>(), isNamedBy);
}

SmallVector<SymbolOpInterface> tonno::findCallees(ModuleOp module) {
  SmallVector<SymbolOpInterface> callees;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPrivate() && !function.isExternal() &&
        !SymbolTable::symbolKnownUseEmpty(function, module))
      callees.push_back(cast<SymbolOpInterface>(*function));
  return callees;
}

void tonno::annotateFunctions(ArrayRef<func::FuncOp> functions,
                              const Annotator &annotate) {
  if (functions.empty())
    return;
  auto module = functions.front()->getParentOfType<ModuleOp>();
  SmallVector<func::FuncOp> marked = findKernels(module);
  SmallVector<SymbolOpInterface> callees = findCallees(module);
  // All before the first gets knobs, which its callers would get too.
  SmallVector<OwningOpRef<func::FuncOp>> flat;
  for (func::FuncOp function : functions)
    flat.push_back(function.isExternal() || hasOwnLowering(function) ||
                           llvm::is_contained(marked, function)
                       ? nullptr
                       : flatten(function));
  for (auto [function, flattened] : llvm::zip_equal(functions, flat)) {
    if (isReference(function))
      continue;
    if (flattened)
      swapBodies(function, *flattened);
    if (annotate(function) == 0 && flattened)
      swapBodies(function, *flattened);
  }
  eraseUnused(std::move(callees));
}

namespace {

struct AnnotatePass : tonno::impl::AnnotateBase<AnnotatePass> {
  using AnnotateBase::AnnotateBase;

  void runOnOperation() override {
    Result<Annotator> annotate = annotatorFor(target, chip);
    if (!annotate) {
      emitError(getOperation().getLoc(), annotate.error().message);
      return signalPassFailure();
    }
    if (!threads.empty() && (target != "host" || !llvm::is_sorted(threads))) {
      emitError(getOperation().getLoc(),
                "'threads' must ascend, and applies only to the host");
      return signalPassFailure();
    }
    auto functions = llvm::to_vector(llvm::make_filter_range(
        getOperation().getOps<func::FuncOp>(),
        [](func::FuncOp function) { return function.isPublic(); }));
    annotateFunctions(functions, *annotate);
    for (func::FuncOp function : functions)
      offerThreads(function, threads);
  }
};

} // namespace
