//===- Configurations of kernels of dynamic shapes ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/DynamicConfigurations.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/ApplyConfiguration.h"
#include "Kernels/Specializer.h"

using namespace mlir;
using namespace tonno;

/// The attribute by which ops of a static copy are found again; not the
/// dialect's, which knows all of its own.
static constexpr StringLiteral numberName = "number";

FailureOr<AddedConfigurations>
tonno::findConfigurations(func::FuncOp kernel,
                          const DynamicDimensions &dimensions, int64_t size,
                          const Annotator &annotate, bool resolves) {
  OwningOpRef<func::FuncOp> copy = kernel.clone();
  AddedConfigurations found;
  Builder builder(kernel.getContext());
  copy->walk([&](Operation *op) {
    op->setDiscardableAttr(
        numberName,
        builder.getI64IntegerAttr(static_cast<int64_t>(found.ofOps.size())));
    found.ofOps.push_back(nullptr);
  });
  SymbolTable(kernel->getParentOp()).insert(*copy);
  SmallVector<int64_t> sizes = llvm::map_to_vector(
      dimensions.all(), [&](const DynamicDimension &dimension) {
        return dimension.size.value_or(size);
      });
  Specializer specializer(kernel.getContext());
  if (failed(specializer.specialize(
          *copy, specializeArguments(kernel, dimensions, sizes))))
    return failure();
  found.numConfigured = annotate(*copy);
  if (resolves && found.numConfigured != 0 &&
      failed(resolveToCurrentValues({*copy})))
    return failure();
  found.constraints =
      copy->getOperation()->getDiscardableAttr(TonnoDialect::kConstraints);
  copy->walk([&](Operation *op) {
    if (auto number = op->getAttrOfType<IntegerAttr>(numberName))
      found.ofOps[number.getInt()] = getLoweringConfig(op);
  });
  return found;
}

Annotator tonno::annotatorAtSize(Annotator annotate, int64_t size) {
  return [annotate = std::move(annotate), size](func::FuncOp function) {
    if (llvm::none_of(function.getArgumentTypes(), isDynamic))
      return annotate(function);
    auto dimensions = DynamicDimensions::find(function);
    if (failed(dimensions))
      return 0u;
    auto added = findConfigurations(function, *dimensions, size, annotate,
                                    /*resolves=*/false);
    if (failed(added))
      return 0u;
    size_t number = 0;
    function.walk([&](Operation *op) {
      if (DictionaryAttr config = added->ofOps[number++])
        setLoweringConfig(op, NamedAttrList(config));
    });
    if (added->constraints)
      function->setAttr(TonnoDialect::kConstraints, added->constraints);
    return added->numConfigured;
  };
}
