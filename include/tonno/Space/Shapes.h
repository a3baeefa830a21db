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

/// A shape that an application uses.
struct ListedShape {
  std::vector<Dimension> sizes;
  double weight = 1; ///< in any unit, such as calls

  bool operator==(const ListedShape &) const = default;
};

/// The sizes of dynamic dimensions that a kernel is tuned for.
struct Shapes {
  std::vector<SizeRange> ranges;
  std::vector<ShapeWeight> weights; ///< the remainder weighs what is left of 1
  /// The shapes that are used; empty if all in the ranges may be.
  std::vector<ListedShape> listed = {};

  /// Returns true if each dimension has one size. A list is not fixed: other
  /// sizes may be called, too.
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

/// Parses a list of shapes, as CSV or as JSON: "M,N,weight" and a line of
/// numbers for each shape, or [{"M": 64, "N": 8, "weight": 3}, ...]. Without
/// the column `weight`, all weigh the same; equal shapes add up. The ranges
/// reach from the least size to the greatest. The Error has the line, or the
/// number of the shape.
Result<Shapes> parseShapeList(std::string_view text);

/// Parses either form, a list as JSON.
Result<Shapes> parseStatedShapes(std::string_view text);

/// Adds up the weights of equal shapes, which have the place of the first. All
/// have the same dimensions, in the same order.
void mergeEqual(std::vector<ListedShape> &shapes);

/// Returns `added` together with the shapes that a kernel is tuned for: ranges
/// of the same dimensions are joined, and so are lists. A range and a list, or
/// other dimensions, have no union: then these are `added` alone. Weights are
/// those of `added`, if it has any.
Shapes joinShapes(const Shapes &known, const Shapes &added);

/// Returns the text that `parseStatedShapes` reads.
std::string formatShapes(const Shapes &shapes);

/// Parses shapes of one size for each dimension, as `parseShapes` does.
Result<std::vector<Dimension>> parseSizes(std::string_view text);

void mapFields(JsonFields &fields, SizeRange &range);
void mapFields(JsonFields &fields, ShapeWeight &weight);
void mapFields(JsonFields &fields, ListedShape &shape);
void mapFields(JsonFields &fields, Shapes &shapes);
} // namespace tonno

#endif // TONNO_SPACE_SHAPES_H
