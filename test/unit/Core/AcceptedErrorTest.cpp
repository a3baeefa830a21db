//===- Tests of errors that users accept ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/AcceptedError.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(AcceptedErrors, HaveAnOutputAndAUnit) {
  auto errors =
      parseAcceptedErrors("result1=0.5abs,1e-3,result0=4ulps,2e-4rel");
  ASSERT_TRUE(errors.ok()) << errors.error().message;
  EXPECT_THAT(*errors,
              ElementsAre(AcceptedError{"", ErrorUnit::rms, 1e-3},
                          AcceptedError{"", ErrorUnit::rel, 2e-4},
                          AcceptedError{"result0", ErrorUnit::ulps, 4},
                          AcceptedError{"result1", ErrorUnit::abs, 0.5}));
}

TEST(AcceptedErrors, AreReadBackFromTheirText) {
  for (const char *text : {"0.001", "0.001,1e-06abs,result0=4.0ulps",
                           "result0=0.25rel,result1=0.0"}) {
    auto errors = parseAcceptedErrors(text);
    ASSERT_TRUE(errors.ok()) << text;
    EXPECT_EQ(toString(*errors), text);
    auto back = decode<std::vector<AcceptedError>>(Json(*errors));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, *errors);
  }
}

TEST(AcceptedErrors, TextThatIsNoErrorIsRefusedWithARemedy) {
  for (const char *text :
       {"", "x", "1e-3%", "-1", "nan", "inf", "1e999", "=1e-3",
        "result0=", "1e-3,", "1e-3 rel", "1ulp", "result0=1=2"}) {
    auto errors = parseAcceptedErrors(text);
    ASSERT_FALSE(errors.ok()) << text;
    EXPECT_THAT(errors.error().message,
                HasSubstr("is not an error; give one such as 1e-3"));
  }
}

TEST(AcceptedErrors, OfOneUnitAreGivenOnce) {
  auto errors = parseAcceptedErrors("1e-3,1e-4");
  ASSERT_FALSE(errors.ok());
  EXPECT_THAT(errors.error().message,
              HasSubstr("all outputs have two errors of the unit 'rms'"));
  errors = parseAcceptedErrors("a=1rel,a=2rel");
  ASSERT_FALSE(errors.ok());
  EXPECT_THAT(errors.error().message, HasSubstr("a has two errors"));
  EXPECT_TRUE(parseAcceptedErrors("a=1rel,a=2abs,b=1rel").ok());
}
