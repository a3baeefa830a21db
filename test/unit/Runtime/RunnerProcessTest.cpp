//===- Whatever a candidate does, run comes back --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/RunnerProcess.h"

#include "Oracle/InputData.h"
#include "Processes.h"
#include "TemporaryDirectory.h"
#include "TestKernels.h"

#include <fstream>
#include <gmock/gmock.h>

using namespace tonno;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Ne;
using testing::Not;

namespace {

class RunnerProcessTest : public testing::Test {
protected:
  void SetUp() override {
    auto opened = runner.open(doublingSession());
    ASSERT_TRUE(opened.ok()) << opened.error().message;
  }

  RunResult run(const std::string &way) {
    return runner.run(doublingRequest(way));
  }

  void expectStillWorks() {
    RunResult result = run("ok");
    EXPECT_EQ(result.status, Status::ok) << result.message;
  }

  /// A launch of the reference, of a candidate, and the least limit: they only
  /// end what would hang.
  RunnerLimits limits = {60, 60, 60};
  RunnerProcess runner = RunnerProcess({RUNNER}, limits);
};

} // namespace

TEST_F(RunnerProcessTest, EachSessionHasAProcessOfItsOwn) {
  TemporaryDirectory directory;
  std::string started = directory / "started";
  RunnerProcess noting({"sh", "-c", "echo x >> " + started + "; exec " RUNNER},
                       limits);
  ASSERT_TRUE(noting.device().ok());
  for (size_t sessions = 1; sessions <= 3; ++sessions) {
    ASSERT_TRUE(noting.open(doublingSession()).ok());
    EXPECT_EQ(noting.run(doublingRequest("ok")).status, Status::ok);
    EXPECT_EQ(std::filesystem::file_size(started), 2 * sessions);
  }
}

TEST_F(RunnerProcessTest, ChoosesAmongFinalists) {
  RunRequest finals;
  finals.kind = RunRequest::Kind::choose;
  finals.baseline = kernelArtifact("ok");
  for (const char *way : {"slow", "ok", "slow"})
    finals.finalists.push_back(kernelArtifact(way));
  RunResult result = runner.run(finals);
  ASSERT_EQ(result.status, Status::ok) << result.message;
  ASSERT_EQ(result.finalists.size(), 3u);
  EXPECT_EQ(result.finalists.front().candidate, 1u);
  EXPECT_GT(result.finalists.back().behind, 1);
}

TEST_F(RunnerProcessTest, WhoFailsInTheFinalsIsNamed) {
  RunRequest finals;
  finals.kind = RunRequest::Kind::choose;
  finals.baseline = kernelArtifact("ok");
  finals.finalists = {kernelArtifact("ok"), {}, kernelArtifact("counts")};
  finals.launchSeconds = 60;
  auto expectFailure = [&](Status status, size_t entrant, const char *way) {
    RunResult result = runner.run(finals);
    EXPECT_EQ(result.status, status) << way << ": " << result.message;
    EXPECT_EQ(result.failedEntrant, entrant) << way;
    expectStillWorks();
  };
  const std::pair<const char *, Status> ways[] = {
      {"segfault", Status::fault},
      {"later", Status::fault},
      {"is_terminated", Status::fault},
      {"killed", Status::out_of_memory},
      {"forks_while_timed", Status::fault},
      {"other_symbol", Status::load_error}};
  for (const auto &[way, status] : ways) {
    finals.finalists[1] = kernelArtifact(way);
    expectFailure(status, 2, way);
  }
  // The change is found at the end of the finals, so all must run to the end.
  finals.finalists = {kernelArtifact("slow"),
                      kernelArtifact("changes_its_input")};
  expectFailure(Status::out_of_bounds, 2, "changes_its_input");
  finals.baseline = kernelArtifact("later");
  finals.finalists[1] = kernelArtifact("ok");
  expectFailure(Status::fault, 0, "the baseline");
  finals.baseline = kernelArtifact("ok");
  finals.finalists[1] = kernelArtifact("endless");
  finals.launchSeconds = 0.2;
  expectFailure(Status::hang, 2, "endless");
}

