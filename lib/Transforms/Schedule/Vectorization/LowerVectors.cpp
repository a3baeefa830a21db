//===- Lower vectors to fused multiply-adds -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tonno {
#define GEN_PASS_DEF_LOWERVECTORSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

/// Factor of a product, in its storage type.
struct Factor {
  Value value;
  bool isUnsigned = false;

  Type type() const { return getElementTypeOrSelf(value.getType()); }
};

} // namespace

/// Returns the source of `value` if `value` is an exact extension, or else
/// `value` itself.
static Factor stripExactExtension(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::ExtFOp, arith::ExtSIOp>(op))
    return {op->getOperand(0), false};
  // Half of the 16-bit unsigned numbers do not fit i16.
  if (isa_and_present<arith::ExtUIOp>(op) &&
      getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() < 16)
    return {op->getOperand(0), true};
  return {value, false};
}

static unsigned getDimFromEnd(AffineMap map, unsigned fromEnd) {
  return map.getDimPosition(map.getNumResults() - 1 - fromEnd);
}

/// Extends the factor to i16, which holds all of its values.
static Value shorten(ImplicitLocOpBuilder &builder, const Factor &factor) {
  auto type = cast<VectorType>(factor.value.getType());
  Type element = builder.getIntegerType(16);
  if (type.getElementType() == element)
    return factor.value;
  Type wide = type.clone(element);
  if (factor.isUnsigned)
    return arith::ExtUIOp::create(builder, wide, factor.value);
  return arith::ExtSIOp::create(builder, wide, factor.value);
}

/// Repeats a pair `times` times:
///
///   [a, b] -> [a, b, a, b, ...]
static Value repeat(ImplicitLocOpBuilder &builder, Value pair, int64_t times) {
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < 2 * times; ++i)
    order.push_back(i % 2);
  return vector::ShuffleOp::create(builder, pair, pair, order);
}

namespace {

/// A product of pairs in rows with pairs in a vector of columns.
class PairProduct {
public:
  explicit PairProduct(vector::ContractionOp op)
      : op(op), builder(op.getLoc(), op) {}

  /// Returns true if the op is a sum of pairs of products. Must be called
  /// before any other method.
  bool match(bool dotsBf16) {
    auto maskable = cast<vector::MaskableOpInterface>(op.getOperation());
    return op.getKind() == vector::CombiningKind::ADD && !maskable.isMasked() &&
           matchMaps() && matchTypes(dotsBf16);
  }

  vector::TransferReadOp readOfColumns() const {
    return columns.value.getDefiningOp<vector::TransferReadOp>();
  }

  void lower() {
    AffineMap inRows = op.getIndexingMapsArray()[rowsOperand];
    AffineMap inSums = op.getIndexingMapsArray()[2];
    if (!isBf16) {
      rows.value = shorten(builder, rows);
      columns.value = shorten(builder, columns);
    }
    Value flat = vector::ShapeCastOp::create(
        builder, VectorType::get(2 * width, columns.type()), columns.value);
    Value sums = op.getAcc();
    auto shape = cast<VectorType>(op.getAccType()).getShape().drop_back();
    SmallVector<int64_t> ones(shape.size(), 1);
    for (SmallVector<int64_t> row : StaticTileOffsetRange(shape, ones)) {
      SmallVector<int64_t> place;
      for (AffineExpr index : inRows.getResults().drop_back()) {
        auto position = inSums.getResultPosition(index);
        place.push_back(position ? row[*position] : 0);
      }
      Value pair = vector::ExtractOp::create(builder, rows.value, place);
      Value old = vector::ExtractOp::create(builder, sums, row);
      Value sum =
          isBf16 ? addBf16(old, pair, flat) : addIntegers(old, pair, flat);
      sums = vector::InsertOp::create(builder, sum, sums, row);
    }
    op.replaceAllUsesWith(sums);
    op.erase();
  }

private:
  /// Pairs lie innermost in both operands, columns innermost in the sums; rows
  /// are any other loop, along which the one operand has vectors of pairs.
  bool matchMaps() {
    SmallVector<AffineMap, 4> maps = op.getIndexingMapsArray();
    if (llvm::any_of(maps, [](AffineMap map) {
          return !map.isProjectedPermutation() || map.getNumResults() == 0;
        }))
      return false;
    auto sums = dyn_cast<VectorType>(op.getAccType());
    if (!sums || maps[0].getNumResults() < 2 || maps[1].getNumResults() < 2)
      return false;
    unsigned pair = getDimFromEnd(maps[0], 0),
             column = getDimFromEnd(maps[2], 0);
    rowsOperand = maps[0].isFunctionOfDim(column) ? 1 : 0;
    AffineMap across = maps[1 - rowsOperand];
    if (getDimFromEnd(maps[1], 0) != pair ||
        getDimFromEnd(across, 1) != column || maps[2].isFunctionOfDim(pair))
      return false;
    // All other loops of the columns' operand and all other reduction loops
    // must have one iteration.
    SmallVector<int64_t> extents;
    op.getIterationBounds(extents);
    for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
      bool isRow = maps[rowsOperand].isFunctionOfDim(loop) &&
                   maps[2].isFunctionOfDim(loop) &&
                   !across.isFunctionOfDim(loop);
      if (loop != pair && loop != column && !isRow && extents[loop] != 1)
        return false;
    }
    width = sums.getShape().back();
    return extents[pair] == 2;
  }

