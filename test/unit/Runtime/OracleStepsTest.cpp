//===- Kernels whose results jump -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Judge.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace tonno;

static constexpr ptrdiff_t stepRows = 64, stepColumns = 4096;

namespace {
/// Rows scaled by their largest magnitude to integers of 8 bits; what a
/// candidate may do otherwise.
struct Quantisation {
  bool byReciprocal = false; ///< one division a row
  double scale = 127;
  ptrdiff_t zeroed = 0; ///< elements at the end
  bool truncates = false;

  template <typename T> FakeKernel kernel() const {
    return [*this](std::span<void *const> buffers) {
      for (ptrdiff_t row = 0; row < stepRows; ++row)
        one(static_cast<const T *>(buffers[0]) + row * stepColumns,
            static_cast<int8_t *>(buffers[1]) + row * stepColumns);
      std::fill_n(static_cast<int8_t *>(buffers[1]) + stepRows * stepColumns -
                      zeroed,
                  zeroed, int8_t(0));
    };
  }

private:
  template <typename T> void one(const T *x, int8_t *y) const {
    T largest = 0;
    for (ptrdiff_t i = 0; i < stepColumns; ++i)
      largest = std::max(largest, std::fabs(x[i]));
    T factor = T(scale) / largest;
    for (ptrdiff_t i = 0; i < stepColumns; ++i) {
      T scaled = byReciprocal ? x[i] * factor : x[i] / largest * T(scale);
      y[i] = static_cast<int8_t>(truncates ? std::trunc(scaled)
                                           : std::nearbyint(scaled));
    }
  }
};

class OracleStepsTest : public testing::TestWithParam<uint64_t> {
protected:
  OracleStepsTest() {
    judge.isExact = false;
    judge.hasSteps = true;
    judge.seed = GetParam();
  }
  std::string verdict(const Quantisation &candidate) {
    return judge.judge(Quantisation().kernel<double>(),
                       candidate.kernel<float>());
  }

  Judge judge = Judge(
      {{"arg0", ElementType::f32, {stepRows, stepColumns}, Access::read, 64},
       {"result0",
        ElementType::i8,
        {stepRows, stepColumns},
        Access::write,
        64}});
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Seeds, OracleStepsTest,
                         testing::Range<uint64_t>(0, 8));

TEST_P(OracleStepsTest, NeighboursOfABoundaryMayGoEitherWay) {
  EXPECT_EQ(verdict({}), "ok") << judge.message;
  EXPECT_EQ(verdict({.byReciprocal = true}), "ok") << judge.message;
}

TEST_P(OracleStepsTest, OthersMayNot) {
  EXPECT_EQ(verdict({.scale = 127.01}), "wrong");
  EXPECT_EQ(verdict({.truncates = true}), "wrong");
  EXPECT_EQ(verdict({.zeroed = 4}), "wrong");
}

TEST(OracleSteps, WithoutThemBoundariesAreWrong) {
  // The right kernels pass only if the oracle knows that the kernel has steps.
  int refused = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Judge judge(
        {{"arg0", ElementType::f32, {stepRows, stepColumns}, Access::read, 64},
         {"result0",
          ElementType::i8,
          {stepRows, stepColumns},
          Access::write,
          64}});
    judge.isExact = false;
    judge.seed = seed;
    refused +=
        judge.judge(Quantisation().kernel<double>(),
                    Quantisation{.byReciprocal = true}.kernel<float>()) ==
        "wrong";
    EXPECT_EQ(judge.message.find("+-"), std::string::npos) << judge.message;
  }
  EXPECT_GT(refused, 0);
}

/// Returns a kernel that gives 1 where a product, rounded to f32, exceeds the
/// third input, else 0.
template <typename T> static FakeKernel comparison(T factor) {
  return [=](std::span<void *const> buffers) {
    auto input = [&](size_t i) { return static_cast<const T *>(buffers[i]); };
    for (ptrdiff_t i = 0; i < stepRows * stepColumns; ++i) {
      T product = input(0)[i] * input(1)[i] * factor;
      static_cast<T *>(buffers[3])[i] = product > input(2)[i] ? T(1) : T(0);
    }
  };
}

TEST(OracleSteps, ComparisonsOfRoundedNumbersMayGoEitherWay) {
  std::vector<BufferSpec> buffers;
  for (const char *name : {"arg0", "arg1", "arg2"})
    buffers.push_back(
        {name, ElementType::f32, {stepRows, stepColumns}, Access::read, 64});
  buffers.push_back({"result0",
                     ElementType::f32,
                     {stepRows, stepColumns},
                     Access::write,
                     64});
  Judge judge(buffers);
  judge.isExact = false;
  judge.hasSteps = true;
  auto reference = comparison<double>(1.1);
  EXPECT_EQ(judge.judge(reference, comparison<float>(1.1F)), "ok")
      << judge.message;
  EXPECT_EQ(judge.judge(reference, comparison<float>(1.1001F)), "wrong");
}
