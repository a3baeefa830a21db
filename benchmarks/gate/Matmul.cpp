//===- Matrix products, their right variants and mutants ------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

using namespace tonno;
using namespace tonno::gate;

// Neither square nor a power of two: an index that is off shows.
static constexpr size_t rows = 4;
static constexpr size_t columns = 5;

namespace {

/// Operations on a sum before it is stored.
struct Epilogue {
  bool bias = false;
  bool relu = false;
};

template <typename T> struct Product {
  Recipe<T> recipe;
  Epilogue epilogue;
  size_t k;

  void operator()(Operands<T> &operands) const {
    const std::vector<T> &a = operands.inputs[0];
    const std::vector<T> &b = operands.inputs[1];
    std::vector<T> row(k), column(k);
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j) {
        read(a, b, i, j, row, column);
        T sum = dot(row, column);
        bool isLast = i + 1 == rows && j + 1 == columns;
        if (recipe.flaw == Flaw::readsTooFar && isLast)
          sum += a[rows * k] * b[k * columns];
        operands.output[i * columns + j] = finished(operands, sum, j);
      }
  }

private:
  void read(const std::vector<T> &a, const std::vector<T> &b, size_t i,
            size_t j, std::vector<T> &row, std::vector<T> &column) const {
    size_t from = recipe.rowFor(i, rows);
    size_t tile = recipe.flaw == Flaw::swapsTiles ? tileOf(k) : 0;
    for (size_t t = 0; t < k; ++t) {
      // The first two tiles of B change places, those of A do not.
      size_t other = t < tile ? t + tile : t < 2 * tile ? t - tile : t;
      row[t] = a[from * k + t];
      column[t] = b[other * columns + j];
      if (recipe.flaw == Flaw::swapsOperands) {
        row[t] = b[i * k + t];
        column[t] = a[(t * columns + j) % (rows * k)];
      }
    }
  }

  T dot(const std::vector<T> &row, const std::vector<T> &column) const {
    if (recipe.way == Way::fused) {
      T sum = 0;
      for (size_t t = 0; t < k; ++t)
        sum = std::fma(row[t], column[t], sum);
      return sum;
    }
    std::vector<T> products(k);
    for (size_t t = 0; t < k; ++t)
      products[t] = row[t] * column[t];
    return recipe.sum(products);
  }

  T finished(const Operands<T> &operands, T sum, size_t j) const {
    if (epilogue.bias && recipe.flaw != Flaw::leavesOutBias)
      sum += operands.inputs[2][j];
    if (epilogue.relu && recipe.flaw != Flaw::leavesOutRelu)
      sum = std::max(sum, T(0));
    return sum;
  }
};

} // namespace

static LaunchPlan planOf(const Cell &cell, const Epilogue &epilogue) {
  LaunchPlan plan;
  plan.buffers = {{"arg0", cell.input, {rows, cell.k}, Access::read, 64},
                  {"arg1", cell.input, {cell.k, columns}, Access::read, 64}};
  if (epilogue.bias)
    plan.buffers.push_back({"arg2", cell.input, {columns}, Access::read, 64});
  plan.buffers.push_back(
      {"result0", cell.output, {rows, columns}, Access::write, 64});
  return plan;
}

template <typename T>
static GateKernel productOf(const Cell &cell, const Epilogue &epilogue) {
  GateKernel kernel;
  kernel.name = std::string("matmul") + (epilogue.bias ? "+bias" : "") +
                (epilogue.relu ? "+relu" : "");
  kernel.plan = planOf(cell, epilogue);
  auto k = static_cast<size_t>(cell.k);
  kernel.reductionLength = k;
  kernel.isExact = true;
  kernel.isSumOfProducts = true;
  kernel.sums = cell.sums;
  kernel.reference = asKernel<double>(widened(kernel.plan), {},
                                      Product<double>{{}, epilogue, k});
  auto add = [&](std::vector<Candidate> &to, const Recipe<T> &recipe) {
    to.push_back({recipe.name, asKernel<T>(kernel.plan, recipe,
                                           Product<T>{recipe, epilogue, k})});
  };
  for (const Recipe<T> &recipe : rightRecipes<T>())
    add(kernel.right, recipe);
  add(kernel.right, {.name = "fused", .way = Way::fused});
  for (const Recipe<T> &recipe : wrongRecipes<T>(cell))
    add(kernel.mutants, recipe);
  add(kernel.mutants,
      {.name = "operands swapped", .flaw = Flaw::swapsOperands});
  add(kernel.mutants, {.name = "tiles swapped", .flaw = Flaw::swapsTiles});
  add(kernel.mutants, {.name = "reads too far", .flaw = Flaw::readsTooFar});
  add(kernel.mutants, {.name = "row beside", .flaw = Flaw::takesRowBeside});
  if (epilogue.bias)
    add(kernel.mutants, {.name = "no bias", .flaw = Flaw::leavesOutBias});
  if (epilogue.relu)
    add(kernel.mutants, {.name = "no relu", .flaw = Flaw::leavesOutRelu});
  return kernel;
}

template <typename T>
std::vector<GateKernel> tonno::gate::matmuls(const Cell &cell) {
  return {productOf<T>(cell, {}), productOf<T>(cell, {.bias = true}),
          productOf<T>(cell, {.bias = true, .relu = true})};
}

template std::vector<GateKernel> tonno::gate::matmuls<float>(const Cell &);
template std::vector<GateKernel> tonno::gate::matmuls<double>(const Cell &);
