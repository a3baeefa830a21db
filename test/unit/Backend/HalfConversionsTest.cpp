//===- Conversions that a CPU lacks ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tonno;

namespace {

/// Runs code for the oldest CPU there is, which has neither f16 nor bf16, or
/// for another.
class HalfConversionsTest : public ConversionTest {
protected:
  HalfConversionsTest() { chip = "x86_64-linux-gnu:x86-64"; }

  void SetUp() override {
#ifndef __x86_64__
    GTEST_SKIP() << "needs an x86-64";
#endif
  }

  /// Converts by arithmetic on numbers, where the code under test works on
  /// bits.
  static uint16_t halfOf(double value) {
    const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
    double magnitude = std::fabs(value);
    if (magnitude >= 65520)
      return sign | 0x7C00;
    int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
    double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
    // 1024 units of a normal number are its leading bit: they, and what was
    // rounded up to 2048 of them, carry into the exponent.
    return static_cast<uint16_t>(
        sign | ((exponent + 14) * 1024 + static_cast<int>(units)));
  }
  static double valueOf(uint16_t half) {
    int exponent = half >> 10 & 31, mantissa = half & 1023;
    double magnitude = exponent == 31 ? (mantissa == 0 ? HUGE_VAL : NAN)
                       : exponent == 0
                           ? std::ldexp(mantissa, -24)
                           : std::ldexp(1024 + mantissa, exponent - 25);
    return std::copysign(magnitude, half & 0x8000 ? -1.0 : 1.0);
  }
};

/// Returns values on, between and around all numbers of f16.
template <typename Float> std::vector<Float> edges() {
  std::vector<Float> values = {0, std::numeric_limits<Float>::infinity(),
                               std::numeric_limits<Float>::max(),
                               std::numeric_limits<Float>::denorm_min()};
  for (int exponent = -26; exponent <= 17; ++exponent)
    for (int mantissa = 0; mantissa < 4096; ++mantissa) {
      Float value =
          std::ldexp(Float{1} + static_cast<Float>(mantissa) / 4096, exponent);
      values.push_back(value);
      values.push_back(std::nextafter(value, Float{0}));
      values.push_back(std::nextafter(value, Float{1e30}));
    }
  size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i)
    values.push_back(-values[i]);
  while (values.size() % 64 != 0)
    values.push_back(1);
  return values;
}

} // namespace

TEST_F(HalfConversionsTest, EachHalfIsItsFloat) {
  std::vector<uint16_t> halves(1 << 16);
  for (size_t i = 0; i < halves.size(); ++i)
    halves[i] = static_cast<uint16_t>(i);
  auto floats = convert<float>("arith.extf", "f16", "f32", halves);
  for (uint16_t half : halves) {
    double value = valueOf(half);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(floats[half])) << half;
    else
      EXPECT_EQ(std::bit_cast<uint32_t>(floats[half]),
                std::bit_cast<uint32_t>(static_cast<float>(value)))
          << half;
  }
}

TEST_F(HalfConversionsTest, FloatsAreRoundedOnce) {
  std::vector<float> floats = edges<float>();
  auto halves = convert<uint16_t>("arith.truncf", "f32", "f16", floats);
  for (size_t i = 0; i < floats.size(); ++i)
    ASSERT_EQ(halves[i], halfOf(floats[i])) << floats[i];
}

TEST_F(HalfConversionsTest, DoublesAreRoundedOnce) {
  std::vector<double> doubles = edges<double>();
  auto halves = convert<uint16_t>("arith.truncf", "f64", "f16", doubles);
  for (size_t i = 0; i < doubles.size(); ++i)
    ASSERT_EQ(halves[i], halfOf(doubles[i])) << doubles[i];
}

/// F16C converts from and to f32 only.
TEST_F(HalfConversionsTest, DoublesAreRoundedOnceWithInstructions) {
  if (!__builtin_cpu_supports("avx2"))
    GTEST_SKIP() << "needs what all CPUs with AVX2 have, F16C";
  chip = "x86_64-linux-gnu:x86-64-v3";
  std::vector<double> doubles = edges<double>();
  auto halves = convert<uint16_t>("arith.truncf", "f64", "f16", doubles);
  for (size_t i = 0; i < doubles.size(); ++i)
    ASSERT_EQ(halves[i], halfOf(doubles[i])) << doubles[i];
}

TEST_F(HalfConversionsTest, FusedHalvesNeedNoLibrary) {
  const char *text = R"(
func.func @f(%x: tensor<64xf16>, %y: tensor<64xf16>) -> tensor<64xf16> {
  %e = tensor.empty() : tensor<64xf16>
  %r = linalg.map ins(%x, %y : tensor<64xf16>, tensor<64xf16>)
      outs(%e : tensor<64xf16>) (%a: f16, %b: f16, %o: f16) {
    %c = math.fma %a, %b, %b : f16
    linalg.yield %c : f16
  }
  return %r : tensor<64xf16>
})";
  for (const char *cpu : {"x86-64", "x86-64-v3", "sapphirerapids"}) {
    auto backend =
        createBackend({"host", std::string("x86_64-linux-gnu:") + cpu});
    EXPECT_TRUE(succeeded(compileCandidate(**backend, *parse(text), "f")))
        << cpu << ": " << message;
  }
}

TEST_F(HalfConversionsTest, NaNStaysOne) {
  std::vector<float> floats(64, std::numeric_limits<float>::quiet_NaN());
  for (uint16_t half : convert<uint16_t>("arith.truncf", "f32", "f16", floats))
    EXPECT_TRUE(std::isnan(valueOf(half)));
}

TEST_F(HalfConversionsTest, DoublesAreRoundedOnceToBf16) {
  // An f32 apart of what lies half way, from where a second rounding errs.
  std::vector<double> doubles;
  for (int step = 0; step < 1024; ++step)
    for (double value : {1.0, 0x1p-130, 0x1.fep127, 3e38})
      for (double nudge : {-0x1p-40, 0.0, 0x1p-40})
        doubles.push_back(value * (1 + step * 0x1p-8 + nudge));
  size_t positive = doubles.size();
  for (size_t i = 0; i < positive; ++i)
    doubles.push_back(-doubles[i]);
  doubles.resize(doubles.size() / 64 * 64);
  auto bits = convert<uint16_t>("arith.truncf", "f64", "bf16", doubles);
  for (size_t i = 0; i < doubles.size(); ++i) {
    double magnitude = std::fabs(doubles[i]);
    int exponent = std::max(std::ilogb(magnitude), -126);
    double rounded = std::ldexp(
        std::nearbyint(std::ldexp(magnitude, 7 - exponent)), exponent - 7);
    // Numbers beyond the largest f32 become infinity.
    auto expected = static_cast<float>(std::copysign(rounded, doubles[i]));
    ASSERT_EQ(bits[i], std::bit_cast<uint32_t>(expected) >> 16) << doubles[i];
  }
  std::vector<double> nans(64, std::numeric_limits<double>::quiet_NaN());
  for (uint16_t nan : convert<uint16_t>("arith.truncf", "f64", "bf16", nans))
    EXPECT_GT(nan & 0x7FFF, 0x7F80);
}
