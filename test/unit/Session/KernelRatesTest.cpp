//===- Tests for rates and peaks of kernels -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/KernelRates.h"
#include "tonno/Session/Progress.h"
#include "tonno/Session/TuneReport.h"

#include "MemoryStore.h"

#include <gmock/gmock.h>

#include <functional>
#include <sstream>

using namespace tonno;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

/// Has peaks, and counts how often they are measured.
class PeakRunner : public Runner {
public:
  Result<DeviceDescription> device() override { return DeviceDescription(); }
  Result<void> open(const RunnerSession &) override { return {}; }
  RunResult run(const RunRequest &request) override {
    EXPECT_EQ(request.kind, RunRequest::Kind::peaks);
    ++measured;
    RunResult result;
    result.status = status;
    if (status != Status::ok)
      return result;
    result.peaks.emplace();
    result.peaks->query = request.peakQuery;
    result.peaks->macs = 1e9;
    result.peaks->instruction = "fma";
    result.peaks->memory = {{"DRAM", 0, 1e9}};
    return result;
  }

  Status status = Status::ok;
  int measured = 0;
};

class PeakFinderTest : public testing::Test {
protected:
  PeakFinder makeFinder() {
    return {store, runner, [this](const PeakQuery &, double) { ++reports; }};
  }

  MemoryStore store;
  PeakRunner runner;
  int reports = 0;
  DeviceDescription cpu = {"host", "A CPU", "1"};
};

} // namespace

TEST_F(PeakFinderTest, PeaksAreMeasuredOnceForEachMachine) {
  ASSERT_TRUE(makeFinder().find(cpu, {}));
  ASSERT_TRUE(makeFinder().find(cpu, {}));
  EXPECT_EQ(runner.measured, 1);
  EXPECT_EQ(reports, 1);
  makeFinder().find(cpu, {.threads = 2});
  EXPECT_EQ(runner.measured, 2);
  cpu.uuid = "2";
  makeFinder().find(cpu, {});
  EXPECT_EQ(runner.measured, 3);
}

TEST_F(PeakFinderTest, AFinderAsksOnceWithoutAStore) {
  store.fails = true;
  PeakFinder finder = makeFinder();
  finder.find(cpu, {});
  EXPECT_TRUE(finder.find(cpu, {}));
  EXPECT_EQ(runner.measured, 1);
}

TEST_F(PeakFinderTest, FailuresAreNoPeaks) {
  runner.status = Status::contended;
  EXPECT_FALSE(makeFinder().find(cpu, {}));
  EXPECT_EQ(reports, 0);
  EXPECT_EQ(store.writes, 0);
}

static KernelOutcome makeOutcome(double seconds) {
  KernelOutcome outcome;
  outcome.kernel = "k";
  outcome.space = SearchSpace({{"BM", {32, 64}}, {"BN", {16}}});
  outcome.decision.values = {{"BM", 64}, {"BN", 16}};
  Comparison &comparison = outcome.decision.comparison;
  comparison.verdict = Verdict::faster;
  comparison.seconds = {64, seconds, seconds, seconds, seconds};
  comparison.baselineSeconds = comparison.seconds;
  comparison.speedup = 1;
  outcome.work.macs = 1000000;
  outcome.work.bytesRead = 4000;
  outcome.decision.peaks.emplace();
  outcome.decision.peaks->macs = 1e9;
  outcome.decision.peaks->instruction = "fma";
  outcome.decision.peaks->memory = {{"DRAM", 0, 1e9}};
  return outcome;
}

static std::string report(const KernelOutcome &outcome) {
  std::ostringstream stream;
  Progress(stream).decided(outcome);
  return stream.str();
}

TEST(KernelRates, AReportStatesTheShareOfTheLimit) {
  EXPECT_THAT(
      report(makeOutcome(2e-3)),
      AllOf(HasSubstr("1 GFLOP/s, 2 MB/s; 50 % of the limit, 2 GFLOP/s "
                      "by fma on 1 thread\n"),
            HasSubstr("headroom            at most 2.00x by the machine's "
                      "limit\n"),
            HasSubstr("  changed             BM 32 -> 64\n")));
}

/// Within the error of both measurements it is at the limit; beyond it the peak
/// is wrong.
TEST(KernelRates, AKernelAboveThePeakHasNoLimit) {
  EXPECT_THAT(report(makeOutcome(0.98e-3)), HasSubstr("; 100 % of the limit"));
  EXPECT_THAT(report(makeOutcome(0.9e-3)),
              AllOf(HasSubstr("2.22 GFLOP/s, 4.44 MB/s\n"),
                    HasSubstr("  limit               unknown: the kernel is "
                              "faster than the peaks"),
                    Not(HasSubstr("headroom"))));
}

TEST(KernelRates, AReportStatesWhatIsLeftInTheSpace) {
  KernelOutcome outcome = makeOutcome(2e-3);
  outcome.decision.remainingGain = 0.04;
  EXPECT_THAT(
      report(outcome),
      HasSubstr("at most 2.00x by the machine's limit; at most 1.04x in "
                "this space, at 95 %, by a model of its trials\n"));
  outcome.work = {};
  EXPECT_THAT(report(outcome),
              HasSubstr("headroom            at most 1.04x in"));
}

