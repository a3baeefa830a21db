//===- Nothing is compiled ahead ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/WorkerPool.h"

#include "Engine/Fakes.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(OnDemandCompiler, CompilesWhatIsAskedForInItsOrder) {
  FakeCompiler inner;
  OnDemandCompiler compiler(inner);
  for (int x : {3, 1, 2})
    compiler.submit({{"X", x}});
  EXPECT_THAT(inner.submitted, IsEmpty());
  EXPECT_EQ(compiler.next().artifact->binary.at(0), 3);
  EXPECT_THAT(inner.submitted, ElementsAre(3));
  compiler.submit({{"X", 7}});
  for (int x : {1, 2, 7})
    EXPECT_EQ(compiler.next().artifact->binary.at(0), x);
  EXPECT_EQ(inner.mostOpen, 1u);
}

TEST(OnDemandCompiler, ForgetsWhatAnotherKernelWasAskedFor) {
  FakeCompiler inner;
  OnDemandCompiler compiler(inner);
  compiler.submit({{"X", 3}});
  ASSERT_TRUE(compiler.open({}).ok());
  compiler.submit({{"X", 4}});
  EXPECT_EQ(compiler.next().artifact->binary.at(0), 4);
  EXPECT_THAT(inner.submitted, ElementsAre(4));
}
