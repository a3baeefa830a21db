//===- Prepares modules for tuning ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Backend/Backend.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/DefaultSchedule.h"
#include "tonno/Transforms/Dispatch.h"
#include "tonno/Transforms/DynamicDimensions.h"
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

bool tonno::isForRange(func::FuncOp function) {
  return function->hasAttr(TonnoDialect::kShapes) &&
         llvm::any_of(function.getArgumentTypes(), isDynamic);
}

/// Returns the treatment of the function's dynamic dimensions.
static Sizes getSizes(func::FuncOp function) {
  return isForRange(function) || isDispatch(function) ? Sizes::any
                                                      : Sizes::known;
}

std::optional<LocatedReason> tonno::whyNotMeasurable(func::FuncOp function) {
  std::optional<LocatedReason> reason;
  ScopedDiagnosticHandler handler(
      function.getContext(), [&](Diagnostic &diagnostic) {
        if (!reason && diagnostic.getSeverity() == DiagnosticSeverity::Error)
          reason = {diagnostic.getLocation(), diagnostic.str()};
        return success();
      });
  if (failed(launchPlan(function, UnknownData::ignore, getSizes(function))) &&
      !reason)
    reason = {function.getLoc(), "the function has no launch plan"};
  return reason;
}

SmallVector<func::FuncOp>
tonno::findMeasurable(ArrayRef<func::FuncOp> functions) {
  return llvm::filter_to_vector(functions, [](func::FuncOp function) {
    return !whyNotMeasurable(function);
  });
}

static LogicalResult emitReasons(ArrayRef<func::FuncOp> functions) {
  for (func::FuncOp function : functions)
    (void)launchPlan(function, UnknownData::ignore, getSizes(function));
  return failure();
}

FailureOr<SmallVector<func::FuncOp>>
tonno::chooseKernels(ModuleOp module, StringRef name, Unmarked unmarked) {
  SmallVector<func::FuncOp> kernels = findKernels(module);
  SmallVector<func::FuncOp> chosen = kernels;
  if (unmarked == Unmarked::include && (kernels.empty() || !name.empty()))
    chosen = llvm::filter_to_vector(module.getOps<func::FuncOp>(), isPossible);
  if (!name.empty())
    llvm::erase_if(chosen, [&](func::FuncOp kernel) {
      return kernel.getSymName() != name;
    });
  SmallVector<func::FuncOp> measurable = findMeasurable(chosen);
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
static SmallVector<func::FuncOp> findFunctionsWithoutKnobs(ModuleOp module,
                                                           StringRef kernel) {
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
  return findMeasurable(unmarked);
}

/// Warns of each public function that is not tuned. If the user has added
/// knobs, functions without knobs are omitted on purpose.
static void warnOfOthers(ModuleOp module, bool isMarked) {
  SmallVector<func::FuncOp> kernels = findKernels(module);
  SmallVector<func::FuncOp> measurable = findMeasurable(kernels);
  if (kernels.empty()) // each is compiled, verified and timed
    measurable = findMeasurable(llvm::filter_to_vector(
        module.getOps<func::FuncOp>(),
        [](func::FuncOp function) { return function.isPublic(); }));
  if (measurable.empty()) // of which all errors tell
    return;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal() ||
        isReference(function) || llvm::is_contained(measurable, function) ||
        (isMarked && !llvm::is_contained(kernels, function)))
      continue;
    if (auto reason = whyNotMeasurable(function))
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

/// Checks that each dynamic dimension of the kernel, or of all if it is empty,
/// has a range, and each range a dimension, whose size is not known.
static LogicalResult checkRange(ModuleOp module, StringRef kernel,
                                const Shapes &shapes) {
  std::vector<Dimension> greatest;
  for (const SizeRange &range : shapes.ranges)
    greatest.push_back({range.name, range.high});
  OwningOpRef<ModuleOp> least = module.clone(), most = module.clone();
  return success(succeeded(specializeShapes(*least, kernel, shapes.sizes())) &&
                 succeeded(specializeShapes(*most, kernel, greatest)));
}

/// Writes the range of the options into the kernels that it applies to.
static LogicalResult writeRange(ModuleOp module, const TunerOptions &options) {
  if (failed(checkRange(module, options.kernel, *options.range)))
    return failure();
  auto text =
      StringAttr::get(module.getContext(), formatShapes(*options.range));
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isChosen = options.kernel.empty()
                        ? function.isPublic()
                        : function.getSymName() == options.kernel;
    bool isExtended =
        isForRange(function) && function->hasAttr(TonnoDialect::kTuned);
    if (isChosen && !function.isExternal() && !isDispatch(function) &&
        !isExtended && llvm::any_of(function.getArgumentTypes(), isDynamic))
      function->setAttr(TonnoDialect::kShapes, text);
  }
  return success();
}

