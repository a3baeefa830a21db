//===- Tests for kernels in OpenCL C --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/OpenClC/Worker/OpenClSource.h"
#include "tonno/Core/Artifact.h"

#include <gtest/gtest.h>

using namespace tonno;

static OpenClSource makeSource() {
  OpenClSource source;
  source.file = "k.cl";
  source.source = "int f_k(int);\n// k\nkernel void k\n  (global int *x) {}\n";
  source.name = "k";
  source.options = "-cl-mad-enable";
  source.arguments = {{"x", "[4]"}};
  source.space = SearchSpace(
      {{"TS", {8, 16}, 1}, {"T", {"float4", "int"}}, {"ON", {false, true}}});
  return source;
}

TEST(OpenClSource, KnowsWhereItsKernelIs) {
  EXPECT_EQ(makeSource().line(), 3u);
  OpenClSource other = makeSource();
  other.name = "f";
  EXPECT_EQ(other.line(), 0u);
}

TEST(OpenClSource, DefinesKnobsForTheBuild) {
  EXPECT_EQ(makeSource().buildOptions({{1, 0, 1}}),
            "-cl-mad-enable -D TS=16 -D T=float4 -D ON=1");
}

TEST(OpenClSource, LooksForWhatItIncludesWhereItIs) {
  OpenClSource source = makeSource();
  EXPECT_EQ(source.localBuildOptions({{1, 0, 1}}),
            source.buildOptions({{1, 0, 1}}));
  source.includeFolder = "/a/b";
  source.textHash = std::string(16, '7') + std::string(48, '8');
  const std::string own = "-I /a/b -D TONNO_TEXT=x7777777777777777";
  EXPECT_EQ(source.localBuildOptions({{1, 0, 1}}),
            own + " -cl-mad-enable -D TS=16 -D T=float4 -D ON=1");
  source.options = "";
  source.space = SearchSpace();
  EXPECT_EQ(source.localBuildOptions({}), own);
}

TEST(OpenClSource, HasMacrosOfWordsAlone) {
  EXPECT_EQ(macroValue(-3), "-3");
  EXPECT_EQ(macroValue(false), "0");
  EXPECT_EQ(macroValue("a->b"), "a->b");
  EXPECT_EQ(macroValue("a b"), std::nullopt);
  EXPECT_EQ(macroValue("\""), std::nullopt);
  EXPECT_EQ(macroValue(""), std::nullopt);
  EXPECT_EQ(macroValue(Json::array({1, 2})), std::nullopt);
}

TEST(OpenClSource, TravelsAsJson) {
  OpenClSource before = makeSource();
  before.includeFolder = "/a/b";
  auto after = decode<OpenClSource>(Json(before));
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(Json(*after), Json(before));
  EXPECT_FALSE(decode<OpenClSource>(Json{{"file", "k.cl"}}).ok());
}

/// The binary does not contain its launches.
TEST(OpenClSource, ArtifactsDifferByTheirLaunches) {
  Artifact one;
  one.target = openClTarget;
  one.binary = {1, 2, 3};
  one.origin = "source and options";
  one.plan.launches = {{"k", {}}};
  Artifact other = one;
  EXPECT_EQ(one.hash(), other.hash());
  other.plan.launches[0].geometry.block = {8, 8, 1};
  EXPECT_NE(one.hash(), other.hash());
  other = one;
  other.plan.launches[0].plain = {{0, {1, 0, 0, 0}}};
  EXPECT_NE(one.hash(), other.hash());
  other = one;
  other.binary = {4};
  EXPECT_EQ(one.hash(), other.hash());
  other.origin = "other options";
  EXPECT_NE(one.hash(), other.hash());
  one.origin = other.origin = "";
  EXPECT_NE(one.hash(), other.hash());
}

TEST(OpenClSource, PlansKeepWhatIsNoBuffer) {
  LaunchPlan plan;
  plan.launches = {{"k", {}}};
  plan.launches[0].plain = {{1, {7, 0, 0, 0}}, {2, {}, 256}};
  auto after = decode<LaunchPlan>(Json(plan));
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(*after, plan);
}
