//===- Products summed up in pairs ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/PairSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace {

/// One side of a product, as narrow as it is stored.
struct Factor {
  Value value;
  bool isUnsigned = false;

  Type type() const { return getElementTypeOrSelf(value.getType()); }
};

/// A product of which one operand has the pairs of some rows, the other those
/// of a vector of columns.
class PairProduct {
public:
  explicit PairProduct(vector::ContractionOp op)
      : op(op), builder(op), loc(op.getLoc()) {}

  /// Whether it is one; must be asked first.
  bool match(bool dotsBf16);
  vector::TransferReadOp readOfColumns() const {
    return columns.value.getDefiningOp<vector::TransferReadOp>();
  }
  void lower();

private:
  bool matchMaps();
  bool matchTypes(bool dotsBf16);
  /// To a row of sums, the products of its pair and the columns'.
  Value addIntegers(Value sums, Value pair, Value columns);
  Value addBf16(Value sums, Value pair, Value columns);

  vector::ContractionOp op;
  OpBuilder builder;
  Location loc;
  Factor rows, columns;
  bool isBf16 = false;
  int64_t width = 0;        ///< columns of a row of sums
  unsigned rowsOperand = 0; ///< of the contraction
};

} // namespace

/// What `value` is an extension of, if that is exact.
static Factor factorOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::ExtFOp, arith::ExtSIOp>(op))
    return {op->getOperand(0), false};
  // Of 16 bits, half of the numbers have no signed form.
  if (isa_and_present<arith::ExtUIOp>(op) &&
      getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() < 16)
    return {op->getOperand(0), true};
  return {value, false};
}

static unsigned loopAt(AffineMap map, unsigned fromEnd) {
  return map.getDimPosition(map.getNumResults() - 1 - fromEnd);
}

/// Pairs lie innermost in both operands, columns innermost in the sums; rows
/// are any other loop, along which the one operand has vectors of pairs.
bool PairProduct::matchMaps() {
  SmallVector<AffineMap, 4> maps = op.getIndexingMapsArray();
  if (llvm::any_of(maps, [](AffineMap map) {
        return !map.isProjectedPermutation() || map.getNumResults() == 0;
      }))
    return false;
  auto sums = dyn_cast<VectorType>(op.getAccType());
  if (!sums || maps[0].getNumResults() < 2 || maps[1].getNumResults() < 2)
    return false;
  unsigned pair = loopAt(maps[0], 0), column = loopAt(maps[2], 0);
  rowsOperand = maps[0].isFunctionOfDim(column) ? 1 : 0;
  AffineMap across = maps[1 - rowsOperand];
  if (loopAt(maps[1], 0) != pair || loopAt(across, 1) != column ||
      maps[2].isFunctionOfDim(pair))
    return false;
  // Of the columns' operand all else, and all else that is summed up, is one.
  SmallVector<int64_t> extents;
  op.getIterationBounds(extents);
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isRow = maps[rowsOperand].isFunctionOfDim(loop) &&
                 maps[2].isFunctionOfDim(loop) && !across.isFunctionOfDim(loop);
    if (loop != pair && loop != column && !isRow && extents[loop] != 1)
      return false;
  }
  width = sums.getShape().back();
  return extents[pair] == 2;
}

bool PairProduct::matchTypes(bool dotsBf16) {
  Type sum = getElementTypeOrSelf(op.getAccType());
  rows = factorOf(rowsOperand == 0 ? op.getLhs() : op.getRhs());
  columns = factorOf(rowsOperand == 0 ? op.getRhs() : op.getLhs());
  isBf16 = rows.type().isBF16() && columns.type().isBF16() && sum.isF32();
  if (isBf16)
    return dotsBf16 && (width % 16 == 0 || width == 8 || width == 4);
  auto isShort = [](Type type) {
    return type.isInteger() && type.getIntOrFloatBitWidth() <= 16;
  };
  return sum.isInteger(32) && isShort(rows.type()) && isShort(columns.type());
}

bool PairProduct::match(bool dotsBf16) {
  auto maskable = cast<vector::MaskableOpInterface>(op.getOperation());
  return op.getKind() == vector::CombiningKind::ADD && !maskable.isMasked() &&
         matchMaps() && matchTypes(dotsBf16);
}

/// As i16, which holds all of it.
static Value shorten(OpBuilder &builder, Location loc, const Factor &factor) {
  auto type = cast<VectorType>(factor.value.getType());
  Type element = builder.getIntegerType(16);
  if (type.getElementType() == element)
    return factor.value;
  Type wide = type.clone(element);
  return factor.isUnsigned
             ? arith::ExtUIOp::create(builder, loc, wide, factor.value)
                   .getResult()
             : arith::ExtSIOp::create(builder, loc, wide, factor.value)
                   .getResult();
}

