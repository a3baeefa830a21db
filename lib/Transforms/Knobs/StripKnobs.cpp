//===- Leave plain attributes ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/Passes.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tonno {
#define GEN_PASS_DEF_STRIPKNOBS
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Writes the options of a schedule's knobs out.
static void listOptions(transform::tune::KnobOp knob) {
  auto domain = dyn_cast<DomainAttrInterface>(knob.getOptions());
  if (!domain || isa<ArrayAttr>(knob.getOptions()))
    return;
  SmallVector<Attribute> options;
  for (uint64_t i = 0; i < domain.getNumOptions(); ++i)
    options.push_back(domain.getOption(i));
  knob.setOptionsAttr(ArrayAttr::get(knob.getContext(), options));
}

/// Removes what only tonno can read from a function's arguments.
static void removeInputs(FunctionOpInterface function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, TonnoDialect::kInput);
}

namespace {

struct StripKnobsPass : tonno::impl::StripKnobsBase<StripKnobsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // A kernel's in one go, as their defaults depend on each other.
    for (func::FuncOp kernel : findKernels(module))
      if (failed(resolveToCurrentValues(closureOf(kernel))))
        return signalPassFailure();
    auto current = [](const KnobSite &site) {
      return site.selected.value_or(site.defaultIndex());
    };
    if (failed(replaceKnobs(module.getOperation(), KnobMode::Resolve, current)))
      return signalPassFailure();
    module->walk([](Operation *op) {
      if (auto knob = dyn_cast<transform::tune::KnobOp>(op))
        listOptions(knob);
      else if (auto function = dyn_cast<FunctionOpInterface>(op))
        removeInputs(function);
    });
  }
};

} // namespace
