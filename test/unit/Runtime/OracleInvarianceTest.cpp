//===- Passes for kernels that normalise ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Elements.h"
#include "Judge.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;

static constexpr int sumRows = 8;
static constexpr int k = 64;

namespace {

/// Computation of one row.
template <typename T> using Row = std::function<void(const T *x, T *y)>;

/// Returns a softmax that takes the maximum of the first `inMaximum` elements
/// only.
template <typename T> Row<T> softmax(int inMaximum = k) {
  return [=](const T *x, T *y) {
    T largest = inMaximum ? T(-INFINITY) : T(0), sum = 0;
    for (int i = 0; i < inMaximum; ++i)
      largest = std::max(largest, x[i]);
    for (int i = 0; i < k; ++i)
      sum += std::exp(x[i] - largest);
    for (int i = 0; i < k; ++i)
      y[i] = std::exp(x[i] - largest) / sum;
  };
}

/// Returns a normalisation: x over its root mean square.
template <typename T> Row<T> normalisation(double epsilon) {
  return [=](const T *x, T *y) {
    T sum = 0;
    for (int i = 0; i < k; ++i)
      sum += x[i] * x[i];
    for (int i = 0; i < k; ++i)
      y[i] = x[i] / std::sqrt(sum / k + static_cast<T>(epsilon));
  };
}

template <typename T> Row<T> squareRoot() {
  return [](const T *x, T *y) {
    for (int i = 0; i < k; ++i)
      y[i] = std::sqrt(std::fabs(x[i]));
  };
}

class OracleInvariance : public testing::Test {
protected:
  OracleInvariance()
      : judge(
            {{"arg0", ElementType::f32, {sumRows, k}, Access::read, 64},
             {"result0", ElementType::f32, {sumRows, k}, Access::write, 64}}) {
    judge.isExact = judge.isSumOfProducts = false;
    judge.reductionLength = k;
  }

  template <typename T> static FakeKernel kernel(const Row<T> &row) {
    return [=](std::span<void *const> buffers) {
      for (int i = 0; i < sumRows; ++i)
        row(static_cast<const T *>(buffers[0]) + i * k,
            static_cast<T *>(buffers[1]) + i * k);
    };
  }

  /// Returns the names of the passes for this reference.
  std::vector<std::string> passes(const Row<double> &reference) {
    auto oracle = judge.open(kernel(reference));
    EXPECT_TRUE(oracle.ok()) << oracle.error().message;
    std::vector<std::string> names;
    for (const OraclePass &pass : oracle->allPasses())
      names.push_back(pass.name);
    return names;
  }

  std::string verdict(const Row<double> &reference,
                      const Row<float> &candidate) {
    return judge.judge(kernel(reference), kernel(candidate));
  }

  Judge judge;
};

} // namespace

TEST_F(OracleInvariance, DecidesThePasses) {
  EXPECT_THAT(passes(softmax<double>()), ElementsAre("shifted", "real-valued"));
  EXPECT_THAT(passes(normalisation<double>(1e-5)),
              ElementsAre("small", "real-valued"));
  EXPECT_THAT(passes(normalisation<double>(0)), ElementsAre("real-valued"));
  EXPECT_THAT(passes(squareRoot<double>()), ElementsAre("real-valued"));
}

TEST_F(OracleInvariance, DeclaredDataStays) {
  judge.plan.buffers[0].input = *InputSpec::parse("uniform(-1, 1)");
  EXPECT_THAT(passes(softmax<double>()), ElementsAre("real-valued"));
}

TEST_F(OracleInvariance, ArithmeticInF16HasNoRangeForThem) {
  judge.accumulator = ElementType::f16;
  EXPECT_THAT(passes(softmax<double>()), ElementsAre("real-valued"));
}

TEST_F(OracleInvariance, MaximumMattersWhereThereIsOne) {
  EXPECT_EQ(verdict(softmax<double>(), softmax<float>()), "ok")
      << judge.message;
  for (int inMaximum : {0, 1, k - 1}) {
    EXPECT_EQ(verdict(softmax<double>(), softmax<float>(inMaximum)), "wrong");
    EXPECT_THAT(judge.message, testing::HasSubstr("shifted pass"));
  }
}

