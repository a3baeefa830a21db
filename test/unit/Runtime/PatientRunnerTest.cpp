//===- PatientRunnerTest.cpp - Asking again, later ------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/PatientRunner.h"

#include <gtest/gtest.h>

using namespace tonno;

namespace {
class BusyRunner : public Runner {
public:
  Result<DeviceDescription> device() override {
    return DeviceDescription{"fake", "busy", "0"};
  }
  Result<void> open(const RunnerSession &) override {
    if (opens++ < closedOpens)
      return Error{"no route to host"};
    return {};
  }
  RunResult run(const RunRequest &) override {
    RunResult result;
    result.status = runs++ < busyRuns ? busy : afterwards;
    return result;
  }

  int busyRuns = 0, closedOpens = 0, opens = 0;
  Status busy = Status::contended;
  Status afterwards = Status::ok;
  int runs = 0;
};

class PatientRunnerTest : public testing::Test {
protected:
  BusyRunner busy;
  /// Its pauses are slept in slices.
  double slept = 0;
  double cancelledAfter = 100;
  PatientRunner patient = PatientRunner(
      busy, [this] { return slept >= cancelledAfter; },
      [this](double seconds) { slept += seconds; });
};
} // namespace

TEST_F(PatientRunnerTest, AsksOnceWhereNobodyDisturbs) {
  EXPECT_EQ(patient.run({}).status, Status::ok);
  EXPECT_EQ(busy.runs, 1);
  EXPECT_EQ(slept, 0);
}

TEST_F(PatientRunnerTest, AsksAgainLater) {
  busy.busyRuns = 1;
  EXPECT_EQ(patient.run({}).status, Status::ok);
  EXPECT_NEAR(slept, 0.5, 1e-9);
}

TEST_F(PatientRunnerTest, GivesUpOnADeviceThatStaysBusy) {
  busy.busyRuns = 9;
  EXPECT_EQ(patient.run({}).status, Status::contended);
  EXPECT_EQ(busy.runs, 3);
  EXPECT_NEAR(slept, 2.5, 1e-9);
}

TEST_F(PatientRunnerTest, PauseEndsWhenItIsCancelled) {
  busy.busyRuns = 9;
  cancelledAfter = 0.7; // in the second pause
  EXPECT_EQ(patient.run({}).status, Status::contended);
  EXPECT_EQ(busy.runs, 2);
  EXPECT_LT(slept, 1);
}

TEST_F(PatientRunnerTest, OtherFailuresAreNoReasonToAskAgain) {
  busy.afterwards = Status::wrong;
  EXPECT_EQ(patient.run({}).status, Status::wrong);
  EXPECT_EQ(busy.runs, 1);
}

TEST_F(PatientRunnerTest, ShortOutageCostsAPause) {
  busy.busy = Status::lost;
  busy.busyRuns = 2;
  EXPECT_EQ(patient.run({}).status, Status::ok);
  EXPECT_NEAR(slept, 2.5, 1e-9);
}

TEST_F(PatientRunnerTest, GivesUpOnARunnerThatStaysAway) {
  busy.busy = Status::lost;
  busy.busyRuns = 99;
  EXPECT_EQ(patient.run({}).status, Status::lost);
  EXPECT_EQ(busy.runs, 4);
  EXPECT_NEAR(slept, 10.5, 1e-9);
}

TEST_F(PatientRunnerTest, OpensAgainWhatWasOpenBefore) {
  busy.closedOpens = 1;
  EXPECT_FALSE(patient.open({}).ok()); // who mistypes a host hears so at once
  EXPECT_EQ(slept, 0);
  EXPECT_TRUE(patient.open({}).ok());
  busy.opens = 0;
  EXPECT_TRUE(patient.open({}).ok());
  EXPECT_NEAR(slept, 0.5, 1e-9);
  RunnerSession other;
  other.problem.reference.binary = {1};
  busy.closedOpens = 99;
  EXPECT_FALSE(patient.open(other).ok());
  EXPECT_NEAR(slept, 0.5, 1e-9);
  cancelledAfter = slept + 0.2;
  EXPECT_FALSE(patient.open({}).ok());
  EXPECT_LT(slept, 1);
}

TEST_F(PatientRunnerTest, PassesOnWhatTheDeviceIs) {
  EXPECT_EQ(patient.device()->name, "busy");
  EXPECT_TRUE(patient.open({}).ok());
}
