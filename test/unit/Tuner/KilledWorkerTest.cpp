//===- A worker that somebody ends ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WorkerProcess.h"

#include "Leftovers.h"
#include "TemporaryDirectory.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// The worker is killed while it opens a kernel or compiles: once, or always.
class KilledWorkerTest : public testing::Test {
protected:
  void TearDown() override {
    ::unsetenv(opening);
    ::unsetenv(compiling);
  }

  void killOnce(const char *when) {
    ::setenv(when, (directory / "once").c_str(), 1);
  }
  void killAlways(const char *when) { ::setenv(when, "", 1); }

  Result<CompilerDescription, LocatedError> open() {
    std::string text = "func.func @kernel(%a: tensor<4xf32>) -> tensor<4xf32> "
                       "attributes {way = #tonno.knob<\"way\" from "
                       "[\"well\", \"better\"]>} "
                       "{ return %a : tensor<4xf32> }";
    return worker.open(
        {{text.begin(), text.end()}, "kernel", "fake", "native"});
  }
  Compilation compile(const std::string &way) {
    worker.submit({{"way", way}});
    return worker.next();
  }

  static constexpr const char *opening = "TONNO_TEST_KILL_OPENING";
  static constexpr const char *compiling = "TONNO_TEST_KILL_COMPILING";
  testing::Matcher<std::string> endedTwice =
      AllOf(HasSubstr("signal 9"), HasSubstr("previous worker ended as well"),
            HasSubstr("enough memory"));
  TemporaryDirectory directory;
  Leftovers leftovers; // the worker goes before it
  WorkerProcess worker = WorkerProcess({WORKER});
};

} // namespace

TEST_F(KilledWorkerTest, KernelIsOpenedAgainOnce) {
  killOnce(opening);
  auto opened = open();
  ASSERT_TRUE(opened.ok()) << opened.error().text();
  EXPECT_EQ(compile("well").status, Status::ok);
  killAlways(opening);
  opened = open();
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().text(), endedTwice);
}

TEST_F(KilledWorkerTest, ReferenceIsCompiledAgainOnce) {
  killOnce(compiling);
  ASSERT_TRUE(open().ok());
  auto problem = worker.reference(ReferenceCpu::native);
  EXPECT_TRUE(problem.ok()) << problem.error().text();
  EXPECT_EQ(compile("well").status, Status::ok);
  killAlways(compiling);
  ASSERT_TRUE(open().ok());
  problem = worker.reference(ReferenceCpu::native);
  ASSERT_FALSE(problem.ok());
  EXPECT_THAT(problem.error().text(), endedTwice);
  // No worker is left.
  EXPECT_FALSE(worker.reference(ReferenceCpu::native).ok());
}

TEST_F(KilledWorkerTest, CandidateIsCompiledAgainOnce) {
  killOnce(compiling);
  ASSERT_TRUE(open().ok());
  for (const char *way : {"well", "better"})
    worker.submit({{"way", way}});
  for (int i = 0; i < 2; ++i) {
    Compilation compilation = worker.next();
    EXPECT_EQ(compilation.status, Status::ok) << compilation.message;
  }
  killAlways(compiling);
  ASSERT_TRUE(open().ok());
  Compilation compilation = compile("well");
  EXPECT_EQ(compilation.status, Status::lost);
  EXPECT_THAT(compilation.message, endedTwice);
}
