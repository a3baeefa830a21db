//===- Give knobs their values --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/ParamConstraints.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Transforms/SideKnobs.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tonno;

namespace {

/// The knobs of some operations with the values that they get: found before
/// anything is replaced.
class Replacement {
public:
  Replacement(KnobMode mode, function_ref<uint64_t(const KnobSite &)> choose)
      : mode(mode), choose(choose) {}

  LogicalResult collect(Operation *root);
  LogicalResult replace(Operation *root);

private:
  struct Value {
    KnobSite site;
    uint64_t index;
  };

  LogicalResult replaceSide(Operation *op);
  KnobAttr selectSide(const Value &value) const;

  KnobMode mode;
  function_ref<uint64_t(const KnobSite &)> choose;
  llvm::DenseMap<KnobAttr, Attribute> leaves;
  llvm::DenseMap<std::pair<Operation *, KnobAttr>, Value> sides;
  SmallVector<Value> ofSchedule;
};

} // namespace

LogicalResult Replacement::collect(Operation *root) {
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

/// The knob beside the value that it now has. What stood there was its default,
/// which must be stated from now on.
KnobAttr Replacement::selectSide(const Value &value) const {
  const KnobSite &site = value.site;
  Attribute stated;
  if (site.statedDefault)
    stated = site.domain.getOption(*site.statedDefault);
  return KnobAttr::get(site.knob.getContext(), site.name, site.domain,
                       site.domain.getOption(value.index), stated);
}

LogicalResult Replacement::replaceSide(Operation *op) {
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

LogicalResult Replacement::replace(Operation *root) {
  if (root->walk([&](Operation *op) {
            return failed(replaceSide(op)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
          })
          .wasInterrupted())
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
    root->walk([](Operation *op) {
      op->removeDiscardableAttr(TonnoDialect::kConstraints);
    });
    if (failed(eraseParamConstraints(root)))
      return failure();
  }
  return verify(root);
}

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
  for (Operation *root : roots) {
    LogicalResult known =
        walkKnobSites(root, [&](const KnobSite &site) -> LogicalResult {
          auto value = values.find(site.name);
          for (uint64_t i = 0;
               value != values.end() && i < site.domain.getNumOptions(); ++i)
            if (toOption(site.domain.getOption(i)) == value->second) {
              indices[site.name] = i;
              return success();
            }
          return emitError(site.op->getLoc())
                 << "knob \"" << site.name
                 << "\" is not as in the search space of the configuration";
        });
    if (failed(known))
      return failure();
  }
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
