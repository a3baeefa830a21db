//===- StreamStores.cpp - Write past the caches ---------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/Schedule/KernelBuffers.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tonno {
#define GEN_PASS_DEF_STREAMSTORESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;

/// The pointer that an address is counted from.
static Value baseOf(Value address) {
  while (auto step = address.getDefiningOp<LLVM::GEPOp>())
    address = step.getBase();
  return address;
}

namespace {

struct StreamStores : tonno::impl::StreamStoresPassBase<StreamStores> {
  using StreamStoresPassBase::StreamStoresPassBase;

  /// Orders what is streamed with the stores that follow it.
  void addFences(LLVM::LLVMFuncOp kernel) {
    kernel.walk([](LLVM::ReturnOp end) {
      OpBuilder builder(end);
      LLVM::CallIntrinsicOp::create(
          builder, end.getLoc(), builder.getStringAttr("llvm.x86.sse.sfence"),
          ValueRange());
    });
  }

  void streamStores(LLVM::LLVMFuncOp kernel,
                    ArrayRef<tonno::KernelBuffer> buffers) {
    bool hasStreams = false;
    kernel.walk([&](LLVM::StoreOp store) {
      auto argument = dyn_cast<BlockArgument>(baseOf(store.getAddr()));
      if (!argument || argument.getOwner() != &kernel.front() ||
          !isa<VectorType>(store.getValue().getType()) ||
          !buffers[argument.getArgNumber()].isStreamed)
        return;
      store.setNontemporal(true);
      hasStreams = true;
    });
    if (hasStreams && fence)
      addFences(kernel);
  }

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      auto buffers = tonno::getKernelBuffers(kernel);
      // By descriptors there are more arguments, of kernels lowered otherwise.
      if (!kernel.isExternal() && buffers &&
          buffers->size() == kernel.getNumArguments())
        streamStores(kernel, *buffers);
    }
  }
};

} // namespace
