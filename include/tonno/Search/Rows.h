//===- Rows of equal length -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_ROWS_H
#define TONNO_SEARCH_ROWS_H

#include <cstddef>
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

  /// A new row, zeroed, to be written.
  std::span<T> append() {
    cells.resize(cells.size() + columnCount);
    return (*this)[rowCount++];
  }

private:
  size_t columnCount;
  size_t rowCount;
  std::vector<T> cells;
};

} // namespace tonno

#endif // TONNO_SEARCH_ROWS_H
