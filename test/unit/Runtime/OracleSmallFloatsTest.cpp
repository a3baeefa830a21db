//===- Matrix products of f16 and bf16 ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Elements.h"

#include "Judge.h"
#include "Matmuls.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <ostream>

using namespace tonno;
using testing::HasSubstr;

namespace {

/// A matrix product of f16 or bf16 in memory, whose sums are f32 by right.
struct SmallCase {
  ElementType type;
  int64_t k;

  // GoogleTest looks for this name.
  // NOLINTNEXTLINE(readability-identifier-naming)
  friend void PrintTo(const SmallCase &one, std::ostream *stream) {
    *stream << toString(one.type) << " with K = " << one.k;
  }
};

class OracleSmallFloats : public testing::TestWithParam<SmallCase> {
protected:
  static size_t count(int64_t a, int64_t b) {
    return static_cast<size_t>(a * b);
  }

  /// Returns the variant with inputs and outputs of the small type. `store`
  /// converts a sum to the stored value.
  FakeKernel kernel(
      const MatmulVariant &variant,
      const std::function<double(double)> &store = [](double x) { return x; }) {
    return [=, this](std::span<void *const> buffers) {
      auto floats = [&](void *from, size_t size) {
        std::vector<double> values = decode(
            GetParam().type, {static_cast<const std::byte *>(from), 2 * size});
        return std::vector<float>(values.begin(), values.end());
      };
      std::vector<float> a = floats(buffers[0], count(shape.m, shape.k));
      std::vector<float> b = floats(buffers[1], count(shape.k, shape.n));
      std::vector<float> c(count(shape.m, shape.n));
      void *wide[] = {a.data(), b.data(), c.data()};
      matmul(shape, variant)(wide);
      std::vector<double> stored(c.begin(), c.end());
      std::transform(stored.begin(), stored.end(), stored.begin(), store);
      std::vector<std::byte> bytes = encode(GetParam().type, stored);
      std::memcpy(buffers[2], bytes.data(), bytes.size());
    };
  }

  std::string judge(const FakeKernel &candidate, uint64_t seed, bool isExact) {
    Judge judge(shape.plan(GetParam().type).buffers);
    judge.reductionLength = static_cast<uint64_t>(shape.k);
    judge.isExact = judge.isSumOfProducts = isExact;
    judge.seed = seed;
    std::string verdict = judge.judge(referenceMatmul(shape), candidate);
    message = judge.message;
    return verdict;
  }

  int bits() const { return GetParam().type == ElementType::f16 ? 11 : 8; }

  MatmulShape shape = {6, 7, GetParam().k};
  std::string message;
};

} // namespace

static constexpr uint64_t smallFloatSeeds[] = {0, 1, 2, 3, 12345};

TEST_P(OracleSmallFloats, RightOnesPass) {
  for (const MatmulVariant &variant : rightMatmuls())
    for (uint64_t seed : smallFloatSeeds)
      for (bool isExact : {true, false})
        EXPECT_EQ(judge(kernel(variant), seed, isExact), "ok")
            << variant.name << ": " << message;
}

TEST_P(OracleSmallFloats, WideIntegersFillTheirTypeAndNoResultIsInfinite) {
  double widest[3] = {};
  FakeKernel right = kernel({.name = ""});
  auto watch = [&](std::span<void *const> buffers) {
    right(buffers);
    size_t sizes[] = {count(shape.m, shape.k), count(shape.k, shape.n),
                      count(shape.m, shape.n)};
    for (size_t i = 0; i < 3; ++i)
      for (double x :
           decode(GetParam().type,
                  {static_cast<const std::byte *>(buffers[i]), 2 * sizes[i]}))
        widest[i] = std::max(widest[i], std::fabs(x));
  };
  EXPECT_EQ(judge(watch, 1, true), "ok") << message;
  EXPECT_TRUE(std::isfinite(widest[2]));
  // A sum that is kept in the small type is out of its exact integers.
  EXPECT_GT(widest[2], 4 * largestExactInteger(GetParam().type));
  if (GetParam().type == ElementType::bf16 && shape.k == 16) {
    EXPECT_GT(widest[0], 200);
    EXPECT_GT(widest[1], 200);
  }
}

TEST_P(OracleSmallFloats, SumsInTheSmallTypeAreWrong) {
  auto narrow = [bits = bits()](const Terms &a, const Terms &b) {
    float sum = 0;
    for (size_t t = 0; t < a.size(); ++t)
      sum = roundTo(sum + a[t] * b[t], bits);
    return sum;
  };
  for (uint64_t seed : smallFloatSeeds) {
    EXPECT_EQ(judge(kernel({.name = "", .dot = narrow}), seed, true), "wrong");
    // Sums of signs are exact in f16, too; of bf16 not always.
    if (GetParam().type == ElementType::f16) {
      EXPECT_THAT(message, HasSubstr("wide exact"));
    }
  }
}

