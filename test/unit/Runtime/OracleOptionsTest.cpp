//===- Tests for options of the oracle ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Judge.h"
#include "Matmuls.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

constexpr OracleOptions nondeterminism{.allowNondeterminism = true};
constexpr OracleOptions lowerPrecision{.allowLowerPrecision = true};
constexpr OracleOptions nanAllowed{.allowNan = true};

/// A matrix product of this type, K = 64.
class OracleOptionsTest : public testing::Test {
protected:
  std::string judge(const MatmulVariant &variant, OracleOptions options,
                    bool isExact = true) {
    return judge(matmul(shape, variant), options, isExact);
  }

  std::string judge(const FakeKernel &candidate, OracleOptions options,
                    bool isExact = true) {
    Judge judge(shape.plan(ElementType::f32).buffers);
    judge.reductionLength = static_cast<uint64_t>(shape.k);
    judge.isExact = judge.isSumOfProducts = isExact;
    judge.options = options;
    std::string verdict = judge.judge(referenceMatmul(shape), candidate);
    message = judge.message;
    return verdict;
  }

  MatmulShape shape = {6, 7, 64};
  std::string message;
};

/// Products of what tensor cores make of f32, summed in f32.
MatmulVariant tensorFloats() {
  return {.name = "tf32", .read = [](float x) { return roundTo(x, 11); }};
}

} // namespace

/// Sums in an order that differs from launch to launch, as by atomics.
static FakeKernel racy(const MatmulShape &shape) {
  return [shape, launches = std::make_shared<size_t>(0)](auto buffers) {
    size_t first = ++*launches * 5;
    matmul(shape, {.name = "", .dot = [first](const Terms &a, const Terms &b) {
                     float sum = 0;
                     for (size_t t = 0; t < a.size(); ++t) {
                       size_t at = (t + first) % a.size();
                       sum += a[at] * b[at];
                     }
                     return sum;
                   }})(buffers);
  };
}

TEST_F(OracleOptionsTest, ResultsThatVaryAreNondeterministic) {
  EXPECT_EQ(judge(racy(shape), {}), "nondeterministic");
  EXPECT_THAT(message, HasSubstr("result0"));
  EXPECT_THAT(message, HasSubstr("--allow-nondeterminism"));
  EXPECT_EQ(judge(racy(shape), nondeterminism), "ok") << message;
  EXPECT_EQ(judge(racy(shape), lowerPrecision), "nondeterministic");
}

TEST_F(OracleOptionsTest, WrongResultsAreWrongThoughTheyMayVary) {
  auto wrong = [right = racy(shape)](std::span<void *const> buffers) {
    right(buffers);
    static_cast<float *>(buffers[2])[3] += 1;
  };
  EXPECT_EQ(judge(wrong, nondeterminism), "wrong");
}

TEST_F(OracleOptionsTest, MoreRepeatsFindWhatVariesSeldom) {
  // Every fifth launch gives another last bit.
  FakeKernel right = matmul(shape, {.name = ""});
  struct Case {
    LaunchRepeats repeats;
    int launches;
  };
  using std::chrono::hours;
  for (auto [repeats, expected] :
       {Case{{0, 0}, 3}, Case{{1, 1}, 4}, Case{{4, 4}, 5}, Case{{1, 9}, 4},
        Case{{1, 9, hours(1)}, 5}, Case{{1, 1, hours(1)}, 4}}) {
    Judge judge(shape.plan(ElementType::f32).buffers);
    judge.reductionLength = static_cast<uint64_t>(shape.k);
    auto oracle = judge.open(referenceMatmul(shape));
    ASSERT_TRUE(oracle.ok());
    int launches = 0;
    judge.device.kernels["candidate"] = [&](std::span<void *const> buffers) {
      right(buffers);
      if (++launches % 5 == 0)
        static_cast<float *>(buffers[2])[0] *= 1 + 0x1p-23f;
    };
    auto candidate =
        judge.device.load(FakeDevice::artifactOf("candidate", judge.plan));
    auto verified = oracle->verify(judge.device, **candidate, judge.plan,
                                   Verification::winner, repeats);
    EXPECT_EQ(verified.ok(), expected < 5);
    EXPECT_EQ(launches, expected);
  }
}

TEST_F(OracleOptionsTest, RepeatsFindTheSameContents) {
  // Computes in place, and through a workspace that keeps its former contents.
  Judge judge({{"arg0", ElementType::f32, {200}, Access::read_write, 64},
               {"result0", ElementType::f32, {200}, Access::write, 64}});
  judge.plan.buffers.push_back(
      {"workspace0", ElementType::f32, {200}, Access::workspace, 64});
  auto kernel = [](auto element) {
    using T = decltype(element);
    return [](std::span<void *const> buffers) {
      auto *x = static_cast<T *>(buffers[0]);
      auto *y = static_cast<T *>(buffers[1]);
      for (int i = 0; i < 200; ++i)
        y[i] = x[i] += 1;
    };
  };
  EXPECT_EQ(judge.judge(kernel(double()), kernel(float())), "ok")
      << judge.message;
  // A kernel that reads uninitialized memory reads the poison.
  auto stale = [&](std::span<void *const> buffers) {
    kernel(float())(buffers);
    auto *kept = static_cast<float *>(buffers[2]);
    if (kept[0] == 1) // it is NaN at first
      static_cast<float *>(buffers[1])[7] = 0;
    kept[0] = 1;
  };
  EXPECT_EQ(judge.judge(kernel(double()), stale), "nondeterministic");
}

