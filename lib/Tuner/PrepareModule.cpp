//===- Prepares modules for tuning ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Backend/Backend.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Annotator.h"
#include "tonno/Transforms/Dispatch.h"
#include "tonno/Transforms/HostChip.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/ModelKernels.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Transforms/SpecializeShapes.h"
#include "tonno/Transforms/UserLowering.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tonno;

/// Returns the location of the module's first function, as modules have none.
static Location getFunctionLoc(ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  return functions.empty() ? module.getLoc() : (*functions.begin()).getLoc();
}

static bool isPossible(func::FuncOp function) {
  return function.isPublic() && !function.isExternal();
}

std::optional<LocatedReason> tonno::whyNotMeasurable(func::FuncOp function,
                                                     Sizes sizes) {
  std::optional<LocatedReason> reason;
  ScopedDiagnosticHandler handler(
      function.getContext(), [&](Diagnostic &diagnostic) {
        if (!reason && diagnostic.getSeverity() == DiagnosticSeverity::Error)
          reason = {diagnostic.getLocation(), diagnostic.str()};
        return success();
      });
  if (failed(launchPlan(function, UnknownData::ignore, sizes)) && !reason)
    reason = {function.getLoc(), "the function has no launch plan"};
  return reason;
}

SmallVector<func::FuncOp>
tonno::findMeasurable(ArrayRef<func::FuncOp> functions, Sizes sizes) {
  return llvm::filter_to_vector(functions, [&](func::FuncOp function) {
    return !whyNotMeasurable(function, sizes);
  });
}

static LogicalResult emitReasons(ArrayRef<func::FuncOp> functions) {
  for (func::FuncOp function : functions)
    (void)launchPlan(function, UnknownData::ignore);
  return failure();
}

FailureOr<SmallVector<func::FuncOp>> tonno::chooseKernels(ModuleOp module,
                                                          StringRef name,
                                                          Unmarked unmarked,
                                                          Sizes sizes) {
  SmallVector<func::FuncOp> kernels = findKernels(module);
  SmallVector<func::FuncOp> chosen = kernels;
  if (unmarked == Unmarked::include && (kernels.empty() || !name.empty()))
    chosen = llvm::filter_to_vector(module.getOps<func::FuncOp>(), isPossible);
  if (!name.empty())
    llvm::erase_if(chosen, [&](func::FuncOp kernel) {
      return kernel.getSymName() != name;
    });
  SmallVector<func::FuncOp> measurable = findMeasurable(chosen, sizes);
  if (!measurable.empty())
    return measurable;
  if (!chosen.empty() && unmarked == Unmarked::include)
    return emitReasons(chosen);
  if (!chosen.empty()) // of which only what may vary is asked
    return chosen;
  if (!name.empty()) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (function && isPossible(function) && whyNotMeasurable(function))
      return emitReasons(function);
    if (function)
      return emitError(function.getLoc(), "@")
             << name << " is not a kernel: "
             << (!function.isPublic()
                     ? "the function is private"
                     : "the function has no knobs, and no linalg op with a "
                       "default space; mark tunable values by #tonno.knob");
    if (failed(refuseNestedFunctions(module, name)))
      return failure();
    auto error = emitError(module.getLoc(), "unknown kernel '@") << name << "'";
    if (!kernels.empty()) {
      error << "; the kernels are: ";
      llvm::interleaveComma(kernels, error, [&](func::FuncOp kernel) {
        error << "@" << kernel.getSymName();
      });
    }
    return error;
  }
  if (kernels.empty() && failed(refuseNestedFunctions(module)))
    return failure();
  if (kernels.empty())
    return emitError(getFunctionLoc(module))
           << (unmarked == Unmarked::include
                   ? "no kernel in the input: no public function has a body"
                   : "no kernel in the input: no public function has a "
                     "#tonno.knob, or a linalg op with a default space; mark "
                     "tunable values by #tonno.knob");
  return kernels;
}

