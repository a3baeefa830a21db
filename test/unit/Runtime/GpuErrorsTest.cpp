//===- Every function fails with every code -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/GpuDevice.h"
#include "Sampling/BufferSet.h"

#include "FakeDrivers.h"

#include <gmock/gmock.h>
#include <set>

using namespace tonno;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

namespace {

class GpuErrorsTest : public FakeDriverTest {
protected:
  /// Calls all device functions of a trial, up to the first failure.
  Result<void, Failure> useAll(Device &device) {
    auto block = DeviceBlock::allocate(device, 8192);
    if (!block)
      return block.error();
    std::vector<std::byte> bytes(4096);
    if (auto uploaded = device.upload(block->start(), bytes); !uploaded)
      return uploaded;
    Artifact large = artifact();
    large.plan.launches[0].geometry.sharedBytes = 64 << 10;
    auto executable = device.load(large);
    if (!executable)
      return executable.error();
    std::vector<DevicePointer> buffers = {block->start(),
                                          block->start() + 4096};
    if (auto launched = device.launch(**executable, buffers); !launched)
      return launched;
    std::vector<std::vector<DevicePointer>> batch = {buffers};
    for (int i = 0; i < 3; ++i) // plainly, then in a graph
      if (auto timed = device.time(**executable, batch); !timed)
        return timed.error();
    if (auto flushed = device.flush(); !flushed)
      return flushed.error();
    return device.download(bytes, block->start());
  }

  /// Classifies the driver's functions by the effect of their failure.
  bool is(const std::string &name, std::initializer_list<const char *> words) {
    return std::any_of(words.begin(), words.end(), [&](const char *word) {
      return name.find(word) != std::string::npos;
    });
  }
};

} // namespace

TONNO_FOR_BOTH_VENDORS(GpuErrorsTest);

TEST_P(GpuErrorsTest, WithoutAFailureAllWorks) {
  auto device = openWell();
  auto done = useAll(*device);
  EXPECT_TRUE(done.ok()) << done.error().message;
  device.reset();
  EXPECT_EQ(live(), 0);
}

/// Each function that a device calls after its creation fails with each of
/// these codes: the failure has the driver's name for the code, or is tolerated
/// where tonno can do without the function.
TEST_P(GpuErrorsTest, EachFunctionWithEachKindOfCode) {
  struct Row {
    int code;
    bool losesDevice;
  };
  const Row rows[] = {{1, false},   {2, false},   {3, true},   {100, true},
                      {200, false}, {218, false}, {304, true}, {400, false},
                      {700, true},  {701, false}, {702, true}, {719, true},
                      {801, false}, {901, false}, {777, true}, {999, true}};
  std::set<std::string> reached;
  for (const GpuFunctionName &function : GetParam().vendor().functions) {
    std::string name = function.name;
    if (is(name, {"GetError", "Version", "Init", "Device", "Ctx", "Create",
                  "Destroy", "Unload", "MemFree", "hipFree"}))
      continue;
    // Only calls from Python need these.
    if (is(name, {"AllocAsync", "MallocAsync", "D32", "WaitEvent", "EventQuery",
                  "IsCapturing", "ExchangeStreamCaptureMode"}))
      continue;
    for (auto [code, losesDevice] : rows) {
      reset();
      failNothing();
      auto device = openWell();
      fail(name + ":" + std::to_string(code));
      auto done = useAll(*device);
      std::string context = name + ":" + std::to_string(code);
      EXPECT_GE(calls(name), 1) << context;
      EXPECT_EQ(device->isLost(), losesDevice) << context;
      bool canDoWithout =
          is(name, {"Graph", "Capture", "WithFlags"}) && !losesDevice;
      EXPECT_EQ(done.ok(), canDoWithout) << context;
      reached.insert(name);
      if (done)
        continue;
      EXPECT_NE(done.error().status, Status::ok);
      EXPECT_THAT(done.error().message,
                  HasSubstr("(" + std::to_string(code) + ")"))
          << context;
      failNothing();
      auto later = device->allocate(16);
      EXPECT_EQ(later.ok(), !losesDevice) << context;
      if (!later) {
        EXPECT_EQ(later.error().status, Status::lost);
        EXPECT_THAT(later.error().message,
                    AllOf(HasSubstr("was lost before"),
                          HasSubstr("(" + std::to_string(code) + ")")));
      }
    }
  }
  EXPECT_GE(reached.size(), 17u);
}

/// As on an H100 whose memory another process held.
TEST_P(GpuErrorsTest, ADeviceWithoutMemoryNamesTheCause) {
  fail(GetParam().library == "libfakecuda" ? "cuDevicePrimaryCtxRetain:2"
                                           : "hipStreamCreateWithFlags:2");
  auto device = open();
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.error().message,
              AllOf(HasSubstr("cannot use device 0"), HasSubstr("(2)"),
                    HasSubstr("other processes hold its memory")));
}

TEST_P(GpuErrorsTest, EachNumberIsAFailureWhereverItComesFrom) {
  for (int code = 1; code <= 1200; ++code) {
    for (const std::string &function :
         {GetParam().launch, GetParam().synchronize, GetParam().moduleLoad}) {
      reset();
      failNothing();
      auto device = openWell();
      fail(function + ":" + std::to_string(code) + ":0");
      auto done = useAll(*device);
      ASSERT_FALSE(done.ok()) << function << " " << code;
      Status status = done.error().status;
      EXPECT_THAT(status, AnyOf(Status::load_error, Status::unlaunchable,
                                Status::out_of_memory, Status::fault,
                                Status::hang, Status::lost))
          << function << " " << code;
    }
  }
}

