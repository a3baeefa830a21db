//===- Fuse elementwise ops into their users ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/Decomposition/Decomposition.h"
#include "Schedule/Tiling/LinalgForms.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

namespace tonno {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns true if operands are read in the loops' order, not transposed.
/// Dimensions of extent 1 may be read at 0, as broadcasts do.
static bool isInLoopOrder(AffineMap map) {
  std::optional<unsigned> last;
  for (AffineExpr index : map.getResults()) {
    if (index == getAffineConstantExpr(0, map.getContext()))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (!dim || (last && dim.getPosition() <= *last))
      return false;
    last = dim.getPosition();
  }
  return true;
}

static bool isElementwiseInLoopOrder(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && !op.hasDynamicShape() &&
         op.getNumReductionLoops() == 0 && op.getNumDpsInits() == 1 &&
         op.getNumDpsInputs() != 0 && !isa<linalg::FillOp>(op) &&
         hasScalarPayload(op) && !readsElements(op, *op.getDpsInitOperand(0)) &&
         op.getIndexingMapsArray().back().isIdentity() &&
         llvm::all_of(op.getIndexingMapsArray(), isInLoopOrder);
}

/// Returns true if `op` can be a part of the op that reads its result by `use`.
static bool isFusable(linalg::LinalgOp op, OpOperand &use) {
  auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
  // A loop around the user alone would compute it again in each iteration.
  if (!user || user->getBlock() != op->getBlock() || !user.isDpsInput(&use) ||
      !user.hasPureTensorSemantics() || user.hasDynamicShape() ||
      !user.getMatchingIndexingMap(&use).isIdentity())
    return false;
  // The loops of a reduction must be those of something that it still reads.
  return user.getNumReductionLoops() == 0 ||
         llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return op.getMatchingIndexingMap(input).isIdentity();
         });
}

/// Returns true if the op copies one constant to all elements.
static bool isConstantBroadcast(linalg::LinalgOp op) {
  Block &body = op->getRegion(0).front();
  return op.getNumDpsInputs() == 1 &&
         body.getTerminator()->getOperand(0) == body.getArgument(0) &&
         op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isConstant() &&
         matchPattern(op.getDpsInputs().front(), m_Constant());
}

bool tonno::isFusedIntoUser(linalg::LinalgOp op) {
  if (op->hasAttr(TonnoDialect::kLoweringConfig) ||
      !isElementwiseInLoopOrder(op) || op->use_empty())
    return false;
  return (op->hasOneUse() || isConstantBroadcast(op)) &&
         llvm::all_of(op->getUses(),
                      [&](OpOperand &use) { return isFusable(op, use); });
}

void tonno::cloneForEachUse(RewriterBase &rewriter, linalg::LinalgOp op) {
  for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
    if (op->hasOneUse())
      return;
    rewriter.setInsertionPoint(op);
    use.set(rewriter.clone(*op)->getResult(0));
  }
}

LogicalResult tonno::fuseIntoUser(RewriterBase &rewriter, linalg::LinalgOp op) {
  // Upstream fuses generic ops only.
  auto user = makeGeneric(rewriter, cast<linalg::LinalgOp>(*op->user_begin()));
  auto part = makeGeneric(rewriter, op);
  if (failed(user) || failed(part))
    return op.emitOpError() << "cannot be fused into its consumer";
  OpOperand &use = *(*part)->use_begin();
  rewriter.setInsertionPoint(*user);
  FailureOr<linalg::ElementwiseOpFusionResult> fused = failure();
  if (linalg::areElementwiseOpsFusable(&use))
    fused = linalg::fuseElementwiseOps(rewriter, &use);
  if (failed(fused))
    return part->emitOpError() << "cannot be fused into its consumer";
  fused->fusedOp->setDiscardableAttrs((*user)->getDiscardableAttrDictionary());
  for (auto [result, replacement] : fused->replacements)
    rewriter.replaceAllUsesWith(result, replacement);
  rewriter.eraseOp(*user);
  rewriter.eraseOp(*part);
  return success();
}

namespace {

struct FuseElementwise : tonno::impl::FuseElementwisePassBase<FuseElementwise> {
  void runOnOperation() override {
    if (hasOwnLowering(getOperation()))
      return;
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : collectOpsIf(getOperation(), isFusedIntoUser))
      cloneForEachUse(rewriter, op);
    auto parts = collectOpsIf(getOperation(), isFusedIntoUser);
    // Users first: what uses a part is then all that it will be.
    for (linalg::LinalgOp op : llvm::reverse(parts))
      if (failed(fuseIntoUser(rewriter, op)))
        return signalPassFailure();
  }
};

} // namespace
