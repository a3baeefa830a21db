//===- Builder of a GPU thread's code -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/ThreadCode.h"
#include "tonno/Core/LaunchPlan.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "Schedule/Tiling/LinalgForms.h"
#include "Schedule/Tiling/LoopExtents.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tonno;

OpFoldResult ThreadCode::multiply(ArrayRef<OpFoldResult> extents) {
  int64_t known = 1;
  Value product;
  for (OpFoldResult extent : extents)
    if (auto constant = getConstantIntValue(extent))
      known *= *constant;
    else
      product =
          product ? b.createOrFold<arith::MulIOp>(product, cast<Value>(extent))
                  : cast<Value>(extent);
  if (!product)
    return b.getIndexAttr(known);
  return multiply(product, known);
}

OpFoldResult ThreadCode::countTiles(OpFoldResult extent, int64_t tile) {
  if (auto known = getConstantIntValue(extent))
    return b.getIndexAttr(llvm::divideCeil(*known, tile));
  return divide(add(cast<Value>(extent), tile - 1), tile);
}

SmallVector<Value> ThreadCode::delinearize(Value linear,
                                           ArrayRef<OpFoldResult> extents) {
  SmallVector<Value> coordinates(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    auto known = getConstantIntValue(extents[i]);
    auto divideBy = [&](Value x) {
      return known ? divide(x, *known)
                   : b.createOrFold<arith::DivUIOp>(x, cast<Value>(extents[i]));
    };
    auto moduloBy = [&](Value x) {
      return known ? remainder(x, *known)
                   : b.createOrFold<arith::RemUIOp>(x, cast<Value>(extents[i]));
    };
    coordinates[i] = i == 0 ? linear : moduloBy(linear);
    if (i != 0)
      linear = divideBy(linear);
  }
  return coordinates;
}

Value ThreadCode::valueIf(Value condition, Type type,
                          llvm::function_ref<Value()> emit) {
  if (!condition)
    return emit();
  auto branch = scf::IfOp::create(b, TypeRange(type), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, emit());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, zero(type));
  return branch.getResult(0);
}

void ThreadCode::doIf(Value condition, llvm::function_ref<void()> emit) {
  if (!condition)
    return emit();
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emit();
}

Value ThreadCode::splat(Value scalar, int64_t width) {
  if (width == 1)
    return scalar;
  return vector::BroadcastOp::create(
      b, VectorType::get(width, scalar.getType()), scalar);
}

Value ThreadCode::constant(TypedAttr value, Type type) {
  Attribute attribute = value;
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, attribute);
  return arith::ConstantOp::create(b, type, cast<TypedAttr>(attribute));
}

Value ThreadCode::slice(Value value, int64_t start, int64_t width) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector || vector.getNumElements() == width)
    return value;
  if (width == 1)
    return vector::ExtractOp::create(b, value, start);
  return vector::ExtractStridedSliceOp::create(
      b, value, ArrayRef<int64_t>{start}, ArrayRef<int64_t>{width},
      ArrayRef<int64_t>{1});
}

Value ThreadCode::concatenate(ArrayRef<Value> pieces) {
  if (pieces.size() == 1)
    return pieces.front();
  Type element = getElementTypeOrSelf(pieces.front().getType());
  auto piece = dyn_cast<VectorType>(pieces.front().getType());
  int64_t width = piece ? piece.getNumElements() : 1;
  auto type = VectorType::get(int64_t(pieces.size()) * width, element);
  if (!piece)
    return vector::FromElementsOp::create(b, type, pieces);
  Value whole = zero(type);
  for (auto [i, part] : llvm::enumerate(pieces))
    whole = vector::InsertStridedSliceOp::create(
        b, part, whole, ArrayRef<int64_t>{int64_t(i) * width},
        ArrayRef<int64_t>{1});
  return whole;
}

Value ThreadCode::load(Value buffer, ValueRange indices, int64_t width,
                       int64_t alignment) {
  Type element = getElementTypeOrSelf(buffer);
  if (width == 1)
    return memref::LoadOp::create(b, buffer, indices);
  return vector::LoadOp::create(b, VectorType::get(width, element), buffer,
                                indices, /*nontemporal=*/false,
                                llvm::MaybeAlign(alignment));
}

