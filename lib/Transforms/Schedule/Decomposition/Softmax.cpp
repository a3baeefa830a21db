//===- Softmax with few instructions --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Decomposition/Decomposition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Writes a softmax: as upstream's decomposition, but narrow types are rounded
/// once, at the end, and a row is multiplied by one reciprocal.
class SoftmaxWriter {
public:
  SoftmaxWriter(RewriterBase &rewriter, linalg::SoftmaxOp op)
      : builder(op.getLoc(), rewriter), op(op),
        type(cast<FloatType>(getElementTypeOrSelf(op.getInput()))),
        wide(type.getWidth() < 32 ? builder.getF32Type() : type),
        sizes(tensor::getMixedSizes(builder, op.getLoc(), op.getInput())),
        all(builder.getMultiDimIdentityMap(sizes.size())),
        rows(all.dropResult(op.getDimension())), sizesOfRows(sizes) {
    sizesOfRows.erase(sizesOfRows.begin() + op.getDimension());
  }

  Value write() {
    Value input = op.getInput();
    Value most =
        generic({input}, arith::AtomicRMWKind::maxnumf, type,
                [](ImplicitLocOpBuilder &b, ValueRange values) -> Value {
                  return arith::MaxNumFOp::create(b, values[0], values[1]);
                });
    Value powers = generic(
        {input, most}, all, tensor::EmptyOp::create(builder, sizes, wide),
        [&](ImplicitLocOpBuilder &b, ValueRange values) -> Value {
          Value less = arith::SubFOp::create(b, extend(b, values[0]),
                                             extend(b, values[1]));
          auto power = math::ExpOp::create(b, less);
          if (wide != type)
            power.setFastmath(arith::FastMathFlags::afn);
          return power;
        });
    Value sum =
        generic({powers}, arith::AtomicRMWKind::addf, wide,
                [](ImplicitLocOpBuilder &b, ValueRange values) -> Value {
                  return arith::AddFOp::create(b, values[0], values[1]);
                });
    return generic(
        {powers, sum}, all, op.getOutput(),
        [&](ImplicitLocOpBuilder &b, ValueRange values) -> Value {
          Value share = arith::DivFOp::create(b, values[0], values[1],
                                              arith::FastMathFlags::arcp);
          return wide == type ? share : arith::TruncFOp::create(b, type, share);
        });
  }

private:
  using Payload = function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

  Value extend(ImplicitLocOpBuilder &b, Value value) const {
    return value.getType() == wide ? value
                                   : arith::ExtFOp::create(b, wide, value);
  }

  /// Reduces each row.
  Value generic(ValueRange inputs, arith::AtomicRMWKind kind, Type element,
                Payload payload) {
    Value neutral =
        arith::getIdentityValue(kind, element, builder, builder.getLoc(),
                                /*useOnlyFiniteValue=*/true);
    Value empty = tensor::EmptyOp::create(builder, sizesOfRows, element);
    Value init = linalg::FillOp::create(builder, neutral, empty).getResult(0);
    return generic(inputs, rows, init, payload);
  }

  Value generic(ValueRange inputs, AffineMap map, Value init, Payload payload) {
    SmallVector<AffineMap> maps;
    for (Value input : inputs)
      maps.push_back(cast<ShapedType>(input.getType()).getRank() ==
                             int64_t(sizes.size())
                         ? all
                         : rows);
    maps.push_back(map);
    SmallVector<utils::IteratorType> loops(sizes.size(),
                                           utils::IteratorType::parallel);
    if (map != all)
      loops[op.getDimension()] = utils::IteratorType::reduction;
    return linalg::GenericOp::create(
               builder, init.getType(), inputs, init, maps, loops,
               [&](OpBuilder &inner, Location loc, ValueRange values) {
                 ImplicitLocOpBuilder b(loc, inner);
                 linalg::YieldOp::create(b, payload(b, values));
               })
        .getResult(0);
  }

  ImplicitLocOpBuilder builder;
  linalg::SoftmaxOp op;
  FloatType type;
  Type wide;
  SmallVector<OpFoldResult> sizes;
  AffineMap all, rows;
  SmallVector<OpFoldResult> sizesOfRows;
};

} // namespace

Value tonno::decomposeSoftmax(RewriterBase &rewriter, linalg::SoftmaxOp op) {
  return SoftmaxWriter(rewriter, op).write();
}