  bool matchTypes(bool dotsBf16) {
    Type sum = getElementTypeOrSelf(op.getAccType());
    rows = stripExactExtension(rowsOperand == 0 ? op.getLhs() : op.getRhs());
    columns = stripExactExtension(rowsOperand == 0 ? op.getRhs() : op.getLhs());
    isBf16 = rows.type().isBF16() && columns.type().isBF16() && sum.isF32();
    if (isBf16)
      return dotsBf16 && (width % 16 == 0 || width == 8 || width == 4);
    auto isShort = [](Type type) {
      return type.isInteger() && type.getIntOrFloatBitWidth() <= 16;
    };
    return sum.isInteger(32) && isShort(rows.type()) && isShort(columns.type());
  }

  /// Adds the products of a row's pair with the columns to the row of sums.
  Value addIntegers(Value sums, Value pair, Value columns) {
    Type wide = VectorType::get(2 * width, builder.getI32Type());
    Value left =
        arith::ExtSIOp::create(builder, wide, repeat(builder, pair, width));
    Value right = arith::ExtSIOp::create(builder, wide, columns);
    Value products = arith::MulIOp::create(builder, left, right);
    auto halves = vector::DeinterleaveOp::create(builder, products);
    Value both =
        arith::AddIOp::create(builder, halves.getRes1(), halves.getRes2());
    return arith::AddIOp::create(builder, sums, both);
  }

  Value addBf16(Value sums, Value pair, Value columns) {
    int64_t lanes = std::min<int64_t>(width, 16);
    auto part = [&](Value value, int64_t from, int64_t size) -> Value {
      return vector::ExtractStridedSliceOp::create(builder, value, from, size,
                                                   1);
    };
    Value row = repeat(builder, pair, lanes);
    auto name = builder.getStringAttr("llvm.x86.avx512bf16.dpbf16ps." +
                                      Twine(32 * lanes));
    Value all = sums;
    for (int64_t from = 0; from < width; from += lanes) {
      Value some = part(sums, from, lanes);
      auto dot = LLVM::CallIntrinsicOp::create(
          builder, some.getType(), name,
          {some, row, part(columns, 2 * from, 2 * lanes)});
      all = vector::InsertStridedSliceOp::create(builder, dot.getResult(0), all,
                                                 from, 1);
    }
    return all;
  }

  vector::ContractionOp op;
  ImplicitLocOpBuilder builder;
  Factor rows, columns;
  bool isBf16 = false;
  int64_t width = 0;        ///< columns of a row of sums
  unsigned rowsOperand = 0; ///< of the contraction
};

} // namespace

using Populate = function_ref<void(RewritePatternSet &)>;

