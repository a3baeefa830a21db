//===- The gate accepts the errors that the user does ---------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Judge.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

constexpr int64_t elements = 1024;

/// Copies numbers, each by a change.
class OracleTolerance : public testing::Test {
protected:
  /// Returns the verdict on copies in f32 that are changed.
  template <typename Change>
  std::string judge(const char *tolerance, Change change) {
    judged.options.errors = *parseAcceptedErrors(tolerance);
    return judged.judge(copy<double>([](double x) { return x; }),
                        copy<float>(change));
  }

  template <typename T, typename Change> static FakeKernel copy(Change change) {
    return [=](std::span<void *const> buffers) {
      auto *x = static_cast<const T *>(buffers[0]);
      auto *y = static_cast<T *>(buffers[1]);
      for (int64_t i = 0; i < elements; ++i)
        y[i] = change(x[i]);
    };
  }

  Judge judged =
      Judge({{"arg0", ElementType::f32, {elements}, Access::read, 64},
             {"result0", ElementType::f32, {elements}, Access::write, 64}});
};

} // namespace

TEST_F(OracleTolerance, HasEachUnit) {
  auto scaled = [](double by) {
    return [=](float x) { return static_cast<float>(x * (1 + by)); };
  };
  auto shifted = [](double by) {
    return [=](float x) { return static_cast<float>(x + by); };
  };
  EXPECT_EQ(judge("1e-3rel", scaled(0.9e-3)), "ok") << judged.message;
  EXPECT_EQ(judge("1e-3rel", scaled(2e-3)), "wrong");
  EXPECT_EQ(judge("1e-3abs", shifted(0.9e-3)), "ok") << judged.message;
  EXPECT_EQ(judge("1e-3abs", shifted(2e-3)), "wrong");
  // Numbers of the small exact pass are +-1, others are uniform or integers.
  EXPECT_EQ(judge("1e-3", shifted(0.5e-3)), "ok") << judged.message;
  EXPECT_EQ(judge("1e-3", shifted(2e-3)), "wrong");
  EXPECT_EQ(judge("8ulps", scaled(0x1p-21)), "ok") << judged.message;
  EXPECT_EQ(judge("8ulps", scaled(0x1p-19)), "wrong");
}

TEST_F(OracleTolerance, IsNotTakenWithout) {
  judged.options.errors = {};
  EXPECT_EQ(judged.judge(copy<double>([](double x) { return x; }),
                         copy<float>([](float x) { return x * 1.0005f; })),
            "wrong");
}

TEST_F(OracleTolerance, KeepsNanAndWhatIsNotWritten) {
  EXPECT_EQ(judge("1e30abs", [](float) { return std::nanf(""); }), "wrong");
  EXPECT_EQ(judge("1e30abs", [](float) { return HUGE_VALF; }), "wrong");
}

TEST_F(OracleTolerance, MessageHasTheAcceptedError) {
  EXPECT_EQ(judge("0.25abs", [](float x) { return x + 1; }), "wrong");
  EXPECT_THAT(judged.message, HasSubstr("+- 0.25"));
}

TEST_F(OracleTolerance, IsOfAnOutputWithReals) {
  auto open = [&](const char *tolerance) {
    judged.options.errors = *parseAcceptedErrors(tolerance);
    auto oracle = judged.open(copy<double>([](double x) { return x; }));
    return oracle ? std::string() : oracle.error().message;
  };
  EXPECT_EQ(open("result0=1e-3"), "");
  EXPECT_THAT(open("arg0=1e-3"), HasSubstr("no output 'arg0'"));
  EXPECT_THAT(open("arg0=1e-3"), HasSubstr("its outputs are: result0"));
}

/// Integers, of which a candidate gives each next one.
TEST(OracleToleranceOfIntegers, IsANumber) {
  Judge judged({{"arg0", ElementType::i8, {elements}, Access::read, 64},
                {"result0", ElementType::i8, {elements}, Access::write, 64}});
  auto add = [](int number) -> FakeKernel {
    return [=](std::span<void *const> buffers) {
      auto *x = static_cast<const int8_t *>(buffers[0]);
      auto *y = static_cast<int8_t *>(buffers[1]);
      for (int64_t i = 0; i < elements; ++i)
        y[i] = static_cast<int8_t>(x[i] / 2 + number);
    };
  };
  auto open = [&](const char *tolerance) {
    judged.options.errors = *parseAcceptedErrors(tolerance);
    auto oracle = judged.open(add(0));
    return oracle ? std::string() : oracle.error().message;
  };
  EXPECT_THAT(open("1abs"), HasSubstr("name the output"));
  EXPECT_THAT(open("result0=1rel"), HasSubstr("result0 has integers"));
  EXPECT_EQ(open("result0=1abs"), "");
  EXPECT_EQ(judged.judge(add(0), add(1)), "ok") << judged.message;
  EXPECT_EQ(judged.judge(add(0), add(2)), "wrong");
}
