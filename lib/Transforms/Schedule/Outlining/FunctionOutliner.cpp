//===- Functions made of ops of a kernel ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Outlining/FunctionOutliner.h"

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tonno;

/// Returns true if a value of this type, or the pointer of a buffer, can be
/// passed alone: a buffer needs a static shape and layout without offset.
static bool isPassedWithoutMetadata(Type type) {
  auto memory = dyn_cast<MemRefType>(type);
  if (!memory)
    return type.isIntOrIndexOrFloat() || isa<VectorType>(type);
  int64_t offset;
  SmallVector<int64_t> strides;
  return memory.hasStaticShape() &&
         succeeded(memory.getStridesAndOffset(strides, offset)) &&
         offset == 0 && !llvm::is_contained(strides, ShapedType::kDynamic);
}

/// Returns true for buffers that are passed with offset, sizes and strides.
static bool needsMetadata(Type type) {
  auto memory = dyn_cast<MemRefType>(type);
  return memory && memory.isStrided() && !isPassedWithoutMetadata(type);
}

/// Returns the type of the bits of a number, or vector, in bf16; null for
/// values of other types.
static Type findIntegerType(Type type) {
  Type integer = IntegerType::get(type.getContext(), 16);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getElementType().isBF16() ? vector.clone(integer) : Type();
  return type.isBF16() ? integer : Type();
}

FunctionOutliner::FunctionOutliner(func::FuncOp kernel, Operation *op,
                                   MutableArrayRef<Region> regions)
    : kernel(kernel), op(op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(regions, used);
  for (Value value : used)
    collect(value);
}

/// Pure ops are cloned into the function, above all views, because only
/// pointers are passed; all other values become arguments.
void FunctionOutliner::collect(Value value) {
  if (!seen.insert(value).second)
    return;
  Operation *definition = value.getDefiningOp();
  if (!definition || !isPure(definition) || definition->getNumRegions() != 0) {
    passed.push_back(value);
    return;
  }
  for (Value operand : definition->getOperands())
    collect(operand);
  if (!llvm::is_contained(repeated, definition))
    repeated.push_back(definition);
}

Type FunctionOutliner::findUnpassable() const {
  for (Value value : passed)
    if (!isPassedWithoutMetadata(value.getType()) &&
        !needsMetadata(value.getType()))
      return value.getType();
  return {};
}

/// Passes dynamic offsets, sizes and strides of views beside the pointer, and
/// bf16 as integers: LLVM rounds what it passes from f32 by a function that no
/// binary has, on CPUs with AVX-512 and no instruction for it.
void FunctionOutliner::passParts() {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  for (Value value : std::exchange(passed, {})) {
    Operation *rebuild = nullptr;
    if (needsMetadata(value.getType())) {
      auto parts = memref::ExtractStridedMetadataOp::create(builder, value);
      rebuild = memref::ReinterpretCastOp::create(
          builder, cast<MemRefType>(value.getType()), parts.getBaseBuffer(),
          parts.getConstifiedMixedOffset(), parts.getConstifiedMixedSizes(),
          parts.getConstifiedMixedStrides());
    } else if (Type integers = findIntegerType(value.getType())) {
      Value bits = arith::BitcastOp::create(builder, integers, value);
      rebuild = arith::BitcastOp::create(builder, value.getType(), bits);
    } else {
      passed.push_back(value);
      continue;
    }
    llvm::append_range(passed, rebuild->getOperands());
    rebuilt.emplace_back(value, rebuild);
  }
}

/// Copies the attributes of the kernel's buffers to the function, non-temporal
/// stores included.
void FunctionOutliner::setArgumentAttrs(func::FuncOp function,
                                        unsigned leading) {
  auto buffers = getKernelBuffers(kernel);
  for (auto [i, value] : llvm::enumerate(passed)) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!buffers || !argument || argument.getOwner() != &kernel.front() ||
        argument.getArgNumber() >= buffers->size())
      continue;
    const KernelBuffer &buffer = (*buffers)[argument.getArgNumber()];
    unsigned position = leading + i;
    setBufferArgumentAttrs(function, position, buffer);
    if (buffer.isStreamed)
      function.setArgAttr(position, TonnoDialect::kStream,
                          UnitAttr::get(function.getContext()));
  }
}

func::FuncOp FunctionOutliner::create(const std::string &name,
                                      TypeRange leading, SymbolTable &symbols,
                                      IRMapping &inside) {
  passParts();
  MLIRContext *context = kernel.getContext();
  SmallVector<Type> types(leading);
  llvm::append_range(types, ValueRange(passed).getTypes());
  auto function = func::FuncOp::create(op->getLoc(), name,
                                       FunctionType::get(context, types, {}));
  function.setPrivate();
  function->setAttr("llvm.linkage",
                    LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
  Builder attributes(context);
  // Inlined, it would lose what its arguments promise.
  function->setAttr("passthrough", attributes.getArrayAttr(
                                       {attributes.getStringAttr("noinline")}));
  symbols.insert(function, std::next(Block::iterator(kernel)));
  setArgumentAttrs(function, leading.size());
  Block *entry = function.addEntryBlock();
  auto builder = OpBuilder::atBlockEnd(entry);
  inside.map(passed, entry->getArguments().drop_front(leading.size()));
  for (auto [value, rebuild] : rebuilt) {
    inside.map(value, builder.clone(*rebuild, inside)->getResult(0));
    rebuild->erase();
  }
  for (Operation *each : repeated)
    builder.clone(*each, inside);
  return function;
}
