//===- Asking again, later ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/PatientRunner.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
  RunResult run(const RunRequest &request) override {
    RunResult result;
    waits.push_back(request.waitSeconds);
    result.deviceHeld = runs >= heldFrom && runs < busyRuns;
    result.status = runs++ < busyRuns ? busy : afterwards;
    if (result.status == Status::contended) {
      result.message = "make runs";
      result.seconds = 0.5;
    }
    if (request.acceptContended) {
      if (!result.deviceHeld)
        result.status = Status::ok;
      ++accepting;
    }
    return result;
  }

  int busyRuns = 0, closedOpens = 0, opens = 0;
  Status busy = Status::contended;
  Status afterwards = Status::ok;
  int heldFrom = 1000; ///< by another process, from this busy run on
  std::vector<double> waits;
  int runs = 0, accepting = 0;
};

class PatientRunnerTest : public testing::Test {
protected:
  BusyRunner busy;
  /// Pauses are slept in slices.
  double slept = 0;
  double cancelledAfter = 100;
  PatientRunner patient = create({});
  std::vector<std::string> told;

  PatientRunner create(Patience patience) {
    return PatientRunner(
        busy, std::move(patience), [this] { return slept >= cancelledAfter; },
        [this](double seconds) { slept += seconds; });
  }
  PatientRunner create(WhenBusy way, double seconds) {
    return create({way, seconds, [this](const std::string &message) {
                     told.push_back(message);
                   }});
  }
};
} // namespace

TEST_F(PatientRunnerTest, AsksOnceWhereNobodyDisturbs) {
  EXPECT_EQ(patient.run({}).status, Status::ok);
  EXPECT_EQ(busy.runs, 1);
  EXPECT_EQ(slept, 0);
}

TEST_F(PatientRunnerTest, WaitsForAHeldDeviceOnce) {
  busy.busyRuns = 99;
  busy.heldFrom = 0;
  for (WhenBusy way : {WhenBusy::wait, WhenBusy::measure, WhenBusy::fail}) {
    busy.runs = busy.accepting = 0;
    PatientRunner waiting = create(way, 4);
    ASSERT_TRUE(waiting.open({}).ok());
    RunResult result = waiting.run({});
    EXPECT_EQ(result.status, Status::contended);
    EXPECT_TRUE(result.deviceHeld);
    EXPECT_EQ(busy.runs, 1) << toString(way);
    EXPECT_EQ(busy.accepting, way == WhenBusy::measure ? 1 : 0);
  }
  EXPECT_EQ(slept, 0);
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(PatientRunnerTest, HeldDeviceDoesNotUseUpThePatienceForOthers) {
  busy.busyRuns = 1;
  busy.heldFrom = 0;
  PatientRunner waiting = create(WhenBusy::wait, 4);
  ASSERT_TRUE(waiting.open({}).ok());
  EXPECT_TRUE(waiting.run({}).deviceHeld);
  busy.busyRuns = 3;
  busy.heldFrom = 1000;
  EXPECT_EQ(waiting.run({}).status, Status::ok);
  EXPECT_EQ(busy.accepting, 0);
  EXPECT_THAT(told, ElementsAre(HasSubstr("waiting for up to 4 s")));
}

TEST_F(PatientRunnerTest, DeviceThatIsHeldAfterADisturbanceEndsTheRequest) {
  busy.busyRuns = 99;
  busy.heldFrom = 1;
  PatientRunner waiting = create(WhenBusy::wait, 30);
  ASSERT_TRUE(waiting.open({}).ok());
  EXPECT_TRUE(waiting.run({}).deviceHeld);
  EXPECT_EQ(busy.runs, 2);
  EXPECT_EQ(busy.accepting, 0);
}

TEST_F(PatientRunnerTest, LaterAttemptsWaitForTheDeviceForNoLonger) {
  busy.busyRuns = 2;
  RunRequest request;
  request.waitSeconds = 60;
  EXPECT_EQ(patient.run(request).status, Status::ok);
  ASSERT_EQ(busy.waits.size(), 3u);
  EXPECT_EQ(busy.waits[0], 60);
  EXPECT_LT(busy.waits[1], 60);
  EXPECT_LT(busy.waits[2], busy.waits[1]);
  // The wait for other load is longer than the one for the device.
  busy = {};
  busy.busyRuns = 1;
  request.waitSeconds = 0;
  EXPECT_EQ(patient.run(request).status, Status::ok);
  EXPECT_THAT(busy.waits, ElementsAre(0, 0));
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

TEST_F(PatientRunnerTest, WaitsForOthersToEnd) {
  busy.busyRuns = 3;
  PatientRunner waiting = create(WhenBusy::wait, 30);
  ASSERT_TRUE(waiting.open({}).ok());
  EXPECT_EQ(waiting.run({}).status, Status::ok);
  EXPECT_NEAR(slept, 0.5 + 2 + 8, 1e-9);
  EXPECT_EQ(busy.accepting, 0);
  EXPECT_THAT(told, ElementsAre("make runs; waiting for up to 30 s for them "
                                "to end"));
}

TEST_F(PatientRunnerTest, MeasuresBesideOthersThatStay) {
  busy.busyRuns = 99;
  PatientRunner waiting = create(WhenBusy::wait, 4);
  ASSERT_TRUE(waiting.open({}).ok());
  EXPECT_EQ(waiting.run({}).status, Status::ok);
  // The time of the attempts counts.
  EXPECT_NEAR(slept, 0.5 + 2, 1e-9);
  EXPECT_EQ(busy.runs, 4);
  EXPECT_EQ(busy.accepting, 1);
  EXPECT_THAT(told, ElementsAre(HasSubstr("waiting for up to 4 s"),
                                HasSubstr("marked as contended")));
  // The wait for this problem is over.
  EXPECT_EQ(waiting.run({}).status, Status::ok);
  EXPECT_EQ(busy.accepting, 2);
  ASSERT_TRUE(waiting.open({}).ok());
  EXPECT_EQ(waiting.run({}).status, Status::ok);
  EXPECT_EQ(busy.accepting, 3);
  RunnerSession other;
  other.problem.reference.binary = {1};
  ASSERT_TRUE(waiting.open(other).ok());
  EXPECT_EQ(waiting.run({}).status, Status::ok);
  EXPECT_NEAR(slept, 5, 1e-9);
}

TEST_F(PatientRunnerTest, MeasuresBesideOthersAtOnce) {
  busy.busyRuns = 99;
  PatientRunner hasty = create(WhenBusy::measure, 30);
  ASSERT_TRUE(hasty.open({}).ok());
  EXPECT_EQ(hasty.run({}).status, Status::ok);
  EXPECT_EQ(slept, 0);
  EXPECT_EQ(busy.accepting, 1);
}

TEST_F(PatientRunnerTest, WaysHaveNames) {
  for (WhenBusy way : {WhenBusy::wait, WhenBusy::measure, WhenBusy::fail})
    EXPECT_EQ(parseWhenBusy(toString(way)), way);
  EXPECT_FALSE(parseWhenBusy("never").has_value());
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
