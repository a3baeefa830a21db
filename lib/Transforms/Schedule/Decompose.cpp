//===- Decompose.cpp - Ops without loops taken apart ----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tonno {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

/// A gather as a loop nest over its result, which reads an element for each.
struct DecomposeGather : OpRewritePattern<tensor::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::GatherOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResultType();
    if (!type.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "dynamic shape");
    Location loc = op.getLoc();
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> parallel(type.getRank(),
                                              utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, ValueRange(), empty, identity, parallel,
        [&](OpBuilder &builder, Location loc, ValueRange) {
          Value element = tensor::ExtractOp::create(
              builder, loc, op.getSource(), coordinates(op, builder));
          linalg::YieldOp::create(builder, loc, element);
        });
    return success();
  }

private:
  /// Where in the source an element of the result is: gathered dimensions as
  /// the indices say, the others as in the result.
  static SmallVector<Value> coordinates(tensor::GatherOp op,
                                        OpBuilder &builder) {
    Location loc = op.getLoc();
    unsigned batchRank = op.getIndicesType().getRank() - 1;
    unsigned sourceRank = op.getSourceType().getRank();
    bool isReduced = op.getResultType().getRank() < batchRank + sourceRank;
    auto loop = [&](unsigned i) -> Value {
      return linalg::IndexOp::create(builder, loc, i);
    };
    SmallVector<Value> batch, found(sourceRank);
    for (unsigned i = 0; i < batchRank; ++i)
      batch.push_back(loop(i));
    for (auto [i, dim] : llvm::enumerate(op.getGatherDims())) {
      SmallVector<Value> position(batch);
      position.push_back(arith::ConstantIndexOp::create(builder, loc, i));
      Value index =
          tensor::ExtractOp::create(builder, loc, op.getIndices(), position);
      if (!index.getType().isIndex())
        index = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                           index);
      found[dim] = index;
    }
    unsigned next = batchRank;
    for (Value &coordinate : found) {
      if (!coordinate)
        coordinate = loop(next++);
      else if (!isReduced)
        ++next; // a dimension of 1
    }
    return found;
  }
};

struct Decompose : tonno::impl::DecomposePassBase<Decompose> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<linalg::AggregatedOpInterface, linalg::PackOp, linalg::UnPackOp>(
              op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      decompose(rewriter, onTensors(rewriter, op));
    RewritePatternSet patterns(&getContext());
    linalg::populateDecomposeWinogradOpsPatterns(patterns);
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    patterns.add<DecomposeGather>(&getContext());
    // Nothing else is to change: how a kernel is verified is read off it.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }

  /// Upstream takes ops apart on tensors only: one on buffers becomes one on
  /// their contents, whose result goes back.
  static Operation *onTensors(RewriterBase &rewriter, Operation *op) {
    rewriter.setInsertionPoint(op);
    auto isBuffer = llvm::IsaPred<MemRefType>;
    auto destination = dyn_cast<DestinationStyleOpInterface>(op);
    if (!destination || destination.getNumDpsInits() != 1 ||
        !llvm::any_of(op->getOperandTypes(), isBuffer))
      return op;
    Location loc = op->getLoc();
    Value buffer = destination.getDpsInitOperand(0)->get();
    IRMapping contents;
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType()))
        contents.map(operand, bufferization::ToTensorOp::create(
                                  rewriter, loc,
                                  memref::getTensorTypeFromMemRefType(type),
                                  operand, /*restrict=*/true));
    Value result = contents.lookupOrDefault(buffer);
    Operation *onContents =
        mlir::clone(rewriter, op, result.getType(),
                    llvm::map_to_vector(op->getOperands(), [&](Value operand) {
                      return contents.lookupOrDefault(operand);
                    }));
    bufferization::MaterializeInDestinationOp::create(
        rewriter, loc, /*result=*/Type(), onContents->getResult(0), buffer,
        /*restrict=*/true, /*writable=*/true);
    rewriter.eraseOp(op);
    rewriter.setInsertionPoint(onContents);
    return onContents;
  }

  /// The configuration of a softmax becomes that of the first sum over its
  /// loops, which is in the op's place.
  static void moveConfiguration(Operation *op, Operation *before) {
    Attribute config = op->getAttr(TonnoDialect::kLoweringConfig);
    if (!config)
      return;
    Operation *next = before ? before->getNextNode() : &op->getBlock()->front();
    for (; next != op; next = next->getNextNode())
      if (auto part = dyn_cast<linalg::LinalgOp>(next);
          part && part.getNumReductionLoops() != 0) {
        part->setAttr(TonnoDialect::kLoweringConfig, config);
        return;
      }
  }

  /// What can't be taken apart here is named where it can't be lowered.
  static void decompose(RewriterBase &rewriter, Operation *op) {
    Operation *before = op->getPrevNode();
    if (auto pack = dyn_cast<linalg::PackOp>(op))
      (void)linalg::lowerPack(rewriter, pack);
    else if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
      (void)linalg::lowerUnPack(rewriter, unpack);
    else if (auto values =
                 cast<linalg::AggregatedOpInterface>(op).decomposeOperation(
                     rewriter);
             succeeded(values)) {
      moveConfiguration(op, before);
      rewriter.replaceOp(op, *values);
    }
  }
};

} // namespace