/// Returns the shapes that the function's `tonno.shapes` states.
static FailureOr<Shapes> readOwnShapes(func::FuncOp function) {
  auto text = function->getAttrOfType<StringAttr>(TonnoDialect::kShapes);
  auto shapes = parseStatedShapes(text.getValue());
  if (!shapes)
    return function.emitError()
           << "'" << TonnoDialect::kShapes << "': " << shapes.error().message;
  return std::move(*shapes);
}

/// Gives functions whose `tonno.shapes` is one shape their sizes, and checks
/// the ranges of others.
static LogicalResult readStatedShapes(ModuleOp module, StringRef kernel) {
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    bool isChosen = kernel.empty() || function.getSymName() == kernel;
    if (!isChosen || !isForRange(function) || isDispatch(function))
      continue;
    auto shapes = readOwnShapes(function);
    if (failed(shapes))
      return failure();
    if (failed(shapes->areFixed()
                   ? specializeShapes(module, function.getSymName(),
                                      shapes->sizes())
                   : checkRange(module, function.getSymName(), *shapes)))
      return failure();
  }
  return success();
}

/// Size of dynamic dimensions for which knobs are offered; larger tiles are not
/// worth trying.
static constexpr int64_t offeredSize = 1024;

/// Returns the annotator that gives functions knobs: a model those of its
/// kernels, where these are tuned one by one.
static Result<Annotator> chooseAnnotator(const TunerOptions &options) {
  auto schedule = TONNO_TRY(findDefaultSchedule(options.target, options.chip));
  Annotator ofStatic = options.wholeFunction ? schedule.annotate
                                             : createModelAnnotator(schedule);
  Annotator ofDynamic = annotatorAtSize(schedule.annotate, offeredSize);
  return Annotator([ofStatic, ofDynamic](func::FuncOp function) {
    return (isForRange(function) ? ofDynamic : ofStatic)(function);
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

/// Leaves the knobs of the kernel without selected options.
static void unselectKnobs(func::FuncOp kernel) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](KnobAttr knob) { return knob.select(Attribute()); });
  for (Operation *op : collectClosure(kernel))
    replacer.recursivelyReplaceElementsIn(op);
}

/// Makes kernels that dispatch those that take all sizes, if the options have
/// shapes beside those that they were tuned for. They are to be tuned for both,
/// and keep the `tonno.tuned` that states their variants.
static LogicalResult extendDispatches(ModuleOp module,
                                      const TunerOptions &options) {
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    bool isChosen =
        options.kernel.empty() || function.getSymName() == options.kernel;
    if (!isChosen || !isDispatch(function) || !isForRange(function))
      continue;
    auto known = readOwnShapes(function);
    if (failed(known))
      return failure();
    Shapes joined = joinShapes(*known, *options.range);
    if (joined == *known)
      continue;
    Attribute tuned = function->getAttr(TonnoDialect::kTuned);
    if (failed(undoDispatch(function)))
      return failure();
    unselectKnobs(function);
    if (tuned)
      function->setAttr(TonnoDialect::kTuned, tuned);
    function->setAttr(
        TonnoDialect::kShapes,
        StringAttr::get(module.getContext(), formatShapes(joined)));
  }
  return success();
}

LogicalResult tonno::prepareModule(ModuleOp module,
                                   const TunerOptions &options) {
  if (options.retune && failed(undoDispatches(module, options.kernel)))
    return failure();
  if (options.range && failed(extendDispatches(module, options)))
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
  if (options.range ? failed(writeRange(module, options))
                    : failed(readStatedShapes(module, options.kernel)))
    return failure();
  bool isMarked = !findKernels(module).empty();
  SmallVector<func::FuncOp> unmarked =
      findFunctionsWithoutKnobs(module, options.kernel);
  if (!unmarked.empty()) {
    Result<Annotator> annotate = chooseAnnotator(options);
    if (!annotate)
      return emitError(module.getLoc(), annotate.error().message);
    annotateFunctions(unmarked, *annotate);
  }
  if (options.kernel.empty())
    warnOfOthers(module, isMarked);
  return success();
}
