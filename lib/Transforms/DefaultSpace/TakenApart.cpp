//===- Functions as schedules see them ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TakenApart.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Decompose.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tonno;

/// All but the last part of each kind, which is what the whole ends with; and
/// those with loops of their own.
static void findTwins(ArrayRef<linalg::LinalgOp> parts,
                      llvm::DenseSet<Operation *> &twins) {
  unsigned loops = linalg::LinalgOp(parts.front()).getNumLoops();
  bool hasSum = false, hasOther = false;
  for (linalg::LinalgOp part : llvm::reverse(parts)) {
    bool &has = part.getNumReductionLoops() != 0 ? hasSum : hasOther;
    if (has || part.getNumLoops() != loops)
      twins.insert(part);
    else
      has = true;
  }
}

TakenApart::TakenApart(func::FuncOp function) {
  IRMapping mapping;
  owned = cast<func::FuncOp>(function->clone(mapping));
  SmallVector<Operation *> composed;
  function.walk([&](Operation *op) {
    if (op->hasAttr(TonnoDialect::kLoweringConfig))
      return;
    if (isComposed(op))
      composed.push_back(op);
    else if (isa<linalg::LinalgOp>(op))
      same.insert({op, mapping.lookup(op)});
  });
  IRRewriter rewriter(function.getContext());
  for (Operation *op : composed) {
    auto made = takeApart(rewriter, mapping.lookup(op));
    if (made.empty())
      continue;
    findTwins(made, twins);
    parts.insert({op, std::move(made)});
  }
}

TakenApart::~TakenApart() = default;

void TakenApart::handBack() {
  StringRef name = TonnoDialect::kLoweringConfig;
  for (auto [op, copied] : same)
    if (Attribute config = copied->getAttr(name))
      op->setAttr(name, config);
  for (const auto &[op, made] : parts)
    if (Attribute config = configurationOf(made))
      op->setAttr(name, config);
}
