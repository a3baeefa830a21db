//===- Index width of GPU kernels -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tonno {
#define GEN_PASS_DEF_CHOOSEINDEXWIDTHPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns true if the linear index of an element may exceed 32 bits.
static bool isLarge(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset, last = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      !type.hasStaticShape())
    return true;
  for (auto [extent, stride] : llvm::zip_equal(type.getShape(), strides))
    last += extent * stride;
  return last > INT32_MAX;
}

namespace {

/// Finds out what 32 bits hold of a module's indices.
class IndexRanges {
public:
  LogicalResult analyse(gpu::GPUModuleOp device) {
    solver.load<dataflow::DeadCodeAnalysis>();
    solver.load<dataflow::SparseConstantPropagation>();
    solver.load<dataflow::IntegerRangeAnalysis>();
    return solver.initializeAndRun(device);
  }

  /// Returns true if 32 bits hold all indices, and every conversion takes them.
  bool allFit(gpu::GPUModuleOp device) {
    auto doesNotFit = [&](Value value) { return !fits(value); };
    return !anyOp(device, [&](Operation *op) {
      return hasOwnIndexWidth(op) || !fits(op) ||
             llvm::any_of(op->getResults(), doesNotFit) ||
             llvm::any_of(op->getRegions(), [&](Region &region) {
               return llvm::any_of(region.getArguments(), doesNotFit);
             });
    });
  }

private:
  /// Returns true if upstream converts the op's memory accesses with 64-bit
  /// indices, whatever the module's data layout. ConvertNvgpu does not.
  static bool hasOwnIndexWidth(Operation *op) {
    return !isa<nvgpu::LdMatrixOp, nvgpu::DeviceAsyncCopyOp>(op) &&
           isa_and_nonnull<nvgpu::NVGPUDialect, amdgpu::AMDGPUDialect>(
               op->getDialect()) &&
           llvm::any_of(op->getOperandTypes(),
                        llvm::IsaPred<IndexType, MemRefType>);
  }

  std::optional<ConstantIntRanges> range(Value value) {
    auto *state = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
    if (!state || state->getValue().isUninitialized())
      return std::nullopt;
    return state->getValue().getValue();
  }

  bool fits(Value value) {
    if (auto type = dyn_cast<MemRefType>(value.getType()))
      return !isa<BlockArgument>(value) || !isLarge(type);
    if (!isa<IndexType>(getElementTypeOrSelf(value.getType())))
      return true;
    // Addresses of shared memory have 32 bits.
    if (auto address =
            value.getDefiningOp<memref::ExtractAlignedPointerAsIndexOp>())
      return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
          cast<MemRefType>(address.getSource().getType()));
    auto known = range(value);
    return known && known->smin().getSExtValue() >= INT32_MIN &&
           known->smax().getSExtValue() <= INT32_MAX;
  }

  /// Returns true if the op computes the same from 32-bit operands as from
  /// 64-bit ones, provided that its results fit.
  bool fits(Operation *op) {
    // Unsigned ops on a negative operand read its upper half too.
    if (isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp, arith::ShRUIOp,
            arith::IndexCastUIOp>(op))
      return llvm::all_of(op->getOperands(), [&](Value operand) {
        auto known = range(operand);
        return known && known->smin().isNonNegative();
      });
    // The last step goes beyond the last iteration.
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    if (!loop || !loop.getLoopInductionVars())
      return true;
    auto last = [&](const std::optional<SmallVector<OpFoldResult>> &bounds) {
      int64_t largest = 0;
      for (OpFoldResult bound :
           bounds ? *bounds : SmallVector<OpFoldResult>()) {
        int64_t most = INT32_MAX;
        if (auto constant = getConstantIntValue(bound))
          most = *constant;
        else if (auto known = range(cast<Value>(bound)))
          most = known->smax().getSExtValue();
        largest = std::max(largest, most);
      }
      return largest;
    };
    int64_t bound = last(loop.getLoopUpperBounds()),
            step = last(loop.getLoopSteps());
    return bound <= INT32_MAX && step <= INT32_MAX && bound + step <= INT32_MAX;
  }

  DataFlowSolver solver;
};

struct ChooseIndexWidth
    : tonno::impl::ChooseIndexWidthPassBase<ChooseIndexWidth> {
  void runOnOperation() override {
    gpu::GPUModuleOp device = getOperation();
    IndexRanges ranges;
    if (failed(ranges.analyse(device)))
      return signalPassFailure();
    Builder builder(device.getContext());
    auto entry = DataLayoutEntryAttr::get(
        builder.getIndexType(),
        builder.getI32IntegerAttr(ranges.allFit(device) ? 32 : 64));
    device->setAttr(DLTIDialect::kDataLayoutAttrName,
                    DataLayoutSpecAttr::get(device.getContext(),
                                            DataLayoutEntryInterface(entry)));
  }
};

} // namespace
