//===- Replace knobs by their values --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Dialect/Dimensions.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Dispatch.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/Passes.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "Knobs/OpKnobs.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tonno {
#define GEN_PASS_DEF_APPLYCONFIGURATION
#define GEN_PASS_DEF_STRIPKNOBS
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

/// The knobs of some operations and their values, found before any is replaced.
class Replacement {
public:
  Replacement(KnobMode mode, function_ref<uint64_t(const KnobSite &)> choose)
      : mode(mode), choose(choose) {}

  LogicalResult collect(Operation *root) {
    return walkKnobSites(root, [&](const KnobSite &site) {
      uint64_t index = choose(site);
      switch (site.kind) {
      case KnobSite::Kind::attribute:
        leaves[site.knob] = site.domain.getOption(index);
        break;
      case KnobSite::Kind::side:
        sides.insert({{site.op, site.knob}, {site, index}});
        break;
      case KnobSite::Kind::tune_knob:
      case KnobSite::Kind::alternatives:
        ofSchedule.push_back({site, index});
        break;
      }
      return success();
    });
  }

  LogicalResult replace(Operation *root) {
    if (failed(checkOps(root, [&](Operation *op) { return replaceSide(op); })))
      return failure();
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [&](KnobAttr knob) -> std::optional<std::pair<Attribute, WalkResult>> {
          auto found = leaves.find(knob);
          if (found == leaves.end()) // of tonno.knobs, and done
            return std::make_pair(Attribute(knob), WalkResult::skip());
          Attribute value = found->second;
          return std::make_pair(mode == KnobMode::Select ? knob.select(value)
                                                         : value,
                                WalkResult::skip());
        });
    replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    for (const Value &value : ofSchedule) {
      if (!root->isAncestor(value.site.op))
        continue;
      if (auto knob = dyn_cast<transform::tune::KnobOp>(value.site.op))
        knob.setSelectedAttr(value.site.domain.getOption(value.index));
      else
        cast<transform::tune::AlternativesOp>(value.site.op)
            .setSelectedRegionAttrAttr(
                Builder(root->getContext()).getIndexAttr(value.index));
    }
    if (mode == KnobMode::Resolve) {
      dropDimensionNames(root); // a lowering changes the arguments' types
      root->walk([](Operation *op) {
        op->removeDiscardableAttr(TonnoDialect::kConstraints);
        op->removeDiscardableAttr(TonnoDialect::kKernels); // names of knobs
      });
      if (failed(eraseParamConstraints(root)))
        return failure();
    }
    return verify(root);
  }

private:
  struct Value {
    KnobSite site;
    uint64_t index;
  };

  LogicalResult replaceSide(Operation *op) {
    if (!op->hasAttr(TonnoDialect::kKnobs))
      return success();
    if (failed(setSideValues(op, [&](KnobAttr knob) {
          const Value &value = sides.at({op, knob});
          return value.site.domain.getOption(value.index);
        })))
      return failure();
    if (mode == KnobMode::Resolve) {
      op->removeAttr(TonnoDialect::kKnobs);
      return success();
    }
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](KnobAttr knob) {
      return std::make_pair(Attribute(selectSide(sides.at({op, knob}))),
                            WalkResult::skip());
    });
    op->setAttr(TonnoDialect::kKnobs,
                replacer.replace(op->getAttr(TonnoDialect::kKnobs)));
    return success();
  }

  /// Returns the side knob with the value as its selected option. If the
  /// attribute's former value was the default, the default is stated in the
  /// knob.
  KnobAttr selectSide(const Value &value) const {
    const KnobSite &site = value.site;
    Attribute stated;
    if (site.statedDefault)
      stated = site.domain.getOption(*site.statedDefault);
    return KnobAttr::get(site.knob.getContext(), site.name, site.domain,
                         site.domain.getOption(value.index), stated);
  }

  KnobMode mode;
  function_ref<uint64_t(const KnobSite &)> choose;
  llvm::DenseMap<KnobAttr, Attribute> leaves;
  llvm::DenseMap<std::pair<Operation *, KnobAttr>, Value> sides;
  SmallVector<Value> ofSchedule;
};

} // namespace

LogicalResult
tonno::replaceKnobs(ArrayRef<Operation *> roots, KnobMode mode,
                    function_ref<uint64_t(const KnobSite &)> choose) {
  Replacement replacement(mode, choose);
  for (Operation *root : roots)
    if (failed(replacement.collect(root)))
      return failure();
  for (Operation *root : roots)
    if (failed(replacement.replace(root)))
      return failure();
  return success();
}

