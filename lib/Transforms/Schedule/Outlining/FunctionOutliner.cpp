//===- Functions made of ops of a kernel ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Outlining/FunctionOutliner.h"

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

/// Passes dynamic offsets, sizes and strides of views beside the pointer.
void FunctionOutliner::passViewMetadata() {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  for (Value value : std::exchange(passed, {})) {
    if (!needsMetadata(value.getType())) {
      passed.push_back(value);
      continue;
    }
    auto parts = memref::ExtractStridedMetadataOp::create(builder, value);
    auto view = memref::ReinterpretCastOp::create(
        builder, cast<MemRefType>(value.getType()), parts.getBaseBuffer(),
        parts.getConstifiedMixedOffset(), parts.getConstifiedMixedSizes(),
        parts.getConstifiedMixedStrides());
    llvm::append_range(passed, view->getOperands());
    views.emplace_back(value, view);
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
  passViewMetadata();
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
  for (auto [value, view] : views) {
    inside.map(value, builder.clone(*view, inside)->getResult(0));
    view.erase();
  }
  for (Operation *each : repeated)
    builder.clone(*each, inside);
  return function;
}
