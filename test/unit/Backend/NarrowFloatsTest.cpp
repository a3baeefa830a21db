//===- Floats of up to 8 bits ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversions.h"

#include "tonno/Backend/Compile.h"
#include "tonno/Runtime/Elements.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <limits>

using namespace tonno;
using llvm::APFloat;
using testing::HasSubstr;

namespace {

struct Narrow {
  ElementType type;
  const llvm::fltSemantics &(*semantics)();

  std::string name() const { return std::string(toString(type)); }
  unsigned codes() const { return 1u << bitWidth(type); }

  // GoogleTest looks for this name.
  // NOLINTNEXTLINE(readability-identifier-naming)
  friend void PrintTo(const Narrow &narrow, std::ostream *stream) {
    *stream << narrow.name();
  }
};

const Narrow narrowFloats[] = {
    {ElementType::f8E4M3FN, &APFloat::Float8E4M3FN},
    {ElementType::f8E5M2, &APFloat::Float8E5M2},
    {ElementType::f8E4M3FNUZ, &APFloat::Float8E4M3FNUZ},
    {ElementType::f8E5M2FNUZ, &APFloat::Float8E5M2FNUZ},
    {ElementType::f8E8M0FNU, &APFloat::Float8E8M0FNU},
    {ElementType::f6E2M3FN, &APFloat::Float6E2M3FN},
    {ElementType::f6E3M2FN, &APFloat::Float6E3M2FN},
    {ElementType::f4E2M1FN, &APFloat::Float4E2M1FN},
};

/// Compares with APFloat.
class NarrowFloats : public ConversionTest,
                     public testing::WithParamInterface<Narrow> {
protected:
  double valueOf(unsigned code) const {
    const llvm::fltSemantics &semantics = GetParam().semantics();
    APFloat value(semantics, llvm::APInt(bitWidth(GetParam().type), code));
    if (value.isNaN()) // of f8E8M0FNU, APFloat makes it an infinity
      return std::numeric_limits<double>::quiet_NaN();
    bool loses = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    return value.convertToDouble();
  }

  /// Returns the expected code of a number. APFloat makes numbers of negative
  /// ones in f8E8M0FNU, and does not convert NaN and infinities to types
  /// without them: zeros and the largest numbers are expected there.
  unsigned codeOf(double value) const {
    const llvm::fltSemantics &semantics = GetParam().semantics();
    bool isUnsigned = GetParam().type == ElementType::f8E8M0FNU;
    if (isUnsigned && value < 0)
      return 255;
    if (std::isnan(value) && !hasNan(GetParam().type))
      return std::signbit(value) ? GetParam().codes() / 2 : 0;
    if (std::isinf(value) && !hasNan(GetParam().type)) // as ml_dtypes
      return codeOf(std::copysign(largestFinite(GetParam().type), value));
    APFloat rounded(value);
    bool loses = false;
    rounded.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
    return static_cast<unsigned>(rounded.bitcastToAPInt().getZExtValue());
  }

  static bool areSame(double one, double other) {
    return (std::isnan(one) && std::isnan(other)) ||
           (one == other && std::signbit(one) == std::signbit(other));
  }

  /// Returns all numbers, the midpoints between neighbours, and numbers beside
  /// both.
  template <typename Float> std::vector<Float> edges() const {
    std::vector<Float> values = {0,
                                 std::numeric_limits<Float>::infinity(),
                                 std::numeric_limits<Float>::quiet_NaN(),
                                 std::numeric_limits<Float>::max(),
                                 std::numeric_limits<Float>::min(),
                                 std::numeric_limits<Float>::denorm_min(),
                                 Float(0x1p-127),
                                 Float(0x1.8p-127),
                                 Float(0x1.7p-127)};
    unsigned magnitudes =
        hasSign(GetParam().type) ? GetParam().codes() / 2 : GetParam().codes();
    double last = 0, before = 0;
    auto add = [&](double value) {
      for (double beyond : {0.0, -HUGE_VAL, HUGE_VAL})
        values.push_back(beyond == 0
                             ? Float(value)
                             : std::nextafter(Float(value), Float(beyond)));
    };
    for (unsigned code = 0; code < magnitudes; ++code) {
      double value = valueOf(code);
      if (!std::isfinite(value))
        continue;
      add(value);
      add((last + value) / 2);
      before = last;
      last = value;
    }
    add(last + (last - before) / 2); // where numbers begin to overflow
    add(last + (last - before));
    add(last * 2);
    size_t positive = values.size();
    for (size_t i = 0; i < positive; ++i)
      values.push_back(-values[i]);
    while (values.size() % 16 != 5) // vectors and single elements
      values.push_back(1);
    return values;
  }

  template <typename Float> void testRounding(const std::string &from) {
    std::vector<Float> values = edges<Float>();
    auto codes =
        convert<uint8_t>("arith.truncf", from, GetParam().name(), values);
    for (size_t i = 0; i < values.size(); ++i) {
      unsigned expected = codeOf(double(values[i]));
      if (std::isnan(values[i]) && hasNan(GetParam().type))
        EXPECT_TRUE(std::isnan(valueOf(codes[i]))) << unsigned(codes[i]);
      else
        EXPECT_EQ(unsigned(codes[i]), expected) << values[i];
    }
  }

  template <typename Float> void testExtension(const std::string &to) {
    std::vector<uint8_t> codes;
    for (unsigned code = 0; code < GetParam().codes(); ++code)
      codes.push_back(static_cast<uint8_t>(code));
    codes.push_back(1); // by itself
    auto values = convert<Float>("arith.extf", GetParam().name(), to, codes);
    for (size_t i = 0; i < codes.size(); ++i)
      EXPECT_TRUE(areSame(double(values[i]), valueOf(codes[i])))
          << i << ": " << values[i] << ", not " << valueOf(codes[i]);
  }
};

} // namespace

