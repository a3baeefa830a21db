//===- The gate, where one number is left ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Judge.h"

#include <array>

using namespace tonno;

static constexpr size_t terms = 1024;

namespace {
/// A dot product into one element, or a sum.
struct Reduction {
  bool ofProducts = false;
  size_t lanes = 1;    ///< partial sums, added up at the end
  size_t dropped = 0;  ///< terms at the end
  double relative = 0; ///< that the result is off by

  template <typename T> FakeKernel kernel() const {
    return [*this](std::span<void *const> buffers) {
      auto *a = static_cast<const T *>(buffers[0]);
      auto *b = static_cast<const T *>(buffers[1]);
      std::array<T, 64> sums = {};
      for (size_t i = 0; i < terms - dropped; ++i)
        sums[i % lanes] += ofProducts ? a[i] * b[i] : a[i];
      T sum = 0;
      for (T lane : sums)
        sum += lane;
      *static_cast<T *>(buffers[2]) = sum + T(relative) * std::fabs(sum);
    };
  }
};

class OracleReductionTest : public testing::TestWithParam<bool> {
protected:
  OracleReductionTest() { judge.reductionLength = terms; }

  Reduction reference() const { return {.ofProducts = GetParam()}; }
  std::string verdict(const Reduction &candidate) {
    return judge.judge(reference().kernel<double>(), candidate.kernel<float>());
  }

  BufferSpec input(const std::string &name) const {
    return {name, ElementType::f32, {terms}, Access::read, 64};
  }
  Judge judge = Judge({input("arg0"),
                       input("arg1"),
                       {"result0", ElementType::f32, {1}, Access::write, 64}});
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Both, OracleReductionTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool> &info) {
                           return info.param ? "Products" : "Sum";
                         });

/// The single result is near zero by chance for some seeds, but the roundings
/// of its terms are not.
TEST_P(OracleReductionTest, NearZeroIsNoReasonToRefuse) {
  for (judge.seed = 0; judge.seed < 400; ++judge.seed)
    for (size_t lanes : {1, 8, 64}) {
      Reduction candidate = reference();
      candidate.lanes = lanes;
      EXPECT_EQ(verdict(candidate), "ok")
          << lanes << " lanes, seed " << judge.seed << ": " << judge.message;
    }
}

TEST_P(OracleReductionTest, MutantsAreWrong) {
  for (judge.seed = 0; judge.seed < 40; ++judge.seed)
    for (size_t lanes : {1, 64}) {
      Reduction dropping = reference(), off = reference();
      dropping.lanes = off.lanes = lanes;
      dropping.dropped = 1;
      off.relative = 1e-2;
      EXPECT_EQ(verdict(dropping), "wrong") << judge.seed;
      EXPECT_EQ(verdict(off), "wrong") << judge.seed;
    }
}

namespace {
/// Computes C = (A B) * (A B + A D), element by element; the second sum
/// continues the first.
struct ProductOfSums {
  static constexpr int64_t m = 37, n = 41, k = 53;
  double relative = 0; ///< that one factor is off by

  template <typename T> FakeKernel kernel() const {
    return [*this](std::span<void *const> buffers) {
      auto *a = static_cast<const T *>(buffers[0]);
      auto *b = static_cast<const T *>(buffers[1]);
      auto *d = static_cast<const T *>(buffers[2]);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          T first = 0;
          for (int64_t t = 0; t < k; ++t)
            first += a[i * k + t] * b[t * n + j];
          T second = first;
          for (int64_t t = 0; t < k; ++t)
            second += a[i * k + t] * d[t * n + j];
          static_cast<T *>(buffers[3])[i * n + j] =
              first * second * T(1 + relative);
        }
    };
  }
};
} // namespace

/// A large factor makes the error larger than that of a sum of this size:
/// without the sensitivity, 59 of 3000 seeds were refused.
TEST(OracleProducts, OfSumsAreOffByTheirFactors) {
  using P = ProductOfSums;
  Judge judge({{"arg0", ElementType::f32, {P::m, P::k}, Access::read, 64},
               {"arg1", ElementType::f32, {P::k, P::n}, Access::read, 64},
               {"arg2", ElementType::f32, {P::k, P::n}, Access::read, 64},
               {"result0", ElementType::f32, {P::m, P::n}, Access::write, 64}});
  judge.reductionLength = 2 * P::k;
  judge.multipliesResults = true;
  for (judge.seed = 0; judge.seed < 100; ++judge.seed) {
    EXPECT_EQ(judge.judge(P().kernel<double>(), P().kernel<float>()), "ok")
        << judge.message;
    EXPECT_EQ(judge.judge(P().kernel<double>(), P{1e-4}.kernel<float>()),
              "wrong");
  }
}
