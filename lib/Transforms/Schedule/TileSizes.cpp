//===- TileSizes.cpp - The tile sizes of an op ----------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/Schedule/TileSizes.h"

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tonno;

static FailureOr<SmallVector<int64_t>> readLevel(linalg::LinalgOp op,
                                                 StringRef key) {
  auto sizes = getTileSizes(op, key);
  if (failed(sizes))
    return failure();
  unsigned numLoops = op.getNumLoops();
  if (!*sizes)
    return SmallVector<int64_t>(numLoops, 0);
  if ((*sizes)->size() != numLoops)
    return op.emitOpError()
           << "has " << numLoops << " loops, but '"
           << TonnoDialect::kLoweringConfig << "' has " << (*sizes)->size()
           << " tile sizes for '" << key << "'";
  return **sizes;
}

FailureOr<std::optional<TileSizes>> TileSizes::get(linalg::LinalgOp op) {
  if (!op->hasAttr(TonnoDialect::kLoweringConfig))
    return std::optional<TileSizes>();
  auto workgroup = readLevel(op, lowering_config::kWorkgroup);
  auto reduction = readLevel(op, lowering_config::kReduction);
  auto subgroup = readLevel(op, lowering_config::kSubgroup);
  if (failed(workgroup) || failed(reduction) || failed(subgroup))
    return failure();
  bool reduces = llvm::any_of(*reduction, [](int64_t size) { return size; });
  if (reduces && op.getNumReductionLoops() == 0)
    return op.emitOpError()
           << "has '" << lowering_config::kReduction << "' in its '"
           << TonnoDialect::kLoweringConfig << "', but reduces nothing";
  return std::optional(TileSizes{*workgroup, *reduction, *subgroup});
}

std::optional<TileSizes> TileSizes::getDefault(linalg::LinalgOp op) {
  if (!isa<linalg::MatmulOp>(op))
    return std::nullopt;
  return TileSizes{{64, 128, 0}, {0, 0, 128}, {8, 32, 0}};
}

LogicalResult tonno::verifyKnobsResolved(Operation *root) {
  KnobAttr unresolved;
  AttrTypeWalker walker;
  walker.addWalk([&](KnobAttr knob) {
    if (knob.isResolved())
      return WalkResult::advance();
    unresolved = knob;
    return WalkResult::interrupt();
  });
  WalkResult result = root->walk([&](Operation *op) {
    if (!walker.walk(op->getAttrDictionary()).wasInterrupted())
      return WalkResult::advance();
    op->emitError() << "knob \"" << unresolved.getName()
                    << "\" is unresolved; run --tonno-apply first";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