TEST_P(GpuErrorsTest, StatusSaysWhatTheCodeMeans) {
  struct Row {
    std::string function;
    int code;
    Status status;
  };
  const FakeVendor &fake = GetParam();
  for (const auto &[function, code, status] :
       {Row{fake.synchronize, 700, Status::fault},
        Row{fake.synchronize, 719, Status::fault},
        Row{fake.synchronize, 710, Status::fault},
        Row{fake.synchronize, 702, Status::hang},
        Row{fake.synchronize, 214, Status::lost},
        Row{fake.synchronize, 999, Status::lost},
        Row{fake.synchronize, 777, Status::fault},
        Row{fake.launch, 1, Status::unlaunchable},
        Row{fake.launch, 2, Status::out_of_memory},
        Row{fake.launch, 701, Status::unlaunchable},
        Row{fake.launch, 700, Status::fault},
        Row{fake.launch, 777, Status::unlaunchable},
        Row{fake.moduleLoad, 200, Status::load_error},
        Row{fake.moduleLoad, 209, Status::load_error},
        Row{fake.moduleLoad, 218, Status::load_error},
        Row{fake.moduleLoad, 1, Status::load_error},
        Row{fake.moduleLoad, 2, Status::out_of_memory},
        Row{fake.moduleLoad, 304, Status::lost}}) {
    reset();
    failNothing();
    auto device = openWell();
    auto block = DeviceBlock::allocate(*device, 8192);
    fail(function + ":" + std::to_string(code));
    auto executable = device->load(artifact());
    Status found = executable ? Status::ok : executable.error().status;
    if (executable) {
      auto launched = device->launch(
          **executable, std::vector{block->start(), block->start() + 4096});
      found = launched ? Status::ok : launched.error().status;
    }
    EXPECT_EQ(found, status) << function << " " << code;
  }
}

TEST_P(GpuErrorsTest, KernelThatCrashesIsAFaultOnceAndThenTheDeviceIsLost) {
  auto device = openWell();
  auto block = DeviceBlock::allocate(*device, 8192);
  auto executable = device->load(artifact("trap"));
  std::vector<DevicePointer> buffers = {block->start(), block->start() + 4096};
  auto launched = device->launch(**executable, buffers);
  ASSERT_FALSE(launched.ok());
  EXPECT_EQ(launched.error().status, Status::fault);
  EXPECT_THAT(
      launched.error().message,
      AllOf(HasSubstr("run the kernel"), HasSubstr("FAKE_ERROR_700 (700)")));
  EXPECT_TRUE(device->isLost());
  std::vector<std::byte> bytes(4);
  int before = calls(GetParam().synchronize);
  std::vector<std::vector<DevicePointer>> batch = {buffers};
  EXPECT_EQ(device->launch(**executable, buffers).error().status, Status::lost);
  EXPECT_EQ(device->time(**executable, batch).error().status, Status::lost);
  EXPECT_EQ(device->upload(buffers[0], bytes).error().status, Status::lost);
  EXPECT_EQ(device->download(bytes, buffers[0]).error().status, Status::lost);
  EXPECT_EQ(device->load(artifact()).error().status, Status::lost);
  EXPECT_EQ(device->allocate(4).error().status, Status::lost);
  EXPECT_EQ(device->flush().error().status, Status::lost);
  // A broken driver is not called again.
  EXPECT_EQ(calls(GetParam().synchronize), before);
}

TEST_P(GpuErrorsTest, FailuresOfOpeningAreErrors) {
  for (const GpuFunctionName &function : GetParam().vendor().functions) {
    std::string name = function.name;
    bool isOfOpening =
        is(name, {"CtxRetain", "CtxSetCurrent", "hipSetDevice", "StreamCreate",
                  "EventCreate", "GetAttribute", "DeviceGet"}) &&
        function.required && !is(name, {"FuncGet"});
    if (!isOfOpening)
      continue;
    reset();
    fail(name + ":304:0");
    auto device = open();
    ASSERT_FALSE(device.ok()) << name;
    EXPECT_THAT(device.error().message, HasSubstr("FAKE_ERROR_304 (304)"))
        << name;
  }
}

TEST_P(GpuErrorsTest, WhatCannotBeReadOfLimitsIsAnErrorButOptingInIsNot) {
  std::string attribute = GetParam().library == "libfakehip"
                              ? "hipDeviceGetAttribute"
                              : "cuDeviceGetAttribute";
  int describing = GetParam().library == "libfakehip" ? 1 : 3;
  for (int limit = 1; limit <= 9; ++limit) {
    reset();
    fail(attribute + ":1:" + std::to_string(describing + limit));
    EXPECT_EQ(open().ok(), limit == 9) << limit;
  }
}

TEST_P(GpuErrorsTest, ReleasingThatFailsLosesTheDevice) {
  bool isHip = GetParam().library == "libfakehip";
  for (const char *function : {isHip ? "hipFree" : "cuMemFree_v2",
                               isHip ? "hipModuleUnload" : "cuModuleUnload"}) {
    reset();
    failNothing();
    auto device = openWell();
    fail(std::string(function) + ":719");
    EXPECT_TRUE(device->load(artifact()).ok());
    EXPECT_TRUE(device->allocate(4).ok() || device->isLost());
    auto memory = device->allocate(4);
    if (memory)
      device->release(*memory);
    EXPECT_TRUE(device->isLost()) << function;
  }
}
