//===- Write past the caches ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "llvm/ADT/SmallBitVector.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tonno {
#define GEN_PASS_DEF_STREAMSTORESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Of a kernel the arguments that are streamed buffers.
static llvm::SmallBitVector streamsOfKernel(LLVM::LLVMFuncOp kernel) {
  llvm::SmallBitVector streams(kernel.getNumArguments());
  auto buffers = getKernelBuffers(kernel);
  // By descriptors there are more arguments, of kernels lowered otherwise.
  if (buffers && buffers->size() == kernel.getNumArguments())
    for (auto [i, buffer] : llvm::enumerate(*buffers))
      if (buffer.isStreamed)
        streams.set(i);
  return streams;
}

/// The same of what threads call, in whose arguments they are marked: the marks
/// are taken off, as LLVM IR has none.
static llvm::SmallBitVector takeStreamsOfPart(LLVM::LLVMFuncOp part) {
  llvm::SmallBitVector streams(part.getNumArguments());
  auto name = StringAttr::get(part.getContext(), TonnoDialect::kStream);
  for (unsigned i = 0; i < part.getNumArguments(); ++i)
    if (part.removeArgAttr(i, name))
      streams.set(i);
  return streams;
}

/// The pointer that an address is counted from.
static Value baseOf(Value address) {
  while (auto step = address.getDefiningOp<LLVM::GEPOp>())
    address = step.getBase();
  return address;
}

namespace {

struct StreamStores : tonno::impl::StreamStoresPassBase<StreamStores> {
  using StreamStoresPassBase::StreamStoresPassBase;

  /// Orders what is streamed with the stores that follow it: each thread's own,
  /// before the team ends.
  void addFences(LLVM::LLVMFuncOp function) {
    function.walk([](LLVM::ReturnOp end) {
      OpBuilder builder(end);
      LLVM::CallIntrinsicOp::create(
          builder, end.getLoc(), builder.getStringAttr("llvm.x86.sse.sfence"),
          ValueRange());
    });
  }

  void streamStores(LLVM::LLVMFuncOp function,
                    const llvm::SmallBitVector &streams) {
    bool hasStreams = false;
    function.walk([&](LLVM::StoreOp store) {
      auto argument = dyn_cast<BlockArgument>(baseOf(store.getAddr()));
      if (!argument || argument.getOwner() != &function.front() ||
          !isa<VectorType>(store.getValue().getType()) ||
          !streams.test(argument.getArgNumber()))
        return;
      store.setNontemporal(true);
      hasStreams = true;
    });
    if (hasStreams && fence)
      addFences(function);
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      llvm::SmallBitVector streams = streamsOfKernel(function);
      streams |= takeStreamsOfPart(function);
      if (!function.isExternal() && streams.any())
        streamStores(function, streams);
    }
  }
};

} // namespace
