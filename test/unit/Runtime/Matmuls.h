//===- Right and wrong matrix products ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_RUNTIME_MATMULS_H
#define TONNO_TEST_UNIT_RUNTIME_MATMULS_H

#include "tonno/Core/Problem.h"

#include "FakeDevice.h"
#include "Rounding.h"

#include <cmath>
#include <vector>

namespace tonno {

/// C = A B with A of m x k and B of k x n.
struct MatmulShape {
  int64_t m, n, k;

  LaunchPlan plan(ElementType type) const {
    LaunchPlan plan;
    plan.buffers = {{"arg0", type, {m, k}, Access::read, 64},
                    {"arg1", type, {k, n}, Access::read, 64},
                    {"result0", type, {m, n}, Access::write, 64}};
    plan.launches = {{"matmul_entry", {0, 1, 2}, {}}};
    return plan;
  }

  /// Returns the problem, whose reference is the fake device's kernel
  /// "reference".
  Problem problem(bool exact) const {
    return {FakeDevice::artifactOf("reference", plan(ElementType::f64)),
            static_cast<uint64_t>(k), exact, ElementType::f32, exact};
  }
};

/// The products of one element of C, in order.
using Terms = std::vector<float>;

inline float plainDot(const Terms &a, const Terms &b) {
  float sum = 0;
  for (size_t t = 0; t < a.size(); ++t)
    sum += a[t] * b[t];
  return sum;
}

/// Difference of a candidate from the textbook's matrix product.
struct MatmulVariant {
  std::string name;
  /// Converts an element of A or B to the value that the candidate reads.
  std::function<float(float)> read = [](float x) { return x; };
  /// Forms the sum of the products of a row and a column.
  std::function<float(const Terms &a, const Terms &b)> dot = plainDot;
  /// Changes C when it is done; `c` has m x n elements.
  std::function<void(float *c, const MatmulShape &)> finish = [](float *,
                                                                 auto &) {};
};

inline FakeKernel matmul(const MatmulShape &shape,
                         const MatmulVariant &variant) {
  return [=](std::span<void *const> buffers) {
    auto *a = static_cast<const float *>(buffers[0]);
    auto *b = static_cast<const float *>(buffers[1]);
    auto *c = static_cast<float *>(buffers[2]);
    Terms row(shape.k), column(shape.k);
    for (int64_t i = 0; i < shape.m; ++i)
      for (int64_t j = 0; j < shape.n; ++j) {
        for (int64_t t = 0; t < shape.k; ++t) {
          row[t] = variant.read(a[i * shape.k + t]);
          column[t] = variant.read(b[t * shape.n + j]);
        }
        c[i * shape.n + j] = variant.dot(row, column);
      }
    variant.finish(c, shape);
  };
}

inline FakeKernel referenceMatmul(const MatmulShape &shape) {
  return [=](std::span<void *const> buffers) {
    auto *a = static_cast<const double *>(buffers[0]);
    auto *b = static_cast<const double *>(buffers[1]);
    auto *c = static_cast<double *>(buffers[2]);
    for (int64_t i = 0; i < shape.m; ++i)
      for (int64_t j = 0; j < shape.n; ++j) {
        double sum = 0;
        for (int64_t t = 0; t < shape.k; ++t)
          sum += a[i * shape.k + t] * b[t * shape.n + j];
        c[i * shape.n + j] = sum;
      }
  };
}

inline float pairwise(const Terms &a, const Terms &b, size_t begin,
                      size_t end) {
  if (end - begin == 1)
    return a[begin] * b[begin];
  size_t middle = (begin + end) / 2;
  return pairwise(a, b, begin, middle) + pairwise(a, b, middle, end);
}

/// Sums `lanes` partial sums, as a vectorised reduction does.
inline float blocked(const Terms &a, const Terms &b, size_t lanes) {
  std::vector<float> sums(lanes);
  for (size_t t = 0; t < a.size(); ++t)
    sums[t % lanes] += a[t] * b[t];
  float sum = 0;
  for (float part : sums)
    sum += part;
  return sum;
}

/// Returns variants that are right matrix products in f32.
inline std::vector<MatmulVariant> rightMatmuls() {
  std::vector<MatmulVariant> all;
  all.push_back({.name = "plain"});
  all.push_back({.name = "reversed", .dot = [](const Terms &a, const Terms &b) {
                   float sum = 0;
                   for (size_t t = a.size(); t-- > 0;)
                     sum += a[t] * b[t];
                   return sum;
                 }});
  all.push_back({.name = "fma", .dot = [](const Terms &a, const Terms &b) {
                   float sum = 0;
                   for (size_t t = 0; t < a.size(); ++t)
                     sum = std::fma(a[t], b[t], sum);
                   return sum;
                 }});
  all.push_back({.name = "pairwise", .dot = [](const Terms &a, const Terms &b) {
                   return pairwise(a, b, 0, a.size());
                 }});
  for (size_t lanes : {4, 16})
    all.push_back({.name = "blocked by " + std::to_string(lanes),
                   .dot = [lanes](const Terms &a, const Terms &b) {
                     return blocked(a, b, lanes);
                   }});
  all.push_back({.name = "in f64", .dot = [](const Terms &a, const Terms &b) {
                   double sum = 0;
                   for (size_t t = 0; t < a.size(); ++t)
                     sum += static_cast<double>(a[t]) * b[t];
                   return static_cast<float>(sum);
                 }});
  return all;
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_RUNTIME_MATMULS_H
