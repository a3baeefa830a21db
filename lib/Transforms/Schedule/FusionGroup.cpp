//===- What is computed tile by tile --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/FusionGroup.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tonno;

/// The root's tiled loop that each loop of an op goes along with, if any does.
using LoopOrigins = SmallVector<std::optional<size_t>>;

/// Tiling copies a producer once for each path from it to the root. Where two
/// values mix again and again, as in rounds of a hash, paths double by the op.
static constexpr int64_t maxCopies = 64;

/// Through one use: the loops of `producer` by those of its user.
static LoopOrigins originsOf(OpOperand &use, linalg::LinalgOp producer,
                             const LoopOrigins &user) {
  auto owner = cast<linalg::LinalgOp>(use.getOwner());
  AffineMap read = owner.getMatchingIndexingMap(&use);
  auto result = cast<OpResult>(use.get());
  AffineMap written = producer.getIndexingMapMatchingResult(result);
  LoopOrigins origins(producer.getNumLoops());
  for (auto [from, to] :
       llvm::zip_equal(read.getResults(), written.getResults())) {
    auto source = dyn_cast<AffineDimExpr>(from);
    auto target = dyn_cast<AffineDimExpr>(to);
    if (source && target)
      origins[target.getPosition()] = user[source.getPosition()];
  }
  return origins;
}

static bool hasAll(const LoopOrigins &origins, ArrayRef<int64_t> tiles) {
  for (auto [loop, tile] : llvm::enumerate(tiles))
    if (tile != 0 && !llvm::is_contained(origins, std::optional<size_t>(loop)))
      return false;
  return true;
}

llvm::SetVector<Operation *> tonno::fusionGroup(linalg::LinalgOp root,
                                                ArrayRef<int64_t> tiles) {
  llvm::SetVector<Operation *> group;
  llvm::DenseMap<Operation *, LoopOrigins> origins;
  llvm::DenseMap<Operation *, int64_t> copies;
  group.insert(root);
  copies[root] = 1;
  for (auto [loop, tile] : llvm::enumerate(tiles))
    origins[root].push_back(tile == 0 ? std::nullopt : std::optional(loop));
  for (Operation *op = root->getPrevNode(); op; op = op->getPrevNode()) {
    auto producer = dyn_cast<linalg::LinalgOp>(op);
    if (!producer || op->use_empty() || !producer.hasPureTensorSemantics())
      continue;
    std::optional<LoopOrigins> own;
    int64_t ownCopies = 0;
    bool isShared = llvm::all_of(op->getUses(), [&](OpOperand &use) {
      auto user = origins.find(use.getOwner());
      if (user == origins.end())
        return false;
      auto through = originsOf(use, producer, user->second);
      if (!own)
        own = through;
      ownCopies += copies.at(use.getOwner());
      return hasAll(through, tiles) && *own == through &&
             ownCopies <= maxCopies;
    });
    if (!isShared)
      continue;
    group.insert(op);
    origins[op] = std::move(*own);
    copies[op] = ownCopies;
  }
  return group;
}
