//===- Dynamic shared memory ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/GPU/DescribedTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tonno {
#define GEN_PASS_DEF_DYNAMICSHAREDMEMORYPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Shared memory of both vendors' GPUs in LLVM.
static constexpr unsigned sharedMemory = 3;

namespace {

struct DynamicSharedMemory
    : tonno::impl::DynamicSharedMemoryPassBase<DynamicSharedMemory> {
  void runOnOperation() override {
    for (auto global : getOperation().getOps<LLVM::GlobalOp>()) {
      auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
      if (!array || array.getNumElements() != 0 ||
          global.getAddrSpace() != sharedMemory)
        continue;
      global.setLinkage(LLVM::Linkage::External);
      global.setAlignment(descriptorAlignment);
    }
  }
};

} // namespace
