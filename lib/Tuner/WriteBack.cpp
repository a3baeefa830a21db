//===- Writes decisions into attributes -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WriteBack.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/Dispatch.h"
#include "tonno/Transforms/KernelClosure.h"
#include "VariantValues.h"

#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;
using namespace tonno;

static DictionaryAttr makeTunedAttr(MLIRContext *context,
                                    const KernelOutcome &outcome) {
  Builder builder(context);
  const DecisionRecord &decision = outcome.decision;
  const Comparison &comparison = decision.comparison;
  auto nanoseconds = [&](double seconds) {
    return builder.getI64IntegerAttr(std::llround(seconds * 1e9));
  };
  auto text = [&](StringRef value) { return builder.getStringAttr(value); };
  NamedAttrList entries;
  entries.set("device", text(outcome.device.name));
  entries.set("chip", text(outcome.chip));
  entries.set("verdict", text(toString(comparison.verdict)));
  entries.set("median_ns", nanoseconds(comparison.chosenSeconds()));
  if (comparison.baselineSeconds.n > 0) {
    entries.set("baseline_ns", nanoseconds(comparison.baselineSeconds.median));
    const Interval &speedup = comparison.speedupInterval;
    entries.set("speedup",
                builder.getF64ArrayAttr({speedup.low, speedup.high}));
  }
  if (outcome.oracle.bits != OracleOptions().bits)
    entries.set("bits", text(toString(outcome.oracle.bits)));
  if (!outcome.oracle.errors.empty())
    entries.set("tolerance", text(toString(outcome.oracle.errors)));
  if (decision.objective) {
    auto number = [&](uint64_t used) {
      return builder.getI64IntegerAttr(static_cast<int64_t>(used));
    };
    entries.set("objective", text(toString(decision.objective->resource)));
    entries.set("used", number(decision.objective->used));
    entries.set("baseline_used", number(decision.objective->baselineUsed));
  }
  if (outcome.oracle.mostTime)
    entries.set("most_time", builder.getF64FloatAttr(*outcome.oracle.mostTime));
  if (!outcome.oracle.limits.empty()) {
    std::vector<std::string> limits;
    for (const UsageLimit &limit : outcome.oracle.limits)
      limits.push_back(toString(limit));
    entries.set("limits", builder.getStrArrayAttr(SmallVector<StringRef>(
                              limits.begin(), limits.end())));
  }
  if (comparison.contended)
    entries.set("contended", builder.getUnitAttr());
  entries.set("trials",
              builder.getI64IntegerAttr(static_cast<int64_t>(decision.trials)));
  entries.set("key", text(outcome.key));
  entries.set("artifact", text(decision.artifactHash));
  entries.set("versions", text(decision.versions));
  return entries.getDictionary(context);
}

/// Describes a kernel of several shapes.
static DictionaryAttr makeTunedRangeAttr(MLIRContext *context,
                                         const KernelOutcome &outcome) {
  Builder builder(context);
  const RangeOutcome &range = *outcome.range;
  SmallVector<Attribute> shapes, verified;
  for (const ShapeOutcome &shape : range.shapes)
    shapes.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("sizes", builder.getStringAttr(formatDimensions(
                                           shape.sizes, ", "))),
         builder.getNamedAttr(
             "variant",
             builder.getI64IntegerAttr(static_cast<int64_t>(shape.variant))),
         builder.getNamedAttr("best_ns", builder.getI64IntegerAttr(std::llround(
                                             shape.bestSeconds * 1e9))),
         builder.getNamedAttr("regret",
                              builder.getF64FloatAttr(shape.regret))}));
  for (const auto &sizes : range.verified)
    verified.push_back(builder.getStringAttr(formatDimensions(sizes, ", ")));
  NamedAttrList entries;
  entries.set("device", builder.getStringAttr(outcome.device.name));
  entries.set("chip", builder.getStringAttr(outcome.chip));
  entries.set("variants", describeVariants(context, range.variants));
  entries.set("shapes", builder.getArrayAttr(shapes));
  entries.set("verified", builder.getArrayAttr(verified));
  entries.set("worst_regret", builder.getF64FloatAttr(range.worst().regret));
  entries.set("mean_regret", builder.getF64FloatAttr(range.meanRegret()));
  entries.set("trials",
              builder.getI64IntegerAttr(static_cast<int64_t>(range.trials)));
  if (!outcome.oracle.errors.empty())
    entries.set("tolerance",
                builder.getStringAttr(toString(outcome.oracle.errors)));
  entries.set("key", builder.getStringAttr(outcome.key));
  entries.set("artifact", builder.getStringAttr(range.artifactHash));
  entries.set("versions", builder.getStringAttr(outcome.decision.versions));
  return entries.getDictionary(context);
}

/// Writes the variants of a kernel of several shapes.
static LogicalResult writeVariants(func::FuncOp kernel,
                                   const KernelOutcome &outcome) {
  SmallVector<Configuration> variants;
  for (const Json &values : outcome.range->variants) {
    auto configuration = outcome.space.configuration(values);
    if (!configuration)
      return kernel.emitError("the decision does not fit the kernel: ")
             << configuration.error().message;
    variants.push_back(std::move(*configuration));
  }
  if (failed(
          makeDispatch(kernel, outcome.space, variants, outcome.range->table)))
    return failure();
  kernel->setAttr(TonnoDialect::kTuned,
                  makeTunedRangeAttr(kernel.getContext(), outcome));
  return success();
}

/// Writes the variants of all kernels of several shapes, callers before what
/// they call, of which they keep the form that was measured.
static LogicalResult writeAllVariants(
    SmallVector<std::pair<func::FuncOp, const KernelOutcome *>> kernels) {
  while (!kernels.empty()) {
    auto *next = llvm::find_if(kernels, [&](auto kernel) {
      return llvm::none_of(kernels, [&](auto other) {
        return other.first != kernel.first &&
               llvm::is_contained(collectClosure(other.first),
                                  kernel.first.getOperation());
      });
    });
    if (next == kernels.end()) // which recursion is refused for
      next = kernels.begin();
    if (failed(writeVariants(next->first, *next->second)))
      return failure();
    kernels.erase(next);
  }
  return success();
}

LogicalResult tonno::writeBack(ArrayRef<func::FuncOp> kernels,
                               ArrayRef<KernelOutcome> outcomes) {
  SmallVector<func::FuncOp> ofOneShape;
  SmallVector<std::pair<func::FuncOp, const KernelOutcome *>> ofSeveral;
  SmallVector<KernelChoice> choices;
  for (auto [kernel, outcome] : llvm::zip_equal(kernels, outcomes)) {
    if (outcome.range) {
      ofSeveral.emplace_back(kernel, &outcome);
      continue;
    }
    auto configuration = outcome.space.configuration(outcome.decision.values);
    if (!configuration)
      return func::FuncOp(kernel).emitError(
                 "the decision does not fit the kernel: ")
             << configuration.error().message;
    ofOneShape.push_back(kernel);
    choices.push_back({outcome.space, *configuration});
  }
  if (failed(applyToKernels(ofOneShape, choices, KnobMode::Select)))
    return failure();
  for (auto [kernel, outcome] : llvm::zip_equal(kernels, outcomes)) {
    func::FuncOp function = kernel;
    if (outcome.range)
      continue;
    if (outcome.decision.artifactHash.empty()) // nothing was measured
      function->removeAttr(TonnoDialect::kTuned);
    else
      function->setAttr(TonnoDialect::kTuned,
                        makeTunedAttr(function.getContext(), outcome));
  }
  return writeAllVariants(std::move(ofSeveral));
}