/// As often side by side.
static Value repeat(OpBuilder &builder, Location loc, Value pair,
                    int64_t times) {
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < 2 * times; ++i)
    order.push_back(i % 2);
  return vector::ShuffleOp::create(builder, loc, pair, pair, order);
}

Value PairProduct::addIntegers(Value sums, Value pair, Value columns) {
  Type wide = VectorType::get(2 * width, builder.getI32Type());
  Value left = arith::ExtSIOp::create(builder, loc, wide,
                                      repeat(builder, loc, pair, width));
  Value right = arith::ExtSIOp::create(builder, loc, wide, columns);
  Value products = arith::MulIOp::create(builder, loc, left, right);
  auto halves = vector::DeinterleaveOp::create(builder, loc, products);
  Value both =
      arith::AddIOp::create(builder, loc, halves.getRes1(), halves.getRes2());
  return arith::AddIOp::create(builder, loc, sums, both);
}

Value PairProduct::addBf16(Value sums, Value pair, Value columns) {
  int64_t lanes = std::min<int64_t>(width, 16);
  auto part = [&](Value value, int64_t from, int64_t size) -> Value {
    return vector::ExtractStridedSliceOp::create(builder, loc, value, from,
                                                 size, 1);
  };
  Value row = repeat(builder, loc, pair, lanes);
  auto name = builder.getStringAttr("llvm.x86.avx512bf16.dpbf16ps." +
                                    Twine(32 * lanes));
  Value all = sums;
  for (int64_t from = 0; from < width; from += lanes) {
    Value some = part(sums, from, lanes);
    auto dot = LLVM::CallIntrinsicOp::create(
        builder, loc, some.getType(), name,
        {some, row, part(columns, 2 * from, 2 * lanes)});
    all = vector::InsertStridedSliceOp::create(builder, loc, dot.getResult(0),
                                               all, from, 1);
  }
  return all;
}

void PairProduct::lower() {
  AffineMap inRows = op.getIndexingMapsArray()[rowsOperand];
  AffineMap inSums = op.getIndexingMapsArray()[2];
  if (!isBf16) {
    rows.value = shorten(builder, loc, rows);
    columns.value = shorten(builder, loc, columns);
  }
  Value flat = vector::ShapeCastOp::create(
      builder, loc, VectorType::get(2 * width, columns.type()), columns.value);
  Value sums = op.getAcc();
  auto shape = cast<VectorType>(op.getAccType()).getShape().drop_back();
  SmallVector<int64_t> ones(shape.size(), 1);
  for (SmallVector<int64_t> row : StaticTileOffsetRange(shape, ones)) {
    SmallVector<int64_t> place;
    for (AffineExpr index : inRows.getResults().drop_back()) {
      auto position = inSums.getResultPosition(index);
      place.push_back(position ? row[*position] : 0);
    }
    Value pair = vector::ExtractOp::create(builder, loc, rows.value, place);
    Value old = vector::ExtractOp::create(builder, loc, sums, row);
    Value sum =
        isBf16 ? addBf16(old, pair, flat) : addIntegers(old, pair, flat);
    sums = vector::InsertOp::create(builder, loc, sum, sums, row);
  }
  op.replaceAllUsesWith(sums);
  op.erase();
}

/// Whether it writes pairs.
static bool writesPairs(vector::TransferWriteOp write) {
  VectorType type = write.getVectorType();
  return type.getRank() > 1 && type.getShape().back() == 2 &&
         type.getElementType().isIntOrFloat() &&
         type.getElementTypeBitWidth() <= 16;
}

LogicalResult tonno::lowerPairSums(func::FuncOp function, bool dotsBf16) {
  SmallVector<vector::ContractionOp> contractions;
  function.walk([&](vector::ContractionOp op) { contractions.push_back(op); });
  // Of rows each pair is read by itself, and with that repeated.
  llvm::SetVector<Operation *> transfers;
  for (vector::ContractionOp op : contractions) {
    PairProduct product(op);
    if (!product.match(dotsBf16))
      continue;
    if (auto read = product.readOfColumns())
      transfers.insert(read);
    product.lower();
  }
  function.walk([&](vector::TransferWriteOp write) {
    if (writesPairs(write))
      transfers.insert(write);
  });
  RewritePatternSet patterns(function.getContext());
  vector::populateFlattenVectorTransferPatterns(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps);
  return applyOpPatternsGreedily(transfers.getArrayRef(), std::move(patterns),
                                 config);
}
