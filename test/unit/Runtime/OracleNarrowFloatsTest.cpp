//===- Elements of up to 8 bits -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Elements.h"

#include "Judge.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <limits>

using namespace tonno;
using testing::HasSubstr;

namespace {

constexpr ElementType narrowTypes[] = {
    ElementType::f8E4M3FN,   ElementType::f8E5M2,   ElementType::f8E4M3FNUZ,
    ElementType::f8E5M2FNUZ, ElementType::f6E2M3FN, ElementType::f6E3M2FN,
    ElementType::f4E2M1FN};

using Function = std::function<double(double)>;

/// Returns a kernel of one input and one result; `rows` of `columns` are summed
/// up where the result has an element for each row.
FakeKernel kernelOf(
    ElementType from, ElementType to, size_t rows, size_t columns, bool sums,
    const Function &store = [](double x) { return x; }) {
  return [=](std::span<void *const> buffers) {
    std::vector<double> x =
        decode(from, {static_cast<const std::byte *>(buffers[0]),
                      rows * columns * getByteSize(from)});
    std::vector<double> y;
    for (size_t row = 0; row < rows; ++row) {
      float sum = 0;
      for (size_t column = 0; column < columns; ++column) {
        double value = x[row * columns + column];
        if (!sums)
          y.push_back(store(value));
        sum += static_cast<float>(value);
      }
      if (sums)
        y.push_back(store(sum));
    }
    std::vector<std::byte> bytes = encode(to, y);
    std::memcpy(buffers[1], bytes.data(), bytes.size());
  };
}

/// Cuts digits off that the type does not have.
double truncate(ElementType type, double value) {
  double rounded = decode(type, encode(type, std::span(&value, 1))).front();
  if (!(std::fabs(rounded) > std::fabs(value)))
    return rounded;
  double less = value * (1 - 2 * unitRoundoff(type));
  return decode(type, encode(type, std::span(&less, 1))).front();
}

class OracleNarrowFloats : public testing::TestWithParam<ElementType> {
protected:
  static constexpr size_t rows = 40, columns = 24;

  /// Judges sums of f32, or of the narrow type, rounded to it.
  std::string judge(ElementType from, bool sums, const Function &store,
                    const std::string &input = "") {
    BufferSpec argument = {"arg0", from, {rows, columns}, Access::read, 64};
    if (!input.empty())
      argument.input = *InputSpec::parse(input);
    BufferSpec result = {"result0", GetParam(),
                         sums ? std::vector<int64_t>{rows}
                              : std::vector<int64_t>{rows, columns},
                         Access::write, 64};
    Judge judge({argument, result});
    judge.isExact = judge.isSumOfProducts = false;
    judge.reductionLength = sums ? columns : 1;
    std::string verdict = judge.judge(
        kernelOf(ElementType::f64, ElementType::f64, rows, columns, sums),
        kernelOf(from, GetParam(), rows, columns, sums, store));
    message = judge.message;
    return verdict;
  }

  std::string message;
};

} // namespace

TEST_P(OracleNarrowFloats, RightOnesPass) {
  auto keep = [](double x) { return x; };
  for (bool sums : {true, false})
    for (ElementType from : {ElementType::f32, GetParam()})
      EXPECT_EQ(judge(from, sums, keep), "ok") << message;
}

TEST_P(OracleNarrowFloats, TruncationIsWrong) {
  auto cut = [](double x) { return truncate(GetParam(), x); };
  EXPECT_EQ(judge(ElementType::f32, true, cut), "wrong");
  EXPECT_EQ(judge(ElementType::f32, false, cut), "wrong");
}

TEST_P(OracleNarrowFloats, ANumberBesideIsWrong) {
  auto beside = [](double x) {
    return x * (1 + 3 * unitRoundoff(GetParam())) +
           smallestSubnormal(GetParam());
  };
  EXPECT_EQ(judge(ElementType::f32, false, beside), "wrong");
}

