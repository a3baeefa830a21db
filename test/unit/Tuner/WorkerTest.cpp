//===- Whatever a compilation does, next comes back -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WorkerProcess.h"

#include "Processes.h"
#include "Sanitized.h"
#include "TemporaryDirectory.h"

#include <fstream>
#include <gmock/gmock.h>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

static constexpr char module[] = R"mlir(
func.func @kernel(%a: tensor<4xf32>) -> tensor<4xf32> attributes {
    way = #tonno.knob<"way" from ["well", "better", "refuses", "aborts",
                                  "exits", "hangs", "kills", "stops its worker", "fails silently",
                                  "is killed", "allocates", "has no pipe",
                                  "names its process", "is only good for one"]>
  } {
  return %a : tensor<4xf32> loc("kernel.mlir":4:3)
} loc("kernel.mlir":2:1)
)mlir";

static constexpr char badModule[] = R"mlir(
func.func @unsupported(%a: tensor<4xf32>) -> tensor<4xf32>
    attributes {unsupported} {
  return %a : tensor<4xf32>
} loc("kernel.mlir":9:1)
func.func @dynamic(%a: tensor<?xf32> loc("kernel.mlir":12:20))
    -> tensor<?xf32> {
  return %a : tensor<?xf32>
} loc("kernel.mlir":11:1)
)mlir";

static CompilerSession session(const std::string &text = module,
                               const std::string &kernel = "kernel") {
  return {{text.begin(), text.end()}, kernel, "fake", "native"};
}

static Json values(const std::string &way) { return {{"way", way}}; }

static std::string textOf(const Compilation &compilation) {
  if (!compilation.artifact)
    return "";
  const std::vector<uint8_t> &binary = compilation.artifact->binary;
  return {binary.begin(), binary.end()};
}

namespace {

class WorkerTest : public testing::Test {
protected:
  void SetUp() override {
    auto opened = worker.open(session());
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    description = *opened;
  }

  Compilation compile(const std::string &way) {
    worker.submit(values(way));
    return worker.next();
  }

  void expectStillWorks() {
    Compilation compilation = compile("well");
    EXPECT_EQ(compilation.status, Status::ok) << compilation.message;
    EXPECT_EQ(textOf(compilation), "well");
  }

  LocatedError refusal(const CompilerSession &session) {
    auto opened = worker.open(session);
    EXPECT_FALSE(opened.ok());
    return opened ? LocatedError() : opened.error();
  }

  WorkerProcess worker = WorkerProcess({WORKER});
  CompilerDescription description;
};

} // namespace

TEST_F(WorkerTest, DescribesTheKernelAndTheBackend) {
  EXPECT_EQ(description.triple, "fake-triple");
  EXPECT_EQ(description.chip, "fake-chip");
  EXPECT_EQ(description.features, "+fake");
  EXPECT_THAT(description.fingerprint,
              testing::MatchesRegex("fake 1, worker [0-9a-f]{16,40}"));
  EXPECT_THAT(description.versions,
              AllOf(HasSubstr("tonno "), HasSubstr("LLVM 22")));
  ASSERT_EQ(description.signature.size(), 2u);
  EXPECT_EQ(description.signature[1].shape, std::vector<int64_t>{4});
}

TEST_F(WorkerTest, CompilesWhatTheValuesSay) {
  Compilation compilation = compile("better");
  EXPECT_EQ(compilation.status, Status::ok) << compilation.message;
  EXPECT_EQ(textOf(compilation), "better");
  EXPECT_EQ(compilation.artifact->target, "fake");
  EXPECT_EQ(compilation.artifact->plan.signature(), description.signature);
  EXPECT_GT(compilation.seconds, 0);
}

TEST_F(WorkerTest, ResultsComeInTheOrderOfSubmission) {
  for (const char *way : {"well", "refuses", "better", "aborts", "well"})
    worker.submit(values(way));
  EXPECT_EQ(textOf(worker.next()), "well");
  EXPECT_EQ(worker.next().status, Status::compile_error);
  EXPECT_EQ(textOf(worker.next()), "better");
  EXPECT_EQ(worker.next().status, Status::compile_crash);
  EXPECT_EQ(textOf(worker.next()), "well");
}

