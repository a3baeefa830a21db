//===- Store sub-byte elements in bytes -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace tonno {
#define GEN_PASS_DEF_STOREINBYTESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns true for elements that are stored in the lower bits of a byte. Those
/// of i1 are upstream's concern.
static bool isPartOfByte(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() < 8 &&
         !type.isInteger(1);
}

static bool isBufferOfParts(Type type) {
  auto memref = dyn_cast<BaseMemRefType>(type);
  return memref && isPartOfByte(memref.getElementType());
}

static Type withElement(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

/// Returns the byte, or vector of bytes, of a value.
static Value toBytes(OpBuilder &builder, Value value) {
  Location loc = value.getLoc();
  Type type = value.getType(), element = getElementTypeOrSelf(type);
  Type bits = withElement(
      type, builder.getIntegerType(element.getIntOrFloatBitWidth()));
  if (isa<FloatType>(element))
    value = arith::BitcastOp::create(builder, loc, bits, value);
  return arith::ExtUIOp::create(builder, loc,
                                withElement(type, builder.getI8Type()), value);
}

/// Returns the value of this type in the lower bits of a byte.
static Value fromBytes(OpBuilder &builder, Value bytes, Type type) {
  Location loc = bytes.getLoc();
  Type element = getElementTypeOrSelf(type);
  Type bits = withElement(
      type, builder.getIntegerType(element.getIntOrFloatBitWidth()));
  Value value = arith::TruncIOp::create(builder, loc, bits, bytes);
  return isa<FloatType>(element)
             ? Value(arith::BitcastOp::create(builder, loc, type, value))
             : value;
}

static void storeAsBytes(OpOperand &operand) {
  OpBuilder builder(operand.getOwner());
  operand.set(toBytes(builder, operand.get()));
}

/// Makes `bytes`, a value of this type so far, bytes, which its uses convert.
static void loadAsBytes(OpBuilder &builder, Value bytes) {
  Type type = bytes.getType();
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : bytes.getUses())
    uses.push_back(&use);
  bytes.setType(withElement(type, builder.getI8Type()));
  if (uses.empty())
    return;
  Value value = fromBytes(builder, bytes, type);
  for (OpOperand *use : uses)
    use->set(value);
}

/// Converts the elements in the body of an op, of operands that were buffers of
/// such elements.
static void convertBody(linalg::GenericOp op, ArrayRef<unsigned> operands) {
  Operation *yield = op.getBlock()->getTerminator();
  for (unsigned number : operands) {
    OpBuilder builder = OpBuilder::atBlockBegin(op.getBlock());
    loadAsBytes(builder, op.getBlock()->getArgument(number));
    if (unsigned inputs = unsigned(op.getNumDpsInputs()); number >= inputs)
      storeAsBytes(yield->getOpOperand(number - inputs));
  }
}

/// Converts the elements that an op loads or stores.
static void convertAccess(Operation *op) {
  auto isElement = [](Value value) {
    return !isa<BaseMemRefType>(value.getType()) &&
           isPartOfByte(getElementTypeOrSelf(value.getType()));
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isElement(operand.get()))
      storeAsBytes(operand);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    if (isElement(result))
      loadAsBytes(builder, result);
}

/// Converts the numbers of a global.
static void convertNumbers(memref::GlobalOp global) {
  auto numbers = dyn_cast_if_present<DenseElementsAttr>(
      global.getInitialValue().value_or(Attribute()));
  if (!numbers || !isPartOfByte(numbers.getElementType()))
    return;
  Type byte = IntegerType::get(global.getContext(), 8);
  auto widen = [](const APInt &bits) { return bits.zext(8); };
  auto widenReal = [&](const APFloat &number) {
    return widen(number.bitcastToAPInt());
  };
  if (auto integers = dyn_cast<DenseIntElementsAttr>(numbers))
    numbers = integers.mapValues(byte, widen);
  else
    numbers = cast<DenseFPElementsAttr>(numbers).mapValues(byte, widenReal);
  global.setInitialValueAttr(numbers);
}

static void replaceBufferTypes(ModuleOp module) {
  AttrTypeReplacer replacer;
  Type byte = IntegerType::get(module.getContext(), 8);
  replacer.addReplacement([=](MemRefType type) -> std::optional<Type> {
    if (!isBufferOfParts(type))
      return std::nullopt;
    return MemRefType::get(type.getShape(), byte, type.getLayout(),
                           type.getMemorySpace());
  });
  replacer.addReplacement([=](UnrankedMemRefType type) -> std::optional<Type> {
    if (!isBufferOfParts(type))
      return std::nullopt;
    return UnrankedMemRefType::get(byte, type.getMemorySpace());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// Returns true if the op itself loads or stores elements.
static bool isAccess(Operation *op) {
  return op->getNumRegions() == 0 && isa<MemoryEffectOpInterface>(op) &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<CallOpInterface, linalg::LinalgOp>(op) &&
         llvm::any_of(op->getOperandTypes(), isBufferOfParts);
}

namespace {

struct StoreInBytes : tonno::impl::StoreInBytesPassBase<StoreInBytes> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool hasAny = anyOp(module, [](Operation *op) {
      return llvm::any_of(op->getOperandTypes(), isBufferOfParts) ||
             llvm::any_of(op->getResultTypes(), isBufferOfParts) ||
             isa<memref::GlobalOp>(op);
    });
    if (!hasAny)
      return;
    if (failed(generalizeNamedOps(module)) ||
        failed(checkOps(module, checkConvertible)))
      return signalPassFailure();
    SmallVector<Operation *> accesses = collectOpsIf(module, isAccess);
    SmallVector<std::pair<linalg::GenericOp, SmallVector<unsigned>>> bodies;
    for (linalg::GenericOp op : collectOps<linalg::GenericOp>(module)) {
      SmallVector<unsigned> operands;
      for (OpOperand &operand : op->getOpOperands())
        if (isBufferOfParts(operand.get().getType()))
          operands.push_back(operand.getOperandNumber());
      bodies.emplace_back(op, std::move(operands));
    }
    module.walk(convertNumbers);
    replaceBufferTypes(module);
    for (Operation *op : accesses)
      convertAccess(op);
    for (auto &[op, operands] : bodies)
      convertBody(op, operands);
  }

private:
  static LogicalResult generalizeNamedOps(ModuleOp module) {
    IRRewriter rewriter(module.getContext());
    for (linalg::LinalgOp op : collectOpsIf(module, [](linalg::LinalgOp op) {
           return !isa<linalg::GenericOp>(op.getOperation()) &&
                  llvm::any_of(op->getOperandTypes(), isBufferOfParts);
         })) {
      DictionaryAttr attributes = op->getDiscardableAttrDictionary();
      Location loc = op.getLoc();
      rewriter.setInsertionPoint(op);
      auto generic = linalg::generalizeNamedOp(rewriter, op);
      if (failed(generic))
        return emitError(loc) << "an op on elements of less than 8 bits cannot "
                                 "be generalized to linalg.generic";
      (*generic)->setDiscardableAttrs(attributes);
    }
    return success();
  }

  static LogicalResult checkConvertible(Operation *op) {
    bool isAtomic = isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op);
    if (!isAtomic || llvm::none_of(op->getOperandTypes(), isBufferOfParts))
      return success();
    return op->emitOpError() << "updates elements of less than 8 bits, which "
                                "no chip does atomically; use a buffer of i8";
  }
};

} // namespace
