//===- Tests for compile limits on a busy machine -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WorkerProcess.h"

#include "Starvation.h"

#include <gmock/gmock.h>

using namespace tonno;

namespace {

class StarvedWorkerTest : public testing::Test {
protected:
  /// Compiles in a worker with this limit for a compilation.
  Compilation compile(const std::string &way, const std::string &seconds) {
    WorkerProcess worker({WORKER, seconds});
    std::string text = "func.func @kernel(%a: tensor<4xf32>) -> tensor<4xf32> "
                       "attributes {way = #tonno.knob<\"way\" from [\"" +
                       way + "\"]>} { return %a : tensor<4xf32> }";
    auto opened =
        worker.open({{text.begin(), text.end()}, "kernel", "fake", "native"});
    EXPECT_TRUE(opened.ok()) << opened.error().text();
    worker.submit({{"way", way}});
    return worker.next();
  }

  Starvation starvation; // what is started has a fourth of one processor
};

} // namespace

TEST_F(StarvedWorkerTest, WhatNeedsLessThanTheLimitIsNoTimeout) {
  Compilation compilation = compile("computes", "0.8"); // 0.3 s
  EXPECT_EQ(compilation.status, Status::ok) << compilation.message;
  // Wall-clock time was longer: a limit on it would have ended the compilation.
  EXPECT_GT(compilation.seconds, 0.8);
}

TEST_F(StarvedWorkerTest, WhatDoesNotEndIsATimeout) {
  for (const char *way : {"hangs", "computes without end"})
    EXPECT_EQ(compile(way, "0.3").status, Status::compile_timeout) << way;
}
