//===- Polynomials become linalg ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Poly.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {

/// ((c3 x + c2) x + c1) x + c0: as few operations as can be, one after another.
Value horner(OpBuilder &builder, Location loc, Value x,
             ArrayRef<Value> coefficients) {
  Value sum = coefficients.back();
  for (Value coefficient : llvm::reverse(coefficients.drop_back()))
    sum = arith::AddFOp::create(
        builder, loc, arith::MulFOp::create(builder, loc, sum, x), coefficient);
  return sum;
}

/// (c0 + c1 x) + (c2 + c3 x) x^2: pairs that don't wait for each other.
Value estrin(OpBuilder &builder, Location loc, Value x,
             ArrayRef<Value> coefficients) {
  SmallVector<Value> terms(coefficients);
  while (terms.size() > 1) {
    SmallVector<Value> pairs;
    for (size_t i = 0; i + 1 < terms.size(); i += 2)
      pairs.push_back(arith::AddFOp::create(
          builder, loc, terms[i],
          arith::MulFOp::create(builder, loc, terms[i + 1], x)));
    if (terms.size() % 2)
      pairs.push_back(terms.back());
    terms = std::move(pairs);
    x = arith::MulFOp::create(builder, loc, x, x);
  }
  return terms.front();
}

struct PolyLower : PassWrapper<PolyLower, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PolyLower)

  PolyLower() = default;
  PolyLower(const PolyLower &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "poly-lower"; }
  StringRef getDescription() const override {
    return "Lower polynomials to linalg, some elements at a time";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
  }

  void runOnOperation() override {
    SmallVector<poly::EvalOp> ops;
    getOperation().walk([&](poly::EvalOp op) { ops.push_back(op); });
    for (poly::EvalOp op : ops)
      if (failed(lower(op)))
        return signalPassFailure();
  }

private:
  LogicalResult lower(poly::EvalOp op);

  Option<int64_t> strip{*this, "strip",
                        llvm::cl::desc("Elements at a time; 0 for all"),
                        llvm::cl::init(0)};
};

} // namespace

LogicalResult PolyLower::lower(poly::EvalOp op) {
  auto scheme = dyn_cast<StringAttr>(op.getScheme());
  if (!scheme || (scheme != "horner" && scheme != "estrin"))
    return op.emitOpError("has no scheme that can be lowered: ")
           << op.getScheme();
  IRRewriter builder(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  SmallVector<Value> coefficients;
  for (auto value : op.getCoefficients().getAsRange<FloatAttr>())
    coefficients.push_back(arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(element, value.getValueAsDouble())));
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), element);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, type, op.getInput(), empty,
      ArrayRef<AffineMap>{identity, identity}, loops,
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        Value result = scheme == "horner"
                           ? horner(body, loc, arguments[0], coefficients)
                           : estrin(body, loc, arguments[0], coefficients);
        linalg::YieldOp::create(body, loc, result);
      });
  builder.replaceOp(op, generic);
  if (strip == 0)
    return success();

  scf::SCFTilingOptions options;
  SmallVector<int64_t> sizes(type.getRank(), 0);
  sizes.back() = strip;
  options.setTileSizes(getAsIndexOpFoldResult(&getContext(), sizes));
  auto tiled = scf::tileUsingSCF(
      builder, cast<TilingInterface>(generic.getOperation()), options);
  if (failed(tiled))
    return failure();
  builder.replaceOp(generic, tiled->replacements);
  return success();
}

void poly::registerPasses() { PassRegistration<PolyLower>(); }