TEST_F(RunnerProcessTest, SaysWhichDeviceItOwns) {
  RunnerProcess fresh({RUNNER});
  auto device = fresh.device();
  ASSERT_TRUE(device.ok()) << device.error().message;
  EXPECT_EQ(device->kind, "host");
}

TEST_F(RunnerProcessTest, MeasuresARightCandidate) {
  RunResult result = run("ok");
  EXPECT_EQ(result.status, Status::ok) << result.message;
  ASSERT_TRUE(result.measurement.has_value());
  EXPECT_FALSE(result.comparison.has_value());
  EXPECT_GE(result.measurement->seconds.n, 6u);
  EXPECT_GT(result.measurement->ratio, 0);
  EXPECT_GT(result.seconds, 0);
}

TEST_F(RunnerProcessTest, ComparesARightCandidate) {
  RunRequest compare = doublingRequest("ok");
  compare.kind = RunRequest::Kind::compare;
  RunResult result = runner.run(compare);
  EXPECT_EQ(result.status, Status::ok) << result.message;
  ASSERT_TRUE(result.comparison.has_value());
  EXPECT_FALSE(result.measurement.has_value());
  EXPECT_EQ(result.comparison->rounds, 24u);
}

TEST_F(RunnerProcessTest, PrunesAgainstTheIncumbent) {
  RunRequest hopeless = doublingRequest("ok");
  hopeless.incumbentHigh = 1e-6; // the incumbent is a million times as fast
  RunResult result = runner.run(hopeless);
  EXPECT_EQ(result.status, Status::pruned);
  ASSERT_TRUE(result.measurement.has_value());
  EXPECT_EQ(result.measurement->seconds.n, 3u);
}

TEST_F(RunnerProcessTest, WrongResultIsWrong) {
  RunResult result = run("wrong");
  EXPECT_EQ(result.status, Status::wrong);
  EXPECT_THAT(result.message, HasSubstr("result0[1023]"));
  EXPECT_FALSE(result.measurement.has_value());
  expectStillWorks();
}

TEST_F(RunnerProcessTest, StrayWriteIsOutOfBounds) {
  EXPECT_EQ(run("beyond").status, Status::out_of_bounds);
  expectStillWorks();
}

TEST_F(RunnerProcessTest, BinaryThatDoesNotLoadIsALoadError) {
  EXPECT_EQ(run("other_symbol").status, Status::load_error);
  RunRequest corrupt = doublingRequest("ok");
  corrupt.candidate.binary.resize(100);
  EXPECT_EQ(runner.run(corrupt).status, Status::load_error);
  expectStillWorks();
}

TEST_F(RunnerProcessTest, OtherPlanIsUnlaunchable) {
  RunRequest other = doublingRequest("ok");
  other.candidate.plan.buffers[1].shape = {512};
  EXPECT_EQ(runner.run(other).status, Status::unlaunchable);
}

TEST_F(RunnerProcessTest, DeclaredInputsAreTheSessionsToSay) {
  RunnerSession declared = doublingSession();
  declared.signature[0].input = *InputSpec::parse("integers(0, 9)");
  ASSERT_TRUE(runner.open(declared).ok());
  EXPECT_EQ(run("ok").status, Status::ok);
  EXPECT_EQ(run("wrong").status, Status::wrong);
}

TEST_F(RunnerProcessTest, InputsThatCannotBeMadeAreAnErrorOfOpen) {
  RunnerSession declared = doublingSession();
  declared.signature[0].input = *InputSpec::parse("npy('gone.npy')");
  auto opened = runner.open(declared);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr("gone.npy"));
  EXPECT_THAT(opened.error().message, HasSubstr("arg0"));
}

TEST_F(RunnerProcessTest, CrashIsAFaultAndTheNextOneRuns) {
  RunResult result = run("segfault");
  EXPECT_EQ(result.status, Status::fault);
  // A sanitizer ends the process by itself.
  EXPECT_THAT(result.message,
              AnyOf(HasSubstr("signal 11"), HasSubstr("exit status")));
  expectStillWorks();
  EXPECT_EQ(run("segfault").status, Status::fault);
  expectStillWorks();
}

