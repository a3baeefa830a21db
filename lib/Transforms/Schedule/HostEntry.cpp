//===- The entry point of a host kernel -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tonno {
#define GEN_PASS_DEF_GUARDNAMESPASS
#define GEN_PASS_DEF_HOSTENTRYPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// The suffix of kernels' names by tonno-guard-names.
static constexpr StringLiteral kernelSuffix = ".kernel";

/// Returns the kernel's name without the suffix, as callers know it.
static StringRef getUnsuffixedName(LLVM::LLVMFuncOp kernel) {
  StringRef name = kernel.getName();
  name.consume_back(kernelSuffix);
  return name;
}

namespace {

/// Returns the arguments of a descriptor: two pointers, offset, sizes, strides.
unsigned descriptorSize(MemRefType type) { return 3 + 2 * type.getRank(); }

/// Writes the entry point of one kernel.
class EntryBuilder {
public:
  explicit EntryBuilder(LLVM::LLVMFuncOp kernel)
      : kernel(kernel), builder(kernel.getLoc(), kernel.getContext()),
        pointer(LLVM::LLVMPointerType::get(kernel.getContext())) {}

  LogicalResult build() {
    findBuffers();
    FailureOr<bool> isBare = takesBarePointers();
    if (failed(isBare))
      return failure();
    std::string name = (getUnsuffixedName(kernel) + "_entry").str();
    if (SymbolTable::lookupNearestSymbolFrom(kernel,
                                             builder.getStringAttr(name)))
      return kernel.emitError() << "the name '" << name << "' is taken";

    builder.setInsertionPointAfter(kernel);
    SmallVector<Type> parameters = {pointer};
    if (takesWorkgroup())
      parameters.push_back(builder.getI64Type());
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(builder.getContext()), parameters);
    auto entry = LLVM::LLVMFuncOp::create(builder, name, type);
    builder.setInsertionPointToStart(entry.addEntryBlock(builder));
    Value array = entry.getArgument(0);
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      Value slot = LLVM::GEPOp::create(builder, pointer, pointer, array,
                                       ArrayRef<LLVM::GEPArg>{int32_t(i)});
      Value start = LLVM::LoadOp::create(builder, pointer, slot);
      if (*isBare)
        passPointer(start, buffer);
      else
        passDescriptor(start, buffer);
    }
    if (takesWorkgroup())
      arguments.push_back(entry.getArgument(1));
    LLVM::CallOp::create(builder, kernel, arguments);
    LLVM::ReturnOp::create(builder, ValueRange());

    // The entry point takes the caller's buffers from here on.
    if (Attribute known = kernel->removeAttr(TonnoDialect::kBuffers))
      entry->setAttr(TonnoDialect::kBuffers, known);
    if (Attribute threads = kernel->removeAttr(TonnoDialect::kThreads))
      entry->setAttr(TonnoDialect::kThreads, threads);
    // Inlined, the kernel would lose what its arguments promise.
    kernel.setLinkage(LLVM::Linkage::Internal);
    kernel.setNoInline(true);
    return success();
  }

private:
  void findBuffers() {
    if (auto known = getKernelBuffers(kernel)) {
      buffers = *known;
      return;
    }
    // A kernel written in the LLVM dialect has no buffer types, and nothing
    // says how its plan aligns them.
    auto bytes = MemRefType::get({1}, builder.getI8Type());
    buffers.assign(kernel.getNumArguments(), {bytes, /*alignment=*/1});
  }

  /// Returns whether the buffers are bare pointers rather than descriptors.
  FailureOr<bool> takesBarePointers() {
    unsigned numArguments = kernel.getNumArguments(), numExpanded = 0;
    numArguments -= takesWorkgroup() ? 1 : 0;
    for (const KernelBuffer &buffer : buffers)
      numExpanded += descriptorSize(buffer.type);
    if (numArguments != buffers.size() && numArguments != numExpanded)
      return kernel.emitError()
             << "kernel '" << getUnsuffixedName(kernel) << "' has "
             << numArguments << " arguments; its buffers need "
             << buffers.size() << " as bare pointers, or " << numExpanded
             << " as descriptors";
    bool isBare = numArguments == buffers.size();
    unsigned position = 0;
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      for (unsigned j = 0, e = isBare ? 1 : 2; j < e; ++j)
        if (kernel.getArgumentTypes()[position + j] != pointer)
          return kernel.emitError()
                 << "argument " << position + j << " of kernel '"
                 << getUnsuffixedName(kernel) << "' is not a pointer";
      position += isBare ? 1 : descriptorSize(buffer.type);
    }
    return isBare;
  }

  /// Returns true if its workgroup's number follows the pointers.
  bool takesWorkgroup() {
    return kernel.getNumArguments() == buffers.size() + 1 &&
           kernel.getArgumentTypes().back().isInteger(64);
  }

  void passPointer(Value buffer, const KernelBuffer &type) {
    setBufferArgumentAttrs(kernel, arguments.size(), type);
    arguments.push_back(buffer);
  }

  void passDescriptor(Value buffer, const KernelBuffer &type) {
    unsigned allocated = arguments.size(), aligned = allocated + 1;
    // Both arguments are the same pointer: one is noalias if the other is
    // unused.
    setBufferArgumentAttrs(
        kernel, aligned, type,
        /*isNoAlias=*/kernel.getArgument(allocated).use_empty());
    int64_t offset;
    SmallVector<int64_t> strides;
    (void)type.type.getStridesAndOffset(strides, offset);
    arguments.append({buffer, buffer, constant(0)});
    for (int64_t number : llvm::concat<const int64_t>(
             type.type.getShape(), ArrayRef<int64_t>(strides)))
      arguments.push_back(constant(number));
  }

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, builder.getI64Type(), value);
  }

  LLVM::LLVMFuncOp kernel;
  ImplicitLocOpBuilder builder;
  LLVM::LLVMPointerType pointer;
  SmallVector<KernelBuffer> buffers;
  SmallVector<Value> arguments;
};

struct GuardNames : tonno::impl::GuardNamesPassBase<GuardNames> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() &&
          failed(symbols.rename(function,
                                (function.getName() + kernelSuffix).str())))
        return signalPassFailure();
  }
};

struct HostEntry : tonno::impl::HostEntryPassBase<HostEntry> {
  using HostEntryPassBase::HostEntryPassBase;

  void runOnOperation() override {
    SmallVector<LLVM::LLVMFuncOp> kernels;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (function.isExternal())
        continue;
      bool isPublic = function.getLinkage() == LLVM::Linkage::External;
      if (kernel.empty() ? isPublic
                         : getUnsuffixedName(function) == kernel.getValue())
        kernels.push_back(function);
      else if (isPublic)
        function.setLinkage(LLVM::Linkage::Internal);
    }
    if (kernels.empty() && !kernel.empty()) {
      getOperation().emitError()
          << "the lowering left no function '" << kernel << "'";
      return signalPassFailure();
    }
    for (LLVM::LLVMFuncOp function : kernels)
      if (failed(EntryBuilder(function).build()))
        return signalPassFailure();
  }
};

} // namespace
