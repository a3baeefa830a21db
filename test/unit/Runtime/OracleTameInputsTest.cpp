//===- Inputs without overflow and NaN ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Judge.h"

#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

constexpr int count = 200;

std::vector<BufferSpec> twoInputs() {
  return {{"arg0", ElementType::f32, {count}, Access::read, 64},
          {"arg1", ElementType::f32, {count}, Access::read, 64},
          {"result0", ElementType::f32, {count}, Access::write, 64}};
}

/// Applies `compute` to each pair of elements.
template <typename T, typename Compute> FakeKernel each(Compute compute) {
  return [=](std::span<void *const> buffers) {
    auto *a = static_cast<const T *>(buffers[0]);
    auto *b = static_cast<const T *>(buffers[1]);
    auto *result = static_cast<T *>(buffers[2]);
    for (int i = 0; i < count; ++i)
      result[i] = compute(a[i], b[i]);
  };
}

bool hasNegative(const Oracle &oracle, size_t buffer) {
  return std::ranges::any_of(
      decode(ElementType::f32, oracle.timingInputs()[buffer]),
      [](double x) { return x < 0; });
}

double largest(const Oracle &oracle, size_t buffer) {
  return largestMagnitude(
      decode(ElementType::f32, oracle.timingInputs()[buffer]));
}

TEST(OracleTameInputs, OnlyThoseWhoseSignMakesNanArePositive) {
  Judge judge(twoInputs());
  judge.isExact = false;
  auto scale = [](auto x, auto variance) { return x / std::sqrt(variance); };
  auto oracle = judge.open(each<double>(scale));
  ASSERT_TRUE(oracle.ok()) << oracle.error().message;
  EXPECT_TRUE(hasNegative(*oracle, 0));
  EXPECT_FALSE(hasNegative(*oracle, 1));
  EXPECT_EQ(judge.judge(*oracle, each<float>(scale)), "ok") << judge.message;
  EXPECT_EQ(judge.judge(*oracle, each<float>([](float x, float variance) {
    return x / std::sqrt(variance + 1e-3F);
  })),
            "wrong");
  EXPECT_EQ(judge.judge(*oracle, each<float>([](float x, float variance) {
    return std::fabs(x) / std::sqrt(variance);
  })),
            "wrong");
}

TEST(OracleTameInputs, ModelIsNotRunForEachInput) {
  Judge judge(twoInputs());
  judge.isExact = false;
  judge.isModel = true;
  auto oracle = judge.open(each<double>(
      [](double x, double variance) { return x / std::sqrt(variance); }));
  ASSERT_TRUE(oracle.ok()) << oracle.error().message;
  EXPECT_FALSE(hasNegative(*oracle, 0));
  EXPECT_FALSE(hasNegative(*oracle, 1));
}

TEST(OracleTameInputs, AllArePositiveWhereItTakesAll) {
  Judge judge(twoInputs());
  judge.isExact = false;
  auto oracle =
      judge.open(each<double>([](double a, double b) { return log(a * b); }));
  ASSERT_TRUE(oracle.ok()) << oracle.error().message;
  EXPECT_FALSE(hasNegative(*oracle, 0));
  EXPECT_FALSE(hasNegative(*oracle, 1));
}

TEST(OracleTameInputs, IntegersArePositiveToo) {
  Judge judge({{"arg0", ElementType::i32, {count}, Access::read, 64},
               {"result0", ElementType::f32, {count}, Access::write, 64}});
  judge.isExact = false;
  auto root = [](int sign) -> FakeKernel {
    return [=](std::span<void *const> buffers) {
      for (int i = 0; i < count; ++i)
        static_cast<double *>(buffers[1])[i] =
            std::sqrt(sign * static_cast<const int32_t *>(buffers[0])[i] +
                      (sign - 1) / 2);
    };
  };
  EXPECT_TRUE(judge.open(root(1)).ok());
  auto refused = judge.open(root(-1));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message,
              HasSubstr("such as '--inputs=arg0=integers(1, 100)'"));
}

