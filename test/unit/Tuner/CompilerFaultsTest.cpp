//===- Nothing that a compiler does can hurt ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WorkerProcess.h"

#include "Leftovers.h"
#include "Sanitized.h"

#include <gmock/gmock.h>
#include <ostream>

using namespace tonno;
using testing::HasSubstr;

namespace {

struct CompilerFault {
  const char *name;
  const char *way;
  Status status;
  const char *message; ///< a part of it
  bool needsMemoryLimit = false;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for it.
void PrintTo(const CompilerFault &fault, std::ostream *stream) {
  *stream << fault.way;
}

/// Each in a worker that gives a compilation 64 MiB, and half a second if it is
/// to take too long.
class CompilerFaultsTest : public testing::TestWithParam<CompilerFault> {
protected:
  void SetUp() override {
    std::string text = "func.func @kernel(%a: tensor<4xf32>) -> tensor<4xf32> "
                       "attributes {way = #tonno.knob<\"way\" from [\"well\", "
                       "\"better\", \"" +
                       std::string(GetParam().way) +
                       "\"]>} { return %a : tensor<4xf32> }";
    auto opened =
        worker.open({{text.begin(), text.end()}, "kernel", "fake", "native"});
    ASSERT_TRUE(opened.ok()) << opened.error().text();
  }

  Compilation compile(const std::string &way) {
    worker.submit({{"way", way}});
    return worker.next();
  }
  std::string textOf(const std::string &way) {
    Compilation compilation = compile(way);
    if (!compilation.artifact)
      return compilation.message;
    const std::vector<uint8_t> &binary = compilation.artifact->binary;
    return {binary.begin(), binary.end()};
  }

  static constexpr uint64_t memory = uint64_t{isSanitized ? 8192 : 64} << 20;
  Leftovers leftovers; // the worker goes before it
  const char *seconds =
      GetParam().status == Status::compile_timeout ? "0.5" : "60";
  WorkerProcess worker =
      WorkerProcess({WORKER, seconds, std::to_string(memory), "100"});
};

} // namespace

static const CompilerFault faults[] = {
    {"Diagnostic", "refuses", Status::compile_error, "too large a tile"},
    {"Silence", "fails silently", Status::compile_error, "no reason"},
    {"Assertion", "aborts", Status::compile_crash, "Aborted"},
    {"FatalError", "breaks down: fatal error", Status::compile_crash, ""},
    {"Exception", "breaks down: throw", Status::compile_crash, "Aborted"},
    {"StackOverflow", "breaks down: stack", Status::compile_crash, "crashed"},
    {"Exit", "exits", Status::compile_crash, "exit status 3"},
    {"Hang", "hangs", Status::compile_timeout, "did not compile within"},
    {"Stop", "breaks down: stop", Status::compile_timeout,
     "did not compile within"},
    {"Allocation", "allocates", Status::out_of_memory, "needs more than", true},
    {"Signal", "terminates", Status::compile_crash, "signal 15"},
    {"Kill", "is killed", Status::out_of_memory, "killed"},
    {"WritesEverywhere", "breaks down: write everywhere", Status::compile_crash,
     "worker's frames"},
    {"ClosesAll", "breaks down: close all", Status::compile_crash, ""},
    {"LeavesAProcess", "breaks down: leave a process", Status::ok, ""},
    {"Fork", "breaks down: fork", Status::ok, ""},
};

INSTANTIATE_TEST_SUITE_P(All, CompilerFaultsTest, testing::ValuesIn(faults),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST_P(CompilerFaultsTest, HasItsStatusAndHurtsNobody) {
  if (GetParam().needsMemoryLimit && isSanitized)
    GTEST_SKIP() << "the sanitizer's own memory does not fit into the limit";
  for (int i = 0; i < 2; ++i) {
    Compilation compilation = compile(GetParam().way);
    EXPECT_EQ(compilation.status, GetParam().status)
        << toString(compilation.status) << ": " << compilation.message;
    EXPECT_THAT(compilation.message, HasSubstr(GetParam().message));
    EXPECT_EQ(compilation.artifact.has_value(),
              compilation.status == Status::ok);
    // The worker is the same, and its answers are to what was asked.
    EXPECT_EQ(textOf("better"), "better");
    EXPECT_EQ(textOf("well"), "well");
  }
}

TEST(CompilerCancelled, NothingIsWaitedForOrStartedAnew) {
  std::string text = "func.func @kernel(%a: f32) -> f32 attributes {way = "
                     "#tonno.knob<\"way\" from [\"hangs\", \"well\"]>} "
                     "{ return %a : f32 }";
  Leftovers leftovers;
  bool isCancelled = false;
  int asked = 0;
  WorkerProcess worker({WORKER}, [&] { return isCancelled && ++asked > 2; });
  ASSERT_TRUE(
      worker.open({{text.begin(), text.end()}, "kernel", "fake", "native"})
          .ok());
  for (const char *way : {"hangs", "well"})
    worker.submit({{"way", way}});
  isCancelled = true; // a little later
  for (const char *message : {"interrupted while waiting for the worker",
                              "the worker is not running"}) {
    Compilation compilation = worker.next();
    EXPECT_EQ(compilation.status, Status::lost);
    EXPECT_EQ(compilation.message, message);
  }
}

TEST(CompileLimit, IsTheSessionsIfItStatesOne) {
  std::string text = "func.func @kernel(%a: tensor<4xf32>) -> tensor<4xf32> "
                     "attributes {way = #tonno.knob<\"way\" from [\"hangs\"]>} "
                     "{ return %a : tensor<4xf32> }";
  CompilerSession session = {
      {text.begin(), text.end()}, "kernel", "fake", "native"};
  session.compileSeconds = 0.2;
  WorkerProcess worker({WORKER, "1000"});
  ASSERT_TRUE(worker.open(session).ok());
  worker.submit({{"way", "hangs"}});
  Compilation compilation = worker.next();
  EXPECT_EQ(compilation.status, Status::compile_timeout);
  EXPECT_EQ(compilation.message, "did not compile within 0.2 s; raise the "
                                 "limit by '--compile-seconds=<s>'");
  // The next session's is its own.
  WorkerProcess brief({WORKER, "0.001"});
  session.compileSeconds = 60;
  ASSERT_TRUE(brief.open(session).ok());
  EXPECT_TRUE(brief.reference(ReferenceCpu::native).ok());
}

TEST(CompileLimit, FollowsWhatOthersTook) {
  std::string text = "func.func @kernel(%a: tensor<4xf32>) -> tensor<4xf32> "
                     "attributes {way = #tonno.knob<\"way\" from [\"hangs\", "
                     "\"a\", \"b\", \"c\", \"d\", \"e\"]>} "
                     "{ return %a : tensor<4xf32> }";
  CompilerSession session = {
      {text.begin(), text.end()}, "kernel", "fake", "native"};
  WorkerProcess worker(
      {WORKER, "1000", std::to_string(uint64_t{8} << 30), "100", "0.3"});
  ASSERT_TRUE(worker.open(session).ok());
  for (const char *way : {"a", "b", "c", "d", "e"}) {
    worker.submit({{"way", way}});
    EXPECT_EQ(worker.next().status, Status::ok);
  }
  worker.submit({{"way", "hangs"}});
  Compilation compilation = worker.next();
  EXPECT_EQ(compilation.status, Status::compile_timeout);
  EXPECT_THAT(compilation.message, HasSubstr(", while the slowest of 5 other "
                                             "candidates took "));
  // The reference has a limit of its own.
  EXPECT_TRUE(worker.reference(ReferenceCpu::native).ok());
}
