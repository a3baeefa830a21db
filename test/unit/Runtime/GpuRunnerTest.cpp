//===- tonno-runner on GPUs, on fake drivers ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/RunnerProcess.h"

#include "FakeDrivers.h"
#include "TemporaryDirectory.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

namespace {

class GpuRunnerTest : public testing::TestWithParam<FakeVendor> {
protected:
  static std::vector<std::string> command(const std::string &device = "") {
    const FakeVendor &fake = GetParam();
    std::string name = device.empty() ? fake.vendor().kind : device;
    return {RUNNER, "--device=" + name,
            "--driver=" + fakeLibrary(fake.library)};
  }

  static RunnerSession session() {
    RunnerSession session;
    session.problem = doublingProblem();
    session.signature = doublingPlan(ElementType::f32).signature();
    session.protocol.warmupSeconds = 1e-5;
    session.protocol.firstLook = session.protocol.maxRounds = 24;
    session.protocol.testSeconds = 60; // the rounds end it
    session.seed = 7;
    return session;
  }

  static RunRequest request(const std::string &operation) {
    RunRequest request;
    request.candidate = fakeArtifact(GetParam(), operation);
    request.baseline = fakeArtifact(GetParam());
    return request;
  }

  RunResult run(const std::string &operation) {
    if (!isOpen) {
      auto opened = runner.open(session());
      EXPECT_TRUE(opened.ok()) << opened.error().message;
      isOpen = true;
    }
    return runner.run(request(operation));
  }

  void expectStillWorks() {
    RunResult result = run("scale");
    EXPECT_EQ(result.status, Status::ok) << result.message;
    EXPECT_TRUE(result.measurement.has_value());
  }

  RunnerLimits limits = {60, 60, 60}; ///< that only end what would hang
  RunnerProcess runner = RunnerProcess(command(), limits);
  bool isOpen = false;
};

/// Returns the standard output and the standard error of a command.
std::string outputOf(const std::string &command) {
  testing::internal::CaptureStderr();
  auto shell = Subprocess::spawn({"/bin/sh", "-c", command + " >&2"});
  EXPECT_TRUE(shell.ok());
  if (shell)
    EXPECT_FALSE(shell->receive().ok()); // it ends, and closes its channel
  return testing::internal::GetCapturedStderr();
}

/// A folder where the fakes have the names of the real libraries.
class SystemWithGpus {
public:
  SystemWithGpus() {
    for (auto [fake, real] : {std::pair("libfakecuda", "libcuda.so.1"),
                              std::pair("libfakehip", "libamdhip64.so.7"),
                              std::pair("libfakenvml", "libnvidia-ml.so.1")})
      std::filesystem::create_symlink(fakeLibrary(fake), directory / real);
  }
  std::string variable() const {
    return "LD_LIBRARY_PATH=" + directory.path().string();
  }

private:
  TemporaryDirectory directory;
};

} // namespace

TONNO_FOR_BOTH_VENDORS(GpuRunnerTest);

TEST_P(GpuRunnerTest, SaysWhichDeviceItOwns) {
  auto device = runner.device();
  ASSERT_TRUE(device.ok()) << device.error().message;
  EXPECT_EQ(device->kind, GetParam().vendor().kind);
  EXPECT_EQ(device->chip, GetParam().chip);
}

TEST_P(GpuRunnerTest, MeasuresAndComparesARightCandidate) {
  expectStillWorks();
  RunRequest compare = request("scale");
  compare.kind = RunRequest::Kind::compare;
  RunResult result = runner.run(compare);
  EXPECT_EQ(result.status, Status::ok) << result.message;
  ASSERT_TRUE(result.comparison.has_value());
  EXPECT_EQ(result.comparison->verdict, Verdict::tie);
  EXPECT_NEAR(result.comparison->speedup, 1, 1e-3);
}

TEST_P(GpuRunnerTest, WrongAndStrayOnesAreFoundOut) {
  EXPECT_EQ(run("wrong").status, Status::wrong);
  EXPECT_EQ(run("beyond").status, Status::out_of_bounds);
  expectStillWorks();
}

TEST_P(GpuRunnerTest, AnswersWithoutAConditionIfNothingTellsIt) {
  RunResult result = run("scale");
  EXPECT_FALSE(result.condition.has_value());
  EXPECT_FALSE(Json(result).contains("condition"));
}

TEST_P(GpuRunnerTest, CrashLosesTheDeviceAndTheNextTrialIsUnaffected) {
  for (int i = 0; i < 2; ++i) {
    RunResult result = run("trap");
    EXPECT_EQ(result.status, Status::fault) << result.message;
    EXPECT_THAT(result.message, HasSubstr("FAKE_ERROR_700 (700)"));
    expectStillWorks();
  }
}

