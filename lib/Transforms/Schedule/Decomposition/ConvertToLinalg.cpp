//===- Convert tensor dialects to linalg ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/Decomposition/Decomposition.h"
#include "Schedule/Tiling/LinalgForms.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace tonno {
#define GEN_PASS_DEF_CONVERTTOLINALGPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Replaces a load of a global that nothing writes by its value, as
///   %w = arith.constant dense<2.0> : tensor<4xf32>
static void replaceByValue(Operation *load, SymbolRefAttr name) {
  auto global =
      SymbolTable::lookupNearestSymbolFrom<ml_program::GlobalOp>(load, name);
  if (!global || global.getIsMutable())
    return;
  auto value = dyn_cast_if_present<TypedAttr>(global.getValueAttr());
  if (!value || value.getType() != load->getResult(0).getType())
    return;
  OpBuilder builder(load);
  Operation *constant = value.getDialect().materializeConstant(
      builder, value, value.getType(), load->getLoc());
  if (!constant && arith::ConstantOp::isBuildableWith(value, value.getType()))
    constant = arith::ConstantOp::create(builder, load->getLoc(), value);
  if (!constant)
    return;
  load->replaceAllUsesWith(constant);
  load->erase();
}

static void replaceGlobals(func::FuncOp function) {
  function.walk([](Operation *op) {
    if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op))
      replaceByValue(op, load.getGlobal());
    else if (auto load = dyn_cast<ml_program::GlobalLoadOp>(op))
      replaceByValue(op, load.getGlobal());
  });
}

/// Returns the tile sizes, with constants folded to attributes.
template <typename Op> static SmallVector<OpFoldResult> foldTiles(Op op) {
  return llvm::map_to_vector(op.getMixedTiles(), [](OpFoldResult tile) {
    if (std::optional<int64_t> size = getConstantIntValue(tile))
      return OpFoldResult(
          IntegerAttr::get(IndexType::get(tile.getContext()), *size));
    return tile;
  });
}

/// Returns `type` with the dimensions that `other` knows.
static RankedTensorType refine(RankedTensorType type, RankedTensorType other) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, known] : llvm::zip_equal(shape, other.getShape()))
    if (ShapedType::isDynamic(size))
      size = known;
  return type.clone(shape);
}

static bool hasConstantTile(ValueRange tiles) {
  return llvm::any_of(
      tiles, [](Value tile) { return matchPattern(tile, m_Constant()); });
}

namespace {

/// Constant tiles of a pack or unpack as attributes, and the type they give.
struct KnownTiles {
  SmallVector<OpFoldResult> tiles;
  RankedTensorType packed;
};

} // namespace

/// Fails if none of the tiles is a constant.
template <typename Op>
static FailureOr<KnownTiles> findKnownTiles(Op op, Type unpackedType,
                                            Type packedType) {
  auto unpacked = dyn_cast<RankedTensorType>(unpackedType);
  auto packed = dyn_cast<RankedTensorType>(packedType);
  if (!unpacked || !packed || !hasConstantTile(op.getInnerTiles()))
    return failure();
  SmallVector<OpFoldResult> tiles = foldTiles(op);
  SmallVector<int64_t> sizes;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(tiles, dynamic, sizes);
  RankedTensorType inferred = linalg::PackOp::inferPackedType(
      unpacked, sizes, op.getInnerDimsPos(), op.getOuterDimsPerm());
  return KnownTiles{std::move(tiles), refine(packed, inferred)};
}

/// Folds constant tile sizes into linalg.pack:
///
///   linalg.pack %a inner_tiles = [%c8] into %e : tensor<?x?xf32>
///
/// becomes
///
///   linalg.pack %a inner_tiles = [8] into %cast : tensor<4x8xf32>
static LogicalResult foldPackTiles(linalg::PackOp op,
                                   PatternRewriter &rewriter) {
  FailureOr<KnownTiles> known =
      findKnownTiles(op, op.getSource().getType(), op.getDest().getType());
  if (failed(known))
    return failure();
  Location loc = op.getLoc();
  Value dest =
      tensor::CastOp::create(rewriter, loc, known->packed, op.getDest());
  std::optional<Value> padding;
  if (op.getPaddingValue())
    padding = op.getPaddingValue();
  auto pack = linalg::PackOp::create(rewriter, loc, op.getSource(), dest,
                                     op.getInnerDimsPos(), known->tiles,
                                     padding, op.getOuterDimsPerm());
  pack->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getDest().getType(),
                                              pack->getResult(0));
  return success();
}

