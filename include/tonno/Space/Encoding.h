//===- Encodings of points for models -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SPACE_ENCODING_H
#define TONNO_SPACE_ENCODING_H

#include "tonno/Space/SearchSpace.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tonno {

/// Rows of equal length, one after the other: the points that a model is fitted
/// to, or asked about.
template <typename T> class Rows {
public:
  explicit Rows(size_t columns, size_t rows = 0)
      : columnCount(columns), rowCount(rows), cells(columns * rows) {}

  size_t columns() const { return columnCount; }
  size_t size() const { return rowCount; }
  std::span<const T> operator[](size_t row) const {
    return {cells.data() + (row * columnCount), columnCount};
  }
  std::span<T> operator[](size_t row) {
    return {cells.data() + (row * columnCount), columnCount};
  }

  /// Appends a zeroed row and returns it.
  std::span<T> append() {
    cells.resize(cells.size() + columnCount);
    return (*this)[rowCount++];
  }

private:
  size_t columnCount;
  size_t rowCount;
  std::vector<T> cells;
};

/// The relation between the options of a knob.
enum class KnobKind {
  ordered,     ///< numbers
  boolean,     ///< true and false
  categorical, ///< strings, other attributes, and mixtures
  permutation, ///< arrays, each of them a permutation of 0, 1, ..., n - 1
};

/// The features of a space's points for models: bins, of which only the order
/// matters, for trees; coordinates in [0, 1] for a Gaussian process.
///
///   | kind        | bins                           | coordinates            |
///   | ----------- | ------------------------------ | ---------------------- |
///   | ordered     | the rank among the options     | the value, to scale    |
///   | boolean     | 0 or 1                         | 0 or 1                 |
///   | categorical | for each option 1 if selected  | sqrt(1/2) instead of 1 |
///   | permutation | the position of each element   | the same, in [0, 1]    |
///
/// The scale is logarithmic if all values are positive and roughly geometric:
/// powers of two, or each about twice the previous one. The squared distance
/// between the coordinates of one knob is at most 1. Knobs with one option have
/// no columns; categorical knobs with more than `mostOneHot` options are
/// encoded as ordered, in the order of their list.
class Encoding {
public:
  static constexpr size_t mostOneHot = 64;

  explicit Encoding(const SearchSpace &space);

  size_t knobs() const { return codes.size(); }
  KnobKind kind(size_t knob) const { return codes[knob].kind; }
  bool isOrdered(size_t knob) const { return kind(knob) == KnobKind::ordered; }
  size_t options(size_t knob) const { return codes[knob].ranks.size(); }

  /// Returns the option's rank among all options by value, from 0; its index if
  /// options have no order.
  uint32_t rank(size_t knob, uint32_t option) const {
    return codes[knob].ranks[option];
  }
  /// Returns the option of a rank, the inverse of `rank`.
  uint32_t optionAt(size_t knob, uint32_t rank) const {
    return codes[knob].byRank[rank];
  }

  /// Returns other options near this one, by rank: for an ordered knob those
  /// within `radius` ranks; for a permutation those one exchange away, or all
  /// if there are none; for any other knob all.
  std::vector<uint32_t> neighbours(size_t knob, uint32_t option,
                                   uint32_t radius) const;

  /// Return the number of columns of `bins` and `coordinates`, which is equal,
  /// and the knob of each; a knob's columns are adjacent.
  size_t columns() const { return knobOfColumn.size(); }
  std::span<const uint32_t> columnKnobs() const { return knobOfColumn; }
  /// Returns the number of bins of each column: at most 256.
  std::span<const uint32_t> columnLevels() const { return levelsOfColumn; }
  /// Returns the first column of a knob; the next knob's is its end.
  size_t firstColumn(size_t knob) const { return codes[knob].firstColumn; }

  /// Writes a point's bins into a row of `columns()`.
  void bins(const Configuration &point, std::span<uint8_t> row) const;
  /// Writes those of one knob only.
  void knobBins(size_t knob, uint32_t option, std::span<uint8_t> row) const;
  void coordinates(const Configuration &point, std::span<float> row) const;

  Rows<uint8_t> bins(std::span<const Configuration> points) const;
  Rows<float> coordinates(std::span<const Configuration> points) const;

private:
  /// A knob's options, coded: tables with `width` cells for each option.
  struct Code {
    KnobKind kind = KnobKind::categorical;
    size_t firstColumn = 0, width = 0;
    std::vector<uint32_t> ranks, byRank;
    std::vector<uint8_t> bins;
    std::vector<float> coordinates;
  };

  static Code encode(const std::vector<Option> &options);
  static void encodeOrdered(const std::vector<double> &values, Code &code);
  static void encodeListed(size_t options, Code &code);
  static void encodePermutations(const std::vector<Option> &options,
                                 Code &code);
  void addColumns(const Code &code, uint32_t knob);

  std::vector<Code> codes;
  std::vector<uint32_t> knobOfColumn, levelsOfColumn;
};

} // namespace tonno

#endif // TONNO_SPACE_ENCODING_H
