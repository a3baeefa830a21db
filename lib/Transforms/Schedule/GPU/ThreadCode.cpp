//===- Code of one GPU thread ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadCode.h"

#include "tonno/Transforms/Schedule/KernelBuffers.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tonno;

Value ThreadCode::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value ThreadCode::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(x, y);
}

Value ThreadCode::add(Value x, int64_t y) {
  return y == 0 ? x : add(x, index(y));
}

Value ThreadCode::multiply(Value x, int64_t y) {
  if (y == 0)
    return index(0);
  return y == 1 ? x : b.createOrFold<arith::MulIOp>(x, index(y));
}

Value ThreadCode::divide(Value x, int64_t y) {
  return y == 1 ? x : b.createOrFold<arith::DivUIOp>(x, index(y));
}

Value ThreadCode::remainder(Value x, int64_t y) {
  return y == 1 ? index(0) : b.createOrFold<arith::RemUIOp>(x, index(y));
}

SmallVector<Value> ThreadCode::delinearize(Value linear,
                                           ArrayRef<int64_t> extents) {
  SmallVector<Value> coordinates(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    coordinates[i] = i == 0 ? linear : remainder(linear, extents[i]);
    linear = divide(linear, extents[i]);
  }
  return coordinates;
}

Value ThreadCode::isBelow(Value x, int64_t bound) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, x,
                                       index(bound));
}

Value ThreadCode::isEqual(Value x, int64_t value) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, x,
                                       index(value));
}

Value ThreadCode::both(Value p, Value q) {
  if (!p || !q)
    return p ? p : q;
  return b.createOrFold<arith::AndIOp>(p, q);
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

Type ThreadCode::valueType(Type element, int64_t width) {
  return width == 1 ? element : VectorType::get(width, element);
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

Value ThreadCode::zero(Type type) {
  return constant(b.getZeroAttr(getElementTypeOrSelf(type)), type);
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
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
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

void ThreadCode::barrier() { gpu::BarrierOp::create(b); }

void ThreadCode::keepRolled(scf::ForOp loop) {
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

int64_t tonno::bytesOf(Type element) {
  if (element.isIndex())
    return 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

int64_t tonno::commonPowerOfTwo(ArrayRef<int64_t> numbers, int64_t bound) {
  for (int64_t number : numbers)
    while (number % bound != 0)
      bound /= 2;
  return bound;
}

/// In bytes, of the first element of what the buffer is a view of.
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
    return 64; // as tonno-workspace places it
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
  if (offset == 0 && buffer.getDefiningOp<memref::ViewOp>())
    return 1; // its own shift is none of the type's
  int64_t bytes = bytesOf(type.getElementType());
  SmallVector<int64_t> divisors = {
      offset, type.getShape().back(),
      std::max<int64_t>(baseAlignment(buffer) / bytes, 1)};
  for (size_t i = 0; i + 1 < strides.size(); ++i)
    if (type.getDimSize(i) > 1)
      divisors.push_back(ShapedType::isDynamic(strides[i]) ? 1 : strides[i]);
  return commonPowerOfTwo(divisors, bound);
}