/// Folds constant tile sizes into linalg.unpack, whose source has the tiled
/// type.
static LogicalResult foldUnPackTiles(linalg::UnPackOp op,
                                     PatternRewriter &rewriter) {
  FailureOr<KnownTiles> known =
      findKnownTiles(op, op.getDest().getType(), op.getSource().getType());
  if (failed(known))
    return failure();
  Location loc = op.getLoc();
  Value source =
      tensor::CastOp::create(rewriter, loc, known->packed, op.getSource());
  auto unpack = linalg::UnPackOp::create(rewriter, loc, source, op.getDest(),
                                         op.getInnerDimsPos(), known->tiles,
                                         op.getOuterDimsPerm());
  unpack->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, unpack->getResults());
  return success();
}

/// Makes tile sizes that are constants parts of the ops' types.
static LogicalResult foldTileSizes(func::FuncOp function) {
  auto hasTile = [](auto op) { return hasConstantTile(op.getInnerTiles()); };
  if (!anyOp(function, [&](linalg::PackOp op) { return hasTile(op); }) &&
      !anyOp(function, [&](linalg::UnPackOp op) { return hasTile(op); }))
    return success();
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  patterns.add(foldPackTiles);
  patterns.add(foldUnPackTiles);
  tensor::CastOp::getCanonicalizationPatterns(patterns, context);
  tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  linalg::PackOp::getCanonicalizationPatterns(patterns, context);
  linalg::UnPackOp::getCanonicalizationPatterns(patterns, context);
  return applyPatternsGreedily(function, std::move(patterns));
}

/// Adds the passes of upstream's `tosa-to-linalg-pipeline` except its
/// validation, which allows only the types of a profile, and passes for the ops
/// it leaves.
static void addTosaToLinalg(OpPassManager &pm) {
  pm.addPass(tosa::createTosaOptionalDecompositionsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(tosa::createTosaInferShapesPass());
  pm.addPass(tosa::createTosaMakeBroadcastablePass());
  pm.addPass(createTosaToSCFPass());
  pm.addPass(tosa::createTosaToLinalgNamed());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(tosa::createTosaLayerwiseConstantFoldPass());
  pm.addPass(tosa::createTosaMakeBroadcastablePass());
  pm.addPass(tosa::createTosaToLinalg());
  TosaToArithPassOptions options;
  options.includeApplyRescale = true;
  pm.addPass(createTosaToArithPass(options));
  pm.addPass(createTosaToTensorPass());
  pm.addPass(createCanonicalizerPass());
}

/// Gives converted ops inits of their own: upstream takes an unread operand,
/// which as a second use keeps its producer from being fused.
static void replaceUnreadInits(func::FuncOp function,
                               const llvm::DenseSet<Operation *> &others) {
  IRRewriter rewriter(function.getContext());
  function.walk([&](linalg::GenericOp op) {
    if (others.contains(op) || op.getNumDpsInits() != 1)
      return;
    OpOperand &init = *op.getDpsInitOperand(0);
    auto type = dyn_cast<RankedTensorType>(init.get().getType());
    if (type && type.hasStaticShape() && !op.payloadUsesValueFromOperand(&init))
      replaceInitWithEmpty(rewriter, init);
  });
}

static LogicalResult convert(func::FuncOp function,
                             function_ref<void(OpPassManager &)> addPasses) {
  llvm::DenseSet<Operation *> others;
  function.walk([&](linalg::GenericOp op) { others.insert(op); });
  PassManager manager(function.getContext(), func::FuncOp::getOperationName());
  addPasses(manager);
  manager.addPass(createConvertElementwiseToLinalgPass());
  if (failed(manager.run(function)))
    return failure();
  replaceUnreadInits(function, others);
  return success();
}

LogicalResult tonno::convertToLinalg(func::FuncOp function) {
  replaceGlobals(function);
  if (failed(foldTileSizes(function)))
    return failure();
  bool hasTosa = anyOp(function, [](Operation *op) {
    return isa_and_nonnull<tosa::TosaDialect>(op->getDialect());
  });
  return convert(function, [&](OpPassManager &manager) {
    if (hasTosa)
      addTosaToLinalg(manager);
  });
}

namespace {

struct ConvertToLinalg : tonno::impl::ConvertToLinalgPassBase<ConvertToLinalg> {
  using ConvertToLinalgPassBase::ConvertToLinalgPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      bool isOurs = lowered || !hasOwnLowering(function);
      auto converted = isOurs ? convertToLinalg(function)
                              : convert(function, [](OpPassManager &) {});
      if (failed(converted))
        return signalPassFailure();
    }
  }
};

} // namespace
