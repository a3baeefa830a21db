//===- ApplyConfiguration.cpp - Give knobs their values -------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/Passes.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

namespace tonno {
#define GEN_PASS_DEF_APPLYCONFIGURATION
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

LogicalResult tonno::replaceKnobs(Operation *root, KnobMode mode,
                                  function_ref<Attribute(KnobAttr)> choose) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](KnobAttr knob) {
    Attribute value = choose(knob);
    if (mode == KnobMode::Select)
      value = knob.select(value);
    return std::make_pair(value, WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return verify(root);
}

LogicalResult tonno::applyConfiguration(Operation *root,
                                        const SearchSpace &space,
                                        const Configuration &configuration,
                                        KnobMode mode) {
  FailureOr<SearchSpace> present = extractSearchSpace(root);
  if (failed(present))
    return failure();
  for (const Knob &knob : present->knobs()) {
    const Knob *known = space.find(knob.name);
    if (!known || *known != knob)
      return emitError(root->getLoc())
             << "knob \"" << knob.name
             << "\" is not as in the search space of the configuration";
  }
  llvm::StringMap<uint32_t> indices;
  for (auto [knob, index] :
       llvm::zip_equal(space.knobs(), configuration.indices))
    indices[knob.name] = index;
  return replaceKnobs(root, mode, [&](KnobAttr knob) {
    return knob.getOption(indices.at(knob.getName()));
  });
}

//===----------------------------------------------------------------------===//
// tonno-apply
//===----------------------------------------------------------------------===//

static Attribute parseQuietly(StringRef text, MLIRContext *context, Type type) {
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  return parseAttribute(text, context, type);
}

/// The option of `knob` that the user means by `text`, if any.
static Attribute findOption(KnobAttr knob, StringRef text) {
  SmallVector<Attribute> options;
  for (uint64_t i = 0; i < knob.getNumOptions(); ++i)
    options.push_back(knob.getOption(i));
  for (Attribute option : options)
    if (auto string = dyn_cast<StringAttr>(option))
      if (string.getValue() == text)
        return option;

  Type type;
  if (isa<IntegerAttr, FloatAttr>(options.front()))
    type = cast<TypedAttr>(options.front()).getType();
  Attribute value = parseQuietly(text, knob.getContext(), type);
  if (!value)
    value = parseQuietly(text, knob.getContext(), Type());
  if (!value)
    return {};
  // As plain data, numbers inside of arrays need no type.
  for (Attribute option : options)
    if (option == value || toOption(option) == toOption(value))
      return option;
  return {};
}

namespace {

struct ApplyConfigurationPass
    : tonno::impl::ApplyConfigurationBase<ApplyConfigurationPass> {
  using ApplyConfigurationBase::ApplyConfigurationBase;

  void runOnOperation() override {
    if (failed(apply()))
      signalPassFailure();
  }

private:
  /// What the user gave for a knob.
  struct Setting {
    StringRef text;
    bool used = false;
  };
  using Settings = llvm::MapVector<StringRef, Setting>;

  LogicalResult apply();
  FailureOr<Settings> parseSettings();
  LogicalResult reportUnused(const Settings &settings);
};

} // namespace

FailureOr<ApplyConfigurationPass::Settings>
ApplyConfigurationPass::parseSettings() {
  Settings settings;
  for (StringRef entry : set) {
    size_t equals = entry.find('=');
    if (equals == StringRef::npos)
      return emitError(getOperation().getLoc())
             << "'set' needs knob=value, not '" << entry << "'";
    StringRef name = entry.take_front(equals).trim();
    StringRef text = entry.drop_front(equals + 1).trim();
    if (!settings.insert({name, Setting{text}}).second)
      return emitError(getOperation().getLoc())
             << "knob \"" << name << "\" is set twice";
  }
  return settings;
}

LogicalResult ApplyConfigurationPass::reportUnused(const Settings &settings) {
  llvm::SetVector<StringRef> names;
  (void)walkKnobs(getOperation(), [&](Operation *, KnobAttr knob) {
    names.insert(knob.getName());
    return success();
  });
  for (const auto &[name, setting] : settings) {
    if (setting.used)
      continue;
    InFlightDiagnostic error = emitError(getOperation().getLoc())
                               << "unknown knob \"" << name << "\"; ";
    if (names.empty())
      return error << "there are no knobs";
    return error << "the knobs are: " << llvm::join(names, ", ");
  }
  return success();
}

LogicalResult ApplyConfigurationPass::apply() {
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (failed(collectKnobs(function)))
      return failure();
  FailureOr<Settings> settings = parseSettings();
  if (failed(settings))
    return failure();

  // Every value is found before anything is replaced.
  llvm::DenseMap<KnobAttr, Attribute> values;
  auto chooseValue = [&](Operation *op, KnobAttr knob) -> LogicalResult {
    Attribute &value = values[knob];
    auto setting = settings->find(knob.getName());
    if (setting == settings->end()) {
      value = knob.getValue();
      return success();
    }
    setting->second.used = true;
    value = findOption(knob, setting->second.text);
    if (value)
      return success();
    return emitError(op->getLoc())
           << setting->second.text << " is not an option of knob \""
           << knob.getName() << "\"; its options are: " << knob.printOptions();
  };
  if (failed(walkKnobs(getOperation(), chooseValue)) ||
      failed(reportUnused(*settings)))
    return failure();
  return replaceKnobs(getOperation(),
                      keep ? KnobMode::Select : KnobMode::Resolve,
                      [&](KnobAttr knob) { return values.at(knob); });
}
