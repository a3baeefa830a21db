//===- Replace each knob by a value ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/Passes.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

namespace tonno {
#define GEN_PASS_DEF_APPLYCONFIGURATION
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

static Attribute parseQuietly(StringRef text, MLIRContext *context, Type type) {
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  return parseAttribute(text, context, type);
}

/// The number of the option that the user means by `text`, if any.
static std::optional<uint64_t> findOption(DomainAttrInterface domain,
                                          StringRef text) {
  SmallVector<Attribute> options;
  for (uint64_t i = 0; i < domain.getNumOptions(); ++i)
    options.push_back(domain.getOption(i));
  for (auto [i, option] : llvm::enumerate(options))
    if (auto string = dyn_cast<StringAttr>(option))
      if (string.getValue() == text)
        return i;

  MLIRContext *context = domain.getContext();
  Type type;
  if (isa<IntegerAttr, FloatAttr>(options.front()))
    type = cast<TypedAttr>(options.front()).getType();
  Attribute value = parseQuietly(text, context, type);
  if (!value)
    value = parseQuietly(text, context, Type());
  if (!value)
    return std::nullopt;
  // As plain data, numbers inside of arrays need no type.
  for (auto [i, option] : llvm::enumerate(options))
    if (option == value || toOption(option) == toOption(value))
      return i;
  return std::nullopt;
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
  /// A kernel's closure, or what belongs to none, with a value for each knob.
  struct Group {
    SmallVector<Operation *> roots;
    llvm::StringMap<uint64_t> values;
  };

  LogicalResult apply();
  LogicalResult parseSettings();
  LogicalResult choose(Group &group);
  FailureOr<std::optional<uint64_t>> findSetting(const KnobSite &site);
  LogicalResult reportUnused();

  llvm::MapVector<StringRef, Setting> settings;
};

} // namespace

LogicalResult ApplyConfigurationPass::parseSettings() {
  settings.clear();
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
  return success();
}

LogicalResult ApplyConfigurationPass::reportUnused() {
  llvm::SetVector<StringRef> names;
  (void)walkKnobSites(getOperation(), [&](const KnobSite &site) {
    names.insert(site.name);
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

/// The option that the user gave for the knob at this place, if any.
FailureOr<std::optional<uint64_t>>
ApplyConfigurationPass::findSetting(const KnobSite &site) {
  auto setting = settings.find(site.name);
  if (setting == settings.end())
    return std::optional<uint64_t>();
  setting->second.used = true;
  if (auto index = findOption(site.domain, setting->second.text))
    return index;
  return emitError(site.op->getLoc())
         << setting->second.text << " is not an option of knob \"" << site.name
         << "\"; its options are: " << printOptions(site.domain);
}

/// Chooses values for the knobs of a group, so that together they break no
/// constraint.
LogicalResult ApplyConfigurationPass::choose(Group &group) {
  auto extracted = extractSpace(group.roots, SelectedKnobs::vary);
  if (failed(extracted))
    return failure();
  const SearchSpace &space = extracted->space;
  std::vector<bool> isFixed = extracted->isDefaultStated;
  Configuration chosen = space.defaultConfiguration();
  auto read = [&](const KnobSite &site) -> LogicalResult {
    auto setting = findSetting(site);
    if (failed(setting))
      return failure();
    if (std::optional<uint64_t> index = *setting ? *setting : site.selected) {
      size_t knob = space.find(site.name) - space.knobs().data();
      chosen.indices[knob] = *index;
      isFixed[knob] = true;
    }
    return success();
  };
  for (Operation *root : group.roots)
    if (failed(walkKnobSites(root, read)))
      return failure();
  if (!space.isLegal(chosen)) {
    auto legal = space.withDefault(chosen).firstLegal(isFixed);
    if (!legal)
      return emitError(group.roots.front()->getLoc())
             << space.configuration(space.values(chosen)).error().message;
    chosen = *legal;
  }
  for (auto [knob, index] : llvm::zip_equal(space.knobs(), chosen.indices))
    group.values[knob.name] = index;
  return success();
}

LogicalResult ApplyConfigurationPass::apply() {
  if (failed(parseSettings()))
    return failure();
  std::vector<Group> groups;
  llvm::SmallPtrSet<Operation *, 8> grouped;
  for (func::FuncOp kernel : findKernels(getOperation())) {
    Group &group = groups.emplace_back();
    for (Operation *op : closureOf(kernel))
      if (grouped.insert(op).second)
        group.roots.push_back(op);
  }
  for (Operation &op : *getOperation().getBody())
    if (grouped.insert(&op).second)
      groups.push_back({{&op}, {}});
  for (Group &group : groups)
    if (failed(choose(group)))
      return failure();
  if (failed(reportUnused()))
    return failure();
  KnobMode mode = keep ? KnobMode::Select : KnobMode::Resolve;
  for (Group &group : groups)
    if (failed(replaceKnobs(group.roots, mode, [&](const KnobSite &site) {
          return group.values.at(site.name);
        })))
      return failure();
  // What is left stands on the module itself.
  return replaceKnobs(
      getOperation().getOperation(), mode, [&](const KnobSite &site) {
        auto setting = findSetting(site);
        return succeeded(setting) && *setting
                   ? **setting
                   : site.selected.value_or(site.defaultIndex());
      });
}
