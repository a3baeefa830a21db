//===- Softmax, its right variants and mutants ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

using namespace tonno;
using namespace tonno::gate;

namespace {

/// A row's maximum, and the sum of the exponentials below it.
template <typename T> struct Normaliser {
  T largest = -INFINITY;
  T sum = 0;

  void add(T x) {
    T next = std::max(largest, x);
    sum = sum * std::exp(largest - next) + std::exp(x - next);
    largest = next;
  }
  void merge(const Normaliser &other) {
    T next = std::max(largest, other.largest);
    sum = sum * std::exp(largest - next) +
          other.sum * std::exp(other.largest - next);
    largest = next;
  }
};

template <typename T> struct Softmax {
  Recipe<T> recipe;
  size_t k;

  void operator()(Operands<T> &operands) const {
    std::span<const T> x = operands.inputs[0];
    std::span<T> y = operands.output;
    for (size_t row = 0; row < numRows; ++row) {
      size_t from = recipe.rowFor(row, numRows);
      one(x.subspan(row * k, k), x.subspan(from * k, k), y.subspan(row * k, k),
          /*behind=*/x[(row + 1) * k]);
    }
  }

private:
  static constexpr size_t tile = 32;

  Normaliser<T> online(std::span<const T> x) const {
    Normaliser<T> all;
    for (size_t i = 0; i < k; i += recipe.way == Way::online ? k : tile) {
      Normaliser<T> part;
      for (size_t j = i;
           j < (recipe.way == Way::online ? k : i + tile) && j < k; ++j)
        part.add(x[j]);
      all.merge(part);
    }
    return all;
  }

  T exponential(T x, size_t element) const {
    x = recipe.rounded(x, 0);
    T y = recipe.way == Way::base2
              ? std::exp2(x * static_cast<T>(1.4426950408889634))
              : std::exp(x);
    return recipe.rounded(recipe.approximate(y, element), 1);
  }

  Normaliser<T> normaliser(std::span<const T> x, T behind) const {
    if (recipe.way == Way::online || recipe.way == Way::onlineInTiles)
      return online(x);
    Normaliser<T> all;
    auto inMaximum = recipe.flaw == Flaw::leavesTailOutOfMaximum ? k - 1 : k;
    for (T each : x.first(inMaximum))
      all.largest = std::max(all.largest, each);
    if (recipe.flaw == Flaw::leavesOutMaximum)
      all.largest = 0;
    std::vector<T> terms(k);
    for (size_t i = 0; i < k; ++i)
      terms[i] = exponential(x[i] - all.largest, i);
    if (recipe.flaw == Flaw::readsTooFar)
      terms.push_back(std::exp(behind - all.largest));
    all.sum = recipe.sum(terms);
    return all;
  }

  void one(std::span<const T> x, std::span<const T> from, std::span<T> y,
           T behind) const {
    Normaliser<T> all = normaliser(from, behind);
    size_t swapped = recipe.flaw == Flaw::swapsTiles ? tileOf(k) : 0;
    for (size_t i = 0; i < k; ++i) {
      T e = exponential(x[i] - all.largest, i);
      size_t to = i < swapped ? i + swapped : i < 2 * swapped ? i - swapped : i;
      y[to] = recipe.way == Way::reciprocal ? e * (1 / all.sum)
                                            : recipe.rounded(e / all.sum, 2);
    }
  }
};

} // namespace

template <typename T> GateKernel tonno::gate::softmax(const Cell &cell) {
  LaunchPlan plan;
  plan.buffers = {
      {"arg0", cell.input, {numRows, cell.k}, Access::read, 64},
      {"result0", cell.output, {numRows, cell.k}, Access::write, 64}};
  KernelMaker<Softmax, T> maker(cell, "softmax", plan);
  maker.nudge();
  for (const Recipe<T> &recipe : rightRecipes<T>())
    maker.right(recipe);
  maker.right({.name = "online", .way = Way::online});
  maker.right({.name = "online in tiles", .way = Way::onlineInTiles});
  maker.right({.name = "by exp2", .way = Way::base2});
  maker.right({.name = "by reciprocal", .way = Way::reciprocal});
  for (const Recipe<T> &recipe : wrongRecipes<T>(cell))
    maker.wrong(recipe);
  for (auto [name, flaw] :
       {std::pair{"no maximum subtracted", Flaw::leavesOutMaximum},
        {"tail left out of maximum", Flaw::leavesTailOutOfMaximum},
        {"exp of f16's precision", Flaw::approximatesLikeF16},
        {"exp off by 64 ulps", Flaw::approximatesTo64Ulps},
        {"tiles swapped", Flaw::swapsTiles},
        {"row beside", Flaw::takesRowBeside},
        {"reads too far", Flaw::readsTooFar}})
    maker.wrong({.name = name, .flaw = flaw});
  return maker.kernel;
}

template GateKernel tonno::gate::softmax<float>(const Cell &);
template GateKernel tonno::gate::softmax<double>(const Cell &);
