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

const lowering_config::Key *lowering_config::findKey(StringRef name) {
  const auto *key = llvm::find_if(
      kKeys, [&](const Key &candidate) { return candidate.name == name; });
  return key == std::end(kKeys) ? nullptr : key;
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

static bool isSmallNumber(Attribute attribute) {
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
    const lowering_config::Key *known = lowering_config::findKey(key);
    if (!known)
      return op->emitOpError()
             << "'" << TonnoDialect::kLoweringConfig << "' has unknown key '"
             << key << "'; the keys are: " << llvm::join(names, ", ");
    if (known->form == lowering_config::Form::text) {
      if (!isValueOrKnob(entry.getValue(), llvm::IsaPred<StringAttr>))
        return op->emitOpError()
               << "'" << TonnoDialect::kLoweringConfig << "' key '" << key
               << "' must be a string, or a knob with such options";
      continue;
    }
    if (known->form == lowering_config::Form::number) {
      if (!isValueOrKnob(entry.getValue(), isSmallNumber))
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

/// Returns the value under a key, null if the op has none.
static FailureOr<Attribute> getConfiguredValue(Operation *op, StringRef key) {
  auto config =
      op->getAttrOfType<DictionaryAttr>(TonnoDialect::kLoweringConfig);
  Attribute entry = config ? config.get(key) : Attribute();
  return entry ? getSelectedValue(op, entry) : entry;
}

FailureOr<int64_t> tonno::getConfigured(Operation *op, StringRef key,
                                        int64_t standard) {
  FailureOr<Attribute> value = getConfiguredValue(op, key);
  if (failed(value))
    return failure();
  return *value ? cast<IntegerAttr>(*value).getValue().getSExtValue()
                : standard;
}

FailureOr<StringRef> tonno::getConfiguredText(Operation *op, StringRef key) {
  FailureOr<Attribute> value = getConfiguredValue(op, key);
  if (failed(value))
    return failure();
  return *value ? cast<StringAttr>(*value).getValue() : StringRef();
}