/// Applies patterns to the ops alone, or also to what these become.
template <typename Ops>
static LogicalResult applyTo(
    const Ops &chosen, Populate populate,
    GreedyRewriteStrictness strictness = GreedyRewriteStrictness::ExistingOps) {
  SmallVector<Operation *> ops(chosen.begin(), chosen.end());
  if (ops.empty())
    return success();
  RewritePatternSet patterns(ops.front()->getContext());
  populate(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(strictness);
  return applyOpPatternsGreedily(ops, std::move(patterns), config);
}

/// Returns true if the op writes pairs.
static bool writesPairs(vector::TransferWriteOp write) {
  VectorType type = write.getVectorType();
  return type.getRank() > 1 && type.getShape().back() == 2 &&
         type.getElementType().isIntOrFloat() &&
         type.getElementTypeBitWidth() <= 16;
}

/// Lowers products of contiguous pairs, as `pack` makes them: of integers of up
/// to 16 bits to a form that LLVM has instructions for, of bf16, if `dotsBf16`,
/// to AVX-512's `vdpbf16ps`, which takes denormals for zeros. Pairs are read
/// and written as whole vectors.
static LogicalResult lowerPairSums(func::FuncOp function, bool dotsBf16) {
  // Omits the reads of rows, whose pairs are read and repeated one by one.
  llvm::SetVector<Operation *> transfers;
  for (auto op : collectOps<vector::ContractionOp>(function)) {
    PairProduct product(op);
    if (!product.match(dotsBf16))
      continue;
    if (auto read = product.readOfColumns())
      transfers.insert(read);
    product.lower();
  }
  transfers.insert_range(collectOpsIf(function, writesPairs));
  return applyTo(transfers, [](RewritePatternSet &patterns) {
    vector::populateFlattenVectorTransferPatterns(patterns);
  });
}

/// Returns the stride of the buffer's rows, if that is known.
static std::optional<int64_t> rowStride(MemRefType buffer) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(buffer.getStridesAndOffset(strides, offset)) || strides.empty() ||
      ShapedType::isDynamic(strides.back()))
    return std::nullopt;
  return strides.back();
}

/// Returns a view of the elements from the first to the last one read, as one
/// row.
static Value createRowView(RewriterBase &rewriter, vector::TransferReadOp read,
                           int64_t length) {
  Location loc = read.getLoc();
  auto buffer = cast<MemRefType>(read.getBase().getType());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, read.getBase());
  SmallVector<OpFoldResult> indices(read.getIndices());
  auto [sum, terms] =
      computeLinearIndex(metadata.getConstifiedMixedOffset(),
                         metadata.getConstifiedMixedStrides(), indices);
  OpFoldResult begin =
      affine::makeComposedFoldedAffineApply(rewriter, loc, sum, terms);
  auto layout = StridedLayoutAttr::get(
      rewriter.getContext(),
      getConstantIntValue(begin).value_or(ShapedType::kDynamic), {1});
  auto row = MemRefType::get({length}, buffer.getElementType(), layout,
                             buffer.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      rewriter, loc, row, metadata.getBaseBuffer(), begin,
      ArrayRef<OpFoldResult>{rewriter.getIndexAttr(length)},
      ArrayRef<OpFoldResult>{rewriter.getIndexAttr(1)});
}

/// Reads every other element of a row by two loads and a shuffle.
static LogicalResult readEveryOther(vector::TransferReadOp read,
                                    PatternRewriter &rewriter) {
  VectorType type = read.getVectorType();
  int64_t lanes = type.getRank() == 1 ? type.getNumElements() : 0;
  auto buffer = dyn_cast<MemRefType>(read.getBase().getType());
  if (!buffer || lanes < 4 || lanes % 2 != 0 || type.isScalable() ||
      read.getMask() || !read.isDimInBounds(0) ||
      !read.getPermutationMap().isMinorIdentity() || rowStride(buffer) != 2)
    return failure();
  // The second half begins one earlier, to end with the last element.
  Value row = createRowView(rewriter, read, 2 * lanes - 1);
  SmallVector<Value> halves;
  for (int64_t place : {int64_t(0), lanes - 1}) {
    Value at = arith::ConstantIndexOp::create(rewriter, read.getLoc(), place);
    halves.push_back(
        vector::LoadOp::create(rewriter, read.getLoc(), type, row, at));
  }
  SmallVector<int64_t> chosen;
  for (int64_t lane = 0; lane < lanes; ++lane)
    chosen.push_back(2 * lane < lanes ? 2 * lane : 2 * lane + 1);
  rewriter.replaceOpWithNewOp<vector::ShuffleOp>(read, halves[0], halves[1],
                                                 chosen);
  return success();
}

