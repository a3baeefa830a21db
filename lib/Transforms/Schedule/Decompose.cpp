//===- Ops without loops taken apart --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Decompose.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Destinations.h"
#include "tonno/Transforms/Schedule/GatherScatter.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/Schedule/ReadingMaps.h"
#include "tonno/Transforms/Schedule/SeparateResults.h"

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

static LogicalResult replaceByParts(RewriterBase &rewriter, Operation *op) {
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

SmallVector<linalg::LinalgOp> tonno::takeApart(RewriterBase &rewriter,
                                               Operation *op) {
  op = onTensors(rewriter, op);
  Operation *before = op->getPrevNode(), *after = op->getNextNode();
  Block *block = op->getBlock();
  SmallVector<linalg::LinalgOp> parts;
  if (failed(replaceByParts(rewriter, op)))
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

/// What of the configuration of all is for this part.
static SmallVector<StringRef> keysOf(linalg::LinalgOp part,
                                     ArrayRef<linalg::LinalgOp> parts) {
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
    for (StringRef key : keysOf(part, parts))
      if (auto sizes = config.getAs<ArrayAttr>(key);
          sizes && sizes.size() == part.getNumLoops())
        own.set(key, sizes);
    // Computed together, all are shared with the last one.
    if (Attribute threads = config.get(lowering_config::kThreads);
        threads &&
        (part == parts.back() || !config.get(lowering_config::kFuse)))
      own.set(lowering_config::kThreads, threads);
    if (!own.empty())
      part->setAttr(TonnoDialect::kLoweringConfig,
                    own.getDictionary(config.getContext()));
  }
}

DictionaryAttr tonno::configurationOf(ArrayRef<linalg::LinalgOp> parts) {
  NamedAttrList config;
  for (linalg::LinalgOp part : parts)
    if (auto own =
            part->getAttrOfType<DictionaryAttr>(TonnoDialect::kLoweringConfig))
      for (StringRef key : keysOf(part, parts))
        if (Attribute sizes = own.get(key))
          config.set(key, sizes);
  return config.empty() ? DictionaryAttr()
                        : config.getDictionary(parts.front()->getContext());
}

/// What only lies between is no part of the result: computed there, it would be
/// copied where it is read while the result is written.
static void separateDestinations(RewriterBase &rewriter,
                                 ArrayRef<linalg::LinalgOp> parts) {
  for (linalg::LinalgOp part : parts.drop_back())
    for (OpOperand &init : part.getDpsInitsMutable()) {
      auto type = dyn_cast<RankedTensorType>(init.get().getType());
      if (!type || !type.hasStaticShape() ||
          part.payloadUsesValueFromOperand(&init))
        continue;
      rewriter.setInsertionPoint(part);
      Value own = tensor::EmptyOp::create(
          rewriter, part.getLoc(), type.getShape(), type.getElementType());
      rewriter.modifyOpInPlace(part, [&] { init.set(own); });
    }
}

namespace {

struct Decompose : tonno::impl::DecomposePassBase<Decompose> {
  using DecomposePassBase::DecomposePassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isComposed(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      decompose(rewriter, op);
    RewritePatternSet patterns(&getContext());
    linalg::populateDecomposeWinogradOpsPatterns(patterns);
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    populateLowerScatterPatterns(patterns);
    // Nothing else is to change: how a kernel is verified is read off it.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    // Before, loops may yet be made around what reads and what writes.
    if (!byPart) {
      if (failed(generalizeReadingMaps(getOperation())))
        return signalPassFailure();
      dropKept(getOperation());
      separateCopies(getOperation());
    }
  }

  /// What can't be taken apart here is named where it can't be lowered.
  void decompose(RewriterBase &rewriter, Operation *op) {
    auto config =
        op->getAttrOfType<DictionaryAttr>(TonnoDialect::kLoweringConfig);
    SmallVector<linalg::LinalgOp> parts = takeApart(rewriter, op);
    if (byPart && !parts.empty())
      separateDestinations(rewriter, parts);
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
