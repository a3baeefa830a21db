//===- Where knobs stand --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/KnobSites.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/SideKnobs.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace tonno;

namespace {

class SiteWalker {
public:
  explicit SiteWalker(function_ref<LogicalResult(const KnobSite &)> visit)
      : visit(visit) {
    leaves.addWalk([this](KnobAttr knob) {
      return failed(visitLeaf(knob)) ? WalkResult::interrupt()
                                     : WalkResult::skip();
    });
  }

  LogicalResult walk(Operation *op);

private:
  LogicalResult visitLeaf(KnobAttr knob);
  LogicalResult visitSide(KnobAttr knob, Attribute present);
  LogicalResult visitTuneKnob(transform::tune::KnobOp op);
  LogicalResult visitAlternatives(transform::tune::AlternativesOp op);
  bool walkLeaves(Attribute attribute);
  bool walkLeaves(Type type);

  function_ref<LogicalResult(const KnobSite &)> visit;
  Operation *current = nullptr;
  AttrTypeWalker leaves; ///< which walks no element twice
};

} // namespace

static std::optional<uint64_t> indexOf(KnobAttr knob, Attribute option) {
  return option ? knob.getIndexOf(option) : std::nullopt;
}

LogicalResult SiteWalker::visitLeaf(KnobAttr knob) {
  return visit({KnobSite::Kind::attribute, current, knob.getName(),
                knob.getDomain(), indexOf(knob, knob.getSelected()),
                indexOf(knob, knob.getDefaultOption()), knob});
}

/// The value that stands there is the one that the knob has: selected, or else
/// the default, which need not be stated twice.
LogicalResult SiteWalker::visitSide(KnobAttr knob, Attribute present) {
  KnobSite site{KnobSite::Kind::side,
                current,
                knob.getName(),
                knob.getDomain(),
                indexOf(knob, knob.getSelected()),
                indexOf(knob, knob.getDefaultOption()),
                knob};
  // An absent flag is false.
  if (!present && isa<BoolAttr>(knob.getOption(0)))
    present = BoolAttr::get(knob.getContext(), false);
  std::optional<uint64_t> standing = indexOf(knob, present);
  if (present && !standing)
    return current->emitOpError()
           << "has " << optionText(present) << " in the place of knob \""
           << knob.getName() << "\", which is not an option; its options are: "
           << knob.printOptions();
  if (!site.selected && !site.statedDefault)
    site.statedDefault = standing;
  uint64_t value = site.selected.value_or(site.defaultIndex());
  if (present && *standing != value)
    return current->emitOpError()
           << "has " << optionText(present) << " in the place of knob \""
           << knob.getName() << "\", whose value is "
           << optionText(knob.getOption(value)) << "; make them equal";
  return visit(site);
}

LogicalResult SiteWalker::visitTuneKnob(transform::tune::KnobOp op) {
  auto domain = dyn_cast<DomainAttrInterface>(op.getOptions());
  Attribute selected = op.getSelectedAttr();
  if (!domain) {
    if (selected)
      return success(); // decided, by rules of somebody else
    return op.emitOpError()
           << "has options that can't be listed: " << op.getOptions()
           << "; give an array, or for example #tonno.pow2<16 to 256>";
  }
  uint64_t numOptions = domain.getNumOptions();
  if (numOptions == 0 || numOptions > KnobAttr::kMaxOptions)
    return op.emitOpError()
           << "has " << numOptions << " options; a knob has 1 to "
           << KnobAttr::kMaxOptions;
  std::optional<uint64_t> index;
  if (selected) {
    index = domain.getIndexOf(selected);
    if (!index)
      return op.emitOpError() << "has selected " << optionText(selected)
                              << ", which is not an option; its options are: "
                              << printOptions(domain);
  }
  return visit({KnobSite::Kind::tune_knob, op, op.getName(), domain, index,
                std::nullopt, KnobAttr()});
}

LogicalResult
SiteWalker::visitAlternatives(transform::tune::AlternativesOp op) {
  if (op.getSelectedRegionParam())
    return success(); // the parameter is what is chosen
  unsigned numRegions = op.getAlternatives().size();
  if (numRegions == 0)
    return success();
  std::optional<uint64_t> selected;
  if (IntegerAttr region = op.getSelectedRegionAttrAttr())
    selected = region.getValue().getZExtValue();
  auto domain = RangeAttr::get(op.getContext(), 0, numRegions - 1, 1);
  return visit({KnobSite::Kind::alternatives, op, op.getName(), domain,
                selected, std::nullopt, KnobAttr()});
}

bool SiteWalker::walkLeaves(Attribute attribute) {
  return leaves.walk<WalkOrder::PreOrder>(attribute).wasInterrupted();
}

bool SiteWalker::walkLeaves(Type type) {
  return leaves.walk<WalkOrder::PreOrder>(type).wasInterrupted();
}

LogicalResult SiteWalker::walk(Operation *op) {
  current = op;
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (attribute.getName() != TonnoDialect::kKnobs &&
        walkLeaves(attribute.getValue()))
      return failure();
  if (llvm::any_of(op->getResultTypes(),
                   [&](Type type) { return walkLeaves(type); }))
    return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(),
                       [&](Type type) { return walkLeaves(type); }))
        return failure();
  if (failed(walkSideKnobs(op, [&](KnobAttr knob, Attribute present) {
        return visitSide(knob, present);
      })))
    return failure();
  if (auto knob = dyn_cast<transform::tune::KnobOp>(op))
    return visitTuneKnob(knob);
  if (auto alternatives = dyn_cast<transform::tune::AlternativesOp>(op))
    return visitAlternatives(alternatives);
  return success();
}

LogicalResult
tonno::walkKnobSites(Operation *root,
                     function_ref<LogicalResult(const KnobSite &)> visit) {
  SiteWalker walker(visit);
  return failure(root->walk<WalkOrder::PreOrder>([&](Operation *op) {
                       return failed(walker.walk(op)) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
                     })
                     .wasInterrupted());
}