TEST_F(WorkerTest, RefusalIsALocatedErrorWithItsNotes) {
  Compilation compilation = compile("refuses");
  EXPECT_EQ(compilation.status, Status::compile_error);
  EXPECT_EQ(compilation.message,
            "kernel.mlir:2:1: too large a tile; the cache has 32 KiB");
  EXPECT_FALSE(compilation.artifact.has_value());
  expectStillWorks();
}

TEST_F(WorkerTest, RefusalWithoutReasonSaysSo) {
  Compilation compilation = compile("fails silently");
  EXPECT_EQ(compilation.status, Status::compile_error);
  EXPECT_THAT(compilation.message, HasSubstr("no reason"));
}

TEST_F(WorkerTest, CrashCostsOneCandidate) {
  Compilation compilation = compile("aborts");
  EXPECT_EQ(compilation.status, Status::compile_crash);
  EXPECT_THAT(compilation.message, HasSubstr("Aborted"));
  expectStillWorks();
}

TEST_F(WorkerTest, ExitCostsOneCandidate) {
  Compilation compilation = compile("exits");
  EXPECT_EQ(compilation.status, Status::compile_crash);
  EXPECT_THAT(compilation.message, HasSubstr("exit status 3"));
  expectStillWorks();
}

TEST_F(WorkerTest, HangEndsAtTheLimit) {
  WorkerProcess impatient({WORKER, "0.5"});
  ASSERT_TRUE(impatient.open(session()).ok());
  for (const char *way : {"hangs", "well"})
    impatient.submit(values(way));
  EXPECT_EQ(impatient.next().status, Status::compile_timeout);
  EXPECT_EQ(textOf(impatient.next()), "well");
}

TEST_F(WorkerTest, KilledCompilationIsNotTheCandidatesFault) {
  Compilation compilation = compile("is killed");
  EXPECT_EQ(compilation.status, Status::out_of_memory);
  EXPECT_THAT(compilation.message, HasSubstr("killed, perhaps for lack of"));
  expectStillWorks();
}

TEST_F(WorkerTest, MemoryIsLimited) {
  if (isSanitized)
    GTEST_SKIP() << "the sanitizer's own memory does not fit into the limit";
  WorkerProcess small({WORKER, "60", std::to_string(64 << 20)});
  ASSERT_TRUE(small.open(session()).ok());
  for (const char *way : {"allocates", "well"})
    small.submit(values(way));
  Compilation compilation = small.next();
  EXPECT_EQ(compilation.status, Status::out_of_memory) << compilation.message;
  EXPECT_EQ(compilation.message, "the compiler needs more than 64 MiB of "
                                 "memory");
  EXPECT_EQ(textOf(small.next()), "well");
}

TEST_F(WorkerTest, CandidatesShareAProcessUntilOneFails) {
  std::string first = textOf(compile("names its process"));
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(textOf(compile("well")), "well");
  EXPECT_EQ(textOf(compile("names its process")), first);
  for (const char *way : {"refuses", "aborts", "exits", "has no pipe"}) {
    std::string before = textOf(compile("names its process"));
    EXPECT_NE(compile(way).status, Status::ok) << way;
    EXPECT_NE(textOf(compile("names its process")), before) << way;
  }
}

TEST_F(WorkerTest, FailureOfAUsedProcessIsTriedInAFreshOne) {
  EXPECT_EQ(textOf(compile("well")), "well");
  Compilation second = compile("is only good for one");
  EXPECT_EQ(second.status, Status::ok) << second.message;
}

TEST_F(WorkerTest, ProcessCompilesNoMoreCandidatesThanItMay) {
  WorkerProcess two({WORKER, "60", std::to_string(uint64_t{8} << 30), "2"});
  ASSERT_TRUE(two.open(session()).ok());
  std::vector<std::string> processes;
  for (int i = 0; i < 4; ++i) {
    two.submit(values("names its process"));
    processes.push_back(textOf(two.next()));
  }
  EXPECT_EQ(processes[0], processes[1]);
  EXPECT_NE(processes[1], processes[2]);
  EXPECT_EQ(processes[2], processes[3]);
}