TEST_P(OracleNarrowFloats, OverflowIsThatOfTheType) {
  ElementType type = GetParam();
  double largest = largestFinite(type);
  std::string large = "constant(" + std::to_string(8 * largest) + ")";
  auto keep = [](double x) { return x; };
  auto saturate = [=](double x) { return std::min(x, largest); };
  EXPECT_EQ(judge(ElementType::f32, false, keep, large), "ok") << message;
  EXPECT_EQ(judge(ElementType::f32, false, saturate, large),
            hasNan(type) ? "wrong" : "ok");
  auto spoil = [](double) { return std::numeric_limits<double>::quiet_NaN(); };
  EXPECT_EQ(judge(ElementType::f32, false, spoil, "uniform(0.9, 1)"), "wrong");
}

TEST_P(OracleNarrowFloats, DeclaredDataMustFit) {
  ElementType type = GetParam();
  auto keep = [](double x) { return x; };
  EXPECT_EQ(judge(type, false, keep, "constant(1)"), "ok") << message;
  BufferSpec buffer = {"arg0", type, {4}, Access::read, 64};
  buffer.input = *InputSpec::parse(
      "constant(" + std::to_string(2 * largestFinite(type)) + ")");
  std::mt19937_64 generator(1);
  auto drawn = drawDeclared({buffer}, generator);
  ASSERT_FALSE(drawn.ok());
  EXPECT_THAT(drawn.error().message,
              HasSubstr(std::string(toString(type)) + " cannot hold "));
}

INSTANTIATE_TEST_SUITE_P(All, OracleNarrowFloats,
                         testing::ValuesIn(narrowTypes), [](const auto &type) {
                           return std::string(toString(type.param));
                         });

TEST(NarrowData, AllThatIsDrawnIsOfTheType) {
  Signature signature;
  for (ElementType type : narrowTypes)
    signature.push_back({"arg", type, {300}, Access::read, 64});
  signature.push_back({"arg", ElementType::f8E8M0FNU, {300}, Access::read, 64});
  signature.push_back({"arg", ElementType::i4, {300}, Access::read, 64});
  signature.push_back({"arg", ElementType::i2, {300}, Access::read, 64});
  std::mt19937_64 generator(1);
  Values none(signature.size());
  auto check = [&](const Values &values, bool mayBeNan) {
    for (size_t i = 0; i < signature.size(); ++i) {
      ElementType type = signature[i].elementType;
      std::vector<double> back = decode(type, encode(type, values[i]));
      size_t zeros = 0;
      for (size_t e = 0; e < back.size(); ++e) {
        EXPECT_TRUE(back[e] == values[i][e] ||
                    (mayBeNan && std::isnan(values[i][e])))
            << toString(type) << ": " << values[i][e];
        zeros += back[e] == 0;
      }
      EXPECT_LT(zeros, back.size());
    }
  };
  check(drawSigns(signature, none, generator), false);
  check(drawIntegers(signature, none, generator, 1000, 5), false);
  check(drawReals(signature, none, generator), false);
  check(drawSpecial(signature, none, FloatRange::finite, false, generator),
        false);
  check(drawSpecial(signature, none, FloatRange::whole, true, generator), true);
  for (IntegerData data : allIntegerData) {
    BufferContents bytes = drawAnyIntegers(
        signature, drawReals(signature, none, generator), data, generator);
    for (std::byte byte : bytes[bytes.size() - 2])
      EXPECT_LT(std::to_integer<int>(byte), 16);
  }
}

TEST(NarrowData, IntegersAreInTheLowerBits) {
  EXPECT_THAT(encode(ElementType::i4, std::vector<double>{-8, -1, 7, 9}),
              testing::ElementsAre(std::byte(8), std::byte(15), std::byte(7),
                                   std::byte(7)));
  EXPECT_THAT(encode(ElementType::i2, std::vector<double>{-2, -1, 1, -5}),
              testing::ElementsAre(std::byte(2), std::byte(3), std::byte(1),
                                   std::byte(2)));
  std::byte bits{0xFF};
  EXPECT_EQ(decode(ElementType::i4, std::span(&bits, 1)).front(), -1);
  EXPECT_TRUE(
      std::isnan(decode(ElementType::f4E2M1FN, std::span(&bits, 1)).front()));
  EXPECT_EQ(lowestFinite(ElementType::i4), -8);
  EXPECT_EQ(largestFinite(ElementType::i2), 1);
}
