//===- Prepares modules for tuning ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Backend/Backend.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Annotator.h"
#include "tonno/Transforms/Dispatch.h"
#include "tonno/Transforms/DynamicDimensions.h"
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
  if (failed(launchPlan(function, UnknownData::ignore,
                        isDispatch(function) ? Sizes::any : sizes)) &&
      !reason)
    reason = {function.getLoc(), "the function has no launch plan"};
  return reason;
}

SmallVector<func::FuncOp>
tonno::findMeasurable(ArrayRef<func::FuncOp> functions, Sizes sizes) {
  return llvm::filter_to_vector(functions, [&](func::FuncOp function) {
    return !whyNotMeasurable(function, sizes);
  });
}

static LogicalResult emitReasons(ArrayRef<func::FuncOp> functions,
                                 Sizes sizes) {
  for (func::FuncOp function : functions)
    (void)launchPlan(function, UnknownData::ignore,
                     isDispatch(function) ? Sizes::any : sizes);
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
    return emitReasons(chosen, sizes);
  if (!chosen.empty()) // of which only what may vary is asked
    return chosen;
  if (!name.empty()) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (function && isPossible(function) && whyNotMeasurable(function, sizes))
      return emitReasons(function, sizes);
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

/// Checks that each dynamic dimension has a range, and each range a dimension,
/// whose size is not known.
static LogicalResult checkRange(ModuleOp module, const TunerOptions &options) {
  std::vector<Dimension> greatest;
  for (const SizeRange &range : options.range->ranges)
    greatest.push_back({range.name, range.high});
  OwningOpRef<ModuleOp> least = module.clone(), most = module.clone();
  return success(succeeded(specializeShapes(*least, options.kernel,
                                            options.range->sizes())) &&
                 succeeded(specializeShapes(*most, options.kernel, greatest)));
}

/// Size of dynamic dimensions for which knobs are offered, unless their range
/// ends before: larger tiles are not worth trying.
static constexpr int64_t mostOfferedSize = 1024;

/// Returns the annotator that gives functions knobs: a model those of its
/// kernels, where these are tuned one by one.
static Result<Annotator> chooseAnnotator(const TunerOptions &options) {
  auto whole = TONNO_TRY(annotatorFor(options.target, options.chip));
  Annotator ofStatic = whole;
  if (options.target == "host" && !options.wholeFunction) {
    auto host = TONNO_TRY(hostTraits(options.chip));
    ofStatic = createModelAnnotator(host);
  }
  if (!options.range)
    return ofStatic;
  int64_t size = 1;
  for (const SizeRange &range : options.range->ranges)
    size = std::max(size, std::min(range.high, mostOfferedSize));
  Annotator ofDynamic = annotatorAtSize(std::move(whole), size);
  return Annotator([ofStatic, ofDynamic](func::FuncOp function) {
    bool hasDynamic = llvm::any_of(function.getArgumentTypes(), isDynamic);
    return (hasDynamic ? ofDynamic : ofStatic)(function);
  });
}

/// Makes kernels that dispatch those that take all sizes.
static LogicalResult undoDispatches(ModuleOp module, StringRef kernel) {
  // Their variants are erased with them.
  auto dispatches = llvm::to_vector(llvm::make_filter_range(
      module.getOps<func::FuncOp>(), [&](func::FuncOp function) {
        return isDispatch(function) &&
               (kernel.empty() || function.getSymName() == kernel);
      }));
  for (func::FuncOp dispatch : dispatches)
    if (failed(undoDispatch(dispatch)))
      return failure();
  return success();
}

LogicalResult tonno::prepareModule(ModuleOp module,
                                   const TunerOptions &options) {
  if (options.retune && failed(undoDispatches(module, options.kernel)))
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