/// Returns the functions that get a default space. If any function has knobs,
/// no other is changed.
static SmallVector<func::FuncOp>
findFunctionsWithoutKnobs(ModuleOp module, StringRef kernel, Sizes sizes) {
  SmallVector<func::FuncOp> kernels = findKernels(module);
  SmallVector<func::FuncOp> unmarked;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isWanted = kernel.empty() ? kernels.empty()
                                   : function.getSymName() == kernel &&
                                         !llvm::is_contained(kernels, function);
    if (isWanted && function.isPublic() && !function.isExternal() &&
        !hasOwnLowering(function))
      unmarked.push_back(function);
  }
  // Functions that can't be measured need no space.
  return findMeasurable(unmarked, sizes);
}

/// Warns of each public function that is not tuned. If the user has added
/// knobs, functions without knobs are omitted on purpose.
static void warnOfOthers(ModuleOp module, bool isMarked, Sizes sizes) {
  SmallVector<func::FuncOp> kernels = findKernels(module);
  SmallVector<func::FuncOp> measurable = findMeasurable(kernels, sizes);
  if (kernels.empty()) // each is compiled, verified and timed
    measurable =
        findMeasurable(llvm::filter_to_vector(module.getOps<func::FuncOp>(),
                                              [](func::FuncOp function) {
                                                return function.isPublic();
                                              }),
                       sizes);
  if (measurable.empty()) // of which all errors tell
    return;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal() ||
        isReference(function) || llvm::is_contained(measurable, function) ||
        (isMarked && !llvm::is_contained(kernels, function)))
      continue;
    if (auto reason = whyNotMeasurable(function, sizes))
      emitWarning(reason->location, "@")
          << function.getSymName() << " is not tuned: " << reason->text;
    else
      emitWarning(function.getLoc(), "@")
          << function.getSymName()
          << " is left unchanged: the function has no knobs, and no op with a "
             "default space; mark tunable values by #tonno.knob";
  }
}

/// Checks that the text of each pipeline is complete.
static LogicalResult verifyPipelines(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(TonnoDialect::kPipeline) &&
        failed(pipelineText(function)))
      return failure();
  return success();
}

/// Returns what gives functions knobs: those of their kernels where these are
/// tuned one by one.
/// Checks that each dynamic dimension has a range, and each range a dimension.
static LogicalResult checkRange(ModuleOp module, const TunerOptions &options) {
  OwningOpRef<ModuleOp> copy = module.clone();
  return specializeShapes(*copy, options.kernel, options.range->sizes());
}

/// Size of dynamic dimensions for which knobs are offered; larger tiles are not
/// worth trying.
static constexpr int64_t offeredSize = 1024;

static Result<Annotator> chooseAnnotator(const TunerOptions &options) {
  if (options.range) {
    auto annotate = TONNO_TRY(annotatorFor(options.target, options.chip));
    return annotatorAtSize(std::move(annotate), offeredSize);
  }
  if (options.target != "host" || options.wholeFunction)
    return annotatorFor(options.target, options.chip);
  auto host = TONNO_TRY(hostTraits(options.chip));
  return createModelAnnotator(host);
}

LogicalResult tonno::prepareModule(ModuleOp module,
                                   const TunerOptions &options) {
  if (options.retune)
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (isDispatch(function) && failed(undoDispatch(function)))
        return failure();
  if (!options.shapes.empty() &&
      failed(specializeShapes(module, options.kernel, options.shapes)))
    return failure();
  if (failed(addToKernels(module, options.kernel, options.kernelOptions)))
    return failure();
  if (failed(verifySchedules(module)) || failed(verifyPipelines(module)))
    return failure();
  if (options.kernel.empty() && !module.getOps<func::FuncOp>().empty())
    warnOfNestedKernels(module);
  if (options.range && failed(checkRange(module, options)))
    return failure();
  Sizes sizes = options.range ? Sizes::any : Sizes::known;
  bool isMarked = !findKernels(module).empty();
  SmallVector<func::FuncOp> unmarked =
      findFunctionsWithoutKnobs(module, options.kernel, sizes);
  if (!unmarked.empty()) {
    Result<Annotator> annotate = chooseAnnotator(options);
    if (!annotate)
      return emitError(module.getLoc(), annotate.error().message);
    annotateFunctions(unmarked, *annotate);
  }
  if (options.kernel.empty())
    warnOfOthers(module, isMarked, sizes);
  return success();
}
