//===- Kernels one by one, on PoCL ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "QueueFixture.h"

using namespace tonno;
using ::testing::HasSubstr;

using AutotunerTest = QueueTest;

TEST_F(AutotunerTest, WritesWhatItFoundIntoTheSpec) {
  Autotuner tuner(queue);
  KernelSpec scale{"scale", scaleSource};
  auto first = tuner.tune(scale, {1 << 20}, options);
  ASSERT_TRUE(first) << first.error().message;
  if (first->isBusy) {
    EXPECT_TRUE(scale.workgroupSize.empty());
    GTEST_SKIP() << first->notes.back();
  }
  if (!first->isLasting())
    GTEST_SKIP() << first->notes.back();
  EXPECT_EQ(scale.workgroupSize, first->bestLocalSize);

  KernelSpec again{"scale", scaleSource};
  options.isCached = false; // it remembers by itself
  auto second = tuner.tune(again, {1 << 20}, options);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->isCached);
  EXPECT_EQ(again.workgroupSize, scale.workgroupSize);
  EXPECT_FALSE(tuner.tune(again, {1 << 17}, options)->isCached);
}

TEST_F(AutotunerTest, TellsWhatTheCompilerSays) {
  KernelSpec wrong{"scale", "__kernel void scale() { undeclared = 1; }"};
  auto result = Autotuner(queue).tune(wrong, {64}, options);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message,
              HasSubstr("'scale' does not compile: clBuildProgram gave "
                        "CL_BUILD_PROGRAM_FAILURE"));
  EXPECT_THAT(result.error().message, HasSubstr("undeclared"));
}

TEST_F(AutotunerTest, TellsThatAProgramHasNoSuchKernel) {
  KernelSpec other{"other", scaleSource};
  EXPECT_THAT(Autotuner(queue).tune(other, {64}, options).error().message,
              HasSubstr("the kernel 'other' gave CL_INVALID_KERNEL_NAME"));
}

TEST_F(AutotunerTest, BuildsWithTheOptionsOfTheSpec) {
  KernelSpec scale{"scale",
                   "__kernel void scale(__global float *x) {"
                   "  x[get_global_id(0)] *= FACTOR; }",
                   "-DFACTOR=3"};
  EXPECT_TRUE(scale.build(queue));
  scale.buildOptions.clear();
  EXPECT_FALSE(scale.build(queue));
}