/// The record has the peaks of the machine that the decision was measured on.
TEST(KernelRates, ADecisionOfTheCacheStatesItsLimit) {
  KernelOutcome outcome = makeOutcome(2e-3);
  outcome.decision.threads = 2;
  outcome.decision.remainingGain = 0.04;
  auto read = decode<DecisionRecord>(Json(outcome.decision));
  ASSERT_TRUE(read.ok()) << read.error().message;
  outcome.decision = *read;
  outcome.source = "the cache";
  EXPECT_THAT(report(outcome),
              AllOf(HasSubstr("50 % of the limit, 2 GFLOP/s by fma on 2 "
                              "threads\n"),
                    HasSubstr("at most 2.00x by the machine's limit; at most "
                              "1.04x in this space")));
}

TEST(KernelRates, AnOlderRecordStatesNoLimit) {
  KernelOutcome outcome = makeOutcome(2e-3);
  Json record = outcome.decision;
  for (const char *added : {"threads", "peaks", "remaining_gain"})
    record.erase(added);
  auto read = decode<DecisionRecord>(record);
  ASSERT_TRUE(read.ok()) << read.error().message;
  outcome.decision = *read;
  outcome.source = "the cache";
  EXPECT_THAT(report(outcome),
              AllOf(HasSubstr("1 GFLOP/s"), Not(HasSubstr("limit")),
                    Not(HasSubstr("headroom"))));
  EXPECT_FALSE(describeLimit(outcome).contains("no_limit"));
}

TEST(KernelRates, AReportStatesWhyThereIsNoLimit) {
  auto explain = [](const std::function<void(KernelOutcome &)> &change) {
    KernelOutcome outcome = makeOutcome(2e-3);
    outcome.device = {"host", "A CPU", "1"};
    change(outcome);
    Json json = describeLimit(outcome);
    EXPECT_TRUE(json.contains("no_limit"));
    EXPECT_FALSE(json.contains("headroom"));
    return json.value("no_limit", "") + ": " + report(outcome);
  };
  EXPECT_THAT(explain([](auto &outcome) { outcome.work = {}; }),
              AllOf(StartsWith("work: "),
                    HasSubstr("  limit               unknown: the operations "
                              "and bytes of the kernel are known only if")));
  EXPECT_THAT(explain([](auto &outcome) {
                outcome.decision.peaks.reset();
                outcome.device = {"cuda", "A GPU", "1"};
              }),
              AllOf(StartsWith("device: "),
                    HasSubstr("unknown: tonno has no peaks of A GPU\n")));
  EXPECT_THAT(explain([](auto &outcome) { outcome.decision.peaks.reset(); }),
              AllOf(StartsWith("benchmark: "),
                    HasSubstr("unknown: the peaks of the machine could not")));
  EXPECT_THAT(explain([](auto &outcome) {
                outcome.decision.peaks->macs = 0;
                outcome.work.operand = ElementType::f16;
              }),
              AllOf(StartsWith("types: "),
                    HasSubstr("unknown: tonno has no peak of multiply-adds of "
                              "f16 with sums in f32\n")));
  EXPECT_THAT(explain([](auto &outcome) {
                outcome.work.macs = 0;
                outcome.decision.peaks->memory.clear();
              }),
              AllOf(StartsWith("memory: "),
                    HasSubstr("unknown: tonno has no bandwidth of the")));
  EXPECT_THAT(
      explain([](auto &outcome) { outcome.decision.peaks->macs = 1e8; }),
      AllOf(StartsWith("exceeded: "), HasSubstr("cache prune --kind=peaks")));
}

/// An interrupted session does not measure peaks.
TEST(KernelRates, AnInterruptedSessionDoesNotExplainItsLimit) {
  KernelOutcome outcome = makeOutcome(2e-3);
  outcome.decision.peaks.reset();
  outcome.decision.comparison.verdict = Verdict::interrupted;
  EXPECT_FALSE(describeLimit(outcome).contains("no_limit"));
}

TEST(KernelRates, TheLimitOfAGpuIsThatOfItsDataSheet) {
  KernelOutcome outcome = makeOutcome(2e-3);
  auto chip = findGpuChip("sm_90");
  ASSERT_TRUE(chip.ok());
  outcome.work.bytesRead = (*chip)->gigabytes * 1000000ull; // 1 ms
  outcome.decision.peaks =
      findDataSheetPeaks(**chip, "NVIDIA H100 80GB HBM3", {});
  EXPECT_THAT(report(outcome),
              HasSubstr("; 50 % of the limit, " +
                        std::to_string((*chip)->gigabytes / 1000) + "."));
  EXPECT_THAT(report(outcome),
              HasSubstr(" TB/s from DRAM in the data sheet of H100 80GB "
                        "HBM3\n"));
  // Its caches may be faster.
  outcome.decision.comparison.cacheState = CacheState::warm;
  outcome.work.macs = 0;
  EXPECT_EQ(describeLimit(outcome).value("no_limit", ""), "memory");
}

TEST(KernelRates, UnknownWorkHasNoRates) {
  KernelOutcome outcome = makeOutcome(1e-3);
  outcome.work = {};
  EXPECT_THAT(report(outcome), Not(HasSubstr("  rate")));
}

TEST(KernelRates, AReportStatesTimeByPhaseAndTheRecord) {
  KernelOutcome outcome = makeOutcome(1e-3);
  outcome.phaseSeconds = {{SessionPhase::search, 6.2},
                          {SessionPhase::finals, 1e-6},
                          {SessionPhase::test, 1.9}};
  outcome.record = "cache/ab.json";
  EXPECT_THAT(report(outcome),
              AllOf(HasSubstr("search 6.20 s, test 1.90 s\n"),
                    HasSubstr("record              cache/ab.json\n")));
}
