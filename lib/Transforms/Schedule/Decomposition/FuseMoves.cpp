//===- Fuse ops that move elements into their users -----------------------===//
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
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tonno {
#define GEN_PASS_DEF_FUSEMOVESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns true if each element of the op's result is computed at one point.
static bool isPointwise(linalg::LinalgOp op) {
  return isPerElement(op) && op.getNumDpsInits() == 1 &&
         !isa<linalg::FillOp>(op) &&
         !op->hasAttr(TonnoDialect::kLoweringConfig) &&
         !readsElements(op, *op.getDpsInitOperand(0)) &&
         op.getIndexingMapsArray().back().isPermutation();
}

/// Returns true if the op's result has elements of its only input.
static bool isMove(linalg::LinalgOp op) {
  Block &body = op->getRegion(0).front();
  return isPointwise(op) && op.getNumDpsInputs() == 1 &&
         isa<RankedTensorType>(op.getDpsInputs().front().getType()) &&
         body.getTerminator()->getOperand(0) == body.getArgument(0);
}

/// Returns true if the op computes integers or truth values from such by few
/// instructions.
static bool isMask(linalg::LinalgOp op) {
  constexpr int64_t most = 16;
  auto isCheap = [](Operation &nested) {
    return isa<linalg::IndexOp>(nested) ||
           isa<arith::ArithDialect>(nested.getDialect()) ||
           nested.hasTrait<OpTrait::IsTerminator>();
  };
  auto isInteger = [](Value value) {
    return getElementTypeOrSelf(value).isSignlessInteger();
  };
  Block &body = op->getRegion(0).front();
  return isPointwise(op) && isInteger(op->getResult(0)) &&
         llvm::all_of(op.getDpsInputs(), isInteger) &&
         llvm::all_of(body, isCheap) &&
         int64_t(body.getOperations().size()) <= most &&
         (op->hasOneUse() || op.getNumDpsInputs() == 0);
}

/// Returns true if other operands of the op give the extents of all loops that
/// index this one.
static bool isExtentKnownWithout(linalg::LinalgOp op, OpOperand &use) {
  AffineMap map = op.getMatchingIndexingMap(&use);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (map.isFunctionOfDim(loop) &&
        llvm::none_of(op->getOpOperands(), [&](OpOperand &other) {
          return &other != &use &&
                 llvm::is_contained(
                     op.getMatchingIndexingMap(&other).getResults(),
                     getAffineDimExpr(loop, op->getContext()));
        }))
      return false;
  return true;
}

/// Returns true if the user reads the op's inputs, as it does its other
/// operands, at one place for each index: launches need such maps.
static bool keepsProjections(linalg::LinalgOp op, OpOperand &use) {
  auto user = cast<linalg::LinalgOp>(use.getOwner());
  AffineMap read = user.getMatchingIndexingMap(&use);
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap source = op.getMatchingIndexingMap(input);
    return source.getNumResults() == 0 ||
           source.compose(inversePermutation(result))
               .compose(read)
               .isProjectedPermutation();
  });
}

static bool canFuse(linalg::LinalgOp op, OpOperand &use) {
  auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (!user || user->getBlock() != op->getBlock() || !user.isDpsInput(&use) ||
      !user.hasPureTensorSemantics() || !keepsProjections(op, use))
    return false;
  if (!isMove(op))
    return user.getNumReductionLoops() == 0;
  // Factors of a contraction keep their dimensions.
  return op.getIndexingMapsArray().front().isPermutation() ||
         (!isSharedContraction(user) && isExtentKnownWithout(user, use));
}

static bool isFused(linalg::LinalgOp op) {
  return !op->use_empty() && (isMove(op) || isMask(op)) &&
         llvm::all_of(op->getUses(),
                      [&](OpOperand &use) { return canFuse(op, use); });
}

/// Replaces inputs whose elements are all one constant by that constant.
static LogicalResult inlineSplats(RewriterBase &rewriter, linalg::LinalgOp op) {
  SmallVector<unsigned> splats;
  for (OpOperand *input : op.getDpsInputOperands()) {
    SplatElementsAttr splat;
    if (matchPattern(input->get(), m_Constant(&splat)) &&
        isa<TypedAttr>(splat.getSplatValue<Attribute>()))
      splats.push_back(input->getOperandNumber());
  }
  // Another operand must give the loops' extents.
  if (splats.empty() || op.getNumReductionLoops() != 0)
    return success();
  auto generic = makeGeneric(rewriter, op);
  if (failed(generic))
    return failure();
  op = *generic;
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  Block &body = op->getRegion(0).front();
  llvm::BitVector erased(body.getNumArguments());
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    if (llvm::is_contained(splats, number)) {
      SplatElementsAttr splat;
      matchPattern(operand.get(), m_Constant(&splat));
      Value constant = arith::ConstantOp::create(
          rewriter, op->getLoc(),
          cast<TypedAttr>(splat.getSplatValue<Attribute>()));
      body.getArgument(number).replaceAllUsesWith(constant);
      erased.set(number);
      continue;
    }
    maps.push_back(op.getMatchingIndexingMap(&operand));
    if (op.isDpsInput(&operand))
      inputs.push_back(operand.get());
  }
  body.eraseArguments(erased);
  auto fewer = linalg::GenericOp::create(
      rewriter, op->getLoc(), op->getResultTypes(), inputs, op.getDpsInits(),
      maps, op.getIteratorTypesArray());
  fewer.getRegion().takeBody(op->getRegion(0));
  fewer->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, fewer);
  return success();
}

static LogicalResult fuseAll(RewriterBase &rewriter, func::FuncOp function) {
  for (;;) {
    SmallVector<linalg::LinalgOp> fused = collectOpsIf(function, isFused);
    if (fused.empty())
      return success();
    // The copies for its other uses are next.
    cloneForEachUse(rewriter, fused.front());
    if (failed(fuseIntoUser(rewriter, fused.front())))
      return failure();
  }
}

LogicalResult tonno::fuseMoves(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  auto hasScalars = [](linalg::LinalgOp op) {
    return op.hasPureTensorSemantics() && !isa<linalg::FillOp>(op) &&
           hasScalarPayload(op, /*allowsIndices=*/true);
  };
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  do {
    if (failed(fuseAll(rewriter, function)))
      return failure();
    for (linalg::LinalgOp op : collectOpsIf(function, hasScalars))
      if (failed(inlineSplats(rewriter, op)))
        return failure();
    // With constants and indices in them payloads fold, some of them to moves.
    (void)applyPatternsGreedily(
        function, RewritePatternSet(function.getContext()), config);
  } while (dropKeptDims(function) || !collectOpsIf(function, isFused).empty());
  return success();
}

namespace {

struct FuseMoves : tonno::impl::FuseMovesPassBase<FuseMoves> {
  void runOnOperation() override {
    if (!hasOwnLowering(getOperation()) && failed(fuseMoves(getOperation())))
      signalPassFailure();
  }
};

} // namespace
