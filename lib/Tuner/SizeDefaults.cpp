//===- Defaults at one size of a kernel for all sizes ---------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SizeDefaults.h"

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Transforms/SpecializeShapes.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tonno;

/// Returns the default space of the kernel at these sizes.
static FailureOr<SearchSpace> readSpaceAtSizes(func::FuncOp kernel,
                                               ArrayRef<Dimension> sizes,
                                               const Annotator &annotate) {
  OwningOpRef<ModuleOp> closure = extractClosure(kernel);
  closure->walk([](Operation *op) {
    op->removeDiscardableAttr(TonnoDialect::kLoweringConfig);
    op->removeDiscardableAttr(TonnoDialect::kConstraints);
  });
  StringRef name = kernel.getSymName();
  if (failed(specializeShapes(*closure, name, sizes)))
    return failure();
  auto function = closure->lookupSymbol<func::FuncOp>(name);
  if (annotate(function) == 0)
    return failure();
  return extractSearchSpace(function);
}

std::optional<Configuration>
tonno::findDefaultAtSizes(func::FuncOp kernel, ArrayRef<Dimension> sizes,
                          const Annotator &annotate, const SearchSpace &space) {
  if (hasOwnLowering(kernel))
    return std::nullopt;
  // Errors only mean that the point is not tried first.
  ScopedDiagnosticHandler quiet(kernel.getContext(),
                                [](Diagnostic &) { return success(); });
  auto atSizes = readSpaceAtSizes(kernel, sizes, annotate);
  if (failed(atSizes))
    return std::nullopt;
  const Json defaults = atSizes->values(atSizes->defaultConfiguration());
  Json values = space.values(space.defaultConfiguration());
  for (const Knob &knob : space.knobs())
    if (auto given = defaults.find(knob.name);
        given != defaults.end() && knob.findOptionIndex(*given))
      values[knob.name] = *given;
  auto configuration = space.configuration(values);
  return configuration ? std::optional(*configuration) : std::nullopt;
}