void ThreadCode::store(Value value, Value buffer, ValueRange indices,
                       int64_t alignment) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(b, value, buffer, indices, /*nontemporal=*/false,
                            llvm::MaybeAlign(alignment));
  else
    memref::StoreOp::create(b, value, buffer, indices);
}

Value ThreadCode::shuffle(Value value, int64_t bits, int64_t subgroupSize) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Type word = b.getI32Type(), narrow = b.getIntegerType(width);
  bool isWord = width == 32;
  if (!isWord) {
    if (isa<FloatType>(type))
      value = arith::BitcastOp::create(b, narrow, value);
    value = arith::ExtUIOp::create(b, word, value);
  }
  Value other =
      gpu::ShuffleOp::create(b, value, int32_t(bits), int32_t(subgroupSize),
                             gpu::ShuffleMode::XOR)
          .getShuffleResult();
  if (isWord)
    return other;
  other = arith::TruncIOp::create(b, narrow, other);
  return isa<FloatType>(type) ? arith::BitcastOp::create(b, type, other)
                              : other;
}

void ThreadCode::disableUnrolling(scf::ForOp loop) {
  MLIRContext *context = b.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/b.getBoolAttr(true), {}, {}, {}, {}, {}, {});
  // The name of the attribute of the branch that it will be on.
  loop->setAttr("loop_annotation",
                LLVM::LoopAnnotationAttr::get(
                    context, /*disableNonforced=*/{}, /*vectorize=*/{},
                    /*interleave=*/{}, unroll, /*unrollAndJam=*/{},
                    /*licm=*/{}, /*distribute=*/{}, /*pipeline=*/{},
                    /*peeled=*/{}, /*unswitch=*/{}, /*mustProgress=*/{},
                    /*isVectorized=*/{}, /*startLoc=*/{}, /*endLoc=*/{},
                    /*parallelAccesses=*/{}));
}

int64_t tonno::getElementBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 8;
}

bool tonno::isKnownMultiple(OpFoldResult extent, int64_t divisor) {
  auto known = getConstantIntValue(extent);
  return divisor == 1 || (known && *known % divisor == 0);
}

int64_t tonno::commonPowerOfTwo(ArrayRef<int64_t> numbers, int64_t bound) {
  for (int64_t number : numbers) {
    if (ShapedType::isDynamic(number))
      return 1;
    while (number % bound != 0)
      bound /= 2;
  }
  return bound;
}

/// Returns the alignment in bytes of the first element of the buffer that
/// `buffer` is a view of.
static int64_t baseAlignment(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto buffers = getKernelBuffers(parent);
    return buffers && argument.getArgNumber() < buffers->size()
               ? (*buffers)[argument.getArgNumber()].alignment
               : 1;
  }
  if (buffer.getDefiningOp<memref::AllocOp>())
    return bufferAlignment; // as tonno-workspace places it
  return 1;
}

int64_t tonno::vectorWidth(Value buffer, int64_t bound) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  // Vectors of bits are packed; elements in memory are not.
  if (type.getRank() == 0 || type.getElementType().isInteger(1) ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset) || strides.back() != 1)
    return 1;
  // The shift of a memref.view is none of its type's.
  for (Value part = buffer; part && offset == 0; part = viewSource(part))
    if (part.getDefiningOp<memref::ViewOp>())
      return 1;
  int64_t bytes = getElementBytes(type);
  SmallVector<int64_t> divisors = {
      offset, type.getShape().back(),
      std::max<int64_t>(baseAlignment(buffer) / bytes, 1)};
  // Without gaps, all strides are multiples of the last extent.
  for (size_t i = 0; !type.getLayout().isIdentity() && i + 1 < strides.size();
       ++i)
    if (type.isDynamicDim(i) || type.getDimSize(i) > 1)
      divisors.push_back(strides[i]);
  return commonPowerOfTwo(divisors, bound);
}