TEST_F(OracleInvariance, KernelThatOverflowsByRightMayDoSo) {
  // The kernel as written does not subtract a maximum.
  EXPECT_THAT(passes(softmax<double>(0)), ElementsAre("real-valued"));
  EXPECT_EQ(verdict(softmax<double>(0), softmax<float>(0)), "ok")
      << judge.message;
}

TEST_F(OracleInvariance, EpsilonMatters) {
  for (double epsilon : {1e-3, 1e-5, 1e-8, 1e-12}) {
    EXPECT_EQ(
        verdict(normalisation<double>(epsilon), normalisation<float>(epsilon)),
        "ok")
        << judge.message;
    EXPECT_EQ(verdict(normalisation<double>(epsilon), normalisation<float>(0)),
              "wrong")
        << epsilon;
  }
}

TEST_F(OracleInvariance, EachDimensionMayBeTheOneThatIsReduced) {
  // Over columns: of 8 elements each.
  auto columns = [](auto element, int inMaximum) {
    using T = decltype(element);
    return [=](std::span<void *const> buffers) {
      auto *x = static_cast<const T *>(buffers[0]);
      auto *y = static_cast<T *>(buffers[1]);
      for (int j = 0; j < k; ++j) {
        T largest = -INFINITY, sum = 0;
        for (int i = 0; i < inMaximum; ++i)
          largest = std::max(largest, x[i * k + j]);
        for (int i = 0; i < sumRows; ++i)
          sum += std::exp(x[i * k + j] - largest);
        for (int i = 0; i < sumRows; ++i)
          y[i * k + j] = std::exp(x[i * k + j] - largest) / sum;
      }
    };
  };
  FakeKernel reference = columns(double(), sumRows);
  EXPECT_EQ(judge.judge(reference, columns(float(), sumRows)), "ok")
      << judge.message;
  EXPECT_EQ(judge.judge(reference, columns(float(), sumRows - 1)), "wrong");
}

TEST(OracleOverflow, InfinityIsRightWhereItIsNear) {
  // 65519 rounds to 65504 in f16; one rounding before, and it is infinite.
  auto constant = [](double value) {
    return [=](std::span<void *const> buffers) {
      std::vector<double> values(100, value);
      auto bytes = encode(ElementType::f16, values);
      std::memcpy(buffers[1], bytes.data(), bytes.size());
    };
  };
  Judge judge({{"arg0", ElementType::f16, {100}, Access::read, 64},
               {"result0", ElementType::f16, {100}, Access::write, 64}});
  judge.isExact = false;
  auto expecting = [](double value) {
    return [=](std::span<void *const> buffers) {
      std::fill_n(static_cast<double *>(buffers[1]), 100, value);
    };
  };
  EXPECT_EQ(judge.judge(expecting(65519), constant(INFINITY)), "ok");
  EXPECT_EQ(judge.judge(expecting(65519), constant(-INFINITY)), "wrong");
  EXPECT_EQ(judge.judge(expecting(65530), constant(65504)), "ok");
  EXPECT_EQ(judge.judge(expecting(60000), constant(INFINITY)), "wrong");
}

TEST(OracleRoundings, OfFewNumbersAddUp) {
  // Each addition is rounded to the same side.
  static constexpr int length = 65536;
  auto sum = [](auto element) {
    using T = decltype(element);
    return [](std::span<void *const> buffers) {
      T sum = 0;
      for (int i = 0; i < length; ++i)
        sum += std::sqrt(static_cast<const T *>(buffers[0])[i]);
      *static_cast<T *>(buffers[1]) = sum;
    };
  };
  auto dropping = [&](std::span<void *const> buffers) {
    sum(float())(buffers);
    *static_cast<float *>(buffers[1]) *= 0.99F;
  };
  for (const char *input : {"constant(0.1)", "integers(2, 3)"}) {
    Judge judge({{"arg0", ElementType::f32, {length}, Access::read, 64},
                 {"result0", ElementType::f32, {1}, Access::write, 64}});
    judge.plan.buffers[0].input = *InputSpec::parse(input);
    judge.isExact = judge.isSumOfProducts = false;
    judge.reductionLength = length;
    EXPECT_EQ(judge.judge(sum(double()), sum(float())), "ok") << judge.message;
    EXPECT_EQ(judge.judge(sum(double()), dropping), "wrong") << input;
  }
}
