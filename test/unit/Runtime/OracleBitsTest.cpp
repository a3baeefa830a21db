//===- Tests for candidates with the default's bits -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Judge.h"
#include "Matmuls.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>

using namespace tonno;
using testing::HasSubstr;

namespace {

/// A matrix product whose default configuration is the textbook's.
class OracleBitsTest : public testing::Test {
protected:
  OracleBitsTest() {
    judge.reductionLength = static_cast<uint64_t>(shape.k);
    judge.options.bits = Bits::same;
  }

  /// Returns an oracle that requires the bits of a kernel.
  Result<Oracle> open(const FakeKernel &ofDefault) {
    auto oracle = judge.open(referenceMatmul(shape));
    judge.device.kernels["default"] = ofDefault;
    if (oracle)
      TONNO_TRY(oracle->requireBits(
          judge.device, FakeDevice::artifactOf("default", judge.plan)));
    return oracle;
  }

  Result<Verified, Failure> verify(const MatmulVariant &variant,
                                   Verification verification) {
    auto oracle = open(matmul(shape, {.name = "default"}));
    EXPECT_TRUE(oracle.ok());
    judge.device.kernels["candidate"] = matmul(shape, variant);
    auto candidate =
        judge.device.load(FakeDevice::artifactOf("candidate", judge.plan));
    return oracle->verify(judge.device, **candidate, judge.plan, verification);
  }

  /// Returns why the bits of a right candidate differ; empty if they don't.
  std::string findOtherBits(const MatmulVariant &variant,
                            Verification verification = Verification::winner) {
    auto verified = verify(variant, verification);
    EXPECT_TRUE(verified.ok());
    if (!verified || !verified->otherBits)
      return "";
    EXPECT_EQ(verified->otherBits->status, Status::different_bits);
    isOtherOnUsualInputs = verified->isOtherOnUsualInputs;
    return verified->otherBits->message;
  }

  MatmulShape shape = {6, 7, 64};
  Judge judge{shape.plan(ElementType::f32).buffers};
  bool isOtherOnUsualInputs = false;
};

} // namespace

/// Sums from the last product to the first if `isBackward` says so.
static MatmulVariant
sumBackward(const std::function<bool(const Terms &a)> &isBackward) {
  return {.name = "backward", .dot = [=](const Terms &a, const Terms &b) {
            if (!isBackward(a))
              return plainDot(a, b);
            float sum = 0;
            for (size_t t = a.size(); t-- > 0;)
              sum += a[t] * b[t];
            return sum;
          }};
}

TEST_F(OracleBitsTest, EqualCodeGivesEqualBits) {
  EXPECT_EQ(findOtherBits({.name = "equal"}), "");
}

TEST_F(OracleBitsTest, AnotherOrderOfSummationIsRightWithOtherBits) {
  auto always = sumBackward([](const Terms &) { return true; });
  EXPECT_THAT(findOtherBits(always, Verification::trial),
              HasSubstr("elements differ (real-valued pass)"));
  EXPECT_TRUE(isOtherOnUsualInputs);
  EXPECT_THAT(findOtherBits(always), HasSubstr("(sums that cancel pass)"));
  EXPECT_TRUE(isOtherOnUsualInputs);
}

TEST_F(OracleBitsTest, TheMessageHasTheElementAndItsBytes) {
  MatmulVariant oneBit = {.name = "one bit",
                          .finish = [](float *c, const MatmulShape &) {
                            auto bits = std::bit_cast<uint32_t>(c[10]);
                            // Exact results stay, as they must.
                            if (c[10] != std::round(c[10]))
                              c[10] = std::bit_cast<float>(bits ^ 1);
                          }};
  std::string message = findOtherBits(oneBit, Verification::trial);
  EXPECT_THAT(message, testing::MatchesRegex(
                           "result0\\[1\\]\\[3\\] is .* \\(0x[0-9a-f]+\\), the "
                           "default gives .* \\(0x[0-9a-f]+\\); 1 of 42 "
                           "elements differ \\(real-valued pass\\)"));
}

TEST_F(OracleBitsTest, ADifferenceOnAdversarialInputsAloneIsFound) {
  // Integers are as large, but their sums are exact.
  auto large = sumBackward([](const Terms &a) {
    return std::ranges::any_of(a, [](float x) { return std::fabs(x) > 1000; });
  });
  EXPECT_EQ(findOtherBits(large, Verification::trial), "");
  EXPECT_THAT(findOtherBits(large), HasSubstr("(sums that cancel pass)"));
  EXPECT_FALSE(isOtherOnUsualInputs);
}