/// Rows of fewer bits are short.
static constexpr unsigned shortRowBits = 128;

/// Returns true if upstream lowers the op for scalars and 1-D vectors only, and
/// unrolls it neither on the way to LLVM nor, for two results, by a pattern.
static bool isLimitedTo1D(Operation *op) {
  return isa<math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::AbsIOp, arith::MulSIExtendedOp, arith::MulUIExtendedOp,
             arith::AddUIExtendedOp>(op);
}

/// Takes an op on vectors apart into the same on each row.
static void unrollToRows(Operation *op, VectorType type) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  SmallVector<Value> results;
  SmallVector<Type> rowTypes;
  for (Type whole : op->getResultTypes()) {
    results.push_back(ub::PoisonOp::create(builder, whole));
    rowTypes.push_back(VectorType::get(type.getShape().take_back(),
                                       getElementTypeOrSelf(whole)));
  }
  SmallVector<int64_t> tile(type.getRank() - 1, 1);
  for (const SmallVector<int64_t> &row :
       StaticTileOffsetRange(type.getShape().drop_back(), tile)) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(vector::ExtractOp::create(builder, operand, row));
    Operation *onRow = mlir::clone(builder, op, rowTypes, operands);
    for (auto [result, part] : llvm::zip(results, onRow->getResults()))
      result = vector::InsertOp::create(builder, part, result, row);
  }
  op->replaceAllUsesWith(results);
  op->erase();
}

/// Swaps the factors if the first has none of the rows of the result: upstream
/// makes outer products only of contractions with such a first factor, and else
/// one sum for each element.
static void moveRowFactorFirst(vector::ContractionOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned loop = 0; loop < maps[0].getNumDims(); ++loop) {
    bool isFirsts = maps[0].isFunctionOfDim(loop);
    if (isFirsts == maps[1].isFunctionOfDim(loop))
      continue;
    if (isFirsts)
      return;
    Value first = op.getLhs(), second = op.getRhs();
    op.getLhsMutable().assign(second);
    op.getRhsMutable().assign(first);
    std::swap(maps[0], maps[1]);
    op.setIndexingMapsAttr(
        Builder(op.getContext()).getAffineMapArrayAttr(maps));
    return;
  }
}

namespace {

struct LowerVectors : tonno::impl::LowerVectorsPassBase<LowerVectors> {
  using LowerVectorsPassBase::LowerVectorsPassBase;

