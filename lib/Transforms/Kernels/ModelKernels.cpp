//===- The kernels of a model ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/ModelKernels.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Space/Constraint.h"
#include "DefaultSpace/DefaultSpaces.h"
#include "Kernels/KernelGroups.h"

#include "llvm/ADT/StringSet.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <utility>

using namespace mlir;
using namespace tonno;

std::string tonno::getModelKnobName(StringRef kernel, StringRef knob) {
  return (kernel + "." + knob).str();
}

bool tonno::isModel(func::FuncOp function) {
  return function->hasAttr(TonnoDialect::kKernels);
}

static SmallVector<Constraint> getConstraints(func::FuncOp function) {
  SmallVector<Constraint> constraints;
  auto list = function->getAttrOfType<ArrayAttr>(TonnoDialect::kConstraints);
  for (Attribute each : list ? list.getValue() : ArrayRef<Attribute>())
    if (auto parsed = Constraint::parse(cast<ConstraintAttr>(each).getText()))
      constraints.push_back(std::move(*parsed));
  return constraints;
}

static void setConstraints(func::FuncOp function, ArrayRef<std::string> texts) {
  Builder builder(function.getContext());
  if (texts.empty())
    function->removeAttr(TonnoDialect::kConstraints);
  else
    function->setAttr(TonnoDialect::kConstraints,
                      builder.getArrayAttr(llvm::map_to_vector(
                          texts, [&](const std::string &text) -> Attribute {
                            return ConstraintAttr::get(function.getContext(),
                                                       text);
                          })));
}

/// Replaces the knobs in an attribute.
static Attribute replaceKnobs(Attribute attribute,
                              llvm::function_ref<Attribute(KnobAttr)> replace) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](KnobAttr knob) {
    return std::make_pair(replace(knob), WalkResult::skip());
  });
  return replacer.replace(attribute);
}

static void collectKnobs(DictionaryAttr config, llvm::StringSet<> &names) {
  config.walk([&](KnobAttr knob) { names.insert(knob.getName()); });
}

static int64_t countMostWork(func::FuncOp function,
                             const DefaultSchedule &schedule) {
  int64_t most = 0;
  function.walk(
      [&](Operation *op) { most = std::max(most, schedule.countWork(op)); });
  return most;
}

/// Returns the names of the knobs of ops that take little of the kernel's time:
/// with little work, and not the root of a fusion.
static llvm::StringSet<> findKnobsOfCheapOps(func::FuncOp kernel,
                                             const DefaultSchedule &schedule) {
  int64_t most = countMostWork(kernel, schedule);
  llvm::StringSet<> names;
  kernel.walk([&](Operation *op) {
    DictionaryAttr config = getLoweringConfig(op);
    int64_t own = schedule.countWork(op);
    if (config && !config.contains(lowering_config::kFuse) && own > 0 &&
        own <= most / cheapKernelRatio)
      collectKnobs(config, names);
  });
  return names;
}

/// Returns the names of the knobs of ops that other kernels contain, too: in
/// the model, these are one op.
static llvm::StringSet<>
findKnobsOfSharedOps(const ModelKernel &kernel,
                     const llvm::DenseSet<Operation *> &shared) {
  llvm::StringSet<> names;
  func::FuncOp function = kernel.function;
  auto ops = function.getBody().front().without_terminator();
  for (ArrayRef<Operation *> group : kernel.groups)
    for (auto [op, copy] : llvm::zip_equal(group, ops))
      if (DictionaryAttr config = getLoweringConfig(&copy);
          config && shared.contains(op))
        collectKnobs(config, names);
  return names;
}