TEST(OracleTameInputs, WhatIsDeclaredStays) {
  std::vector<BufferSpec> buffers = twoInputs();
  buffers[1].input = *InputSpec::parse("uniform(-1, 1)");
  Judge judge(buffers);
  judge.isExact = false;
  auto oracle =
      judge.open(each<double>([](double a, double b) { return a * sqrt(b); }));
  ASSERT_FALSE(oracle.ok());
  EXPECT_THAT(oracle.error().message,
              HasSubstr("state other data, such as '--inputs=arg0="));
}

TEST(OracleTameInputs, FewNansChangeNothing) {
  Judge judge(twoInputs());
  judge.isExact = false;
  auto oracle = judge.open(each<double>(
      [](double a, double b) { return a + (b < -0.995 ? NAN : b); }));
  ASSERT_TRUE(oracle.ok()) << oracle.error().message;
  EXPECT_TRUE(hasNegative(*oracle, 1));
}

/// A judge whose kernel overflows f32 on the way, with the plain kernel.
struct OverflowJudge : Judge {
  OverflowJudge() : Judge(twoInputs()) {}

  Result<Oracle> open(const FakeKernel &reference, const FakeKernel &plain) {
    device.kernels["reference"] = reference;
    device.kernels["plain"] = plain;
    Problem problem = {FakeDevice::artifactOf("reference", referencePlan)};
    problem.plain = FakeDevice::artifactOf("plain", plan);
    return Oracle::create(problem, plan.signature(), seed, device, options);
  }
};

/// Returns a difference of powers, finite in f64. In f32 the powers are
/// infinite, and their difference is NaN.
template <typename T> T difference(T a, T b, T base) {
  T first = std::pow(base * a, T(16)), second = std::pow(base * b, T(16));
  return first * a - second * a;
}

TEST(OracleTameInputs, OverflowingKernelsGetSmallerOnes) {
  OverflowJudge judge;
  auto compute = [](auto a, auto b) { return difference(a, b, a * 0 + 1000); };
  auto oracle = judge.open(each<double>(compute), each<float>(compute));
  ASSERT_TRUE(oracle.ok()) << oracle.error().message;
  EXPECT_LT(largest(*oracle, 0), 0.51);
  EXPECT_GT(largest(*oracle, 0), 0.1);
  EXPECT_EQ(judge.judge(*oracle, each<float>(compute)), "ok") << judge.message;
  EXPECT_EQ(judge.judge(*oracle, each<float>([](float, float) {
    return std::nanf("");
  })),
            "wrong");
  EXPECT_EQ(judge.judge(*oracle, each<float>([](float a, float b) {
    return difference(a, b, 1001.0F);
  })),
            "wrong");
}

TEST(OracleTameInputs, WhatAlwaysOverflowsIsAnError) {
  OverflowJudge judge;
  auto compute = [](auto a, auto b) { return a * 0 + b; };
  FakeKernel infinite = each<float>([](float, float) { return NAN; });
  auto oracle = judge.open(each<double>(compute), infinite);
  ASSERT_FALSE(oracle.ok());
  EXPECT_THAT(oracle.error().message,
              HasSubstr("overflows its own types in 200 of 200 elements of "
                        "result0"));
  judge.options.allowNan = true;
  EXPECT_TRUE(judge.open(each<double>(compute), infinite).ok());
}

TEST(OracleTameInputs, ExactPassesAskForNothingThatTypesDoNotHold) {
  OverflowJudge judge;
  auto compute = [](auto a, auto b) { return a + b; };
  auto isExact = [&](const FakeKernel &plain) {
    judge.device.kernels["reference"] = each<double>(compute);
    judge.device.kernels["plain"] = plain;
    Problem problem = {
        FakeDevice::artifactOf("reference", judge.referencePlan)};
    problem.exact = true;
    problem.plain = FakeDevice::artifactOf("plain", judge.plan);
    auto oracle = Oracle::create(problem, judge.plan.signature(), judge.seed,
                                 judge.device);
    EXPECT_TRUE(oracle.ok());
    return oracle.ok() && oracle->allPasses().front().name == "small exact";
  };
  EXPECT_TRUE(isExact(each<float>(compute)));
  EXPECT_FALSE(isExact(
      each<float>([](float a, float b) { return (a + b) * 1.000001F; })));
}

} // namespace
