//===- Elementwise chains, with mutants -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

using namespace tonno;
using namespace tonno::gate;

namespace {

/// 0.5 x (1 + tanh(0.79788 (x + 0.044715 x^3)))
template <typename T> struct Gelu {
  Recipe<T> recipe;
  size_t k;

  void operator()(Operands<T> &operands) const {
    for (size_t i = 0; i < operands.output.size(); ++i)
      operands.output[i] = one(operands.inputs[0][i], i);
  }

private:
  T one(T x, size_t element) const {
    auto cubic =
        static_cast<T>(recipe.flaw == Flaw::constantIsOff ? 0.0448 : 0.044715);
    auto factor = static_cast<T>(0.7978845608028654);
    T cube = recipe.rounded(recipe.rounded(x * x, 0) * x, 1);
    T inner = recipe.way == Way::fused
                  ? std::fma(cubic, cube, x)
                  : recipe.rounded(x + recipe.rounded(cubic * cube, 2), 3);
    inner = recipe.rounded(factor * inner, 4);
    T curve = recipe.rounded(tangent(inner, element), 5);
    return recipe.rounded(recipe.rounded(static_cast<T>(0.5) * x, 6) *
                              recipe.rounded(1 + curve, 7),
                          8);
  }

  T tangent(T x, size_t element) const {
    if (recipe.way == Way::reciprocal) // by exp
      return 1 - 2 / (std::exp(2 * x) + 1);
    return recipe.approximate(std::tanh(x), element);
  }
};

/// Arithmetic in f16 or bf16.
template <typename T> struct RoundedExp {
  Recipe<T> recipe;
  int bits;

  void operator()(Operands<T> &operands) const {
    for (size_t i = 0; i < operands.output.size(); ++i)
      operands.output[i] = one(operands.inputs[0][i]);
  }

private:
  T one(T x) const {
    auto offset = static_cast<T>(recipe.flaw == Flaw::constantIsOff ? 0 : 0.4);
    // Each rounded as in the IR, or the last alone.
    int onTheWay = recipe.way == Way::fused ? 64 : bits;
    T product = recipe.rounded(roundTo(11 * x, onTheWay), 0);
    T sum = recipe.rounded(roundTo(product + offset, onTheWay), 1);
    return recipe.rounded(std::exp(sum), 2);
  }
};

} // namespace

static LaunchPlan numbersToNumbers(const Cell &cell) {
  LaunchPlan plan;
  plan.buffers = {
      {"arg0", cell.input, {numRows, cell.k}, Access::read, 64},
      {"result0", cell.output, {numRows, cell.k}, Access::write, 64}};
  return plan;
}

template <typename T> GateKernel tonno::gate::gelu(const Cell &cell) {
  KernelMaker<Gelu, T> maker(cell, "gelu", numbersToNumbers(cell));
  maker.kernel.reductionLength = 1;
  maker.nudge();
  maker.right({.name = "plain"});
  maker.right({.name = "fused", .way = Way::fused});
  maker.right({.name = "tanh by exp", .way = Way::reciprocal});
  for (const Recipe<T> &recipe : wrongRecipes<T>(cell, /*hasSum=*/false))
    maker.wrong(recipe);
  maker.wrong({.name = "constant off by 0.2 %", .flaw = Flaw::constantIsOff});
  maker.wrong(
      {.name = "tanh of f16's precision", .flaw = Flaw::approximatesLikeF16});
  maker.wrong(
      {.name = "tanh off by 64 ulps", .flaw = Flaw::approximatesTo64Ulps});
  return maker.kernel;
}

template <typename T> GateKernel tonno::gate::roundedExp(const Cell &cell) {
  GateKernel kernel;
  kernel.name = "exp in its own type";
  kernel.plan = numbersToNumbers(cell);
  kernel.sums = cell.input;
  int bits = cell.input == ElementType::f16 ? 11 : 8;
  auto wide = [&](const Recipe<double> &recipe) {
    return asKernel<double>(widened(kernel.plan), recipe,
                            RoundedExp<double>{recipe, 64});
  };
  kernel.reference = wide({});
  kernel.nudged = wide({.isNudged = true});
  auto add = [&](std::vector<Candidate> &to, const Recipe<T> &recipe) {
    to.push_back({recipe.name, asKernel<T>(kernel.plan, recipe,
                                           RoundedExp<T>{recipe, bits})});
  };
  add(kernel.right, {.name = "plain"});
  add(kernel.right, {.name = "rounded at the end", .way = Way::fused});
  add(kernel.mutants, {.name = "no offset", .flaw = Flaw::constantIsOff});
  for (const Recipe<T> &recipe : wrongRecipes<T>(cell, /*hasSum=*/false))
    // The type is not precise enough to reveal truncation.
    if (recipe.name != "output truncated")
      add(kernel.mutants, recipe);
  return kernel;
}

template GateKernel tonno::gate::gelu<float>(const Cell &);
template GateKernel tonno::gate::gelu<double>(const Cell &);
template GateKernel tonno::gate::roundedExp<float>(const Cell &);
template GateKernel tonno::gate::roundedExp<double>(const Cell &);
