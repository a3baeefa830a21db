//===- Layer normalisation, its right variants and mutants ----------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

using namespace tonno;
using namespace tonno::gate;

namespace {

template <typename T> struct Layernorm {
  Recipe<T> recipe;
  size_t k;

  void operator()(Operands<T> &operands) const {
    std::span<const T> x = operands.inputs[0];
    std::span<T> y = operands.output;
    for (size_t row = 0; row < numRows; ++row) {
      size_t from = recipe.rowFor(row, numRows);
      auto [mean, variance] =
          moments(x.subspan(from * k, k), /*behind=*/x[(row + 1) * k]);
      T scale = scaleOf(variance);
      for (size_t i = 0; i < k; ++i)
        y[row * k + i] = scaled(operands, x[row * k + i], i, mean, scale);
    }
  }

private:
  struct Moments {
    T mean, variance;
  };

  T scaleOf(T variance) const {
    T epsilon =
        recipe.flaw == Flaw::leavesOutEpsilon ? T(0) : static_cast<T>(1e-5);
    return recipe.rounded(
        1 / recipe.rounded(std::sqrt(recipe.rounded(variance + epsilon, 0)), 1),
        2);
  }

  T scaled(const Operands<T> &operands, T x, size_t i, T mean, T scale) const {
    T y = recipe.rounded(recipe.rounded(x - mean, 3) * scale, 4);
    if (recipe.flaw != Flaw::leavesOutScale)
      y = recipe.rounded(y * operands.inputs[1][i], 5);
    if (recipe.flaw != Flaw::leavesOutBias)
      y = recipe.rounded(y + operands.inputs[2][i], 6);
    return y;
  }

  Moments moments(std::span<const T> x, T behind) const {
    if (recipe.way == Way::online)
      return welford(x);
    auto n = static_cast<T>(k);
    T sum = recipe.sum(x);
    if (recipe.flaw == Flaw::readsTooFar)
      sum += behind;
    T mean = recipe.rounded(sum / n, 7);
    std::vector<T> squares(k);
    for (size_t i = 0; i < k; ++i)
      squares[i] = (x[i] - mean) * (x[i] - mean);
    if (recipe.flaw == Flaw::dividesByOneLess)
      n -= 1;
    return {mean, recipe.rounded(recipe.sum(squares) / n, 8)};
  }

  Moments welford(std::span<const T> x) const {
    T mean = 0, squares = 0;
    for (size_t i = 0; i < k; ++i) {
      T off = x[i] - mean;
      mean += off / static_cast<T>(i + 1);
      squares += off * (x[i] - mean);
    }
    return {mean, squares / static_cast<T>(k)};
  }
};

} // namespace

template <typename T> GateKernel tonno::gate::layernorm(const Cell &cell) {
  LaunchPlan plan;
  plan.buffers = {
      {"arg0", cell.input, {numRows, cell.k}, Access::read, 64},
      {"arg1", cell.input, {cell.k}, Access::read, 64},
      {"arg2", cell.input, {cell.k}, Access::read, 64},
      {"result0", cell.output, {numRows, cell.k}, Access::write, 64}};
  KernelMaker<Layernorm, T> maker(cell, "layernorm", plan);
  maker.nudge();
  for (const Recipe<T> &recipe : rightRecipes<T>())
    maker.right(recipe);
  maker.right({.name = "Welford", .way = Way::online});
  for (const Recipe<T> &recipe : wrongRecipes<T>(cell))
    maker.wrong(recipe);
  for (auto [name, flaw] : {std::pair{"no eps", Flaw::leavesOutEpsilon},
                            {"n - 1 for n", Flaw::dividesByOneLess},
                            {"no scale", Flaw::leavesOutScale},
                            {"no bias", Flaw::leavesOutBias},
                            {"row beside", Flaw::takesRowBeside},
                            {"reads too far", Flaw::readsTooFar}})
    maker.wrong({.name = name, .flaw = flaw});
  return maker.kernel;
}

template GateKernel tonno::gate::layernorm<float>(const Cell &);
template GateKernel tonno::gate::layernorm<double>(const Cell &);
