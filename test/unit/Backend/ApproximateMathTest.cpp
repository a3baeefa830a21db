//===- Accuracy of expanded math functions --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"
#include "LoadedKernel.h"
#include "RunnableChips.h"

#include "tonno/Backend/Compile.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace tonno;

namespace {

constexpr size_t count = 4096;

/// Returns the distance of `found` from `right` in units of the last place of
/// `right`. Infinity counts as the number after the largest, and a subnormal
/// `right` matches any number up to the smallest normal one.
template <typename Float> double unitsOff(Float found, long double right) {
  using Limits = std::numeric_limits<Float>;
  const long double beyond = std::ldexp(1.0L, Limits::max_exponent);
  if (std::isnan(found) || std::isnan(right))
    return std::isnan(found) == std::isnan(right) ? 0 : HUGE_VAL;
  if (std::fabs(right) < Limits::min())
    return std::fabs(found) <= Limits::min() ? 0 : HUGE_VAL;
  long double near = std::clamp<long double>(found, -beyond, beyond);
  right = std::clamp(right, -beyond, beyond);
  int exponent = std::min(std::ilogb(right), Limits::max_exponent - 1);
  return double(std::fabs(near - right) /
                std::ldexp(1.0L, exponent - Limits::digits + 1));
}

/// Returns the largest error of a function on the numbers that `draw` gives.
template <typename Float, typename Draw, typename Right>
double worstOf(const LoadedKernel &applied, Draw draw, Right right) {
  alignas(64) static Float x[count], y[count];
  double worst = 0;
  for (bool isMore = true; isMore;) {
    for (Float &value : x)
      isMore = draw(value);
    applied({x, y});
    for (size_t i = 0; i < count; ++i)
      worst = std::max(worst, unitsOff(y[i], right(x[i])));
  }
  return worst;
}

/// Draws every 1021st number of f32, of either sign, with NaNs.
auto everyKind() {
  return [bits = uint64_t(0)](float &value) mutable {
    value = std::bit_cast<float>(uint32_t(bits));
    bits += 1021;
    return bits >> 32 == 0;
  };
}

/// Draws a million numbers between the least and the most.
auto between(double least, double most) {
  return [=, left = 1000000,
          generator = std::mt19937_64(1)](double &value) mutable {
    value = std::uniform_real_distribution(least, most)(generator);
    return --left > 0;
  };
}

class ApproximateMathTest : public KernelTest,
                            public ::testing::WithParamInterface<const char *> {
protected:
  void apply(const std::string &function, const std::string &type,
             bool byVectors, auto test) {
    std::string numbers = "tensor<4096x" + type + ">";
    std::string config = "attrs = {tonno.lowering_config = {workgroup = [32]}}";
    auto module = parse(R"(
#id = affine_map<(i) -> (i)>
func.func @f(%x: )" + numbers +
                        ") -> " + numbers + R"( {
  %e = tensor.empty() : )" +
                        numbers + R"(
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : )" + numbers +
                        ") outs(%e : " + numbers + ") " +
                        (byVectors ? config : "") + R"( {
  ^bb0(%a: )" + type +
                        ", %o: " + type + R"():
    %v = math.)" + function +
                        " %a : " + type + R"(
    linalg.yield %v : )" +
                        type + R"(
  } -> )" + numbers + R"(
  return %r : )" + numbers +
                        R"(
})");
    auto backend = createBackend({"host", GetParam()});
    ASSERT_TRUE(backend);
    auto artifact = compileCandidate(**backend, *module, "f");
    ASSERT_TRUE(succeeded(artifact)) << message;
    test(LoadedKernel(*artifact));
  }
};

TEST_P(ApproximateMathTest, ExponentialsOfSingle) {
  auto test = [](auto right) {
    return [right](const LoadedKernel &applied) {
      EXPECT_LT(worstOf<float>(applied, everyKind(), right), 2.7);
    };
  };
  for (bool byVectors : {true, false}) {
    apply("exp", "f32", byVectors, test([](double x) { return std::exp(x); }));
    apply("exp2", "f32", byVectors,
          test([](double x) { return std::exp2(x); }));
  }
}

/// Made of an exponential and a logarithm.
TEST_P(ApproximateMathTest, ExponentialsLessOne) {
  apply("expm1", "f32", /*byVectors=*/true, [](const LoadedKernel &applied) {
    EXPECT_LT(worstOf<float>(applied, everyKind(),
                             [](double x) { return std::expm1(x); }),
              5.3);
  });
}

TEST_P(ApproximateMathTest, ComplementaryErrors) {
  apply("erfc", "f32", /*byVectors=*/true, [](const LoadedKernel &applied) {
    EXPECT_LT(worstOf<float>(applied, everyKind(),
                             [](double x) { return std::erfc(x); }),
              3.0);
  });
}

TEST_P(ApproximateMathTest, ExponentialsOfDouble) {
  auto test = [](double least, double most, auto right) {
    return [=](const LoadedKernel &applied) {
      for (double range : {1e-9, 1.0, 1e300})
        EXPECT_LT(worstOf<double>(
                      applied,
                      between(std::max(least, -range), std::min(most, range)),
                      right),
                  1.6);
    };
  };
  for (bool byVectors : {true, false}) {
    apply("exp", "f64", byVectors,
          test(-760, 720, [](long double x) { return std::exp(x); }));
    apply("exp2", "f64", byVectors,
          test(-1100, 1030, [](long double x) { return std::exp2(x); }));
  }
}

template <typename Float> void checkEnds(const LoadedKernel &applied) {
  using Limits = std::numeric_limits<Float>;
  alignas(64) static Float x[count], y[count];
  const Float ends[] = {Limits::infinity(),
                        -Limits::infinity(),
                        Limits::max(),
                        Limits::lowest(),
                        0,
                        -Float(0),
                        Limits::denorm_min(),
                        Limits::quiet_NaN(),
                        -Limits::quiet_NaN(),
                        Limits::max_exponent}; // the least to overflow exp2
  std::copy(std::begin(ends), std::end(ends), x);
  // Every bit of a NaN is set in buffers that nothing was written into.
  std::memset(x + std::size(ends), -1, sizeof(Float));
  applied({x, y});
  EXPECT_EQ(y[0], Limits::infinity());
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[2], Limits::infinity());
  EXPECT_EQ(y[3], 0);
  for (size_t i = 4; i < 7; ++i)
    EXPECT_EQ(y[i], 1);
  for (size_t i : {7, 8, 10})
    EXPECT_TRUE(std::isnan(y[i]));
  EXPECT_EQ(y[9], Limits::infinity());
}

TEST_P(ApproximateMathTest, ExponentialsAtTheEnds) {
  for (const char *function : {"exp", "exp2"}) {
    apply(function, "f32", /*byVectors=*/true, checkEnds<float>);
    apply(function, "f64", /*byVectors=*/true, checkEnds<double>);
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, ApproximateMathTest,
                         ::testing::ValuesIn(chipsToRunOn()),
                         [](const auto &chip) {
                           std::string name = chip.param;
                           std::erase_if(name, [](char c) { return c == '-'; });
                           return name;
                         });

} // namespace
