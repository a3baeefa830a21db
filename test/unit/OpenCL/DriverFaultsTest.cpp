//===- Tests for faults of OpenCL drivers ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fakes/FakeOpenCl.h"
#include "QueueFixture.h"

#include "tonno/WorkGroups/Tuning.h"

#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace tonno;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace {

/// Folder in which the loader looks for drivers: the system's, and the fake.
/// Made before main, since the loader looks once.
class Vendors {
public:
  Vendors() {
    std::error_code none;
    for (const auto &each :
         std::filesystem::directory_iterator("/etc/OpenCL/vendors", none))
      std::filesystem::create_symlink(each.path(),
                                      folder / each.path().filename().string());
    writeText(folder / "tonno-fake.icd", FAKE_DRIVER "\n");
    ::setenv("OCL_ICD_VENDORS", folder.path().c_str(), 1);
  }

private:
  TemporaryDirectory folder;
};
const Vendors vendors;

class DriverFaults : public QueueTest {
protected:
  void SetUp() override {
    void *library = ::dlopen(FAKE_DRIVER, RTLD_NOW);
    ASSERT_TRUE(library) << ::dlerror();
    auto get =
        reinterpret_cast<FakeOpenCl *(*)()>(::dlsym(library, fakeOpenClSymbol));
    ASSERT_TRUE(get);
    driver = get();
    *driver = {};
    open("tonno's fake");
    scale = kernel("", "scale");
    options.candidates = {{32}, {64}, {128}};
  }

  void TearDown() override {
    if (!driver)
      return;
    // No object of a tuner may leak, whatever failed.
    scale = {};
    queue = {};
    context = {};
    EXPECT_EQ(driver->objects, 0);
  }

  WorkGroupTuner tuner() { return {scale, {1024}}; }

  FakeOpenCl *driver = nullptr;
  cl::Kernel scale;
};

} // namespace

