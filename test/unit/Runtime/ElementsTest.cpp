//===- Numbers as they lie in buffers -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Elements.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <limits>

using namespace tonno;
using testing::ElementsAre;

static std::vector<double> through(ElementType type,
                                   const std::vector<double> &values) {
  return decode(type, encode(type, values));
}

TEST(Elements, IntegersComeBack) {
  for (ElementType type :
       {ElementType::i8, ElementType::i16, ElementType::i32, ElementType::i64,
        ElementType::f32, ElementType::f64}) {
    EXPECT_THAT(through(type, {0, 1, -1, 127, -128}),
                ElementsAre(0, 1, -1, 127, -128))
        << toString(type);
    EXPECT_EQ(encode(type, std::vector<double>(3)).size(),
              3 * getByteSize(type));
  }
}

TEST(Elements, LieInTheMachinesOrder) {
  std::vector<std::byte> bytes = encode(ElementType::i16, std::vector{258.0});
  EXPECT_THAT(bytes, ElementsAre(std::byte(2), std::byte(1)));
}

TEST(Elements, AreRoundedOnceToNearest) {
  // Half way between 1 and its neighbour goes to even, a little more goes up.
  double half = 1 + 0x1p-24;
  EXPECT_THAT(through(ElementType::f32, {half, half + 0x1p-40}),
              ElementsAre(1, 1 + 0x1p-23));
  EXPECT_THAT(through(ElementType::f64, {half}), ElementsAre(half));
}

TEST(Elements, KeepWhatIsNotFinite) {
  std::vector<double> back =
      through(ElementType::f32, {INFINITY, -INFINITY, std::nan("")});
  EXPECT_EQ(back[0], INFINITY);
  EXPECT_EQ(back[1], -INFINITY);
  EXPECT_TRUE(std::isnan(back[2]));
}

TEST(Elements, PrecisionIsThatOfTheFormats) {
  EXPECT_EQ(unitRoundoff(ElementType::f64),
            std::numeric_limits<double>::epsilon() / 2);
  EXPECT_EQ(unitRoundoff(ElementType::f32),
            std::numeric_limits<float>::epsilon() / 2);
  EXPECT_EQ(unitRoundoff(ElementType::f16), 1.0 / 2048);
  EXPECT_EQ(unitRoundoff(ElementType::bf16), 1.0 / 256);
  EXPECT_EQ(unitRoundoff(ElementType::i32), 0);
  EXPECT_TRUE(isFloatingPoint(ElementType::bf16));
  EXPECT_FALSE(isFloatingPoint(ElementType::i8));
}

TEST(Elements, LargestExactIntegerIsExactAndTheNextIsNot) {
  double limit = largestExactInteger(ElementType::f32);
  EXPECT_THAT(through(ElementType::f32, {limit, limit - 1}),
              ElementsAre(limit, limit - 1));
  EXPECT_NE(through(ElementType::f32, {limit + 1}).front(), limit + 1);
  EXPECT_EQ(largestExactInteger(ElementType::f16), 2048);
  EXPECT_EQ(largestExactInteger(ElementType::bf16), 256);
  EXPECT_EQ(largestExactInteger(ElementType::i8), 127);
  EXPECT_EQ(largestExactInteger(ElementType::i32), 2147483647);
  EXPECT_EQ(largestExactInteger(ElementType::i64), 0x1p53 - 1);
}

TEST(Elements, EndsOfTheRangesComeBack) {
  struct Row {
    ElementType type;
    double lowest, largest;
  };
  for (const Row &row :
       {Row{ElementType::f16, -65504, 65504},
        Row{ElementType::bf16, -0x1.FEp127, 0x1.FEp127},
        Row{ElementType::i8, -128, 127}, Row{ElementType::i16, -32768, 32767},
        Row{ElementType::i32, -0x1p31, 0x1p31 - 1},
        Row{ElementType::i64, -0x1p63, 0x1p63 - 1024},
        Row{ElementType::i1, 0, 1}}) {
    EXPECT_EQ(lowestFinite(row.type), row.lowest) << toString(row.type);
    EXPECT_EQ(largestFinite(row.type), row.largest) << toString(row.type);
    EXPECT_THAT(through(row.type, {row.lowest, row.largest}),
                ElementsAre(row.lowest, row.largest))
        << toString(row.type);
  }
  EXPECT_EQ(largestFinite(ElementType::f32), std::numeric_limits<float>::max());
  EXPECT_EQ(lowestFinite(ElementType::f64),
            std::numeric_limits<double>::lowest());
}

TEST(Elements, IntegersOutOfRangeGoToTheNearestEnd) {
  EXPECT_THAT(through(ElementType::i8, {128, -129, 1e300, -INFINITY}),
              ElementsAre(127, -128, 127, -128));
  EXPECT_THAT(through(ElementType::i32, {0x1p31, -1e10, std::nan("")}),
              ElementsAre(0x1p31 - 1, -0x1p31, 0));
  // The largest is no double; decoding it rounds up.
  EXPECT_THAT(through(ElementType::i64, {0x1p63, -0x1p64}),
              ElementsAre(0x1p63, -0x1p63));
}

