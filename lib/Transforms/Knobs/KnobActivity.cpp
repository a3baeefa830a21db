//===- Where a knob makes a difference ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KnobActivity.h"
#include "tonno/Core/Constraint.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"

using namespace mlir;
using namespace tonno;

/// The knob that chooses among the regions; empty if that is no knob.
static StringRef chooserOf(transform::tune::AlternativesOp op) {
  Value param = op.getSelectedRegionParam();
  if (!param)
    return op.getName();
  auto knob = param.getDefiningOp<transform::tune::KnobOp>();
  return knob ? knob.getName() : StringRef();
}

void KnobActivity::add(const KnobSite &site) {
  SmallVector<std::string> choices;
  // Of several equal attributes the first alone is told.
  bool isOnlyPlace = site.kind != KnobSite::Kind::attribute;
  for (Operation *op = site.op; isOnlyPlace && op->getParentOp();
       op = op->getParentOp()) {
    auto alternatives =
        dyn_cast<transform::tune::AlternativesOp>(op->getParentOp());
    if (!alternatives)
      continue;
    if (StringRef chooser = chooserOf(alternatives); !chooser.empty())
      choices.push_back(
          quoteKnobName(chooser) +
          " == " + std::to_string(op->getParentRegion()->getRegionNumber()));
  }
  if (choices.empty())
    isAlways = true;
  else if (std::string text = llvm::join(choices, " and ");
           !llvm::is_contained(conditions, text))
    conditions.push_back(std::move(text));
}

/// "knob == value"; empty for a value that no constraint can state.
static std::string isEqual(const std::string &knob, const Json &value) {
  if (value.is_boolean() || value.is_number_integer())
    return knob + " == " + value.dump();
  if (value.is_string()) {
    auto text = value.get<std::string>();
    for (char quote : {'"', '\''})
      if (text.find(quote) == std::string::npos)
        return knob + " == " + quote + text + quote;
    return {};
  }
  std::string all;
  for (size_t i = 0; value.is_array() && i < value.size(); ++i) {
    std::string element =
        isEqual(knob + "[" + std::to_string(i) + "]", value[i]);
    if (element.empty())
      return {};
    all += (i ? " and " : "") + element;
  }
  return all;
}

std::string KnobActivity::constraint(const Knob &knob) const {
  std::string isDefault =
      isEqual(quoteKnobName(knob.name), knob.options[knob.defaultIndex]);
  if (isAlways || isDefault.empty() || knob.options.size() == 1)
    return {};
  return llvm::join(conditions, " or ") + " or " + isDefault;
}