Value Points::getIndex(ThreadCode &code, unsigned dim) const {
  Value first = code.splat(indices[dim], width);
  if (width == 1 || dim != along)
    return first;
  auto type = cast<VectorType>(first.getType());
  auto steps = llvm::to_vector(llvm::seq<int64_t>(width));
  Value offsets =
      arith::ConstantOp::create(code.b, type, code.b.getIndexVectorAttr(steps));
  return code.b.createOrFold<arith::AddIOp>(first, offsets);
}

SmallVector<Value> tonno::emitPayload(ThreadCode &code, linalg::LinalgOp op,
                                      ArrayRef<Value> elements,
                                      const Points &points,
                                      ArrayRef<unsigned> dims) {
  int64_t width = points.width;
  Block &body = op->getRegion(0).front();
  IRMapping mapping;
  mapping.map(body.getArguments(), elements);
  // Values from outside of the payload are scalars, equal for all points.
  auto lookupOrSplat = [&](Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Value wide = code.splat(value, width);
    mapping.map(value, wide);
    return wide;
  };
  for (Operation &nested : body.without_terminator()) {
    if (nested.hasTrait<OpTrait::ConstantLike>()) {
      Operation *clone = code.b.clone(nested);
      mapping.map(nested.getResult(0), code.splat(clone->getResult(0), width));
      continue;
    }
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      mapping.map(index.getResult(),
                  points.getIndex(code, dims[index.getDim()]));
      continue;
    }
    auto types = llvm::map_to_vector(nested.getResultTypes(), [&](Type type) {
      return code.valueType(type, width);
    });
    Operation *wide =
        mlir::clone(code.b, &nested, types,
                    llvm::map_to_vector(nested.getOperands(), lookupOrSplat));
    mapping.map(nested.getResults(), wide->getResults());
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             lookupOrSplat);
}

Value tonno::combine(ThreadCode &code, Operation *combiner, Value x, Value y) {
  return mlir::clone(code.b, combiner, x.getType(), {x, y})->getResult(0);
}

namespace {

/// Placement of the elements of several points in a buffer.
struct Placement {
  SmallVector<Value> indices; ///< of the first
  int64_t stepDim = -1; ///< which index grows from point to point; -1: none
  int64_t width = 1;    ///< elements that one access takes

  static Placement find(ThreadCode &code, Value buffer, AffineMap map,
                        const Points &points) {
    Placement placement;
    for (auto [i, result] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(result);
      placement.indices.push_back(
          dim ? points.indices[dim.getPosition()]
              : code.index(affine::makeComposedFoldedAffineApply(
                    code.b, code.b.getLoc(), map.getSubMap({unsigned(i)}),
                    getAsOpFoldResult(points.indices))));
      if (dim && dim.getPosition() == points.along)
        placement.stepDim = i;
    }
    if (placement.stepDim + 1 == int64_t(map.getNumResults()))
      placement.width = vectorWidth(buffer, points.width);
    return placement;
  }

  SmallVector<Value> at(ThreadCode &code, int64_t point) const {
    SmallVector<Value> shifted(indices);
    shifted[stepDim] = code.add(shifted[stepDim], point);
    return shifted;
  }
};

} // namespace

Value tonno::loadAt(ThreadCode &code, Value buffer, AffineMap map,
                    const Points &points) {
  Placement placement = Placement::find(code, buffer, map, points);
  if (placement.stepDim < 0)
    return code.splat(code.load(buffer, placement.indices, 1, 0), points.width);
  SmallVector<Value> pieces;
  for (int64_t i = 0; i < points.width; i += placement.width)
    pieces.push_back(
        code.load(buffer, placement.at(code, i), placement.width,
                  placement.width * getElementBytes(buffer.getType())));
  return code.concatenate(pieces);
}

void tonno::storeAt(ThreadCode &code, Value value, Value buffer, AffineMap map,
                    const Points &points) {
  Placement placement = Placement::find(code, buffer, map, points);
  if (placement.stepDim < 0)
    return code.store(code.slice(value, 0, 1), buffer, placement.indices, 0);
  for (int64_t i = 0; i < points.width; i += placement.width)
    code.store(code.slice(value, i, placement.width), buffer,
               placement.at(code, i),
               placement.width * getElementBytes(buffer.getType()));
}

