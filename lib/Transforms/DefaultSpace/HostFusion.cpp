//===- What a CPU best computes together ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostFusion.h"
#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Transforms/Schedule/FuseElementwise.h"
#include "tonno/Transforms/Schedule/FusionGroup.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

using namespace mlir;
using namespace tonno;

std::optional<ProductLoops> tonno::productLoops(linalg::LinalgOp op) {
  auto dims = linalg::inferContractionDims(op);
  if (!linalg::isaContractionOpInterface(op) || failed(dims) ||
      dims->m.empty() || dims->n.empty() || dims->k.empty())
    return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  // The schedule makes vectors of the last parallel loop.
  auto [m, n] = std::minmax(dims->m.back(), dims->n.back());
  if (extents[m] <= 1 || extents[n] <= 1)
    return std::nullopt;
  return ProductLoops{m, n, dims->k.back()};
}

/// Without what only writes a constant or is done by another op.
static SmallVector<linalg::LinalgOp> workOf(linalg::LinalgOp root,
                                            ArrayRef<bool> loops) {
  SmallVector<int64_t> tiles(loops.begin(), loops.end());
  SmallVector<linalg::LinalgOp> work;
  for (Operation *op : fusionGroup(root, tiles))
    if (auto linalgOp = cast<linalg::LinalgOp>(op);
        !isa<linalg::FillOp>(op) && !isPartOfUser(linalgOp))
      work.push_back(linalgOp);
  return work;
}

static bool isFusable(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && !op.hasDynamicShape() &&
         op.getNumLoops() != 0 && op.getNumDpsInits() == 1 &&
         !isa<linalg::FillOp>(op);
}

static std::optional<FusedOps> fusionOf(linalg::LinalgOp root) {
  if (!isFusable(root))
    return std::nullopt;
  SmallVector<bool> loops(root.getNumLoops(), true);
  AffineMap written = root.getIndexingMapsArray().back();
  if (root.getNumReductionLoops() == 0) {
    // By blocks, if their places in the result are those in the product's.
    if (written.isIdentity())
      for (linalg::LinalgOp op : workOf(root, loops))
        if (op != root && productLoops(op) &&
            op.getIndexingMapsArray().back().getNumResults() == loops.size())
          return FusedOps{loops, op};
    if (auto row = rowLoop(written); row && loops.size() > 1)
      loops[*row] = false;
  } else if (auto product = productLoops(root)) {
    for (auto [loop, kind] : llvm::enumerate(root.getIteratorTypesArray()))
      loops[loop] = linalg::isParallelIterator(kind) && loop != product->n;
  } else {
    return std::nullopt;
  }
  SmallVector<linalg::LinalgOp> work = workOf(root, loops);
  if (work.size() < 2)
    return std::nullopt;
  bool hasProducts = llvm::any_of(
      work, [](linalg::LinalgOp op) { return productLoops(op).has_value(); });
  return FusedOps{loops, nullptr, hasProducts};
}

Fusions tonno::findFusions(ArrayRef<linalg::LinalgOp> ops) {
  Fusions fusions;
  llvm::DenseSet<Operation *> taken;
  for (linalg::LinalgOp root : llvm::reverse(ops)) {
    if (taken.contains(root))
      continue;
    auto fusion = fusionOf(root);
    if (!fusion)
      continue;
    for (linalg::LinalgOp op : workOf(root, fusion->loops))
      taken.insert(op);
    fusions.insert({root, std::move(*fusion)});
  }
  return fusions;
}