TEST_F(WorkerTest, ErrorFromOutsideIsLost) {
  Compilation compilation = compile("has no pipe");
  EXPECT_EQ(compilation.status, Status::lost);
  EXPECT_EQ(compilation.message,
            "kernel.mlir:2:1: no pipe: too many open files");
  expectStillWorks();
}

TEST_F(WorkerTest, CompilationDiesWithItsWorker) {
  TemporaryDirectory directory;
  std::string file = directory / "pids";
  std::string way = "spins " + file;
  ASSERT_TRUE(worker
                  .open(session("func.func @kernel(%a: f32) -> f32 attributes "
                                "{way = #tonno.knob<\"way\" from [\"" +
                                way + "\"]>} { return %a : f32 }"))
                  .ok());
  worker.submit(values(way));
  pid_t compilation = 0, itsWorker = 0;
  for (Deadline end = inSeconds(60); Clock::now() < end && itsWorker == 0;)
    std::ifstream(file) >> compilation >> itsWorker;
  ASSERT_NE(itsWorker, 0);
  ::kill(itsWorker, SIGKILL);
  EXPECT_TRUE(exitsWithinGrace(compilation));
}

TEST_F(WorkerTest, ShowsLifeWhileItCompiles) {
  // A compilation may take longer than a worker may be silent.
  WorkerProcess lively({WORKER, "1.5", std::to_string(uint64_t{8} << 30), "100",
                        "10", /*aliveSeconds=*/"0.05"},
                       {.silentSeconds = 1});
  ASSERT_TRUE(lively.open(session()).ok());
  lively.submit(values("hangs"));
  Compilation compilation = lively.next();
  EXPECT_EQ(compilation.status, Status::compile_timeout) << compilation.message;
}

TEST_F(WorkerTest, SilentWorkerIsLost) {
  WorkerProcess impatient({WORKER}, {.silentSeconds = 1});
  ASSERT_TRUE(impatient.open(session()).ok());
  impatient.submit(values("stops its worker"));
  impatient.submit(values("well"));
  Compilation compilation = impatient.next();
  EXPECT_EQ(compilation.status, Status::lost);
  EXPECT_EQ(compilation.message, "the worker gave no answer within 1 s");
  EXPECT_EQ(textOf(impatient.next()), "well");
}

TEST_F(WorkerTest, RebuiltWorkerHasAnotherFingerprint) {
  // Sanitized, say: the linker's hash tells one from another.
  if (std::filesystem::file_size(WORKER) > size_t{64} << 20)
    GTEST_SKIP() << "the worker is too large to be hashed at each start";
  TemporaryDirectory directory;
  auto fingerprint = [&](const char *name, const char *more) {
    std::filesystem::path copy = directory / name;
    std::filesystem::copy_file(WORKER, copy);
    std::ofstream(copy, std::ios::app) << more;
    WorkerProcess other({copy.string()});
    auto opened = other.open(session());
    return opened ? opened->fingerprint : opened.error().text();
  };
  EXPECT_EQ(fingerprint("same", ""), description.fingerprint);
  EXPECT_NE(fingerprint("rebuilt", "x"), description.fingerprint);
}

TEST_F(WorkerTest, UnknownValuesAreCompileErrors) {
  EXPECT_THAT(compile("sideways").message,
              AllOf(HasSubstr("\"sideways\""), HasSubstr("\"well\"")));
  worker.submit({{"tile", 4}});
  Compilation compilation = worker.next();
  EXPECT_EQ(compilation.status, Status::compile_error);
  EXPECT_THAT(compilation.message, HasSubstr("unknown knob \"tile\""));
  expectStillWorks();
}

