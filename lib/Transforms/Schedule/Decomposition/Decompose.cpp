//===- Decompose composed ops ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/Bufferization/Destinations.h"
#include "Schedule/Decomposition/Decomposition.h"
#include "Schedule/Tiling/LinalgForms.h"
#include "Schedule/Tiling/LoopExtents.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
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

/// Returns the i-th of the indices at `batch`.
static Value indexAt(OpBuilder &builder, Location loc, Value indices,
                     ValueRange batch, int64_t i) {
  SmallVector<Value> position(batch);
  position.push_back(arith::ConstantIndexOp::create(builder, loc, i));
  Value index = tensor::ExtractOp::create(builder, loc, indices, position);
  return getValueOrCreateCastToIndexLike(builder, loc, builder.getIndexType(),
                                         index);
}

/// Returns the source coordinates of an element of the result.
static SmallVector<Value> coordinates(tensor::GatherOp op, OpBuilder &builder) {
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
  for (auto [i, dim] : llvm::enumerate(op.getGatherDims()))
    found[dim] = indexAt(builder, loc, op.getIndices(), batch, i);
  unsigned next = batchRank;
  for (Value &coordinate : found) {
    if (!coordinate)
      coordinate = loop(next++);
    else if (!isReduced)
      ++next; // a dimension of 1
  }
  return found;
}

/// Makes a gather a loop nest over its result, if that has a static shape.
static LogicalResult lowerGather(RewriterBase &rewriter, tensor::GatherOp op) {
  RankedTensorType type = op.getResultType();
  if (!type.hasStaticShape())
    return failure();
  Location loc = op.getLoc();
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, ValueRange(), empty, identity, parallel,
      [&](OpBuilder &builder, Location loc, ValueRange) {
        Value element = tensor::ExtractOp::create(builder, loc, op.getSource(),
                                                  coordinates(op, builder));
        linalg::YieldOp::create(builder, loc, element);
      });
  return success();
}

/// Returns the offsets in the destination of the slice at the indices of
/// `batch`.
static SmallVector<OpFoldResult>
createSliceOffsets(OpBuilder &builder, tensor::ScatterOp op, ValueRange batch) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> offsets(op.getDestType().getRank(),
                                    builder.getIndexAttr(0));
  for (auto [i, dim] : llvm::enumerate(op.getScatterDims()))
    offsets[dim] = indexAt(builder, loc, op.getIndices(), batch, i);
  return offsets;
}