TEST_F(OracleBitsTest, AWrongCandidateStaysWrong) {
  MatmulVariant wrong = {.name = "wrong",
                         .finish = [](float *c, auto &) { c[3] += 1; }};
  auto verified = verify(wrong, Verification::winner);
  ASSERT_FALSE(verified.ok());
  EXPECT_EQ(verified.error().status, Status::wrong);
}

TEST_F(OracleBitsTest, WithoutADefaultAnyRightBitsAreAccepted) {
  auto always = sumBackward([](const Terms &) { return true; });
  EXPECT_EQ(judge.judge(referenceMatmul(shape), matmul(shape, always)), "ok");
}

TEST_F(OracleBitsTest, ADefaultThatVariesIsRefused) {
  int launches = 0;
  auto oracle = open([&](std::span<void *const> buffers) {
    matmul(shape, {.name = "default"})(buffers);
    static_cast<float *>(buffers[2])[0] = static_cast<float>(++launches);
  });
  ASSERT_FALSE(oracle.ok());
  EXPECT_THAT(
      oracle.error().message,
      HasSubstr("is not deterministic: a second launch computes another "
                "result0 (small exact pass)"));
  EXPECT_THAT(oracle.error().message, HasSubstr("leave out '--bits=same'"));
}

TEST_F(OracleBitsTest, ADefaultThatFailsIsRefused) {
  auto oracle = judge.open(referenceMatmul(shape));
  ASSERT_TRUE(oracle.ok());
  auto required = oracle->requireBits(
      judge.device, FakeDevice::artifactOf("absent", judge.plan));
  ASSERT_FALSE(required.ok());
  EXPECT_THAT(required.error().message,
              HasSubstr("whose bits '--bits=same' requires, fails, "
                        "'load_error'"));
}

namespace {

/// y = x, element by element: all special numbers are inputs.
class CopiedBitsTest : public testing::Test {
protected:
  CopiedBitsTest() { judge.options.bits = Bits::same; }

  /// Copies bits, changed by `change`.
  static FakeKernel copy(const std::function<uint32_t(uint32_t)> &change) {
    return [change](std::span<void *const> buffers) {
      auto *x = static_cast<const uint32_t *>(buffers[0]);
      auto *y = static_cast<uint32_t *>(buffers[1]);
      for (int i = 0; i < length; ++i)
        y[i] = change(x[i]);
    };
  }

  std::string judgeCopy(const std::function<uint32_t(uint32_t)> &change) {
    auto plain = copy([](uint32_t bits) { return bits; });
    judge.device.kernels["reference"] = [](std::span<void *const> buffers) {
      std::copy_n(static_cast<const double *>(buffers[0]), length,
                  static_cast<double *>(buffers[1]));
    };
    judge.device.kernels["plain"] = plain;
    Problem problem = {FakeDevice::artifactOf("reference", judge.referencePlan),
                       1, /*exact=*/true};
    problem.isElementwise = true;
    problem.plain = FakeDevice::artifactOf("plain", judge.plan);
    auto oracle = Oracle::create(problem, judge.plan.signature(), judge.seed,
                                 judge.device, judge.options);
    if (!oracle)
      return oracle.error().message;
    if (auto required = oracle->requireBits(judge.device, *problem.plain);
        !required)
      return required.error().message;
    judge.device.kernels["candidate"] = copy(change);
    auto candidate =
        judge.device.load(FakeDevice::artifactOf("candidate", judge.plan));
    auto verified = oracle->verify(judge.device, **candidate, judge.plan);
    if (!verified)
      return verified.error().message;
    return verified->otherBits ? verified->otherBits->message : "same";
  }

  static constexpr int length = 4000;
  Judge judge{{{"arg0", ElementType::f32, {length}, Access::read, 64},
               {"result0", ElementType::f32, {length}, Access::write, 64}}};
};

} // namespace

TEST_F(CopiedBitsTest, WhatTheGateIgnoresCounts) {
  EXPECT_EQ(judgeCopy([](uint32_t bits) { return bits; }), "same");
  auto isNan = [](uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; };
  auto isSubnormal = [](uint32_t bits) {
    return (bits & 0x7f800000) == 0 && (bits & 0x007fffff) != 0;
  };
  EXPECT_THAT(
      judgeCopy([](uint32_t bits) { return bits == 0x80000000 ? 0 : bits; }),
      HasSubstr("is 0 (0x00000000), the default gives -0 "
                "(0x80000000)"));
  EXPECT_THAT(judgeCopy([&](uint32_t bits) {
                return isSubnormal(bits) ? bits & 0x80000000 : bits;
              }),
              HasSubstr("elements differ"));
  EXPECT_THAT(judgeCopy([&](uint32_t bits) {
                return isNan(bits) ? (bits & 0x80000000) | 0x7fc00000 : bits;
              }),
              HasSubstr("(any bits pass)"));
}