LogicalResult tonno::applyConfiguration(ArrayRef<Operation *> roots,
                                        const SearchSpace &space,
                                        const Configuration &configuration,
                                        KnobMode mode) {
  llvm::StringMap<Option> values;
  for (auto [knob, index] :
       llvm::zip_equal(space.knobs(), configuration.indices))
    values[knob.name] = knob.options[index];

  // Found before anything is replaced; a space may hold less than the domain.
  llvm::StringMap<uint64_t> indices;
  auto find = [&](const KnobSite &site) -> LogicalResult {
    auto value = values.find(site.name);
    for (uint64_t i = 0;
         value != values.end() && i < site.domain.getNumOptions(); ++i)
      if (toOption(site.domain.getOption(i)) == value->second) {
        indices[site.name] = i;
        return success();
      }
    return emitError(site.op->getLoc())
           << "knob \"" << site.name
           << "\" differs from the search space of the configuration";
  };
  for (Operation *root : roots)
    if (failed(walkKnobSites(root, find)))
      return failure();
  return replaceKnobs(
      roots, mode, [&](const KnobSite &site) { return indices.at(site.name); });
}

LogicalResult tonno::resolveToCurrentValues(ArrayRef<Operation *> closure) {
  auto extracted = extractSpace(closure, SelectedKnobs::fixed);
  if (failed(extracted))
    return failure();
  const SearchSpace &space = extracted->space;
  return applyConfiguration(closure, space, space.defaultConfiguration(),
                            KnobMode::Resolve);
}

/// Returns true if `op`, or an op that it references, has a knob.
static bool hasReachableKnob(Operation *op, ArrayRef<Operation *> closure) {
  llvm::SmallPtrSet<Operation *, 8> seen = {op};
  SmallVector<Operation *> open = {op};
  while (!open.empty()) {
    Operation *current = open.pop_back_val();
    if (failed(
            walkKnobSites(current, [](const KnobSite &) { return failure(); })))
      return true;
    for (Operation *other : closure) {
      auto symbol = dyn_cast<SymbolOpInterface>(other);
      if (symbol && symbol.getNameAttr() && !seen.contains(other) &&
          !SymbolTable::symbolKnownUseEmpty(symbol.getNameAttr(), current)) {
        seen.insert(other);
        open.push_back(other);
      }
    }
  }
  return false;
}

namespace {

/// Schedules and functions with knobs that several kernels fill in differently.
class SharedOps {
public:
  SharedOps(ArrayRef<func::FuncOp> kernels, ArrayRef<KernelChoice> choices) {
    auto findChoice = [&](func::FuncOp kernel) -> const KernelChoice * {
      const auto *found = llvm::find(kernels, kernel);
      return found == kernels.end() ? nullptr
                                    : &choices[found - kernels.begin()];
    };
    llvm::MapVector<Operation *, SmallVector<const KernelChoice *>> users;
    for (func::FuncOp kernel :
         findKernels(kernels.front()->getParentOfType<ModuleOp>())) {
      SmallVector<Operation *> closure = collectClosure(kernel);
      for (Operation *op : closure)
        if (hasReachableKnob(op, closure))
          users[op].push_back(findChoice(kernel));
    }
    for (const auto &[op, of] : users) {
      const KernelChoice *first = of.front();
      if (of.size() > 1 && !llvm::all_of(of, [&](const KernelChoice *other) {
            return first && other && first->values() == other->values();
          }))
        shared.insert(op);
    }
  }

  bool contains(Operation *op) const { return shared.contains(op); }

  /// Erases what nothing references any more.
  void eraseUnused() {
    SmallVector<SymbolOpInterface> symbols;
    for (Operation *op : shared)
      if (auto function = dyn_cast<func::FuncOp>(op);
          !function || !function.isPublic())
        symbols.push_back(cast<SymbolOpInterface>(op));
    tonno::eraseUnused(std::move(symbols));
  }

private:
  llvm::SetVector<Operation *> shared;
};

} // namespace

/// Clones a shared op for one kernel, under a name with that kernel's.
static Operation *cloneFor(func::FuncOp kernel, SymbolOpInterface op) {
  Operation *clone = op->clone();
  SymbolTable::setSymbolName(clone,
                             (op.getName() + "_" + kernel.getSymName()).str());
  if (auto function = dyn_cast<func::FuncOp>(clone)) {
    function.setPrivate();
    function->removeAttr(TonnoDialect::kTuned); // which speaks of the other
  }
  return clone;
}

/// Renames the symbols that the ops refer to.
static void renameIn(ArrayRef<Operation *> ops,
                     const llvm::DenseMap<StringAttr, StringAttr> &names) {
  // Replaces names in the op's own attributes too: a kernel refers to its
  // schedule there.
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](SymbolRefAttr name)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        StringAttr root = names.lookup(name.getRootReference());
        if (!root)
          return std::nullopt;
        return std::make_pair(
            Attribute(SymbolRefAttr::get(root, name.getNestedReferences())),
            WalkResult::skip());
      });
  for (Operation *op : ops)
    replacer.recursivelyReplaceElementsIn(op);
}

namespace {

/// Closure of a kernel, with clones of shared ops, and the renamed symbols.
struct OwnClosure {
  SmallVector<Operation *> ops;
  llvm::DenseMap<StringAttr, StringAttr> names;
};

} // namespace

