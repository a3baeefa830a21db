//===- ElementsTest.cpp - Numbers as they lie in buffers ------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/Elements.h"

#include <cmath>
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
    ASSERT_TRUE(isSupported(type));
    EXPECT_THAT(through(type, {0, 1, -1, 127, -128}),
                ElementsAre(0, 1, -1, 127, -128))
        << toString(type);
    EXPECT_EQ(encode(type, std::vector<double>(3)).size(), 3 * sizeOf(type));
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
  double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> back =
      through(ElementType::f32, {infinity, -infinity, std::nan("")});
  EXPECT_EQ(back[0], infinity);
  EXPECT_EQ(back[1], -infinity);
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

TEST(Elements, OthersAreSaidToBeUnsupported) {
  for (ElementType type :
       {ElementType::f16, ElementType::bf16, ElementType::i1})
    EXPECT_FALSE(isSupported(type));
}