  /// Applies patterns by themselves: contractions go before their rows.
  LogicalResult apply(Populate populate) {
    RewritePatternSet patterns(&getContext());
    populate(patterns);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  /// Extends operands to the sums' type: upstream unrolls batch dimensions only
  /// of contractions with equal types.
  void widenContractions() {
    getOperation()->walk([](vector::ContractionOp op) {
      OpBuilder builder(op);
      Type sum = getElementTypeOrSelf(op.getAccType());
      for (OpOperand &operand : op->getOpOperands().take_front(2)) {
        auto type = cast<VectorType>(operand.get().getType());
        if (type.getElementType() == sum)
          continue;
        Type wide = type.clone(sum);
        if (isa<FloatType>(sum))
          operand.set(
              arith::ExtFOp::create(builder, op.getLoc(), wide, operand.get()));
        else
          operand.set(arith::ExtSIOp::create(builder, op.getLoc(), wide,
                                             operand.get()));
      }
    });
  }

  /// Reduces each row separately: a transposition takes more shuffles.
  LogicalResult lowerRowReductions() {
    auto reducesRows = [](vector::MultiDimReductionOp op) {
      return op.isReducedDim(op.getSourceVectorType().getRank() - 1);
    };
    return applyTo(
        collectOpsIf(getOperation(), reducesRows),
        [](RewritePatternSet &patterns) {
          vector::populateVectorMultiReductionLoweringPatterns(
              patterns, vector::VectorMultiReductionLowering::InnerReduction);
        },
        GreedyRewriteStrictness::ExistingAndNewOps);
  }

  /// Lowers transpositions of 16 x 16 words to 64 shuffles of two rows each. A
  /// single shuffle of all elements, split later, would go through memory.
  LogicalResult lowerSquareTransposes() {
    auto isSquare = [](vector::TransposeOp op) {
      VectorType type = op.getResultVectorType();
      return type.getShape() == ArrayRef<int64_t>{16, 16} &&
             type.getElementType().isIntOrFloat() &&
             type.getElementTypeBitWidth() == 32;
    };
    return applyTo(collectOpsIf(getOperation(), isSquare),
                   [](RewritePatternSet &patterns) {
                     vector::populateVectorTransposeLoweringPatterns(
                         patterns,
                         vector::VectorTransposeLowering::Shuffle16x16);
                   });
  }

  /// Joins the writes of short contiguous rows. Products read rows one by one.
  LogicalResult joinShortRows() {
    auto writesRows = [](vector::TransferWriteOp op) {
      return op.getVectorType().getRank() > 1;
    };
    return applyTo(collectOpsIf(getOperation(), writesRows),
                   [](RewritePatternSet &patterns) {
                     vector::populateFlattenVectorTransferPatterns(
                         patterns, shortRowBits);
                   });
  }

  /// Ignores the sign of zeros, as upstream does in the remainders of vectors.
  void ignoreSignsOfZeros() {
    getOperation()->walk([](vector::ReductionOp op) {
      if (op.getKind() == vector::CombiningKind::MAXIMUMF ||
          op.getKind() == vector::CombiningKind::MINIMUMF)
        op.setFastmath(op.getFastmath() | arith::FastMathFlags::nsz);
    });
  }

  void runOnOperation() override {
    // Masks first: what else is made of a masked op computes without its mask.
    auto masks = [](RewritePatternSet &patterns) {
      vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
    };
    auto permutations = [](RewritePatternSet &patterns) {
      vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
    };
    auto contractions = [](RewritePatternSet &patterns) {
      vector::populateVectorContractLoweringPatterns(
          patterns, vector::VectorContractLowering::OuterProduct);
    };
    auto rows = [](RewritePatternSet &patterns) {
      vector::populateVectorOuterProductLoweringPatterns(patterns);
      vector::populateVectorTransposeLoweringPatterns(
          patterns, vector::VectorTransposeLowering::Shuffle1D);
      vector::populateVectorBroadcastLoweringPatterns(patterns);
      vector::populateVectorShapeCastLoweringPatterns(patterns);
      vector::populateVectorMultiReductionLoweringPatterns(
          patterns, vector::VectorMultiReductionLowering::InnerParallel);
      vector::populateVectorGatherLoweringPatterns(patterns);
      vector::populateVectorScanLoweringPatterns(patterns);
      vector::populateVectorInterleaveLoweringPatterns(patterns);
      vector::populateVectorBitCastLoweringPatterns(patterns);
    };
    auto transfers = [](RewritePatternSet &patterns) {
      VectorTransferToSCFOptions options;
      options.enableFullUnroll(true);
      options.setTargetRank(1);
      populateVectorToSCFConversionPatterns(patterns, options);
      vector::populateVectorTransferLoweringPatterns(patterns,
                                                     /*maxTransferRank=*/1);
      // Before what reads each element by itself.
      patterns.add(readEveryOther, /*benefit=*/10);
    };
    auto maskValues = [](RewritePatternSet &patterns) {
      vector::populateVectorMaskOpLoweringPatterns(patterns);
    };
    if (failed(lowerPairSums(getOperation(), dotsBf16)))
      return signalPassFailure();
    widenContractions();
    getOperation()->walk(moveRowFactorFirst);
    if (failed(apply(masks)) || failed(apply(permutations)) ||
        failed(joinShortRows()) || failed(apply(contractions)) ||
        failed(lowerRowReductions()) || failed(lowerSquareTransposes()) ||
        failed(apply(rows)) || failed(apply(transfers)) ||
        failed(apply(maskValues)))
      return signalPassFailure();
    ignoreSignsOfZeros();
    getOperation()->walk([](Operation *op) {
      if (!isLimitedTo1D(op))
        return;
      auto type = dyn_cast<VectorType>(op->getResult(0).getType());
      if (type && type.getRank() > 1)
        unrollToRows(op, type);
    });
  }
};

} // namespace