unsigned TileCopy::fastest() const {
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(source.getType());
  (void)type.getStridesAndOffset(strides, offset);
  unsigned best = strides.size() - 1;
  for (unsigned d = 0; d < strides.size(); ++d)
    if (strides[d] == 1 && tile[d] > 1)
      best = d;
  return best;
}

int64_t TileCopy::width() const {
  unsigned last = tile.size() - 1;
  if (fastest() != last)
    return 1;
  int64_t bound = std::max<int64_t>(16 / getElementBytes(source.getType()), 1);
  return commonPowerOfTwo({tile[last]}, vectorWidth(source, bound));
}

int64_t TileCopy::numPieces() const { return computeProduct(tile) / width(); }

SmallVector<Type> TileCopy::types(ThreadCode &code) const {
  Type element = getElementTypeOrSelf(source);
  return SmallVector<Type>(llvm::divideCeil(numPieces(), numThreads),
                           code.valueType(element, width()));
}

SmallVector<Value> TileCopy::coordinates(ThreadCode &code, int64_t i) const {
  Value piece = code.add(thread, i * numThreads);
  unsigned along = fastest();
  // The fastest dimension last, in pieces.
  SmallVector<unsigned> order;
  SmallVector<int64_t> extents;
  for (unsigned d = 0; d < tile.size(); ++d)
    if (d != along) {
      order.push_back(d);
      extents.push_back(tile[d]);
    }
  order.push_back(along);
  extents.push_back(tile[along] / width());
  SmallVector<Value> ordered = code.delinearize(piece, extents);
  SmallVector<Value> result(tile.size());
  for (auto [value, d] : llvm::zip_equal(ordered, order))
    result[d] = d == along ? code.multiply(value, width()) : value;
  return result;
}

Value TileCopy::hasPiece(ThreadCode &code, int64_t i) const {
  if ((i + 1) * numThreads <= numPieces())
    return nullptr;
  return code.isBelow(code.add(thread, i * numThreads), numPieces());
}

SmallVector<Value> TileCopy::load(ThreadCode &code, ValueRange starts,
                                  Value condition) const {
  SmallVector<Value> values;
  for (auto [i, type] : llvm::enumerate(types(code))) {
    SmallVector<Value> indices;
    Value isThere = code.both(condition, hasPiece(code, i));
    for (auto [d, within] : llvm::enumerate(coordinates(code, i))) {
      indices.push_back(code.add(starts[d], within));
      if (isGuarded[d])
        isThere = code.both(
            isThere,
            code.isBelow(indices[d],
                         createSize(code.b, code.b.getLoc(), source, d)));
    }
    values.push_back(code.valueIf(isThere, type, [&] {
      return code.load(source, indices, width(),
                       width() * getElementBytes(source.getType()));
    }));
  }
  return values;
}

void TileCopy::store(ThreadCode &code, ValueRange values) const {
  unsigned along = fastest();
  bool isSideBySide = layout.getResults().back() ==
                      getAffineDimExpr(along, layout.getContext());
  int64_t pieceBytes = width() * getElementBytes(shared.getType());
  for (auto [i, value] : llvm::enumerate(values)) {
    SmallVector<Value> within = coordinates(code, i);
    code.doIf(hasPiece(code, i), [&, value = value] {
      auto storeAt = [&](Value part, int64_t shift) {
        SmallVector<Value> at(within);
        at[along] = code.add(at[along], shift);
        SmallVector<Value> indices;
        for (AffineExpr result : layout.getResults())
          indices.push_back(at[cast<AffineDimExpr>(result).getPosition()]);
        code.store(part, shared, indices, pieceBytes);
      };
      if (isSideBySide)
        return storeAt(value, 0);
      for (int64_t lane = 0; lane < width(); ++lane)
        storeAt(code.slice(value, lane, 1), lane);
    });
  }
}
