//===- Right and wrong ways to form a sum ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_GATE_SUMS_H
#define BENCHMARKS_GATE_SUMS_H

#include "Runtime/Rounding.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tonno::gate {

/// Returns the number of terms that are cut, doubled or swapped together.
inline size_t tileOf(size_t terms) { return std::min<size_t>(16, terms / 2); }

template <typename T> using Sum = std::function<T(std::span<const T>)>;

template <typename T> struct NamedSum {
  std::string name;
  Sum<T> sum;
};

template <typename T> T plainSum(std::span<const T> terms) {
  T sum = 0;
  for (T term : terms)
    sum += term;
  return sum;
}

template <typename T> T pairwiseSum(std::span<const T> terms) {
  if (terms.size() <= 1)
    return terms.empty() ? 0 : terms[0];
  size_t half = terms.size() / 2;
  return pairwiseSum(terms.first(half)) + pairwiseSum(terms.subspan(half));
}

/// Sums like a vector with `lanes` elements.
template <typename T> T laneSum(std::span<const T> terms, size_t lanes) {
  std::vector<T> sums(lanes);
  for (size_t i = 0; i < terms.size(); ++i)
    sums[i % lanes] += terms[i];
  return plainSum<T>(sums);
}

/// Sums of consecutive terms, added up.
template <typename T> T blockedSum(std::span<const T> terms, size_t block) {
  T sum = 0;
  for (size_t i = 0; i < terms.size(); i += block)
    sum += plainSum(terms.subspan(i, std::min(block, terms.size() - i)));
  return sum;
}

template <typename T> std::vector<NamedSum<T>> rightSums() {
  using Terms = std::span<const T>;
  std::vector<NamedSum<T>> all;
  all.push_back({"plain", plainSum<T>});
  all.push_back({"reversed", [](Terms terms) {
                   std::vector<T> other(terms.rbegin(), terms.rend());
                   return plainSum<T>(other);
                 }});
  all.push_back({"pairwise", pairwiseSum<T>});
  for (size_t lanes : {4, 8, 16})
    all.push_back({std::to_string(lanes) + " lanes",
                   [=](Terms terms) { return laneSum(terms, lanes); }});
  all.push_back(
      {"blocks of 32", [](Terms terms) { return blockedSum(terms, 32); }});
  all.push_back({"split in 4", [](Terms terms) {
                   return blockedSum(terms,
                                     std::max<size_t>(1, terms.size() / 4));
                 }});
  return all;
}

/// Returns sums that drop or repeat terms.
template <typename T> std::vector<NamedSum<T>> sumsOfWrongTerms() {
  using Terms = std::span<const T>;
  std::vector<NamedSum<T>> all;
  all.push_back({"last term dropped", [](Terms terms) {
                   return plainSum(terms.first(terms.size() - 1));
                 }});
  all.push_back({"first term twice",
                 [](Terms terms) { return plainSum(terms) + terms[0]; }});
  all.push_back({"last k-tile dropped", [](Terms terms) {
                   return plainSum(
                       terms.first(terms.size() - tileOf(terms.size())));
                 }});
  all.push_back({"last k-tile twice", [](Terms terms) {
                   return plainSum(terms) +
                          plainSum(terms.last(tileOf(terms.size())));
                 }});
  return all;
}

/// Returns "f16", "bf16" or "f32" for 11, 8 or 24 bits.
inline std::string typeOfBits(int bits) {
  return bits == 8 ? "bf16" : bits == 11 ? "f16" : "f32";
}

template <typename T> std::vector<NamedSum<T>> impreciseSums() {
  using Terms = std::span<const T>;
  std::vector<NamedSum<T>> all;
  for (int bits : sizeof(T) == 8 ? std::vector{24} : std::vector{11, 8}) {
    all.push_back({"accumulated in " + typeOfBits(bits), [=](Terms terms) {
                     T sum = 0;
                     for (T term : terms)
                       sum = roundTo(sum + term, bits);
                     return sum;
                   }});
    all.push_back({"spilled once in " + typeOfBits(bits), [=](Terms terms) {
                     size_t half = terms.size() / 2;
                     T sum = roundTo(plainSum(terms.first(half)), bits);
                     for (T term : terms.subspan(half))
                       sum += term;
                     return sum;
                   }});
  }
  return all;
}

} // namespace tonno::gate

#endif // BENCHMARKS_GATE_SUMS_H
