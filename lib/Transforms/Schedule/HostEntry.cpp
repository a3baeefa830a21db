//===- HostEntry.cpp - The entry point of a host kernel -------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tonno {
#define GEN_PASS_DEF_HOSTENTRYPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;

namespace {

LogicalResult addEntry(LLVM::LLVMFuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  Location loc = kernel.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(context);
  OpBuilder builder(context);
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (type != pointer)
      return kernel.emitError() << "argument " << i << " of kernel '"
                                << kernel.getName() << "' is no pointer";
    kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                      builder.getUnitAttr());
    kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                      builder.getI64IntegerAttr(64));
  }
  std::string name = (kernel.getName() + "_entry").str();
  if (SymbolTable::lookupNearestSymbolFrom(kernel, builder.getStringAttr(name)))
    return kernel.emitError() << "the name '" << name << "' is taken";

  builder.setInsertionPointAfter(kernel);
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer});
  auto entry = LLVM::LLVMFuncOp::create(builder, loc, name, type);
  builder.setInsertionPointToStart(entry.addEntryBlock(builder));
  Value buffers = entry.getArgument(0);
  SmallVector<Value> arguments;
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i) {
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, buffers,
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    arguments.push_back(LLVM::LoadOp::create(builder, loc, pointer, slot));
  }
  LLVM::CallOp::create(builder, loc, kernel, arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange());

  // Inlined, the kernel would lose what its arguments promise.
  kernel.setLinkage(LLVM::Linkage::Internal);
  kernel.setNoInline(true);
  return success();
}

struct HostEntry : tonno::impl::HostEntryPassBase<HostEntry> {
  using HostEntryPassBase::HostEntryPassBase;

  void runOnOperation() override {
    SmallVector<LLVM::LLVMFuncOp> kernels;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (function.isExternal())
        continue;
      bool isPublic = function.getLinkage() == LLVM::Linkage::External;
      if (kernel.empty() ? isPublic : function.getName() == kernel.getValue())
        kernels.push_back(function);
      else if (isPublic)
        function.setLinkage(LLVM::Linkage::Internal);
    }
    for (LLVM::LLVMFuncOp function : kernels)
      if (failed(addEntry(function)))
        return signalPassFailure();
  }
};

} // namespace
