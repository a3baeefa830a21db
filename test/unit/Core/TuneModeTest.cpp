//===- Options and the variable choose a mode -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/TuneMode.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace tonno;

namespace {

/// Sets $TONNO_MODE for a test, and unsets it.
struct TuneModeTest : testing::Test {
  TuneModeTest() { ::unsetenv(modeVariable); }
  ~TuneModeTest() override { ::unsetenv(modeVariable); }
  static void set(const char *mode) { ::setenv(modeVariable, mode, 1); }
};

} // namespace

TEST_F(TuneModeTest, WithoutOptionAndVariableItIsTune) {
  EXPECT_EQ(chooseMode("mode", {})->mode, TuneMode::tune);
  set("");
  EXPECT_EQ(chooseMode("mode", {})->mode, TuneMode::tune);
  EXPECT_EQ(chooseMode("mode", {})->describe(), "");
}

TEST_F(TuneModeTest, OptionWinsOverVariable) {
  set("off");
  EXPECT_EQ(chooseMode("mode", {})->mode, TuneMode::off);
  EXPECT_EQ(chooseMode("mode", {})->describe(), "mode off by TONNO_MODE");
  EXPECT_EQ(chooseMode("mode", "cached")->mode, TuneMode::cached);
  EXPECT_EQ(chooseMode("mode", "cached")->describe(), "mode cached");
  EXPECT_EQ(chooseMode("mode", "tune")->mode, TuneMode::tune);
  set("sometimes");
  EXPECT_TRUE(chooseMode("mode", "tune").ok());
}

TEST_F(TuneModeTest, UnknownModeNamesItsSourceAndTheModes) {
  set("sometimes");
  EXPECT_EQ(
      chooseMode("mode", {}).error().message,
      "TONNO_MODE: unknown mode 'sometimes'; the modes are: tune, cached, "
      "off");
  EXPECT_EQ(chooseMode("mode", "").error().message,
            "mode: unknown mode ''; the modes are: tune, cached, off");
}
