//===- HostWindows.cpp - The CPU's space of convolutions ------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostWindows.h"
#include "HostLoops.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tonno;

/// The most rows of a register tile that are tried.
static constexpr int64_t maxRows = 16;

/// Powers of two, and what leaves no rest of the rows.
static SmallVector<int64_t> tileRows(int64_t extent) {
  SmallVector<int64_t> rows;
  for (int64_t size = 1; size <= std::min(extent, maxRows); ++size)
    if (llvm::isPowerOf2_64(size) || extent % size == 0)
      rows.push_back(size);
  return rows;
}

/// Of these at most so many: without a rest, unless that takes twice the tiles.
static int64_t wholeTileRows(int64_t extent, int64_t most) {
  most = std::min({most, extent, maxRows});
  for (int64_t size = most; 2 * size > most; --size)
    if (extent % size == 0)
      return size;
  return powerOfTwoBelow(most);
}

HostWindows tonno::hostWindows(linalg::LinalgOp op, const HostTraits &host,
                               int64_t elementBytes, KnobSizes &knobs) {
  Builder builder(op.getContext());
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  Attribute zero = builder.getI64IntegerAttr(0);
  Attribute one = builder.getI64IntegerAttr(1);
  HostWindows space;
  space.workgroup.assign(extents.size(), zero);
  space.subgroup.assign(extents.size(), one);
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  for (unsigned loop : parallel)
    space.workgroup[loop] = one;
  if (parallel.empty())
    return space;
  int64_t lanes = host.lanes(elementBytes);
  int64_t accumulators = mostAccumulators(host, elementBytes);
  unsigned n = parallel.back();
  // Each column by itself: memory is best read in its order.
  int64_t most = mainRowLoop(op) == n ? 8 * lanes : 4 * lanes;
  KnobSize nr = knobs.size("NR", lanes, std::min(extents[n], most), 2 * lanes);
  space.workgroup[n] = zero;
  space.subgroup[n] = nr.attribute;
  auto m = sharingLoop(op, n);
  if (!m)
    return space;
  int64_t rows = wholeTileRows(extents[*m], accumulators / nr.standard);
  KnobSize mr = knobs.choice("MR", tileRows(extents[*m]), rows);
  KnobSize bm = knobs.size("BM", 1, extents[*m], extents[*m]);
  space.workgroup[*m] = bm.attribute;
  space.subgroup[*m] = mr.attribute;
  knobs.constrain({mr, nr},
                  mr.text + " * " + nr.text + " <= " + Twine(accumulators));
  knobs.constrain({mr, bm}, mr.text + " <= " + bm.text);
  return space;
}