TEST_F(WorkerTest, DeadWorkerIsStartedAnewWithWhatWasSubmitted) {
  for (const char *way : {"well", "kills", "better", "well"})
    worker.submit(values(way));
  EXPECT_EQ(textOf(worker.next()), "well");
  Compilation lost = worker.next();
  EXPECT_EQ(lost.status, Status::lost);
  EXPECT_THAT(lost.message, HasSubstr("signal 9"));
  EXPECT_EQ(textOf(worker.next()), "better");
  EXPECT_EQ(textOf(worker.next()), "well");
}

TEST_F(WorkerTest, OpeningAnewForgetsWhatWasSubmitted) {
  // A session that ran out of time leaves submissions behind.
  worker.submit(values("well"));
  worker.submit(values("well"));
  ASSERT_TRUE(worker.open(session()).ok());
  worker.submit(values("kills"));
  worker.submit(values("better"));
  EXPECT_EQ(worker.next().status, Status::lost);
  EXPECT_EQ(textOf(worker.next()), "better");
}

TEST_F(WorkerTest, NextSessionGetsItsOwnAnswers) {
  for (const char *way : {"well", "refuses", "well"})
    worker.submit(values(way));
  EXPECT_EQ(textOf(worker.next()), "well");
  ASSERT_TRUE(worker
                  .open(session("func.func @other(%a: f32) -> f32 attributes "
                                "{way = #tonno.knob<\"way\" from [\"new\"]>} "
                                "{ return %a : f32 }",
                                "other"))
                  .ok());
  Compilation compilation = compile("new");
  EXPECT_EQ(textOf(compilation), "new") << compilation.message;
}

TEST_F(WorkerTest, ReferenceCompilesWithinTheLimit) {
  WorkerProcess impatient({WORKER, "0.001"});
  ASSERT_TRUE(impatient.open(session()).ok());
  auto problem = impatient.reference(ReferenceCpu::native);
  ASSERT_FALSE(problem.ok());
  EXPECT_THAT(problem.error().text(),
              HasSubstr("the reference: did not compile within"));
}

TEST_F(WorkerTest, ReferenceIsCompiledApart) {
  auto problem = worker.reference(ReferenceCpu::native);
  ASSERT_TRUE(problem.ok()) << problem.error().text();
  EXPECT_EQ(problem->reference.plan.buffers[0].elementType, ElementType::f64);
  EXPECT_TRUE(problem->mayTruncateSums); // as the backend says
  expectStillWorks();
}

TEST_F(WorkerTest, BadSessionsAreLocatedErrors) {
  LocatedError unsupported = refusal(session(badModule, "unsupported"));
  EXPECT_EQ(unsupported.text(),
            "kernel.mlir:9:1: the fake backend can't lower this");
  LocatedError dynamic = refusal(session(badModule, "dynamic"));
  EXPECT_EQ(dynamic.line, 12u);
  EXPECT_THAT(dynamic.message, HasSubstr("dynamic shape"));
  EXPECT_THAT(refusal(session(badModule, "gone")).message,
              HasSubstr("no function @gone"));
  EXPECT_THAT(refusal(session("func.func @kernel(")).message,
              HasSubstr("expected"));
  CompilerSession other = session();
  other.target = "vax";
  EXPECT_THAT(refusal(other).message, HasSubstr("unknown target 'vax'"));
  ASSERT_TRUE(worker.open(session()).ok());
  expectStillWorks();
}

TEST(CompilerMessages, ComeBackFromCbor) {
  auto throughCbor = [](const Json &json) {
    return Json::from_cbor(Json::to_cbor(json));
  };
  auto opened = decode<CompilerSession>(throughCbor(session()));
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(opened->module, session().module);
  EXPECT_EQ(opened->kernel, "kernel");
  Compilation failed{Status::compile_timeout, "slow", std::nullopt, 1.5};
  auto back = decode<Compilation>(throughCbor(failed));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->status, Status::compile_timeout);
  EXPECT_EQ(back->message, "slow");
  EXPECT_EQ(back->seconds, 1.5);
  EXPECT_FALSE(back->artifact.has_value());
  EXPECT_EQ((LocatedError{"m", "f.mlir", 3, 7}.text()), "f.mlir:3:7: m");
  EXPECT_EQ((LocatedError{"m"}.text()), "m");
}