/// Inserts the slice of the indices at `batch` into `destination`.
static Value insertAt(OpBuilder &builder, tensor::ScatterOp op,
                      ValueRange batch, Value destination) {
  Location loc = op.getLoc();
  OpFoldResult one = builder.getIndexAttr(1);
  RankedTensorType type = op.getSourceType();
  SmallVector<OpFoldResult> from(batch.begin(), batch.end());
  from.resize(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> taken =
      tensor::getMixedSizes(builder, loc, op.getSource());
  std::fill_n(taken.begin(), batch.size(), one);
  auto sliceType = RankedTensorType::get(
      type.getShape().drop_front(batch.size()), type.getElementType());
  Value slice = tensor::ExtractSliceOp::create(
      builder, loc, sliceType, op.getSource(), from, taken,
      SmallVector<OpFoldResult>(from.size(), one));

  SmallVector<OpFoldResult> replaced =
      tensor::getMixedSizes(builder, loc, destination);
  for (int64_t dim : op.getScatterDims())
    replaced[dim] = one;
  return tensor::InsertSliceOp::create(
      builder, loc, slice, destination, createSliceOffsets(builder, op, batch),
      replaced, SmallVector<OpFoldResult>(replaced.size(), one));
}

/// Lowers tensor.scatter, as upstream does not, to loops that insert slices.
static LogicalResult lowerScatter(tensor::ScatterOp op,
                                  PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(rewriter, loc, op.getIndices());
  extents.pop_back();
  SmallVector<Value> begins(extents.size(), constant(0));
  SmallVector<Value> ends =
      getValueOrCreateConstantIndexOp(rewriter, loc, extents);
  SmallVector<Value> steps(extents.size(), constant(1));
  scf::LoopNest nest = scf::buildLoopNest(
      rewriter, loc, begins, ends, steps, op.getDest(),
      [&](OpBuilder &builder, Location, ValueRange batch, ValueRange carried) {
        return scf::ValueVector{insertAt(builder, op, batch, carried.front())};
      });
  rewriter.replaceOp(op, nest.results);
  return success();
}

/// Makes an op on buffers one on tensors, as upstream decomposes no other.
static Operation *rewriteOnTensors(RewriterBase &rewriter, Operation *op) {
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
      contents.map(operand,
                   bufferization::ToTensorOp::create(
                       rewriter, loc, memref::getTensorTypeFromMemRefType(type),
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

static LogicalResult replaceByDecomposition(RewriterBase &rewriter,
                                            Operation *op,
                                            bool usesReciprocals) {
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op);
      softmax && usesReciprocals) {
    rewriter.replaceOp(op, decomposeSoftmax(rewriter, softmax));
    return success();
  }
  if (auto gather = dyn_cast<tensor::GatherOp>(op))
    return lowerGather(rewriter, gather);
  if (auto pack = dyn_cast<linalg::PackOp>(op))
    return linalg::lowerPack(rewriter, pack);
  if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    return linalg::lowerUnPack(rewriter, unpack);
  auto values =
      cast<linalg::AggregatedOpInterface>(op).decomposeOperation(rewriter);
  if (succeeded(values))
    rewriter.replaceOp(op, *values);
  return values;
}

bool tonno::isComposed(Operation *op) {
  return isa<linalg::AggregatedOpInterface, linalg::PackOp, linalg::UnPackOp,
             tensor::GatherOp>(op);
}

SmallVector<linalg::LinalgOp> tonno::decomposeToLinalg(RewriterBase &rewriter,
                                                       Operation *op,
                                                       bool usesReciprocals) {
  op = rewriteOnTensors(rewriter, op);
  Operation *before = op->getPrevNode(), *after = op->getNextNode();
  Block *block = op->getBlock();
  SmallVector<linalg::LinalgOp> parts;
  if (failed(replaceByDecomposition(rewriter, op, usesReciprocals)))
    return parts;
  for (Operation *next = before ? before->getNextNode() : &block->front();
       next != after; next = next->getNextNode())
    if (auto part = dyn_cast<linalg::LinalgOp>(next);
        part && !isa<linalg::FillOp>(next))
      parts.push_back(part);
  return parts;
}

static bool isSum(linalg::LinalgOp op) {
  return op.getNumReductionLoops() != 0;
}

/// Returns the keys of the composed op's configuration that apply to this part.
static SmallVector<StringRef>
getPartConfigKeys(linalg::LinalgOp part, ArrayRef<linalg::LinalgOp> parts) {
  SmallVector<StringRef> keys;
  if (isSum(part))
    keys = {lowering_config::kReduction, lowering_config::kSubgroup};
  else if (llvm::any_of(parts, isSum))
    keys = {lowering_config::kWorkgroup};
  else
    keys = {lowering_config::kWorkgroup, lowering_config::kSubgroup};
  if (part == parts.back())
    keys.append({lowering_config::kFuse, lowering_config::kStream});
  return keys;
}

void tonno::configureParts(ArrayRef<linalg::LinalgOp> parts,
                           DictionaryAttr config) {
  for (linalg::LinalgOp part : parts) {
    NamedAttrList own;
    for (StringRef key : getPartConfigKeys(part, parts))
      if (auto sizes = config.getAs<ArrayAttr>(key);
          sizes && sizes.size() == part.getNumLoops())
        own.set(key, sizes);
    // Computed together, all are shared with the last one.
    if (Attribute threads = config.get(lowering_config::kThreads);
        threads &&
        (part == parts.back() || !config.get(lowering_config::kFuse)))
      own.set(lowering_config::kThreads, threads);
    if (!own.empty())
      setLoweringConfig(part, own);
  }
}

DictionaryAttr tonno::mergePartConfigs(ArrayRef<linalg::LinalgOp> parts) {
  NamedAttrList config;
  for (linalg::LinalgOp part : parts)
    if (DictionaryAttr own = getLoweringConfig(part))
      for (StringRef key : getPartConfigKeys(part, parts))
        if (Attribute sizes = own.get(key))
          config.set(key, sizes);
  return config.empty() ? DictionaryAttr()
                        : config.getDictionary(parts.front()->getContext());
}

/// Replaces the inits of all parts but the last by fresh tensors. An
/// intermediate computed in the result's buffer would be copied where it is
/// read while the result is written:
///
///   %max = linalg.generic outs(%out)
///
/// becomes
///
///   %e = tensor.empty() : tensor<8xf32>
///   %max = linalg.generic outs(%e)
static void replaceIntermediateInits(RewriterBase &rewriter,
                                     ArrayRef<linalg::LinalgOp> parts) {
  for (linalg::LinalgOp part : parts.drop_back())
    for (OpOperand &init : part.getDpsInitsMutable()) {
      auto type = dyn_cast<RankedTensorType>(init.get().getType());
      if (type && !part.payloadUsesValueFromOperand(&init))
        replaceInitWithEmpty(rewriter, init);
    }
}

namespace {

struct Decompose : tonno::impl::DecomposePassBase<Decompose> {
  using DecomposePassBase::DecomposePassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (Operation *op : collectOpsIf(getOperation(), isComposed))
      decompose(rewriter, op);
    RewritePatternSet patterns(&getContext());
    linalg::populateDecomposeWinogradOpsPatterns(patterns);
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    patterns.add(lowerScatter);
    // Disables other rewrites: the verification of a kernel is derived from its
    // ops.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    resolveSizes(rewriter, getOperation());
    // Before, loops may yet be made around what reads and what writes.
    if (!byPart) {
      if (failed(generalizeReadingMaps(getOperation())))
        return signalPassFailure();
      removeRedundantWriteBacks(getOperation());
      cloneSharedDestinations(getOperation());
    }
  }

  /// Decomposes the op. An op that cannot be decomposed is reported where it is
  /// lowered.
  void decompose(RewriterBase &rewriter, Operation *op) {
    DictionaryAttr config = getLoweringConfig(op);
    SmallVector<linalg::LinalgOp> parts =
        decomposeToLinalg(rewriter, op, usesReciprocals);
    if (byPart && !parts.empty())
      replaceIntermediateInits(rewriter, parts);
    if (!config)
      return;
    if (byPart)
      return configureParts(parts, config);
    auto sum = llvm::find_if(parts, isSum);
    if (sum != parts.end())
      (*sum)->setAttr(TonnoDialect::kLoweringConfig, config);
  }
};

} // namespace
