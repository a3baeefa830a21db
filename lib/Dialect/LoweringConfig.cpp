//===- Lowering configurations of ops -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

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

DictionaryAttr tonno::getLoweringConfig(Operation *op) {
  return op->getAttrOfType<DictionaryAttr>(TonnoDialect::kLoweringConfig);
}

void tonno::setLoweringConfig(Operation *op, const NamedAttrList &entries) {
  op->setAttr(TonnoDialect::kLoweringConfig,
              entries.getDictionary(op->getContext()));
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
  return knob ? llvm::all_of(getOptions(knob.getDomain()), isValue)
              : isValue(attribute);
}

namespace {

/// Verifies the lists of numbers of loops, one entry of a configuration.
class SizeListVerifier {
public:
  SizeListVerifier(Operation *op, StringRef key) : op(op), key(key) {}

  LogicalResult verify(Attribute attribute) const {
    return verifyOptions(attribute, /*loop=*/0, "",
                         &SizeListVerifier::verifyList);
  }

private:
  using Verify = LogicalResult (SizeListVerifier::*)(Attribute, unsigned,
                                                     const std::string &) const;

  /// Verifies the attribute, or all options of the knob that it is. `from`
  /// describes the knob that the attribute comes from, if there is one.
  LogicalResult verifyOptions(Attribute attribute, unsigned loop,
                              const std::string &from,
                              Verify verifyValue) const {
    auto knob = dyn_cast<KnobAttr>(attribute);
    if (!knob)
      return (this->*verifyValue)(attribute, loop, from);
    std::string within = ", from knob \"" + knob.getName().str() + "\"";
    return success(
        llvm::all_of(getOptions(knob.getDomain()), [&](Attribute option) {
          return succeeded((this->*verifyValue)(option, loop, within));
        }));
  }

  LogicalResult verifyList(Attribute attribute, unsigned,
                           const std::string &from) const {
    auto list = dyn_cast<ArrayAttr>(attribute);
    if (!list)
      return error() << "is " << optionText(attribute) << from
                     << "; write an array with a number for each loop, such as "
                        "[32, 64, 0], or a knob with such options";
    for (auto [loop, size] : llvm::enumerate(list))
      if (failed(
              verifyOptions(size, loop, from, &SizeListVerifier::verifySize)))
        return failure();
    return success();
  }

  LogicalResult verifySize(Attribute size, unsigned loop,
                           const std::string &from) const {
    if (isTileSize(size))
      return success();
    auto refuse = [&] {
      InFlightDiagnostic found = error();
      found << "has " << optionText(size) << from << ", for loop " << loop;
      if (std::optional<int64_t> extent = findExtent(loop))
        found << " of " << *extent << " iterations";
      found << "; ";
      return found;
    };
    const char *what = key == lowering_config::kInterchange
                           ? "the number of a loop"
                           : "a tile size";
    auto integer = dyn_cast<IntegerAttr>(size);
    if (!integer || integer.getType().isInteger(1))
      return refuse() << what << " is an integer";
    if (!integer.getType().isSignlessIntOrIndex())
      return refuse() << what << " is written without a type, such as 32";
    if (integer.getValue().isNegative())
      return refuse() << what << " is at least 0";
    return refuse() << what << " fits 64 bits";
  }

  /// Returns the number of iterations of a loop, if it is known.
  std::optional<int64_t> findExtent(unsigned loop) const {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || loop >= linalgOp.getNumLoops())
      return std::nullopt;
    int64_t extent = linalgOp.getStaticLoopRanges()[loop];
    return ShapedType::isDynamic(extent) ? std::nullopt : std::optional(extent);
  }

  InFlightDiagnostic error() const {
    return std::move(op->emitOpError() << "'" << TonnoDialect::kLoweringConfig
                                       << "' key '" << key << "' ");
  }

  Operation *op;
  StringRef key;
};

} // namespace

static bool isText(Attribute attribute) { return isa<StringAttr>(attribute); }

static bool isSmallNumber(Attribute attribute) {
  if (!isTileSize(attribute))
    return false;
  int64_t number = cast<IntegerAttr>(attribute).getValue().getSExtValue();
  return number >= 1 && number <= lowering_config::kMostThreads;
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
    using lowering_config::Form;
    if (known->form == Form::sizes) {
      if (failed(SizeListVerifier(op, key).verify(entry.getValue())))
        return failure();
      continue;
    }
    if (isValueOrKnob(entry.getValue(),
                      known->form == Form::text ? isText : isSmallNumber))
      continue;
    InFlightDiagnostic error = op->emitOpError()
                               << "'" << TonnoDialect::kLoweringConfig
                               << "' key '" << key << "' must be ";
    if (known->form == Form::text)
      return error << "a string, or a knob with such options";
    return error << "an integer from 1 to " << lowering_config::kMostThreads
                 << ", or a knob with such options";
  }
  return success();
}

/// Returns the attribute itself, or the selected option if it is a knob; null
/// for null.
static FailureOr<Attribute> getSelectedValue(Operation *op, Attribute value) {
  auto knob = dyn_cast_if_present<KnobAttr>(value);
  if (!knob)
    return value;
  if (knob.isResolved())
    return knob.getSelected();
  return emitError(op->getLoc())
         << "knob \"" << knob.getName()
         << "\" is unresolved; run '--tonno-apply' first";
}

/// Returns the value under `key`; null if there is none.
static FailureOr<Attribute> getSelectedEntry(Operation *op, StringRef key) {
  DictionaryAttr config = getLoweringConfig(op);
  return getSelectedValue(op, config ? config.get(key) : Attribute());
}

FailureOr<std::optional<SmallVector<int64_t>>>
tonno::getTileSizes(Operation *op, StringRef key) {
  FailureOr<Attribute> list = getSelectedEntry(op, key);
  if (failed(list))
    return failure();
  std::optional<SmallVector<int64_t>> sizes;
  if (!*list)
    return sizes;
  sizes.emplace();
  for (Attribute element : cast<ArrayAttr>(*list)) {
    FailureOr<Attribute> size = getSelectedValue(op, element);
    if (failed(size))
      return failure();
    sizes->push_back(cast<IntegerAttr>(*size).getValue().getSExtValue());
  }
  return sizes;
}

FailureOr<int64_t> tonno::getConfigured(Operation *op, StringRef key,
                                        int64_t standard) {
  FailureOr<Attribute> value = getSelectedEntry(op, key);
  if (failed(value))
    return failure();
  return *value ? cast<IntegerAttr>(*value).getValue().getSExtValue()
                : standard;
}

FailureOr<StringRef> tonno::getConfiguredText(Operation *op, StringRef key) {
  FailureOr<Attribute> value = getSelectedEntry(op, key);
  if (failed(value))
    return failure();
  return *value ? cast<StringAttr>(*value).getValue() : StringRef();
}