TEST_P(OracleSmallFloats, OneSpillInTheSmallTypeIsWrong) {
  auto spilled = [bits = bits()](const Terms &a, const Terms &b) {
    float sum = 0;
    for (size_t t = 0; t < a.size(); ++t) {
      sum += a[t] * b[t];
      if (t == a.size() / 2)
        sum = roundTo(sum, bits);
    }
    return sum;
  };
  for (uint64_t seed : smallFloatSeeds)
    EXPECT_EQ(judge(kernel({.name = "", .dot = spilled}), seed, true), "wrong");
}

TEST_P(OracleSmallFloats, TruncatedOutputIsWrong) {
  auto truncate = [](double x) {
    double rounded =
        decode(GetParam().type, encode(GetParam().type, std::span(&x, 1)))[0];
    if (std::fabs(rounded) <= std::fabs(x))
      return rounded;
    double down =
        std::exp2(std::ilogb(rounded)) * unitRoundoff(GetParam().type);
    return rounded - std::copysign(2 * down, x);
  };
  for (uint64_t seed : smallFloatSeeds)
    EXPECT_EQ(judge(kernel({.name = ""}, truncate), seed, true), "wrong");
}

TEST_P(OracleSmallFloats, DroppedAndDoubledTermsAreWrong) {
  for (float factor : {0.0f, 2.0f}) {
    auto last = [factor](const Terms &a, const Terms &b) {
      return plainDot(a, b) + (factor - 1) * (a.back() * b.back());
    };
    for (uint64_t seed : smallFloatSeeds)
      EXPECT_EQ(judge(kernel({.name = "", .dot = last}), seed, true), "wrong");
  }
}

INSTANTIATE_TEST_SUITE_P(All, OracleSmallFloats,
                         testing::Values(SmallCase{ElementType::f16, 16},
                                         SmallCase{ElementType::f16, 256},
                                         SmallCase{ElementType::f16, 4096},
                                         SmallCase{ElementType::bf16, 16},
                                         SmallCase{ElementType::bf16, 256},
                                         SmallCase{ElementType::bf16, 4096}),
                         [](const auto &info) {
                           return std::string(toString(info.param.type)) + "K" +
                                  std::to_string(info.param.k);
                         });

/// Returns a kernel of result = arg / 2 in f16's subnormal numbers; `round`
/// rounds to a multiple of the smallest.
static FakeKernel halving(const std::function<double(double)> &round) {
  return [=](std::span<void *const> buffers) {
    std::vector<double> values =
        decode(ElementType::f16,
               {static_cast<const std::byte *>(buffers[0]), size_t(2) * 100});
    for (double &value : values)
      value = round(value / 2 * 0x1p24) * 0x1p-24;
    std::vector<std::byte> bytes = encode(ElementType::f16, values);
    std::memcpy(buffers[1], bytes.data(), bytes.size());
  };
}

TEST(OracleSubnormals, AreRoundedWithinHalfTheSmallest) {
  auto reference = [](std::span<void *const> buffers) {
    for (int i = 0; i < 100; ++i)
      static_cast<double *>(buffers[1])[i] =
          static_cast<const double *>(buffers[0])[i] / 2;
  };
  Judge judge({{"arg0", ElementType::f16, {100}, Access::read, 64},
               {"result0", ElementType::f16, {100}, Access::write, 64}});
  judge.plan.buffers[0].input = *InputSpec::parse("uniform(0, 1e-5)");
  judge.isExact = false;
  for (double (*round)(double) :
       {+[](double x) { return std::nearbyint(x); },
        +[](double x) { return std::floor(x + 0.5); }})
    EXPECT_EQ(judge.judge(reference, halving(round)), "ok") << judge.message;
  EXPECT_EQ(judge.judge(reference, halving([](double x) { return x + 1; })),
            "wrong");
  EXPECT_EQ(judge.judge(reference, halving([](double) { return 0.0; })),
            "wrong");
}

/// Returns the verdict on a kernel that computes `y` of `x` in f32 and flushes
/// subnormal results to 0.
static std::string flushing(const char *input, bool isExact,
                            double (*y)(double)) {
  auto each = [y](auto element, auto store) {
    using T = decltype(element);
    return [=](std::span<void *const> buffers) {
      for (int i = 0; i < 100; ++i)
        static_cast<T *>(buffers[1])[i] = static_cast<T>(
            store(y(static_cast<double>(static_cast<T *>(buffers[0])[i]))));
    };
  };
  Judge judge({{"arg0", ElementType::f32, {100}, Access::read, 64},
               {"result0", ElementType::f32, {100}, Access::write, 64}});
  judge.plan.buffers[0].input = *InputSpec::parse(input);
  judge.isExact = isExact;
  return judge.judge(
      each(double(), [](double y) { return y; }),
      each(float(), [](double y) { return std::fabs(y) < 0x1p-126 ? 0 : y; }));
}

// Applies to e^x and division, but not to + and *.
TEST(OracleSubnormals, MayBeFlushedByApproximations) {
  auto exponential = [](double x) { return std::exp(x); };
  EXPECT_EQ(flushing("uniform(-110, -80)", false, exponential), "ok");
  EXPECT_EQ(flushing("uniform(0, 1e-39)", true, [](double x) { return x; }),
            "wrong");
}
