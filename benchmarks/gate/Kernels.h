//===- The families of kernels --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_GATE_KERNELS_H
#define BENCHMARKS_GATE_KERNELS_H

#include "Recipe.h"

namespace tonno::gate {

template <typename T> std::vector<GateKernel> matmuls(const Cell &cell);
template <typename T> GateKernel rowSum(const Cell &cell);
template <typename T> GateKernel softmax(const Cell &cell);
/// Returns the variance kernel; its input is declared with the mean 200.
template <typename T> GateKernel variance(const Cell &cell);
template <typename T> GateKernel layernorm(const Cell &cell);
template <typename T> GateKernel gelu(const Cell &cell);
/// Returns exp(11 x + 0.4), each operation rounded to the input's type.
template <typename T> GateKernel roundedExp(const Cell &cell);

/// Number of rows of kernels over rows.
inline constexpr size_t numRows = 4;

/// A kernel whose body is `Body<T>{recipe, k}`, from a plan.
template <template <typename> typename Body, typename T> class KernelMaker {
public:
  KernelMaker(const Cell &cell, std::string name, LaunchPlan plan)
      : k(static_cast<size_t>(cell.k)) {
    kernel.name = std::move(name);
    kernel.plan = std::move(plan);
    kernel.reductionLength = k;
    kernel.sums = cell.sums;
    kernel.reference = reference({});
  }

  void nudge() { kernel.nudged = reference({.isNudged = true}); }
  void right(const Recipe<T> &recipe) { add(kernel.right, recipe); }
  void wrong(const Recipe<T> &recipe) { add(kernel.mutants, recipe); }

  GateKernel kernel;

private:
  FakeKernel reference(const Recipe<double> &recipe) const {
    return asKernel<double>(widened(kernel.plan), recipe,
                            Body<double>{recipe, k});
  }
  void add(std::vector<Candidate> &to, const Recipe<T> &recipe) {
    to.push_back(
        {recipe.name, asKernel<T>(kernel.plan, recipe, Body<T>{recipe, k})});
  }

  size_t k;
};

} // namespace tonno::gate

#endif // BENCHMARKS_GATE_KERNELS_H
