//===- What a lowering reads from an op -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tonno;

bool tonno::hasOwnLowering(Operation *function) {
  return function->hasAttr(TonnoDialect::kSchedule) ||
         function->hasAttr(TonnoDialect::kPipeline);
}

static bool isTileSize(Attribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getType().isSignlessIntOrIndex() &&
         !integer.getType().isInteger(1) && !integer.getValue().isNegative() &&
         integer.getValue().getActiveBits() <= 63;
}

/// Checks the attribute, or all options of the knob that it is.
static bool isValueOrKnob(Attribute attribute,
                          function_ref<bool(Attribute)> isValue) {
  auto knob = dyn_cast<KnobAttr>(attribute);
  if (!knob)
    return isValue(attribute);
  for (uint64_t i = 0; i < knob.getNumOptions(); ++i)
    if (!isValue(knob.getOption(i)))
      return false;
  return true;
}

static bool isTileSizeList(Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && llvm::all_of(list, [](Attribute size) {
           return isValueOrKnob(size, isTileSize);
         });
}

static bool isNumberOfThreads(Attribute attribute) {
  return isTileSize(attribute) &&
         cast<IntegerAttr>(attribute).getValue().getSExtValue() >= 1 &&
         cast<IntegerAttr>(attribute).getValue().getSExtValue() <=
             lowering_config::kMostThreads;
}

LogicalResult tonno::verifyLoweringConfig(Operation *op, Attribute value) {
  auto config = dyn_cast<DictionaryAttr>(value);
  if (!config)
    return op->emitOpError()
           << "'" << TonnoDialect::kLoweringConfig << "' must be a dictionary";
  for (NamedAttribute entry : config) {
    StringRef key = entry.getName().getValue();
    auto names = llvm::map_range(
        lowering_config::kKeys,
        [](const lowering_config::Key &known) { return known.name; });
    if (!llvm::is_contained(names, key))
      return op->emitOpError()
             << "'" << TonnoDialect::kLoweringConfig << "' has unknown key '"
             << key << "'; the keys are: " << llvm::join(names, ", ");
    if (key == lowering_config::kThreads) {
      if (!isValueOrKnob(entry.getValue(), isNumberOfThreads))
        return op->emitOpError()
               << "'" << TonnoDialect::kLoweringConfig << "' key '" << key
               << "' must be an integer from 1 to "
               << lowering_config::kMostThreads
               << ", or a knob with such options";
      continue;
    }
    if (!isValueOrKnob(entry.getValue(), isTileSizeList))
      return op->emitOpError()
             << "'" << TonnoDialect::kLoweringConfig << "' key '" << key
             << "' must be an array of integers that are not negative, or of "
                "knobs with such options";
  }
  return success();
}

/// The attribute itself, or the option that was selected for the knob it is.
static FailureOr<Attribute> getSelectedValue(Operation *op, Attribute value) {
  auto knob = dyn_cast<KnobAttr>(value);
  if (!knob)
    return value;
  if (knob.isResolved())
    return knob.getSelected();
  emitError(op->getLoc()) << "knob \"" << knob.getName()
                          << "\" is unresolved; run --tonno-apply first";
  return failure();
}

FailureOr<std::optional<SmallVector<int64_t>>>
tonno::getTileSizes(Operation *op, StringRef key) {
  std::optional<SmallVector<int64_t>> sizes;
  auto config =
      op->getAttrOfType<DictionaryAttr>(TonnoDialect::kLoweringConfig);
  Attribute entry = config ? config.get(key) : Attribute();
  if (!entry)
    return sizes;
  FailureOr<Attribute> list = getSelectedValue(op, entry);
  if (failed(list))
    return failure();
  sizes.emplace();
  for (Attribute element : cast<ArrayAttr>(*list)) {
    FailureOr<Attribute> size = getSelectedValue(op, element);
    if (failed(size))
      return failure();
    sizes->push_back(cast<IntegerAttr>(*size).getValue().getSExtValue());
  }
  return sizes;
}

FailureOr<int64_t> tonno::getThreads(Operation *op) {
  auto config =
      op->getAttrOfType<DictionaryAttr>(TonnoDialect::kLoweringConfig);
  Attribute entry =
      config ? config.get(lowering_config::kThreads) : Attribute();
  if (!entry)
    return 1;
  FailureOr<Attribute> threads = getSelectedValue(op, entry);
  if (failed(threads))
    return failure();
  return cast<IntegerAttr>(*threads).getValue().getSExtValue();
}