TEST_P(NarrowFloats, ElementsAreThoseOfApfloat) {
  ElementType type = GetParam().type;
  for (unsigned code = 0; code < GetParam().codes(); ++code) {
    auto byte = static_cast<std::byte>(code);
    double value = decode(type, std::span(&byte, 1)).front();
    EXPECT_TRUE(areSame(value, valueOf(code))) << code << ": " << value;
    if (!std::isnan(value))
      EXPECT_EQ(encode(type, std::span(&value, 1)).front(), byte);
  }
  for (double value : edges<double>())
    if (!std::isnan(value))
      EXPECT_EQ(unsigned(encode(type, std::span(&value, 1)).front()),
                codeOf(value))
          << value;
}

TEST_P(NarrowFloats, FormatsAreThoseOfApfloat) {
  ElementType type = GetParam().type;
  const llvm::fltSemantics &semantics = GetParam().semantics();
  auto number = [](APFloat value) {
    bool loses = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    return value.convertToDouble();
  };
  EXPECT_EQ(largestFinite(type), number(APFloat::getLargest(semantics)));
  EXPECT_EQ(smallestSubnormal(type), number(APFloat::getSmallest(semantics)));
  EXPECT_EQ(smallestNormal(type),
            number(APFloat::getSmallestNormalized(semantics)));
  EXPECT_EQ(unitRoundoff(type),
            std::exp2(-double(APFloat::semanticsPrecision(semantics))));
  EXPECT_EQ(hasNan(type), APFloat::semanticsHasNaN(semantics));
  EXPECT_EQ(hasInfinity(type), APFloat::semanticsHasInf(semantics));
  EXPECT_EQ(hasSign(type), APFloat::semanticsHasSignedRepr(semantics));
  int limit = static_cast<int>(largestExactInteger(type));
  for (int n = 1; n <= limit; ++n) {
    double value = n;
    EXPECT_EQ(decode(type, encode(type, std::span(&value, 1))).front(), value);
  }
}

TEST_P(NarrowFloats, AreExtendedExactly) {
  testExtension<float>("f32");
  testExtension<double>("f64");
}

TEST_P(NarrowFloats, FloatsAreRoundedToNearestEven) {
  testRounding<float>("f32");
}

TEST_P(NarrowFloats, DoublesAreRoundedOnce) { testRounding<double>("f64"); }

INSTANTIATE_TEST_SUITE_P(All, NarrowFloats, testing::ValuesIn(narrowFloats),
                         [](const auto &narrow) {
                           return narrow.param.name();
                         });

namespace {
class NarrowElements : public KernelTest {};
} // namespace

TEST_F(NarrowElements, OtherRoundingsAreRefused) {
  auto module = parse(R"(
func.func @f(%x: memref<4xf32>, %y: memref<4xf8E5M2>) {
  affine.for %i = 0 to 4 {
    %a = affine.load %x[%i] : memref<4xf32>
    %b = arith.truncf %a upward : f32 to f8E5M2
    affine.store %b, %y[%i] : memref<4xf8E5M2>
  }
  return
})");
  auto backend = createBackend({"host", "native"});
  EXPECT_TRUE(failed(compileCandidate(**backend, *module, "f")));
  EXPECT_THAT(message, HasSubstr("rounds to 'f8E5M2' by upward; floats of up "
                                 "to 8 bits support only to_nearest_even"));
}
