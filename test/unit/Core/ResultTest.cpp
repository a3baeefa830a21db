//===- Results, and their way through functions ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Result.h"

#include <gtest/gtest.h>

#include <memory>

using namespace tonno;

static Result<std::unique_ptr<int>> half(int number) {
  if (number % 2)
    return Error{std::to_string(number) + " is odd"};
  return std::make_unique<int>(number / 2);
}

static Result<void> checkHalf(int number) {
  TONNO_TRY(half(number));
  return {};
}

static Result<int> quarter(int number) {
  std::unique_ptr<int> once = TONNO_TRY(half(number)); // moved, not copied
  TONNO_TRY(checkHalf(*once));
  return *TONNO_TRY(half(*once));
}

TEST(Result, TryGivesTheValueOrReturnsTheError) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(7).error().message, "7 is odd");
  EXPECT_EQ(quarter(6).error().message, "3 is odd");
}