/// Returns the names of the knobs that select non-temporal stores, unless each
/// group's result is the model's: a kernel that reads it needs it in the
/// caches.
static llvm::StringSet<> findKnobsOfStreams(const ModelKernel &kernel) {
  llvm::StringSet<> names;
  auto isRead = [](ArrayRef<Operation *> group) {
    return !llvm::all_of(group.back()->getUsers(), [](Operation *user) {
      return isa<func::ReturnOp>(user);
    });
  };
  if (llvm::none_of(kernel.groups, isRead))
    return names;
  func::FuncOp function = kernel.function;
  function.walk([&](Operation *op) {
    if (DictionaryAttr config = getLoweringConfig(op))
      if (Attribute stream = config.get(lowering_config::kStream))
        stream.walk([&](KnobAttr knob) { names.insert(knob.getName()); });
  });
  return names;
}

/// Gives knobs their defaults, but those that share a constraint with others.
static void fixKnobs(func::FuncOp kernel, llvm::StringSet<> fixed) {
  SmallVector<Constraint> constraints = getConstraints(kernel);
  auto isFixed = [&](const std::string &name) { return fixed.contains(name); };
  for (bool changes = true; std::exchange(changes, false);)
    for (const Constraint &constraint : constraints)
      if (llvm::any_of(constraint.getNames(), isFixed) &&
          !llvm::all_of(constraint.getNames(), isFixed))
        for (const std::string &name : constraint.getNames())
          changes |= fixed.erase(name);
  SmallVector<std::string> kept;
  for (const Constraint &constraint : constraints)
    if (!llvm::all_of(constraint.getNames(), isFixed))
      kept.push_back(constraint.text());
  setConstraints(kernel, kept);
  kernel.walk([&](Operation *op) {
    if (DictionaryAttr config = getLoweringConfig(op))
      op->setAttr(TonnoDialect::kLoweringConfig,
                  replaceKnobs(config, [&](KnobAttr knob) -> Attribute {
                    return fixed.contains(knob.getName()) ? knob.getValue()
                                                          : knob;
                  }));
  });
}

/// Returns how often the op is executed; loops of unknown length count once.
static uint64_t countCalls(Operation *op) {
  uint64_t calls = 1;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    if (std::optional<APInt> trips = loop.getStaticTripCount())
      calls *= std::max<uint64_t>(trips->getLimitedValue(), 1);
  return calls;
}

/// Returns the ops that kernels of several functions contain.
static llvm::DenseSet<Operation *>
findSharedOps(ArrayRef<ModelKernel> kernels) {
  llvm::DenseMap<Operation *, size_t> owners;
  llvm::DenseSet<Operation *> shared;
  for (auto [number, kernel] : llvm::enumerate(kernels))
    for (ArrayRef<Operation *> group : kernel.groups)
      for (Operation *op : group)
        if (auto [owner, isNew] = owners.try_emplace(op, number);
            !isNew && owner->second != number)
          shared.insert(op);
  return shared;
}

ModelKernels tonno::formModelKernels(func::FuncOp model,
                                     const DefaultSchedule &schedule) {
  ModelKernels formed;
  formed.module = ModuleOp::create(model.getLoc());
  (*formed.module)
      ->setDiscardableAttrs(
          model->getParentOfType<ModuleOp>()->getDiscardableAttrDictionary());
  SymbolTable symbols(*formed.module);
  DistinctKernels distinct(Configs::drop);
  SmallVector<KernelGroup> groups =
      findKernelGroups(model, schedule, Configs::drop);
  if (groups.size() < 2)
    return formed;
  for (const KernelGroup &group : groups) {
    auto [number, isNew] = distinct.add(model, group);
    if (isNew) {
      symbols.insert(distinct[number]);
      ModelKernel &kernel = formed.kernels.emplace_back();
      kernel.function = distinct[number];
      StringRef source = findSourceName(group);
      kernel.name = (source.empty() ? kernel.function.getSymName() : source);
    }
    formed.kernels[number].groups.push_back(group.ops);
    formed.kernels[number].calls += countCalls(group.root);
  }
  llvm::DenseSet<Operation *> shared = findSharedOps(formed.kernels);
  for (ModelKernel &kernel : formed.kernels) {
    kernel.work = countMostWork(kernel.function, schedule) *
                  static_cast<int64_t>(kernel.calls);
    if (schedule.annotate(kernel.function) == 0)
      continue;
    llvm::StringSet<> fixed = findKnobsOfSharedOps(kernel, shared);
    for (const auto &names : {findKnobsOfCheapOps(kernel.function, schedule),
                              findKnobsOfStreams(kernel)})
      for (const auto &name : names)
        fixed.insert(name.getKey());
    fixKnobs(kernel.function, std::move(fixed));
  }
  return formed;
}

