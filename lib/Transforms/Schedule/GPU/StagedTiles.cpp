//===- Operands through shared memory -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileCopy.h"
#include "TileKernel.h"

using namespace mlir;
using namespace tonno;

/// Whether neighbours along the space's rows are far apart in the operand, and
/// others are neighbours there.
bool TileKernel::isCrosswise(AffineMap map) const {
  if (map.getNumResults() == 0 || !map.isFunctionOfDim(shape.along))
    return false;
  unsigned last = cast<AffineDimExpr>(map.getResults().back()).getPosition();
  return last != shape.along && shape.block(last) > 1 &&
         shape.block(shape.along) > 1;
}

/// Copies the workgroup's tile of an operand into shared memory, with the
/// space's rows side by side.
void TileKernel::stage(Value source, AffineMap map) {
  MLIRContext *context = map.getContext();
  TileCopy copy;
  copy.source = source;
  copy.thread = kernel->thread;
  copy.numThreads = shape.numThreads();
  SmallVector<int64_t> extents;
  SmallVector<AffineExpr> layout, local;
  SmallVector<Value> tileStarts;
  AffineExpr alongRows;
  for (auto [d, result] : llvm::enumerate(map.getResults())) {
    unsigned dim = cast<AffineDimExpr>(result).getPosition();
    copy.tile.push_back(shape.block(dim));
    copy.isGuarded.push_back(shape.isGuarded(dim));
    tileStarts.push_back(starts[dim]);
    AffineExpr coordinate = getAffineDimExpr(d, context);
    if (dim == shape.along) {
      alongRows = coordinate;
      continue;
    }
    layout.push_back(coordinate);
    local.push_back(result);
    extents.push_back(shape.block(dim));
  }
  layout.push_back(alongRows);
  local.push_back(getAffineDimExpr(shape.along, context));
  // Odd, so that a column's elements are in different banks.
  extents.push_back(shape.block(shape.along) | 1);
  copy.shared = kernel->addShared(
      extents, cast<MemRefType>(source.getType()).getElementType());
  copy.layout = AffineMap::get(copy.tile.size(), 0, layout, context);
  copy.store(kernel->code, copy.load(kernel->code, tileStarts));
  staged.push_back({source, copy.shared, map,
                    AffineMap::get(group.extents.size(), 0, local, context)});
}

/// Brings tiles of what lies crosswise in memory through shared memory, so that
/// threads that are neighbours read neighbours.
void TileKernel::stageCrosswise() {
  if (group.reduced)
    return;
  llvm::SmallDenseSet<Value> written;
  for (const GroupedOp &member : group.ops) {
    linalg::LinalgOp op = member.op;
    written.insert(op.getDpsInits().begin(), op.getDpsInits().end());
  }
  for (const GroupedOp &member : group.ops)
    for (auto [i, input] : llvm::enumerate(member.inputs)) {
      if (input.kind != Source::Kind::memory || written.contains(input.value))
        continue;
      AffineMap map = mapOf(member, i);
      if (isCrosswise(map) && !findStaged(input.value, map))
        stage(input.value, map);
    }
  if (!staged.empty())
    kernel->code.barrier();
}

const TileKernel::Staged *TileKernel::findStaged(Value source,
                                                 AffineMap map) const {
  const auto *found = llvm::find_if(staged, [&](const Staged &one) {
    return one.source == source && one.map == map;
  });
  return found == staged.end() ? nullptr : found;
}
