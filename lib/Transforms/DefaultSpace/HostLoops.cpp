//===- The loops of linalg ops on a CPU -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostLoops.h"
#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Transforms/Schedule/TileSizes.h"
#include "tonno/Transforms/Schedule/Windows.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tonno;

int64_t tonno::mostAccumulators(const HostTraits &host, int64_t elementBytes) {
  return std::min((host.vectorRegisters - 4) * host.lanes(elementBytes),
                  mostVectorised);
}

int64_t tonno::elementBytes(linalg::LinalgOp op) {
  unsigned bits = sumsNarrowProducts(op) ? 32 : 8;
  for (Value value : op->getOperands()) {
    Type type = getElementTypeOrSelf(value.getType());
    if (type.isIntOrFloat())
      bits = std::max(bits, type.getIntOrFloatBitWidth());
    else if (type.isIndex())
      bits = std::max(bits, 64u);
  }
  return llvm::divideCeil(bits, 8);
}

std::optional<unsigned> tonno::mainRowLoop(linalg::LinalgOp op) {
  int64_t most = 0;
  std::optional<unsigned> loop;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<ShapedType>(input->get().getType());
    if (!type || type.getNumElements() <= most)
      continue;
    most = type.getNumElements();
    loop = rowLoop(op.getMatchingIndexingMap(input));
  }
  return loop;
}

std::optional<unsigned> tonno::crossingLoop(linalg::LinalgOp op, unsigned n) {
  for (AffineMap map : op.getIndexingMapsArray())
    if (map.isFunctionOfDim(n))
      if (auto loop = rowLoop(map); loop && *loop != n)
        return loop;
  return std::nullopt;
}

/// Whether the op computes anything: a fill has nothing to tile for.
static bool hasWork(linalg::LinalgOp op) {
  auto isShaped = [](Value value) { return isa<ShapedType>(value.getType()); };
  return llvm::any_of(op.getDpsInputs(), isShaped) || op.hasIndexSemantics();
}

bool tonno::gathers(linalg::LinalgOp op) {
  return !op->getRegion(0).getOps<tensor::ExtractOp>().empty();
}

int64_t tonno::bytesOfKernelResult(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return 0;
  Value init = op.getDpsInits().front();
  bool isKernels = isa<BlockArgument>(init) && init.hasOneUse();
  if (op.hasPureTensorSemantics()) {
    Value result = op->getResult(0);
    isKernels = result.hasOneUse() && isa<func::ReturnOp>(*result.user_begin());
  }
  auto type = cast<ShapedType>(init.getType());
  return isKernels ? type.getNumElements() * elementBytes(op) : 0;
}

bool tonno::readsNeighbours(linalg::LinalgOp op) {
  llvm::DenseMap<Value, SmallVector<OpFoldResult>> begins;
  for (Value input : op.getDpsInputs()) {
    auto slice = input.getDefiningOp<OffsetSizeAndStrideOpInterface>();
    if (!slice)
      continue;
    auto [known, isFirst] =
        begins.try_emplace(slice->getOperand(0), slice.getMixedOffsets());
    if (!isFirst && known->second != slice.getMixedOffsets())
      return true;
  }
  return false;
}

bool tonno::isVectorisable(linalg::LinalgOp op) {
  return !op.hasDynamicShape() && op.getNumLoops() != 0 && hasWork(op) &&
         (hasWindows(op) || llvm::all_of(op.getIndexingMapsArray(), isPlain)) &&
         linalg::hasOnlyScalarElementwiseOp(op->getRegion(0)) &&
         (op.getNumReductionLoops() == 0 || !gathers(op));
}
