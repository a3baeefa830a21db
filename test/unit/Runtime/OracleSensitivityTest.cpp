//===- Kernels whose errors grow ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Judge.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tonno;

namespace {

constexpr int softmaxRows = 8;

/// A softmax over softmaxRows of `k` elements; what a candidate may do
/// otherwise.
struct Softmax {
  int k = 64;
  bool isOnline = false; ///< maximum and sum in one go
  bool subtractsMax = true;
  int dropped = 0;          ///< terms at a row's end
  double exponentError = 0; ///< relative, of each exponential

  template <typename T> FakeKernel kernel() const {
    return [*this](std::span<void *const> buffers) {
      for (int row = 0; row < softmaxRows; ++row)
        one(static_cast<const T *>(buffers[0]) + row * k,
            static_cast<T *>(buffers[1]) + row * k);
    };
  }

private:
  template <typename T> T exponential(T x, int i) const {
    return std::exp(x) * T(1 + (i % 2 ? exponentError : -exponentError));
  }

  template <typename T> void one(const T *x, T *y) const {
    T largest = -INFINITY, sum = 0;
    if (isOnline) {
      for (int i = 0; i < k; ++i) {
        T next = std::max(largest, x[i]);
        sum = sum * std::exp(largest - next) + std::exp(x[i] - next);
        largest = next;
      }
    } else {
      for (int i = 0; i < k; ++i)
        largest = std::max(largest, x[i]);
      if (!subtractsMax)
        largest = 0;
      for (int i = 0; i < k - dropped; ++i)
        sum += exponential(x[i] - largest, i);
    }
    for (int i = 0; i < k; ++i)
      y[i] = exponential(x[i] - largest, i) / sum;
  }
};

class OracleSensitivity : public testing::TestWithParam<int> {
protected:
  /// Returns the oracle's verdict, if it is the same for several seeds.
  std::string verdict(const Softmax &candidate, const char *input) {
    std::vector<BufferSpec> buffers = {{"arg0",
                                        ElementType::f32,
                                        {softmaxRows, candidate.k},
                                        Access::read,
                                        64},
                                       {"result0",
                                        ElementType::f32,
                                        {softmaxRows, candidate.k},
                                        Access::write,
                                        64}};
    std::string common;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      Judge judge(buffers);
      judge.plan.buffers[0].input = *InputSpec::parse(input);
      judge.isExact = judge.isSumOfProducts = false;
      judge.reductionLength = uint64_t(candidate.k);
      judge.seed = seed;
      Softmax reference;
      reference.k = candidate.k;
      std::string one =
          judge.judge(reference.kernel<double>(), candidate.kernel<float>());
      if (!common.empty() && common != one)
        return "now " + common + ", now " + one + ": " + judge.message;
      common = one;
    }
    return common;
  }
};

TEST_P(OracleSensitivity, AcceptsWhatIsComputedInAnotherOrder) {
  for (const char *input :
       {"uniform(-1, 1)", "normal(0, 8)", "uniform(200, 201)"}) {
    Softmax plain, online;
    plain.k = online.k = GetParam();
    online.isOnline = true;
    EXPECT_EQ(verdict(plain, input), "ok") << input;
    EXPECT_EQ(verdict(online, input), "ok") << input;
  }
}

TEST_P(OracleSensitivity, RefusesWhatIsWrong) {
  Softmax overflows, dropping, imprecise;
  overflows.k = dropping.k = imprecise.k = GetParam();
  overflows.subtractsMax = false;
  dropping.dropped = 1;
  imprecise.exponentError = 0x1p-9; // as of f16
  EXPECT_EQ(verdict(overflows, "uniform(200, 201)"), "wrong");
  EXPECT_EQ(verdict(dropping, "uniform(-1, 1)"), "wrong");
  EXPECT_EQ(verdict(imprecise, "uniform(-1, 1)"), "wrong");
}

INSTANTIATE_TEST_SUITE_P(Rows, OracleSensitivity,
                         testing::Values(16, 256, 4096), [](const auto &info) {
                           return "K" + std::to_string(info.param);
                         });

TEST(OracleOwnReference, RunsOnceForResultsWithoutBounds) {
  std::vector<BufferSpec> buffers = {
      {"x", ElementType::f32, {softmaxRows, 64}, Access::read, 64},
      {"y", ElementType::f32, {softmaxRows, 64}, Access::write, 64}};
  auto countRuns = [&](bool isOwnReference) {
    Judge judge(buffers);
    judge.isExact = judge.isSumOfProducts = false;
    judge.hasSteps = true;
    judge.reductionLength = 0;
    judge.isOwnReference = isOwnReference;
    int runs = 0;
    auto oracle = judge.open([&](std::span<void *const> memory) {
      ++runs;
      Softmax().kernel<double>()(memory);
    });
    EXPECT_TRUE(oracle.ok());
    return runs;
  };
  EXPECT_GT(countRuns(false), 20);
  EXPECT_EQ(countRuns(true), 1);
}

} // namespace
