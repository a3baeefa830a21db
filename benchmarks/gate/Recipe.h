//===- Recipe of a candidate's computation --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_GATE_RECIPE_H
#define BENCHMARKS_GATE_RECIPE_H

#include "GateKernel.h"
#include "Sums.h"

#include "tonno/Core/Problem.h"
#include "tonno/Runtime/Elements.h"

#include <cmath>

namespace tonno::gate {

/// Legitimate ways to compute the same.
enum class Way {
  plain,
  fused,         ///< multiply-add with one rounding
  reciprocal,    ///< one division, then products
  base2,         ///< exp by exp2
  online,        ///< maximum or mean, and sum, in one go
  onlineInTiles, ///< of tiles, then merged
};

/// Faults of a mutant besides reading, summing or storing.
enum class Flaw {
  none,
  swapsOperands,
  swapsTiles,
  readsTooFar,
  takesRowBeside,
  leavesOutBias,
  leavesOutScale,
  leavesOutRelu,
  leavesOutEpsilon,
  leavesOutMaximum,
  leavesTailOutOfMaximum,
  dividesByOneLess,
  approximatesLikeF16, ///< exp and the like, to 2^-11
  approximatesTo64Ulps,
  constantIsOff,
};

/// A candidate that computes in T.
template <typename T> struct Recipe {
  std::string name = {};
  Way way = Way::plain;
  Flaw flaw = Flaw::none;
  Sum<T> sum = plainSum<T>;
  int inputBits = 64; ///< precision of the inputs in bits
  std::function<void(std::span<T> out, size_t columns)> finish = {};
  bool isNudged = false;

  /// Returns the result of the nth rounded operation; in elementwise code,
  /// nudged as Problem::nudged defines.
  T rounded(T x, unsigned n) const {
    return isNudged ? x * static_cast<T>(1 + computeRoundingNudge(n)) : x;
  }

  /// Returns the row that is read for this one, out of `rows`.
  size_t rowFor(size_t row, size_t rows) const {
    return flaw == Flaw::takesRowBeside ? (row + 1) % rows : row;
  }

  /// Returns the result of a function such as exp.
  T approximate(T x, size_t element) const {
    double error = flaw == Flaw::approximatesLikeF16    ? 0x1p-11
                   : flaw == Flaw::approximatesTo64Ulps ? 0x1p-17
                                                        : 0;
    return x * static_cast<T>(1 + (element % 2 ? error : -error));
  }
};

/// Numbers in a kernel's inputs, each followed by one more element, and its
/// output.
template <typename T> struct Operands {
  std::vector<std::vector<T>> inputs;
  std::vector<T> output;
};

/// Returns a kernel of several inputs and one output.
template <typename T>
FakeKernel asKernel(const LaunchPlan &plan, const Recipe<T> &recipe,
                    std::function<void(Operands<T> &)> body) {
  return [plan, recipe, body](std::span<void *const> buffers) {
    Operands<T> operands;
    size_t result = plan.buffers.size() - 1;
    for (size_t i = 0; i < result; ++i) {
      const BufferSpec &buffer = plan.buffers[i];
      size_t bytes = (buffer.elements() + 1) * getByteSize(buffer.elementType);
      auto numbers =
          decode(buffer.elementType,
                 {static_cast<const std::byte *>(buffers[i]), bytes});
      auto &input =
          operands.inputs.emplace_back(numbers.begin(), numbers.end());
      for (T &x : input)
        x = roundTo(x, recipe.inputBits);
    }
    const BufferSpec &out = plan.buffers[result];
    operands.output.assign(out.elements(), T(NAN));
    body(operands);
    if (recipe.finish)
      recipe.finish(operands.output, static_cast<size_t>(out.shape.back()));
    auto bytes =
        encode(out.elementType, std::vector<double>(operands.output.begin(),
                                                    operands.output.end()));
    std::memcpy(buffers[result], bytes.data(), bytes.size());
  };
}

/// Returns the plan with all floats widened to f64.
LaunchPlan widened(LaunchPlan plan);

/// Returns correct recipes, which differ in the order of their sums.
template <typename T> std::vector<Recipe<T>> rightRecipes() {
  std::vector<Recipe<T>> all;
  for (auto &[name, sum] : rightSums<T>())
    all.push_back({.name = name, .sum = sum});
  return all;
}

/// Returns the faulty recipes of any kernel that sums: wrong terms, precision,
/// inputs and outputs.
template <typename T>
std::vector<Recipe<T>> wrongRecipes(const Cell &cell, bool hasSum = true) {
  std::vector<Recipe<T>> all;
  if (hasSum)
    for (const auto &sums : {sumsOfWrongTerms<T>(), impreciseSums<T>()})
      for (const auto &[name, sum] : sums)
        all.push_back({.name = name, .sum = sum});
  auto bitsOf = [](ElementType type) {
    return static_cast<int>(-std::log2(unitRoundoff(type)));
  };
  for (auto [bits, name] : {std::pair{24, "f32"}, {11, "tf32"}, {8, "bf16"}}) {
    if (bits < bitsOf(cell.input) && (bits > 11) == (sizeof(T) == 8))
      all.push_back(
          {.name = std::string("inputs in ") + name, .inputBits = bits});
    if (bits < bitsOf(cell.output) && (bits > 11) == (sizeof(T) == 8))
      all.push_back({.name = "output in " + typeOfBits(bits),
                     .finish = [=](std::span<T> out, size_t) {
                       for (T &x : out)
                         x = roundTo(x, bits);
                     }});
  }
  if (int bits = bitsOf(cell.output); bits < bitsOf(cell.sums))
    all.push_back(
        {.name = "output truncated", .finish = [=](std::span<T> out, size_t) {
           for (T &x : out) {
             T rounded = roundTo(x, bits);
             if (std::fabs(rounded) > std::fabs(x))
               rounded -=
                   std::copysign(std::exp2(T(std::ilogb(x) + 1 - bits)), x);
             x = rounded;
           }
         }});
  using Out = std::span<T>;
  all.push_back({.name = "last element zeroed",
                 .finish = [](Out out, size_t) { out.back() = 0; }});
  all.push_back({.name = "tail element not written",
                 .finish = [](Out out, size_t) { out.back() = T(NAN); }});
  all.push_back({.name = "row not written", .finish = [](Out out, size_t n) {
                   std::fill_n(out.begin() + static_cast<ptrdiff_t>(n), n,
                               T(NAN));
                 }});
  all.push_back({.name = "two rows swapped", .finish = [](Out out, size_t n) {
                   std::swap_ranges(out.begin(),
                                    out.begin() + static_cast<ptrdiff_t>(n),
                                    out.begin() + static_cast<ptrdiff_t>(n));
                 }});
  all.push_back({.name = "shifted by one", .finish = [](Out out, size_t) {
                   std::rotate(out.begin(), out.begin() + 1, out.end());
                 }});
  return all;
}

} // namespace tonno::gate

#endif // BENCHMARKS_GATE_RECIPE_H
