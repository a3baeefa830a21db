//===- Non-temporal stores ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/Schedule/Tiling/TileSizes.h"

#include "llvm/ADT/SmallBitVector.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tonno {
#define GEN_PASS_DEF_MARKSTREAMSPASS
#define GEN_PASS_DEF_STREAMSTORESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns the kernel's argument that the op's only result goes to, or null.
static BlockArgument findDestinationArgument(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return nullptr;
  Value buffer = op.getDpsInits().front();
  if (op.hasPureTensorSemantics()) {
    Value result = op->getResult(0);
    auto goes = result.hasOneUse()
                    ? dyn_cast<bufferization::MaterializeInDestinationOp>(
                          *result.user_begin())
                    : nullptr;
    buffer = goes ? goes.getDest() : Value();
  }
  return dyn_cast_or_null<BlockArgument>(buffer);
}

namespace {

struct MarkStreams : tonno::impl::MarkStreamsPassBase<MarkStreams> {
  void runOnOperation() override {
    auto buffers = getKernelBuffers(getOperation());
    if (!buffers || hasOwnLowering(getOperation()))
      return;
    auto mark = [&](linalg::LinalgOp op) -> LogicalResult {
      auto sizes = getTileSizes(op, lowering_config::kStream);
      if (failed(sizes) || failed(verifyTileSizes(op)))
        return failure();
      BlockArgument buffer = findDestinationArgument(op);
      if (*sizes && llvm::any_of(**sizes, [](int64_t s) { return s != 0; }) &&
          buffer && buffer.getOwner() == &getOperation().front())
        (*buffers)[buffer.getArgNumber()].isStreamed = true;
      return success();
    };
    if (failed(checkOps(getOperation(), mark)))
      return signalPassFailure();
    setKernelBuffers(getOperation(), *buffers);
  }
};

} // namespace

/// Returns the kernel's arguments that are buffers of non-temporal stores.
static llvm::SmallBitVector findNonTemporalArguments(LLVM::LLVMFuncOp kernel) {
  llvm::SmallBitVector streams(kernel.getNumArguments());
  auto buffers = getKernelBuffers(kernel);
  // Kernels that were lowered to memref descriptors have more arguments than
  // buffers.
  if (buffers && buffers->size() == kernel.getNumArguments())
    for (auto [i, buffer] : llvm::enumerate(*buffers))
      if (buffer.isStreamed)
        streams.set(i);
  return streams;
}

/// Returns such arguments of an outlined function, and removes their marks,
/// which LLVM IR does not have.
static llvm::SmallBitVector takeNonTemporalArguments(LLVM::LLVMFuncOp part) {
  llvm::SmallBitVector streams(part.getNumArguments());
  auto name = StringAttr::get(part.getContext(), TonnoDialect::kStream);
  for (unsigned i = 0; i < part.getNumArguments(); ++i)
    if (part.removeArgAttr(i, name))
      streams.set(i);
  return streams;
}

/// Returns the base pointer of an address.
static Value getBasePointer(Value address) {
  while (auto step = address.getDefiningOp<LLVM::GEPOp>())
    address = step.getBase();
  return address;
}

namespace {

struct StreamStores : tonno::impl::StreamStoresPassBase<StreamStores> {
  using StreamStoresPassBase::StreamStoresPassBase;

  void streamStores(LLVM::LLVMFuncOp function,
                    const llvm::SmallBitVector &streams) {
    bool hasStreams = false;
    function.walk([&](LLVM::StoreOp store) {
      auto argument = dyn_cast<BlockArgument>(getBasePointer(store.getAddr()));
      if (!argument || argument.getOwner() != &function.front() ||
          !isa<VectorType>(store.getValue().getType()) ||
          !streams.test(argument.getArgNumber()))
        return;
      store.setNontemporal(true);
      hasStreams = true;
    });
    if (!hasStreams || !fence)
      return;
    // Orders non-temporal stores before later stores, for each thread.
    function.walk([](LLVM::ReturnOp end) {
      OpBuilder builder(end);
      LLVM::CallIntrinsicOp::create(
          builder, end.getLoc(), builder.getStringAttr("llvm.x86.sse.sfence"),
          ValueRange());
    });
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      llvm::SmallBitVector streams = findNonTemporalArguments(function);
      streams |= takeNonTemporalArguments(function);
      if (!function.isExternal() && streams.any())
        streamStores(function, streams);
    }
  }
};

} // namespace
