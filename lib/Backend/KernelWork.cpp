//===- The work of a kernel in any configuration --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelWork.h"

#include "tonno/Backend/Backend.h"
#include "tonno/Dialect/ElementTypes.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Transforms/UserLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tonno;

static std::optional<ElementType> findValueElementType(Value value) {
  return tonno::findElementType(getElementTypeOrSelf(value));
}

/// Returns the bytes of all elements; 0 if the shape or the type is unknown.
static uint64_t countBytes(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  auto element = findValueElementType(value);
  if (!type || !type.hasStaticShape() || !element)
    return 0;
  return static_cast<uint64_t>(type.getNumElements()) * getByteSize(*element);
}

/// Checks that the op multiplies elements: pooling does not.
static bool multiplies(linalg::LinalgOp op) {
  return llvm::any_of(*op.getBlock(), [](Operation &one) {
    return isa<arith::MulFOp, arith::MulIOp>(one);
  });
}

static bool isContractionOrConvolution(linalg::LinalgOp op) {
  return linalg::isaContractionOpInterface(op) ||
         linalg::isaConvolutionOpInterface(op);
}

/// Returns the iterations of a contraction or convolution; 0 for other ops.
static uint64_t countMultiplyAdds(linalg::LinalgOp op) {
  if (!multiplies(op) || !isContractionOrConvolution(op))
    return 0;
  uint64_t macs = 1;
  for (int64_t range : op.getStaticLoopRanges())
    macs *= ShapedType::isDynamic(range) ? 0 : static_cast<uint64_t>(range);
  return macs;
}

/// Returns true if the op multiplies in f32 or f64 once in each iteration, and
/// nothing is known of the factors.
static bool multipliesOnce(linalg::LinalgOp op) {
  if (!isContractionOrConvolution(op))
    return false;
  for (Value input : op.getDpsInputs())
    if (matchPattern(input, m_Constant()) ||
        isa_and_nonnull<linalg::FillOp>(input.getDefiningOp()))
      return false;
  Operation *product = nullptr;
  for (Operation &inner : *op.getBlock())
    if (isa<arith::MulFOp>(inner))
      product = &inner;
  return product &&
         llvm::all_of(product->getOperands(), llvm::IsaPred<BlockArgument>) &&
         (product->getResult(0).getType().isF32() ||
          product->getResult(0).getType().isF64());
}

/// Returns how many floating-point products the contractions and convolutions
/// of a kernel make, as far as that does not depend on its lowering.
static uint64_t countProducts(func::FuncOp kernel) {
  if (!kernel || hasOwnLowering(kernel) || getSchedule(kernel))
    return 0;
  uint64_t products = 0;
  for (auto op : kernel.getOps<linalg::LinalgOp>()) {
    if (!op->use_empty() && multipliesOnce(op))
      products += countMultiplyAdds(op);
  }
  return products;
}

/// Checks that a value is the result of ops that the entry block executes once.
static bool isInBody(Operation *op, func::FuncOp function) {
  return op->getParentOp() == function;
}

KernelWork tonno::computeKernelWork(ModuleOp module, StringRef kernel) {
  KernelWork work;
  auto function = module.lookupSymbol<func::FuncOp>(kernel);
  if (!function || function.isExternal() || !function.getBody().hasOneBlock())
    return work;
  work.products = countProducts(function);
  llvm::SmallDenseSet<Value> read, written;
  std::map<std::pair<ElementType, ElementType>, uint64_t> macs;
  function.walk([&](linalg::LinalgOp op) {
    if (!isInBody(op, function))
      return;
    for (OpOperand *input : op.getDpsInputOperands())
      if (isa<BlockArgument>(input->get()) &&
          op.getMatchingIndexingMap(input).isProjectedPermutation())
        read.insert(input->get());
    for (Value init : op.getDpsInits())
      if (isa<BlockArgument>(init) && isa<MemRefType>(init.getType()))
        written.insert(init);
    uint64_t count = countMultiplyAdds(op);
    if (count == 0 || op.getNumDpsInputs() == 0)
      return;
    auto operand = findValueElementType(op.getDpsInputs().front());
    auto sum = findValueElementType(op.getDpsInits().front());
    if (operand && sum)
      macs[{*operand, *sum}] += count;
  });
  for (const auto &[types, count] : macs)
    if (count > work.macs) {
      work.macs = count;
      std::tie(work.operand, work.sum) = types;
    }
  // A softmax reads its input; it is no LinalgOp.
  function.walk([&](linalg::SoftmaxOp op) {
    if (isInBody(op, function) && isa<BlockArgument>(op.getInput()))
      read.insert(op.getInput());
  });
  for (Value value : read)
    work.bytesRead += countBytes(value);
  for (Value value : written)
    work.bytesWritten += countBytes(value);
  for (Value result : function.getBody().front().getTerminator()->getOperands())
    work.bytesWritten += countBytes(result);
  return work;
}
