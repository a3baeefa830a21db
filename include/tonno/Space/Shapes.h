//===- Sizes of dynamic dimensions ------------------------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SPACE_SHAPES_H
#define TONNO_SPACE_SHAPES_H

#include "tonno/Core/Result.h"
#include "tonno/Space/SearchSpace.h"

#include <string>
#include <string_view>
#include <vector>

namespace tonno {

/// The sizes that a dimension may have.
struct SizeRange {
  std::string name;
  int64_t low = 1, high = 1; ///< both included

  bool operator==(const SizeRange &) const = default;
};

/// How much calls with some sizes matter.
struct ShapeWeight {
  double weight = 0;     ///< of all calls that meet the condition together
  std::string condition; ///< over dimensions: "M <= 32"

  bool operator==(const ShapeWeight &) const = default;
};

/// The sizes of dynamic dimensions that a kernel is tuned for.
struct Shapes {
  std::vector<SizeRange> ranges;
  std::vector<ShapeWeight> weights; ///< the remainder weighs what is left of 1

  /// Returns true if each dimension has one size.
  bool areFixed() const;
  /// Returns the least size of each dimension.
  std::vector<Dimension> sizes() const;

  bool operator==(const Shapes &) const = default;
};

/// Parses a size or a range for each named dimension, and weights: "M=64",
/// "M=1..8192, N in 1..64, weight 0.8 for M <= 32". The Error quotes the part
/// that can't be read, has an empty range or a size below 1, or names a
/// dimension again.
Result<Shapes> parseShapes(std::string_view text);

/// Parses shapes of one size for each dimension, as `parseShapes` does.
Result<std::vector<Dimension>> parseSizes(std::string_view text);

/// Sizes to tune for, and the share of the calls that they stand for.
struct AnchorShape {
  std::vector<Dimension> sizes;
  double weight = 1;
  size_t cell = 0; ///< of the table that `makeTable` makes of all anchors
};

/// Chooses at most this many shapes that stand for all: a grid of the ends of
/// each range and sizes between them, powers of two where they are dense
/// enough. The last dimension varies fastest. The weights' sum is 1. The Error
/// names a condition that no shape meets, or that cannot be evaluated.
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

void mapFields(JsonFields &fields, SizeRange &range);
void mapFields(JsonFields &fields, ShapeWeight &weight);
void mapFields(JsonFields &fields, Shapes &shapes);
void mapFields(JsonFields &fields, DispatchAxis &axis);
void mapFields(JsonFields &fields, DispatchTable &table);

/// Divides the sizes between neighbouring anchors in the ratio's middle, so
/// that each anchor has a cell, with these variants.
DispatchTable makeTable(const Shapes &shapes,
                        const std::vector<AnchorShape> &anchors,
                        std::vector<size_t> variants);

/// Returns shapes in the anchors' cells that are no multiples of tiles, as
/// anchors are: at most two in each cell of one range, one in others. They
/// share the weight of their anchor with it.
std::vector<AnchorShape> chooseProbes(const Shapes &shapes,
                                      std::vector<AnchorShape> &anchors);

} // namespace tonno

#endif // TONNO_SPACE_SHAPES_H