TEST(Elements, SmallestNumbersAreNotZero) {
  for (ElementType type : {ElementType::f64, ElementType::f32, ElementType::f16,
                           ElementType::bf16}) {
    double smallest = smallestSubnormal(type);
    EXPECT_THAT(through(type, {smallest, -smallest, smallest / 2}),
                ElementsAre(smallest, -smallest, 0))
        << toString(type);
  }
  EXPECT_EQ(smallestSubnormal(ElementType::i32), 0);
}

TEST(Elements, PrecisionIsLostBelowTheSmallestNormalNumber) {
  for (ElementType type : {ElementType::f64, ElementType::f32, ElementType::f16,
                           ElementType::bf16})
    // The first has one bit less.
    EXPECT_EQ(smallestNormal(type) * 2 * unitRoundoff(type),
              smallestSubnormal(type))
        << toString(type);
  EXPECT_EQ(smallestNormal(ElementType::i32), 0);
}

TEST(Elements, BooleansTakeAByteThatIsZeroOrOne) {
  EXPECT_THAT(
      encode(ElementType::i1, std::vector<double>{0, 1, -3, 0.5}),
      ElementsAre(std::byte(0), std::byte(1), std::byte(1), std::byte(1)));
  // Bytes that are no booleans are visible.
  std::vector<std::byte> bytes = {std::byte(0), std::byte(1), std::byte(0xFF)};
  EXPECT_THAT(decode(ElementType::i1, bytes), ElementsAre(0, 1, 255));
}

namespace {

/// f16 and bf16, of which all patterns can be tried.
class SmallFloats : public testing::TestWithParam<ElementType> {
protected:
  static double valueOf(uint16_t bits) {
    return decode(GetParam(), std::as_bytes(std::span(&bits, 1))).front();
  }
  static uint16_t bitsOf(double value) {
    uint16_t bits = 0;
    std::memcpy(&bits, encode(GetParam(), std::span(&value, 1)).data(), 2);
    return bits;
  }
  static uint16_t infinityBits() {
    return GetParam() == ElementType::f16 ? 0x7C00 : 0x7F80;
  }
};

} // namespace

TEST_P(SmallFloats, EveryPatternComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double value = valueOf(static_cast<uint16_t>(bits));
    EXPECT_EQ(std::signbit(value), bits >= 0x8000);
    if ((bits & 0x7FFF) > infinityBits()) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_TRUE(std::isnan(valueOf(bitsOf(value)))) << bits;
    } else {
      EXPECT_EQ(bitsOf(value), bits);
    }
  }
}

TEST_P(SmallFloats, TiesGoToEvenAndOthersToTheNearest) {
  // Up to the largest, behind which INFINITY stands in for the next power of 2.
  for (uint16_t bits = 0; bits < infinityBits(); ++bits) {
    auto up = static_cast<uint16_t>(bits + 1);
    double low = valueOf(bits);
    double high =
        up == infinityBits() ? std::exp2(std::ilogb(low) + 1) : valueOf(up);
    double middle = (low + high) / 2;
    EXPECT_EQ(bitsOf(middle), bits % 2 == 0 ? bits : up) << bits;
    EXPECT_EQ(bitsOf(std::nextafter(middle, 0)), bits) << bits;
    EXPECT_EQ(bitsOf(std::nextafter(middle, high)), up) << bits;
    EXPECT_EQ(bitsOf(-middle), bitsOf(middle) | 0x8000) << bits;
  }
}

TEST_P(SmallFloats, LargeOnesAreInfinite) {
  for (double value : {1e300, double(INFINITY), 0x1p128})
    EXPECT_EQ(bitsOf(value), infinityBits()) << value;
  EXPECT_EQ(valueOf(infinityBits()), INFINITY);
  EXPECT_EQ(bitsOf(1e-300), 0);
  EXPECT_EQ(bitsOf(5e-324), 0);
  EXPECT_EQ(bitsOf(-0.0), 0x8000);
}

INSTANTIATE_TEST_SUITE_P(All, SmallFloats,
                         testing::Values(ElementType::f16, ElementType::bf16),
                         [](const auto &type) {
                           return std::string(toString(type.param));
                         });

TEST(SmallFloats, PatternsAreThoseOfTheFormats) {
  auto bits = [](ElementType type, double value) {
    uint16_t pattern = 0;
    std::memcpy(&pattern, encode(type, std::span(&value, 1)).data(), 2);
    return pattern;
  };
  EXPECT_EQ(bits(ElementType::f16, 1), 0x3C00);
  EXPECT_EQ(bits(ElementType::f16, -2), 0xC000);
  EXPECT_EQ(bits(ElementType::f16, 65504), 0x7BFF);
  EXPECT_EQ(bits(ElementType::f16, 0x1p-14), 0x0400);
  EXPECT_EQ(bits(ElementType::f16, 1.0 / 3), 0x3555);
  EXPECT_EQ(bits(ElementType::bf16, 1), 0x3F80);
  EXPECT_EQ(bits(ElementType::bf16, -2), 0xC000);
  EXPECT_EQ(bits(ElementType::bf16, 1.0 / 3), 0x3EAB);
}
