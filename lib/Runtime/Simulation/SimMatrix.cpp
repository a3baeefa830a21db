//===- Matrix instructions of simulated GPUs ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimMatrix.h"

#include "tonno/Core/MatrixInstruction.h"
#include "tonno/Core/SimObject.h"
#include "tonno/Runtime/Elements.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

using namespace tonno;

namespace {

struct Matrix {
  uint32_t columns;
  std::vector<double> elements;

  Matrix(uint32_t rows, uint32_t columns, double value)
      : columns(columns), elements(size_t(rows) * columns, value) {}
  double &at(uint32_t row, uint32_t column) {
    return elements[size_t(row) * columns + column];
  }
};

} // namespace

/// Returns the value in registers of lanes that do not take part.
static double garbage(ElementType type) {
  return isFloatingPoint(type) ? std::nan("") : 85;
}

/// Returns the elements in some registers of 32 bits, a word each.
static std::vector<double> decodeRegisters(const uint64_t *registers,
                                           uint32_t count, ElementType type) {
  std::vector<uint32_t> words(registers, registers + count);
  return decode(type, std::as_bytes(std::span(words)));
}

/// Collects a matrix whose rows are the fragment's side.
static Matrix collect(std::span<const SimParticipant> participants,
                      size_t first, uint32_t registers, ElementType type,
                      const Fragment &fragment) {
  Matrix matrix(fragment.side.extent(), fragment.depth.extent(), garbage(type));
  for (const SimParticipant &one : participants) {
    auto elements = decodeRegisters(one.operands + first, registers, type);
    for (uint32_t i = 0; i < elements.size(); ++i) {
      FragmentCoordinates place = fragment.place(one.lane, i);
      matrix.at(place.side, place.depth) = elements[i];
    }
  }
  return matrix;
}

uint32_t tonno::encodeSum(double sum, ElementType type) {
  if (type == ElementType::f32)
    return std::bit_cast<uint32_t>(static_cast<float>(sum));
  return static_cast<uint32_t>(static_cast<int64_t>(sum));
}

void tonno::multiply(std::span<const SimParticipant> participants) {
  auto product = std::bit_cast<SimProduct>(participants.front().operands[0]);
  auto operand = static_cast<ElementType>(product.operand),
       sum = static_cast<ElementType>(product.sum);
  const MatrixInstruction *instruction = findMatrixInstruction(
      static_cast<MatrixFamily>(product.family), operand, sum, product.m,
      product.n, product.k,
      uint32_t(product.leftRegisters * 4 / getByteSize(operand)));
  if (!instruction)
    return; // garbage stays in the results
  size_t right = 1 + product.leftRegisters,
         sums = right + product.rightRegisters;
  Matrix a = collect(participants, 1, product.leftRegisters, operand,
                     instruction->lhs),
         b = collect(participants, right, product.rightRegisters, operand,
                     instruction->rhs),
         c = collect(participants, sums, instruction->sums.size(), sum,
                     instruction->sums);
  for (uint32_t i = 0; i < product.m; ++i)
    for (uint32_t j = 0; j < product.n; ++j)
      for (uint32_t k = 0; k < product.k; ++k)
        c.at(i, j) += a.at(i, k) * b.at(j, k);
  for (const SimParticipant &one : participants)
    for (uint32_t i = 0; i < instruction->sums.size(); ++i) {
      FragmentCoordinates place = instruction->sums.place(one.lane, i);
      one.results[i] = encodeSum(c.at(place.side, place.depth), sum);
    }
}
