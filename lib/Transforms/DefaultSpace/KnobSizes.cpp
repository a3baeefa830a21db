//===- Tunable tile sizes -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DefaultSpace/KnobSizes.h"
#include "tonno/Dialect/Dimensions.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tonno;

int64_t tonno::powerOfTwoAbove(int64_t value) {
  return static_cast<int64_t>(
      llvm::bit_ceil<uint64_t>(std::max<int64_t>(value, 1)));
}

int64_t tonno::powerOfTwoBelow(int64_t value) {
  return static_cast<int64_t>(
      llvm::bit_floor<uint64_t>(std::max<int64_t>(value, 1)));
}

KnobSizes::KnobSizes(func::FuncOp function) : function(function) {
  ScopedDiagnosticHandler quiet(function.getContext(),
                                [](Diagnostic &) { return success(); });
  SmallVector<Operation *> closure = collectClosure(function);
  if (auto dimensions = findDimensions(closure); succeeded(dimensions))
    for (const NamedDimension &dimension : *dimensions)
      names.insert(dimension.name);
  for (Operation *root : closure)
    // Errors in knobs are reported when the space is extracted.
    (void)walkKnobSites(root, [&](const KnobSite &site) {
      names.insert(site.name);
      return success();
    });
}

KnobSize KnobSizes::size(StringRef name, int64_t low, int64_t high,
                         int64_t standard) {
  Builder builder(function.getContext());
  int64_t bound = powerOfTwoAbove(high);
  low = std::min(powerOfTwoAbove(low), bound);
  standard = std::clamp(powerOfTwoAbove(standard), low, bound);
  return make(name, Pow2Attr::get(builder.getContext(), low, bound), standard,
              low, bound);
}

KnobSize KnobSizes::choice(StringRef name, ArrayRef<int64_t> options,
                           int64_t standard) {
  return make(name, Builder(function.getContext()).getI64ArrayAttr(options),
              standard, options.front(), options.back());
}

KnobSize KnobSizes::make(StringRef name, Attribute domain, int64_t standard,
                         int64_t least, int64_t most) {
  Builder builder(function.getContext());
  Attribute value = builder.getI64IntegerAttr(standard);
  if (least == most)
    return {value, std::to_string(standard), standard, least, most};
  std::string own = unique(name);
  auto knob =
      KnobAttr::get(builder.getContext(), own,
                    cast<DomainAttrInterface>(domain), Attribute(), value);
  return {knob, own, standard, least, most};
}

std::string KnobSizes::unique(StringRef name) {
  std::string own = name.str();
  for (unsigned i = 1; !names.insert(own).second; ++i)
    own = (name + "_" + Twine(i)).str();
  return own;
}

Attribute KnobSizes::text(StringRef name, ArrayRef<StringRef> options,
                          StringRef standard) {
  Builder builder(function.getContext());
  Attribute value = builder.getStringAttr(standard);
  if (options.size() == 1)
    return value;
  return KnobAttr::get(
      builder.getContext(), unique(name),
      cast<DomainAttrInterface>(Attribute(builder.getStrArrayAttr(options))),
      Attribute(), value);
}

void KnobSizes::constrain(ArrayRef<KnobSize> sizes, const Twine &text) {
  if (llvm::any_of(sizes, [](const KnobSize &size) { return size.isKnob(); }))
    constraints.push_back(
        ConstraintAttr::get(function.getContext(), text.str()));
}

bool KnobSizes::configure(Operation *op, ArrayRef<KnobLevel> levels,
                          ArrayRef<NamedAttribute> others) {
  Builder builder(function.getContext());
  Attribute zero = builder.getI64IntegerAttr(0);
  NamedAttrList config;
  bool hasKnob = false;
  for (const KnobLevel &level : levels) {
    if (level.sizes.empty())
      continue;
    hasKnob |= llvm::any_of(level.sizes, llvm::IsaPred<KnobAttr>);
    if (!llvm::all_equal(level.sizes) || level.sizes.front() != zero)
      config.set(level.key, builder.getArrayAttr(level.sizes));
  }
  for (const NamedAttribute &other : others) {
    hasKnob |= isa<KnobAttr>(other.getValue());
    config.set(other.getName(), other.getValue());
  }
  if (hasKnob)
    setLoweringConfig(op, config);
  return hasKnob;
}

void KnobSizes::finish() {
  if (constraints.empty())
    return;
  SmallVector<Attribute> all;
  if (auto present =
          function->getAttrOfType<ArrayAttr>(TonnoDialect::kConstraints))
    llvm::append_range(all, present);
  llvm::append_range(all, constraints);
  function->setAttr(TonnoDialect::kConstraints,
                    ArrayAttr::get(function.getContext(), all));
}