TEST_F(RunnerProcessTest, CrashWhileTimedIsAFault) {
  RunResult result = run("later");
  EXPECT_EQ(result.status, Status::fault) << result.message;
  expectStillWorks();
}

TEST_F(RunnerProcessTest, KillFromOutsideIsNoFaultOfTheCandidate) {
  RunResult result = run("killed");
  EXPECT_EQ(result.status, Status::out_of_memory) << result.message;
  expectStillWorks();
}

TEST_F(RunnerProcessTest, EndBetweenTwoRequestsCostsNoCandidate) {
  TemporaryDirectory directory;
  std::string file = directory / "pid";
  RunnerProcess killed({"sh", "-c", "echo $$ > " + file + "; exec " RUNNER},
                       limits);
  ASSERT_TRUE(killed.open(doublingSession()).ok());
  pid_t process = 0;
  std::ifstream(file) >> process;
  ASSERT_GT(process, 0);
  ::kill(process, SIGKILL);
  ASSERT_TRUE(exitsWithinGrace(process));
  RunResult result = killed.run(doublingRequest("ok"));
  EXPECT_EQ(result.status, Status::ok) << result.message;
}

TEST_F(RunnerProcessTest, ExitIsAFault) {
  RunResult result = run("exits");
  EXPECT_EQ(result.status, Status::fault);
  EXPECT_THAT(result.message, HasSubstr("exit status"));
  expectStillWorks();
}

TEST_F(RunnerProcessTest, EndlessLoopIsAHangAndTheNextOneRuns) {
  RunnerProcess impatient({RUNNER}, {60, 0.2, 0.2});
  ASSERT_TRUE(impatient.open(doublingSession()).ok());
  RunResult result = impatient.run(doublingRequest("endless"));
  EXPECT_EQ(result.status, Status::hang);
  EXPECT_THAT(result.message, HasSubstr("did not end within 0.2 s"));
  EXPECT_EQ(result.launchSeconds, 0.2);
  RunRequest next = doublingRequest("ok");
  next.launchSeconds = 60;
  result = impatient.run(next);
  EXPECT_EQ(result.status, Status::ok) << result.message;
}

TEST_F(RunnerProcessTest, ResultsOfTheReferenceBecomeFiles) {
  TemporaryDirectory directory;
  RunRequest request;
  request.kind = RunRequest::Kind::results;
  request.directory = directory.path();
  RunResult result = runner.run(request);
  ASSERT_EQ(result.status, Status::ok) << result.message;
  Signature signature = doublingSession().signature;
  for (size_t i = 0; i < signature.size(); ++i) {
    auto file = directory / (std::to_string(i) + ".npy");
    ASSERT_EQ(std::filesystem::exists(file), isOutput(signature[i]));
    if (!isOutput(signature[i]))
      continue;
    auto array = readNpy(file);
    ASSERT_TRUE(array.ok()) << array.error().message;
    EXPECT_EQ(array->shape, signature[i].shape);
    EXPECT_THAT(array->values, Contains(Ne(array->values.front())));
  }
  request.directory = directory / "absent";
  result = runner.run(request);
  EXPECT_EQ(result.status, Status::lost);
  EXPECT_THAT(result.message, HasSubstr("absent"));
}

TEST_F(RunnerProcessTest, WhoAsksMayLimitALaunch) {
  // The runner's own limit would let the launch, of some 0.05 s, end.
  RunRequest request;
  request.kind = RunRequest::Kind::verify;
  request.candidate = kernelArtifact("slow");
  EXPECT_EQ(runner.run(request).status, Status::ok);
  request.launchSeconds = 0.02;
  RunResult result = runner.run(request);
  EXPECT_EQ(result.status, Status::hang);
  EXPECT_EQ(result.launchSeconds, 0.02);
  EXPECT_THAT(result.message, HasSubstr("did not end within 0.02 s"));
}

TEST_F(RunnerProcessTest, TheLimitIsOfALaunchAndNotOfATrial) {
  // A launch takes some 0.05 s: many launches take longer than the limit of
  // one.
  RunnerSession patient = doublingSession();
  patient.protocol.longSamples = 20;
  ASSERT_TRUE(runner.open(patient).ok());
  RunRequest request = doublingRequest("slow");
  request.launchSeconds = 0.8;
  RunResult result = runner.run(request);
  EXPECT_EQ(result.status, Status::ok) << result.message;
  ASSERT_TRUE(result.measurement.has_value());
  EXPECT_EQ(result.measurement->seconds.n, 20u);
  EXPECT_GT(result.seconds, request.launchSeconds);
}

