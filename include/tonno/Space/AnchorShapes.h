//===- Shapes to tune for ---------------------------------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SPACE_ANCHORSHAPES_H
#define TONNO_SPACE_ANCHORSHAPES_H

#include "tonno/Space/Shapes.h"

namespace tonno {

/// Sizes to tune for, and the share of the calls that they stand for.
struct AnchorShape {
  std::vector<Dimension> sizes;
  double weight = 1;
  size_t cell = 0; ///< of the table that `makeTable` makes of all anchors
};

/// Chooses at most this many shapes that stand for all: a grid of the ends of
/// each range and sizes between them, powers of two where they are dense
/// enough; of listed shapes, sizes that are as far apart by weight. The last
/// dimension varies fastest. The weights' sum is 1. The Error names a condition
/// that no shape meets, or that cannot be evaluated.
Result<std::vector<AnchorShape>> chooseAnchors(const Shapes &shapes,
                                               size_t most);

/// The parts that a dimension's range is divided into.
struct DispatchAxis {
  std::string dimension; ///< its name
  int64_t least = 1;     ///< size of the range
  /// The greatest size of each part, ascending.
  std::vector<int64_t> bounds;
};

/// A variant for each cell of a grid of sizes.
struct DispatchTable {
  std::vector<DispatchAxis> axes;
  std::vector<size_t> variants; ///< of cells; the last axis varies fastest
};

void mapFields(JsonFields &fields, DispatchAxis &axis);
void mapFields(JsonFields &fields, DispatchTable &table);

/// Divides the sizes between neighbouring anchors in the ratio's middle, so
/// that each anchor has a cell, with these variants.
DispatchTable makeTable(const Shapes &shapes,
                        const std::vector<AnchorShape> &anchors,
                        std::vector<size_t> variants);

/// Returns shapes in the anchors' cells that are no multiples of tiles, as
/// anchors are, or the heaviest of those that are listed: at most two in each
/// cell of one range, one in others. They share the weight of their anchor with
/// it.
std::vector<AnchorShape> chooseProbes(const Shapes &shapes,
                                      std::vector<AnchorShape> &anchors);

} // namespace tonno

#endif // TONNO_SPACE_ANCHORSHAPES_H
