//===- Sums and variances of rows, with mutants ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

using namespace tonno;
using namespace tonno::gate;

// A number each: enough for some that a rounding changes.
static constexpr size_t manyRows = 16;

namespace {

template <typename T> struct RowSums {
  Recipe<T> recipe;
  size_t k;

  void operator()(Operands<T> &operands) const {
    std::span<const T> x = operands.inputs[0];
    for (size_t row = 0; row < manyRows; ++row) {
      size_t from = recipe.rowFor(row, manyRows);
      T sum = recipe.sum(x.subspan(from * k, k));
      if (recipe.flaw == Flaw::readsTooFar && row + 1 == manyRows)
        sum += x[manyRows * k];
      operands.output[row] = sum;
    }
  }
};

template <typename T> struct Variances {
  Recipe<T> recipe;
  size_t k;

  void operator()(Operands<T> &operands) const {
    std::span<const T> x = operands.inputs[0];
    for (size_t row = 0; row < manyRows; ++row)
      operands.output[row] = one(x.subspan(row * k, k));
  }

private:
  T one(std::span<const T> x) const {
    auto n = static_cast<T>(recipe.flaw == Flaw::dividesByOneLess ? k - 1 : k);
    if (recipe.way == Way::online)
      return welford(x);
    T mean = recipe.rounded(recipe.sum(x) / static_cast<T>(k), 0);
    std::vector<T> squares(k);
    for (size_t i = 0; i < k; ++i)
      squares[i] = (x[i] - mean) * (x[i] - mean);
    return recipe.rounded(recipe.sum(squares) / n, 1);
  }

  T welford(std::span<const T> x) const {
    T mean = 0, squares = 0;
    for (size_t i = 0; i < k; ++i) {
      T off = x[i] - mean;
      mean += off / static_cast<T>(i + 1);
      squares += off * (x[i] - mean);
    }
    return squares / static_cast<T>(k);
  }
};

} // namespace

static LaunchPlan rowsToNumbers(const Cell &cell) {
  LaunchPlan plan;
  plan.buffers = {{"arg0", cell.input, {manyRows, cell.k}, Access::read, 64},
                  {"result0", cell.output, {manyRows, 1}, Access::write, 64}};
  return plan;
}

template <typename T> GateKernel tonno::gate::rowSum(const Cell &cell) {
  KernelMaker<RowSums, T> maker(cell, "row sum", rowsToNumbers(cell));
  maker.kernel.isExact = maker.kernel.isSumOfProducts = true;
  for (const Recipe<T> &recipe : rightRecipes<T>())
    maker.right(recipe);
  for (const Recipe<T> &recipe : wrongRecipes<T>(cell))
    maker.wrong(recipe);
  maker.wrong({.name = "reads too far", .flaw = Flaw::readsTooFar});
  maker.wrong({.name = "row beside", .flaw = Flaw::takesRowBeside});
  return maker.kernel;
}

template <typename T> GateKernel tonno::gate::variance(const Cell &cell) {
  LaunchPlan plan = rowsToNumbers(cell);
  plan.buffers[0].input = *InputSpec::parse("uniform(199, 201)");
  KernelMaker<Variances, T> maker(cell, "variance about 200", plan);
  maker.nudge();
  for (const Recipe<T> &recipe : rightRecipes<T>())
    maker.right(recipe);
  maker.right({.name = "Welford", .way = Way::online});
  for (const Recipe<T> &recipe : wrongRecipes<T>(cell))
    maker.wrong(recipe);
  maker.wrong({.name = "n - 1 for n", .flaw = Flaw::dividesByOneLess});
  return maker.kernel;
}

template GateKernel tonno::gate::rowSum<float>(const Cell &);
template GateKernel tonno::gate::rowSum<double>(const Cell &);
template GateKernel tonno::gate::variance<float>(const Cell &);
template GateKernel tonno::gate::variance<double>(const Cell &);