TEST_F(DriverFaults, AnIdleDeviceIsTimedToTheNanosecond) {
  driver->launches[64] = {
      {1000, 9'000'000}, {1000, 47'100}, {1000, 47'300}, {1000, 47'501}};
  AutotuneResult result = tune(tuner());
  EXPECT_EQ(result.bestLocalSize, WorkSize{64});
  EXPECT_THAT(result.measured[1].samplesUs, ElementsAre(47.1, 47.3, 47.501));
  EXPECT_THAT(result.notes,
              ElementsAre(HasSubstr("timed on buffers of 1024 elements each")));
}

/// The lock has the name that tonno-runner uses, too.
TEST_F(DriverFaults, DeviceIsLockedByItsUuid) {
  pid_t process = ::getpid();
  std::memcpy(driver->uuid.data() + 2, &process, sizeof process);
  std::string uuid = getOpenClIdentity("", 0, driver->uuid).uuid; // fa4e...0000
  std::string file = "/tmp/tonno-opencl-" + uuid + ".lock";
  ASSERT_NE(::access(file.c_str(), F_OK), 0);
  tune(tuner());
  EXPECT_EQ(::unlink(file.c_str()), 0);
}

TEST_F(DriverFaults, WhatIsOnTheQueueEndsBeforeTheFirstLaunch) {
  tune(tuner());
  driver->log.resize(2);
  EXPECT_THAT(driver->log, ElementsAre("marker", "wait"));
}

TEST_F(DriverFaults, WhatIsOnTheQueueAndDoesNotEndIsAnError) {
  // The tuner waits for a marker, not by clFinish, which the fake lacks: that
  // would wait for commands that other threads keep enqueueing.
  options.timeoutSeconds = 0.05;
  driver->hangingCommands = {"marker"};
  EXPECT_EQ(
      refusal(tuner()),
      "what was on the queue before has not ended in 0.05 s: the queue is busy "
      "or hangs; use a queue of its own, or raise 'timeoutSeconds'");
  driver->hangingCommands = {"fill"};
  EXPECT_THAT(refusal(tuner()), HasSubstr("making a buffer of 4096 bytes for "
                                          "argument 0 of 'scale' has not"));
  driver->hangingCommands = {"copy"};
  EXPECT_THAT(refusal(tuner()), HasSubstr("restored, has not ended in 0.05 s"));
}

TEST_F(DriverFaults, RestoringThatDoesNotEndIsAnError) {
  cl::Buffer x(context, CL_MEM_READ_WRITE, 64);
  options.arguments = {x};
  options.timeoutSeconds = 0.05;
  driver->copiesUntilHanging = 1;
  EXPECT_THAT(refusal(tuner()),
              HasSubstr("cannot undo the kernel's writes: copying it back has "
                        "not ended in 0.05 s"));
}

TEST_F(DriverFaults, SizesKeepToTheMaximaOfDeviceAndKernel) {
  options.candidates.clear();
  driver->maxGroup = 64;
  EXPECT_THAT(tune(tuner()).measured, SizeIs(7)); // 1 to 64
  driver->maxKernelGroup = 16;
  EXPECT_THAT(tune(WorkGroupTuner(scale, {2048})).measured, SizeIs(5));
}

TEST_F(DriverFaults, NonUniformGroupsNeedNotDivide) {
  options.candidates = {{48}};
  EXPECT_THAT(refusal(tuner()), HasSubstr("48 does not divide the 1024"));
  driver->isNonUniform = true;
  driver->buildOptions = "-cl-std=CL3.0";
  EXPECT_EQ(tune(tuner()).bestLocalSize, WorkSize{48});
}

TEST_F(DriverFaults, OutOfResourcesCostsTheCandidate) {
  driver->enqueueErrors[128] = CL_OUT_OF_RESOURCES;
  driver->waitErrors[64] = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  AutotuneResult result = tune(tuner());
  EXPECT_EQ(result.bestLocalSize, WorkSize{32});
  ASSERT_THAT(result.failed, SizeIs(2));
  EXPECT_THAT(result.failed[0].reason, HasSubstr("CL_EXEC_STATUS_ERROR_FOR"));
  EXPECT_EQ(result.failed[1].reason,
            "clEnqueueNDRangeKernel gave CL_OUT_OF_RESOURCES (-5)");
}

TEST_F(DriverFaults, WhereAllLaunchesFailEachErrorIsTold) {
  for (size_t size : {32, 64, 128})
    driver->enqueueErrors[size] = size == 64 ? -9999 : CL_OUT_OF_RESOURCES;
  EXPECT_THAT(refusal(tuner()), HasSubstr("32: clEnqueueNDRangeKernel gave "
                                          "CL_OUT_OF_RESOURCES (-5); 64: "
                                          "clEnqueueNDRangeKernel gave an "
                                          "error (-9999)"));
}

TEST_F(DriverFaults, ABusyDeviceIsNoticedAndNothingIsKept) {
  for (size_t size : {32, 64, 128}) {
    auto &launches = driver->launches[size];
    launches = {{1000, 50'000}};
    for (int i = 0; i != 1 + retakes; ++i)
      launches.insert(launches.end(),
                      {{1000, 50'000}, {1000, 900'000}, {20'000'000, 50'000}});
    launches.push_back({1000, 50'000});
  }
  AutotuneResult result = tune(tuner());
  EXPECT_TRUE(result.isBusy);
  EXPECT_THAT(result.notes, Contains(HasSubstr("the device looks busy")));
  EXPECT_FALSE(tune(tuner()).isCached);
  EXPECT_TRUE(tune(tuner()).isCached); // by then it was idle

  KernelSpec spec{"scale", ""};
  driver->launches[64] = {{1000, 1}, {1000, 50'000}, {90'000'000, 50'000}};
  ASSERT_TRUE(Autotuner(queue).tune(spec, {512}, options)->isBusy);
  EXPECT_THAT(spec.workgroupSize, IsEmpty());
}

TEST_F(DriverFaults, AnotherDriverAsksAgain) {
  EXPECT_FALSE(tune(tuner()).isCached);
  EXPECT_TRUE(tune(tuner()).isCached);
  driver->driver = "1.1";
  EXPECT_FALSE(tune(tuner()).isCached);
  driver->driver = "1.0";
  EXPECT_TRUE(tune(tuner()).isCached);
  driver->platformVersion = "OpenCL 3.0 2";
  EXPECT_FALSE(tune(tuner()).isCached);
}

TEST_F(DriverFaults, AProgramWithoutSourceIsKnownByItsBinary) {
  driver->hasSource = false;
  EXPECT_FALSE(tune(tuner()).isCached);
  EXPECT_TRUE(tune(tuner()).isCached);
  driver->binary = "another";
  EXPECT_FALSE(tune(tuner()).isCached);
}

TEST_F(DriverFaults, ACachedAnswerLaunchesNothing) {
  tune(tuner());
  driver->log.clear();
  tune(tuner());
  EXPECT_THAT(driver->log, IsEmpty());
}

TEST_F(DriverFaults, AnAutotunerAnswersOnlyTheSameQuestion) {
  options.isCached = false; // it remembers by itself
  Autotuner tuner(queue);
  KernelSpec spec{"scale", "source"};
  options.candidates = {{64}};
  ASSERT_FALSE(tuner.tune(spec, {1024}, options)->isCached);
  options.candidates = {{32}, {128}};
  EXPECT_NE(tuner.tune(spec, {1024}, options)->bestLocalSize, WorkSize{64});
  options.runs = 5;
  auto more = tuner.tune(spec, {1024}, options);
  EXPECT_THAT(more->measured[0].samplesUs, SizeIs(5));
  EXPECT_TRUE(tuner.tune(spec, {1024}, options)->isCached);
}

TEST_F(DriverFaults, AnAnswerOfLaunchingAloneIsNotKept) {
  // With other arguments, the kernel may take longer.
  for (size_t size : {32, 64, 128})
    driver->launches[size] = {{20'000, 4'000}};
  Autotuner tuner(queue);
  KernelSpec spec{"scale", "source"};
  ASSERT_TRUE(tuner.tune(spec, {1024}, options)->isOverheadBound);
  EXPECT_EQ(spec.workgroupSize, WorkSize{64});
  driver->launches[128] = {{20'000, 40'000}};
  driver->launches[32] = driver->launches[64] = {{20'000, 90'000}};
  auto longer = tuner.tune(spec, {1024}, options);
  EXPECT_FALSE(longer->isCached || longer->isOverheadBound);
  EXPECT_EQ(spec.workgroupSize, WorkSize{128});
  EXPECT_TRUE(tuner.tune(spec, {1024}, options)->isCached);
}

TEST_F(DriverFaults, UnknownArgumentsAreSaidToBe) {
  driver->tellsArguments = false;
  EXPECT_THAT(
      refusal(tuner()),
      HasSubstr("the arguments of 'scale' are neither set nor known "
                "(clGetKernelArgInfo gave CL_KERNEL_ARG_INFO_NOT_AVAILABLE "
                "(-19)); set them, give them as args, or build the program "
                "with -cl-kernel-arg-info"));
  // An argument without information may be written, so it is restored.
  cl::Buffer x(context, CL_MEM_READ_WRITE, 64);
  options.arguments = {x};
  tune(tuner());
  EXPECT_THAT(driver->log, Contains("copy"));
}

TEST_F(DriverFaults, TheSourceTellsOfArgumentsThatTheKernelDoesNot) {
  driver->buildOptions = "-DX=1";
  tune(tuner());
  EXPECT_EQ(driver->buildOptions, "-cl-kernel-arg-info -DX=1");
  driver->hasSource = false;
  driver->buildOptions = "-DX=2";
  EXPECT_THAT(refusal(tuner()), HasSubstr("neither set nor known"));
}

TEST_F(DriverFaults, MadeBuffersAreFilledBeforeTheFirstLaunch) {
  // Holds for an out-of-order queue, too; const arguments are not copied.
  driver->isConst = true;
  options.candidates = {{64}};
  tune(tuner());
  driver->log.resize(5);
  EXPECT_THAT(driver->log,
              ElementsAre("marker", "wait", "fill", "wait", "launch 64"));
}

TEST_F(DriverFaults, NoRoomForBuffersIsAnErrorThatNamesTheArgument) {
  driver->bufferError = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  EXPECT_EQ(refusal(tuner()),
            "making a buffer of 4096 bytes for argument 0 of 'scale' gave "
            "CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)");
}

TEST_F(DriverFaults, WhatCannotBeRestoredEndsTheTuning) {
  cl::Buffer x(context, CL_MEM_READ_WRITE, 64);
  options.arguments = {x};
  driver->copyError = CL_OUT_OF_RESOURCES;
  EXPECT_EQ(refusal(tuner()),
            "copying a buffer of 64 bytes, so that it can be restored, gave "
            "CL_OUT_OF_RESOURCES (-5)");
}

TEST_F(DriverFaults, ALaunchThatDoesNotEndIsNamedAndEndsTheTuning) {
  cl::Buffer x(context, CL_MEM_READ_WRITE, 64);
  options.arguments = {x};
  options.timeoutSeconds = 0.05;
  driver->hanging = {64};
  EXPECT_EQ(refusal(tuner()),
            "'scale' with the local size 64 has not ended in 0.05 s. OpenCL "
            "cannot stop a launch, so tuning ends and the buffers are not "
            "restored; raise 'timeoutSeconds'");
  EXPECT_EQ(driver->log.back(), "launch 64"); // and no copy that waits for it
}

TEST_F(DriverFaults, WhatIsNoLimitIsRefused) {
  for (double seconds : {-1.0, 0.0, std::nan("")}) {
    options.timeoutSeconds = seconds;
    EXPECT_THAT(refusal(tuner()),
                HasSubstr("'timeoutSeconds' must be more than 0 s, "));
  }
  options.timeoutSeconds = std::numeric_limits<double>::infinity();
  tune(tuner());
}

TEST_F(DriverFaults, AnotherNumberOfArgumentsIsRefused) {
  options.arguments = {1.0f, 2.0f};
  EXPECT_EQ(refusal(tuner()),
            "'scale' has 1 arguments, not the 2 that are given");
}

TEST_F(DriverFaults, MoreLocalMemoryThanThereIsIsRefused) {
  driver->localBytes = 1025;
  EXPECT_EQ(refusal(tuner()), "'scale' asks for 1025 bytes of local memory, "
                              "but at most 1024 are possible");
  driver->localBytes = 1024;
  tune(tuner());
}

TEST_F(DriverFaults, ThreadsThatAskTheSameTakeTurns) {
  options.timeoutSeconds = 0.05;
  driver->hanging = {32};
  WorkGroupTuner same = tuner();
  auto ask = [&] { EXPECT_THAT(refusal(same), HasSubstr("has not ended")); };
  ask();
  std::vector<std::string> alone = std::exchange(driver->log, {});
  std::vector<std::string> twice = alone;
  twice.insert(twice.end(), alone.begin(), alone.end());
  {
    std::jthread one(ask), another(ask);
  }
  // No command of one launch is between those of the other.
  EXPECT_EQ(driver->log, twice);
}

TEST_F(DriverFaults, AProgramThatWasNotBuiltForTheDeviceIsRefused) {
  driver->buildStatus = CL_BUILD_NONE;
  EXPECT_EQ(refusal(tuner()),
            "'scale' was not built for the queue's device, fake device; build "
            "the program for this device, or create the queue for a device of "
            "the program");
}