static FailureOr<OwnClosure> ownClosure(func::FuncOp kernel,
                                        const SharedOps &shared) {
  SymbolTable symbols(kernel->getParentOfType<ModuleOp>());
  OwnClosure own;
  own.ops = collectClosure(kernel);
  for (Operation *&op : own.ops) {
    if (op == kernel || !shared.contains(op))
      continue;
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol || !symbol.getNameAttr())
      return op->emitOpError()
             << "has choices that differ between kernels, but no symbol name "
                "for the copies; give it one, and name it in '"
             << TonnoDialect::kSchedule << "'";
    Operation *clone = cloneFor(kernel, symbol);
    own.names[symbol.getNameAttr()] =
        symbols.insert(clone, std::next(Block::iterator(op)));
    op = clone;
  }
  return own;
}

LogicalResult tonno::applyToKernels(ArrayRef<func::FuncOp> kernels,
                                    ArrayRef<KernelChoice> choices,
                                    KnobMode mode) {
  if (kernels.empty())
    return success();
  SharedOps shared(kernels, choices);
  // Clones everything before any original is changed.
  SmallVector<OwnClosure> closures;
  for (func::FuncOp kernel : kernels) {
    auto own = ownClosure(kernel, shared);
    if (failed(own))
      return failure();
    closures.push_back(std::move(*own));
  }
  for (auto [own, choice] : llvm::zip_equal(closures, choices)) {
    renameIn(own.ops, own.names);
    if (failed(applyConfiguration(own.ops, choice.space, choice.configuration,
                                  mode)))
      return failure();
  }
  shared.eraseUnused();
  return success();
}

static Attribute parseQuietly(StringRef text, MLIRContext *context, Type type) {
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  return parseAttribute(text, context, type);
}

/// Returns the number of the option that the user means by `text`, if any.
static std::optional<uint64_t> findOption(DomainAttrInterface domain,
                                          StringRef text) {
  SmallVector<Attribute> options = getOptions(domain);
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
  // Compares as JSON too, where numbers within arrays have no type.
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
  /// Value that the user gave for a knob.
  struct Setting {
    StringRef text;
    bool used = false;
  };
  /// A kernel's closure, or what belongs to none, with a value for each knob.
  struct Group {
    SmallVector<Operation *> roots;
    llvm::StringMap<uint64_t> values;
  };

  LogicalResult apply() {
    if (failed(parseSettings()))
      return failure();
    std::vector<Group> groups;
    llvm::SmallPtrSet<Operation *, 8> grouped;
    for (func::FuncOp kernel : findKernels(getOperation())) {
      Group &group = groups.emplace_back();
      for (Operation *op : collectClosure(kernel))
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
    // The knobs that remain are in the module's own attributes.
    return replaceKnobs(
        getOperation().getOperation(), mode, [&](const KnobSite &site) {
          auto setting = findSetting(site);
          return succeeded(setting) && *setting
                     ? **setting
                     : site.selected.value_or(site.defaultIndex());
        });
  }

  LogicalResult parseSettings() {
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

  /// Chooses values for a group's knobs that together break no constraint.
  LogicalResult choose(Group &group) {
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

  /// Returns the option that the user gave for the knob at this site, if any.
  FailureOr<std::optional<uint64_t>> findSetting(const KnobSite &site) {
    auto setting = settings.find(site.name);
    if (setting == settings.end())
      return std::optional<uint64_t>();
    setting->second.used = true;
    if (auto index = findOption(site.domain, setting->second.text))
      return index;
    return emitError(site.op->getLoc())
           << setting->second.text << " is not an option of knob \""
           << site.name << "\"; its options are: " << printOptions(site.domain);
  }

  LogicalResult reportUnused() {
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

  llvm::MapVector<StringRef, Setting> settings;
};

} // namespace

/// Writes the options of a schedule's knobs out.
static void listOptions(transform::tune::KnobOp knob) {
  auto domain = dyn_cast<DomainAttrInterface>(knob.getOptions());
  if (domain)
    knob.setOptionsAttr(ArrayAttr::get(knob.getContext(), getOptions(domain)));
}

namespace {

struct StripKnobsPass : tonno::impl::StripKnobsBase<StripKnobsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto dispatches = llvm::to_vector(
        llvm::make_filter_range(module.getOps<func::FuncOp>(), isDispatch));
    for (func::FuncOp dispatch : dispatches)
      if (failed(undoDispatch(dispatch)))
        return signalPassFailure();
    // A kernel's in one go, as their defaults depend on each other.
    for (func::FuncOp kernel : findKernels(module))
      if (failed(resolveToCurrentValues(collectClosure(kernel))))
        return signalPassFailure();
    auto current = [](const KnobSite &site) {
      return site.selected.value_or(site.defaultIndex());
    };
    if (failed(replaceKnobs(module.getOperation(), KnobMode::Resolve, current)))
      return signalPassFailure();
    dropDimensionNames(module);
    module->walk([](Operation *op) {
      if (auto knob = dyn_cast<transform::tune::KnobOp>(op))
        listOptions(knob);
      else if (auto function = dyn_cast<FunctionOpInterface>(op))
        for (unsigned i = 0; i < function.getNumArguments(); ++i)
          function.removeArgAttr(i, TonnoDialect::kInput);
    });
  }
};

} // namespace