TEST_P(GpuRunnerTest, TwoCrashesInARowAreBothFaults) {
  EXPECT_EQ(run("trap").status, Status::fault);
  EXPECT_EQ(run("trap").status, Status::fault);
  expectStillWorks();
}

TEST_P(GpuRunnerTest, EndlessKernelIsAHangAndTheNextOneRuns) {
  expectStillWorks();
  RunRequest endless = request("endless");
  endless.launchSeconds = 0.2;
  RunResult result = runner.run(endless);
  EXPECT_EQ(result.status, Status::hang) << result.message;
  expectStillWorks();
}

TEST_P(GpuRunnerTest, CrashWhileTimedIsAFault) {
  auto failing = command();
  std::string when = GetParam().launch + ":719:5";
  failing.insert(failing.begin(), {"/usr/bin/env", "FAKE_DRIVER_FAIL=" + when});
  RunnerProcess broken(failing, limits);
  ASSERT_TRUE(broken.open(session()).ok());
  RunResult result = broken.run(request("scale"));
  EXPECT_EQ(result.status, Status::fault) << result.message;
  EXPECT_THAT(result.message, HasSubstr("(719)"));
}

TEST_P(GpuRunnerTest, DeviceThatIsLostWhileUploadingIsStartedAnew) {
  // The first process fails; the second finds its file and runs.
  TemporaryDirectory directory;
  std::string mark = (directory / "mark").string();
  std::string uploading = GetParam().vendor().functions[0].name[0] == 'c'
                              ? "cuMemcpyHtoDAsync_v2"
                              : "hipMemcpyHtoDAsync";
  std::string script = "if [ ! -e '" + mark + "' ]; then : > '" + mark +
                       "'; export FAKE_DRIVER_FAIL=" + uploading +
                       ":719; fi; exec \"$@\"";
  std::vector<std::string> once = {"/bin/sh", "-c", script, "sh"};
  for (const std::string &word : command())
    once.push_back(word);
  RunnerProcess flaky(once, limits);
  // Opening leaves the device alone: others may be timing on it.
  ASSERT_TRUE(flaky.open(session()).ok());
  EXPECT_THAT(flaky.run(request("scale")).message, HasSubstr("(719)"));
  EXPECT_EQ(flaky.run(request("scale")).status, Status::ok);
}

TEST_P(GpuRunnerTest, UnusableDeviceIsAnError) {
  RunnerProcess none(command(std::string(GetParam().vendor().kind) + ":5"));
  auto device = none.device();
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.error().message, HasSubstr("exit status 2"));
}

TEST_P(GpuRunnerTest, FindsTheSystemsDriverAndConditionByThemselves) {
  SystemWithGpus system;
  std::string kind = GetParam().vendor().kind;
  RunnerProcess found(
      {"/usr/bin/env", system.variable(), RUNNER, "--device=" + kind});
  auto device = found.device();
  ASSERT_TRUE(device.ok()) << device.error().message;
  ASSERT_TRUE(found.open(session()).ok());
  RunResult result = found.run(request("scale"));
  EXPECT_EQ(result.status, Status::ok) << result.message;
  ASSERT_EQ(result.condition.has_value(), kind == "cuda");
  if (result.condition)
    EXPECT_EQ(result.condition->clockMHz, 1980);
}

TEST(RunnerTool, ListsWhatThereIs) {
  SystemWithGpus system;
  std::string text = outputOf("env FAKE_DRIVER_DEVICES=2 " + system.variable() +
                              " " + RUNNER + " --list-devices");
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("host  "),
            HasSubstr("cuda:0  Fake CUDA 0  sm_90a  GPU-10010203-0405-0607"
                      "-0809-0a0b0c0d0e0f  1 GiB\n"),
            HasSubstr("cuda:1  Fake CUDA 1  sm_90a  GPU-20"),
            HasSubstr("hip:1  Fake HIP 1  gfx90a  GPU-20")));
}

TEST(RunnerTool, SaysWhyThereIsNoGpu) {
  std::string text = outputOf(std::string(RUNNER) +
                              " --list-devices --driver=/nowhere/driver.so");
  EXPECT_THAT(text, AllOf(HasSubstr("host  "),
                          HasSubstr("cuda: no NVIDIA driver (/nowhere"),
                          HasSubstr("hip: no AMD driver (/nowhere")));
}

TEST(RunnerTool, HelpTellsOfDevices) {
  std::string text = outputOf(std::string(RUNNER) + " --help");
  for (const char *word : {"--device=NAME", "cuda:1", "--driver=PATH",
                           "--list-devices", "CUDA_VISIBLE_DEVICES"})
    EXPECT_THAT(text, HasSubstr(word));
}