/// Gives the ops of a model the configurations of a kernel's, with knobs under
/// the model's names for them. Adds the kernel's constraints.
static void copyConfigs(ModelKernel &kernel,
                        SmallVectorImpl<std::string> &constraints) {
  StringRef name = kernel.function.getSymName();
  auto rename = [&](KnobAttr knob) -> Attribute {
    return KnobAttr::get(
        knob.getContext(), getModelKnobName(name, knob.getName()),
        knob.getDomain(), knob.getSelected(), knob.getDefaultOption());
  };
  auto ops = kernel.function.getBody().front().without_terminator();
  for (ArrayRef<Operation *> group : kernel.groups)
    for (auto [op, copy] : llvm::zip_equal(group, ops)) {
      assert(op->getName() == copy.getName() && "kernels have their own order");
      if (DictionaryAttr config = getLoweringConfig(&copy))
        op->setAttr(TonnoDialect::kLoweringConfig,
                    replaceKnobs(config, rename));
    }
  for (const Constraint &constraint : getConstraints(kernel.function))
    constraints.push_back(constraint.renamed(
        [&](const std::string &knob) { return getModelKnobName(name, knob); }));
}

/// Gives ops that are part of their users in each kernel, but have several
/// users in the model, the defaults of the model.
static void fixOthers(func::FuncOp model, const DefaultSchedule &schedule) {
  llvm::DenseSet<Operation *> configured;
  model.walk([&](Operation *op) {
    if (getLoweringConfig(op))
      configured.insert(op);
  });
  schedule.annotate(model);
  model.walk([&](Operation *op) {
    if (DictionaryAttr config = getLoweringConfig(op);
        config && !configured.contains(op))
      op->setAttr(TonnoDialect::kLoweringConfig,
                  replaceKnobs(config, [](KnobAttr knob) -> Attribute {
                    return knob.getValue();
                  }));
  });
}

/// Returns the number of ops with a configuration; 0 if the function is no
/// model, or has configurations already.
static unsigned annotateModel(func::FuncOp model,
                              const DefaultSchedule &schedule) {
  bool isConfigured = model
                          .walk([](Operation *op) {
                            return getLoweringConfig(op)
                                       ? WalkResult::interrupt()
                                       : WalkResult::advance();
                          })
                          .wasInterrupted();
  if (isConfigured || model.isExternal())
    return 0;
  ModelKernels formed = formModelKernels(model, schedule);
  Builder builder(model.getContext());
  NamedAttrList kernels;
  SmallVector<std::string> constraints;
  for (ModelKernel &kernel : formed.kernels) {
    copyConfigs(kernel, constraints);
    auto calls = static_cast<int64_t>(kernel.groups.size());
    NamedAttrList entry;
    entry.set("calls", builder.getI64IntegerAttr(calls));
    if (kernel.name != kernel.function.getSymName())
      entry.set("name", builder.getStringAttr(kernel.name));
    kernels.set(kernel.function.getSymName(),
                entry.getDictionary(model.getContext()));
  }
  if (kernels.empty())
    return 0;
  fixOthers(model, schedule);
  model->setAttr(TonnoDialect::kKernels,
                 kernels.getDictionary(model.getContext()));
  setConstraints(model, constraints);
  unsigned count = 0;
  model.walk([&](Operation *op) { count += getLoweringConfig(op) != nullptr; });
  return count;
}

Annotator tonno::createModelAnnotator(const DefaultSchedule &schedule) {
  return [schedule](func::FuncOp function) {
    if (unsigned count = annotateModel(function, schedule))
      return count;
    return schedule.annotate(function);
  };
}