TEST_F(RunnerProcessTest, BudgetEndsTheReference) {
  RunnerProcess patient({RUNNER}, {60, 60, 60});
  RunnerSession endless = doublingSession();
  endless.problem.reference = kernelArtifact("endless");
  endless.problem.reference.plan = doublingPlan(ElementType::f64);
  endless.openSeconds = 0.2;
  auto opened = patient.open(endless);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message,
              testing::AllOf(HasSubstr("the budget's 0.2 s"),
                             HasSubstr("--budget-seconds"),
                             HasSubstr("--reference=@function")));
  EXPECT_TRUE(patient.open(doublingSession()).ok());
}

TEST_F(RunnerProcessTest, AnEndlessReferenceEndsAtItsLimit) {
  RunnerProcess impatient({RUNNER}, {0.1, 60, 60});
  RunnerSession endless = doublingSession();
  endless.problem.reference = kernelArtifact("endless");
  endless.problem.reference.plan = doublingPlan(ElementType::f64);
  ASSERT_TRUE(impatient.device().ok()); // no reference was asked for
  auto opened = impatient.open(endless);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message,
              AllOf(HasSubstr("while running the reference"),
                    HasSubstr("no answer within 0.1 s"),
                    HasSubstr("--reference-seconds"),
                    HasSubstr("--reference=@function")));
  // The reference of OpenCL kernels is the default configuration.
  endless.problem.isRounded = true;
  opened = impatient.open(endless);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message,
              AllOf(HasSubstr("'--knob=NAME=... default ...'"),
                    Not(HasSubstr("--reference="))));
}

TEST_F(RunnerProcessTest, CancellingEndsARun) {
  bool cancel = false;
  RunnerProcess cancellable({RUNNER}, {60, 60, 60},
                            {.cancelled = [&] { return cancel; }});
  ASSERT_TRUE(cancellable.open(doublingSession()).ok());
  cancel = true;
  RunResult result = cancellable.run(doublingRequest("endless"));
  EXPECT_EQ(result.status, Status::lost);
  EXPECT_THAT(result.message, HasSubstr("interrupted"));
}

TEST_F(RunnerProcessTest, WhatACandidatePrintsStaysOutOfTheProtocol) {
  testing::internal::CaptureStderr();
  RunnerProcess noisy({RUNNER});
  ASSERT_TRUE(noisy.open(doublingSession()).ok());
  RunResult result = noisy.run(doublingRequest("prints"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("TNO1 garbage on standard output"));
  EXPECT_EQ(result.status, Status::ok) << result.message;
}

TEST_F(RunnerProcessTest, ReferenceThatCrashesIsAnErrorOfOpen) {
  RunnerSession bad = doublingSession();
  bad.problem.reference.binary = kernelArtifact("segfault").binary;
  auto opened = runner.open(bad);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message,
              AllOf(HasSubstr("while running the reference"),
                    HasSubstr("; the reference accesses memory outside its "
                              "buffers"),
                    Not(HasSubstr("--inputs")),
                    Not(HasSubstr("--global-size"))));
  // The reference of OpenCL kernels is the default configuration.
  bad.problem.isRounded = true;
  opened = runner.open(bad);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message,
              HasSubstr("accesses only its buffers ('--arg')"));
}

TEST_F(RunnerProcessTest, ReferenceThatHangsIsAnErrorOfOpen) {
  RunnerSession bad = doublingSession();
  bad.problem.reference.binary = kernelArtifact("endless").binary;
  RunnerProcess impatient({RUNNER}, {0.1, 60, 60});
  auto opened = impatient.open(bad);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr("no answer within 0.1 s"));
}

TEST(RunnerProcess, RunBeforeOpenIsLost) {
  RunnerProcess runner({RUNNER});
  EXPECT_EQ(runner.run(RunRequest()).status, Status::lost);
}