TEST_F(OracleOptionsTest, LowerPrecisionIsAllowedByName) {
  EXPECT_EQ(judge(tensorFloats(), {}), "wrong");
  EXPECT_THAT(message, HasSubstr("wide exact"));
  EXPECT_THAT(message, HasSubstr("--allow-lower-precision"));
  EXPECT_EQ(judge(tensorFloats(), lowerPrecision), "ok") << message;
  EXPECT_EQ(judge(tensorFloats(), {}, /*isExact=*/false), "wrong");
  EXPECT_EQ(judge(tensorFloats(), lowerPrecision, /*isExact=*/false), "ok")
      << message;
}

TEST_F(OracleOptionsTest, WhatElseIsWrongIsNotCalledLowerPrecision) {
  MatmulVariant shifted{.name = "", .dot = [](const Terms &a, const Terms &b) {
                          float sum = 0;
                          for (size_t t = 0; t < a.size(); ++t)
                            sum += a[t] * b[t ^ 1];
                          return sum;
                        }};
  for (const OracleOptions &options : {OracleOptions(), lowerPrecision}) {
    EXPECT_EQ(judge(shifted, options), "wrong");
    EXPECT_THAT(message, testing::Not(HasSubstr("--allow")));
  }
}

TEST_F(OracleOptionsTest, SaturationIsNotCalledLowerPrecision) {
  MatmulVariant saturating{.name = "",
                           .dot = [](const Terms &a, const Terms &b) {
                             return std::clamp(plainDot(a, b), -4096.f, 4096.f);
                           }};
  EXPECT_EQ(judge(saturating, {}), "wrong");
  EXPECT_THAT(message, HasSubstr("wide exact"));
  EXPECT_THAT(message, testing::Not(HasSubstr("--allow")));
}

TEST_F(OracleOptionsTest, DroppedTermsAreWrongInLowerPrecisionToo) {
  for (int64_t k : {16, 64, 1024}) {
    shape.k = k;
    MatmulVariant dropping = tensorFloats();
    dropping.dot = [](const Terms &a, const Terms &b) {
      return plainDot(a, b) - a.back() * b.back();
    };
    EXPECT_EQ(judge(dropping, lowerPrecision), "wrong") << k;
    EXPECT_THAT(message, HasSubstr("small exact"));
    EXPECT_EQ(judge(tensorFloats(), lowerPrecision), "ok") << k << message;
    MatmulVariant coarser{.name = "",
                          .read = [](float x) { return roundTo(x, 4); }};
    EXPECT_EQ(judge(coarser, lowerPrecision), k < 1024 ? "wrong" : "ok") << k;
  }
}

TEST(OracleLowerPrecision, IsThatOfTheInputs) {
  auto lowered = [](ElementType accumulator,
                    const std::vector<ElementType> &inputs) {
    Signature signature;
    for (ElementType type : inputs)
      signature.push_back({"arg", type, {8}, Access::read, 64});
    signature.push_back({"result", ElementType::bf16, {8}, Access::write, 64});
    return Arithmetic::lowered(accumulator, signature);
  };
  using enum ElementType;
  EXPECT_EQ(lowered(f32, {f32}).roundoff, 0x1p-11);
  EXPECT_FALSE(lowered(f32, {f32}).hasNarrowRange);
  EXPECT_EQ(lowered(f32, {f16}).roundoff, 0x1p-11);
  EXPECT_TRUE(lowered(f32, {f16}).hasNarrowRange);
  EXPECT_EQ(lowered(f32, {f16, bf16}).roundoff, 0x1p-8);
  EXPECT_EQ(lowered(f64, {f64}).roundoff, 0x1p-24);
  EXPECT_EQ(lowered(f64, {f32}).roundoff, 0x1p-24);
  EXPECT_EQ(lowered(bf16, {f32}).roundoff, 0x1p-8);
  EXPECT_EQ(lowered(f16, {f16}).roundoff, 0x1p-11);
  EXPECT_EQ(lowered(f32, {i8}).roundoff, 0x1p-24);
}

TEST(OracleNan, IsAllowedByName) {
  auto nans = [](auto element, int count) {
    using T = decltype(element);
    return [=](std::span<void *const> buffers) {
      auto *x = static_cast<const T *>(buffers[0]);
      auto *y = static_cast<T *>(buffers[1]);
      for (int i = 0; i < 100; ++i)
        y[i] = i < count ? T(NAN) : x[i];
    };
  };
  Judge judge({{"arg0", ElementType::f32, {100}, Access::read, 64},
               {"result0", ElementType::f32, {100}, Access::write, 64}});
  auto refused = judge.open(nans(double(), 9));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("--allow-nan"));
  judge.options = nanAllowed;
  FakeKernel reference = nans(double(), 9);
  EXPECT_EQ(judge.judge(reference, nans(float(), 9)), "ok") << judge.message;
  EXPECT_EQ(judge.judge(reference, nans(float(), 8)), "wrong");
  EXPECT_EQ(judge.judge(reference, nans(float(), 10)), "wrong");
}

TEST(OracleOptionsJson, EachFieldSurvives) {
  OracleOptions errorsAccepted;
  errorsAccepted.errors = *parseAcceptedErrors("1e-3,result0=4ulps");
  for (const OracleOptions &options :
       {OracleOptions(), nondeterminism, lowerPrecision, nanAllowed,
        errorsAccepted}) {
    auto back = decode<OracleOptions>(Json(options));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, options);
  }
  EXPECT_NE(Json(nanAllowed), Json(OracleOptions()));
}
