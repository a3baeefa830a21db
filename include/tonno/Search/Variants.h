//===- A few configurations for many shapes ---------------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_VARIANTS_H
#define TONNO_SEARCH_VARIANTS_H

#include <cstddef>
#include <optional>
#include <vector>

namespace tonno {

/// Times of some configurations at some shapes.
struct ShapeTimes {
  std::vector<double> weights; ///< of shapes
  std::vector<size_t> cells;   ///< of shapes; a cell has one variant
  /// Time of each configuration, by shape, in any unit of that shape; none
  /// where it was not taken. Each shape has one.
  std::vector<std::vector<std::optional<double>>> times;
  /// Distance between two shapes, in factors of two.
  std::vector<std::vector<double>> distances;
  /// For each shape, the configurations that it does not allow: it takes number
  /// 0 instead, which all allow. A shape without any may have an empty list.
  std::vector<std::vector<bool>> isBarred;

  /// Returns the configuration that a shape takes if it is given this one.
  size_t getTaken(size_t shape, size_t configuration) const;

  /// Returns the least time that was taken at a shape.
  double best(size_t shape) const;
  /// Returns the time of a configuration, or of what is taken instead, at a
  /// shape over the best there; if it was not measured, the one at the nearest
  /// shape, and more the farther that is.
  double regret(size_t shape, size_t configuration) const;
};

struct VariantLimits {
  size_t most = 4;      ///< variants
  double regret = 1.05; ///< with which no further variant is added
  /// Configurations that are variants wherever they are the best of all chosen,
  /// beside which others are added: those of a decision that is extended.
  std::vector<size_t> kept = {};
};

struct VariantChoice {
  std::vector<size_t> configurations; ///< that are variants
  std::vector<size_t> ofCells; ///< for each cell the variant, as an index

  bool operator==(const VariantChoice &) const = default;
};

/// Chooses few configurations that leave little to gain at each shape: a greedy
/// set cover by weighted regrets, which ends where all are within the limit.
/// Cells are numbered from 0; each has a shape.
VariantChoice chooseVariants(const ShapeTimes &times,
                             const VariantLimits &limits);

} // namespace tonno

#endif // TONNO_SEARCH_VARIANTS_H
