//===- Counters of energy, and tests by them ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/Budget.h"
#include "tonno/Runtime/HostDevice.h"
#include "tonno/Runtime/RunnerProcess.h"
#include "Energy/EnergyCounters.h"
#include "Sampling/EnergySampler.h"

#include "FakeDrivers.h"
#include "TemporaryDirectory.h"
#include "TestKernels.h"

#include <gmock/gmock.h>
#include <thread>

using namespace tonno;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// Files of RAPL's counters.
class RaplTest : public testing::Test {
protected:
  void write(const std::string &zone, const std::string &name,
             const std::string &microjoules) {
    auto folder = directory / zone;
    std::filesystem::create_directories(folder);
    writeText(folder / "name", name + "\n");
    writeText(folder / "max_energy_range_uj", "1000000\n");
    set(zone, microjoules);
  }
  /// Replaces the file, as a counter never shows half of a number.
  void set(const std::string &zone, const std::string &microjoules) {
    auto path = directory / zone / "energy_uj";
    writeText(path.string() + ".next", microjoules + "\n");
    std::filesystem::rename(path.string() + ".next", path);
  }
  EnergyCounterResult open() { return openRapl(directory.path().string()); }

  TemporaryDirectory directory;
};

/// A GPU's counter of a vendor.
struct GpuCounter {
  EnergyCounterResult (*open)(const std::string &busId,
                              const std::string &library);
  const char *library, *failure, *reading, *init;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for it.
void PrintTo(const GpuCounter &counter, std::ostream *stream) {
  *stream << counter.library;
}

class GpuEnergyTest : public testing::TestWithParam<GpuCounter> {
protected:
  void TearDown() override { ::unsetenv(GetParam().failure); }
  EnergyCounterResult open(const std::string &busId = "0000:10:00.0") {
    return GetParam().open(busId, fakeLibrary(GetParam().library));
  }
  void fail(const char *function) { ::setenv(GetParam().failure, function, 1); }
};

/// Each launch of an entrant takes 10 ms and its joules.
class FakeLaunches : public Sampler, public EnergyCounter {
public:
  Result<double, Failure> sample(size_t entrant) override {
    clock += 0.01 * static_cast<double>(batchSize);
    joules += perLaunch[entrant] * static_cast<double>(batchSize);
    if (clock - shownAt > periodSeconds - 1e-9) {
      shown = joules;
      shownAt = clock;
    }
    return 0.01;
  }
  double clockSeconds() const override { return clock; }
  size_t batch() const override { return batchSize; }
  Result<void, Failure> redraw() override { return {}; }
  Result<void, Failure> reload() override { return {}; }

  Result<double> readJoules() override {
    if (isBroken)
      return Error{"no counter"};
    return shown;
  }
  double windowSeconds() const override { return 0.1; }

  double clock = 0, joules = 5;
  double periodSeconds = 0; ///< of changes of what the counter shows
  double shown = 5, shownAt = 0;
  size_t batchSize = 1;
  double perLaunch[2] = {2, 1};
  bool isBroken = false;
};

} // namespace

TEST_F(RaplTest, SumsPackages) {
  write("intel-rapl:0", "package-0", "100");
  write("intel-rapl:1", "package-1", "7000");
  write("intel-rapl:0:0", "dram", "1");
  auto counter = open();
  ASSERT_TRUE(counter.ok()) << counter.error().message;
  EXPECT_EQ(*(*counter)->readJoules(), 0);
  set("intel-rapl:0", "300");
  set("intel-rapl:1", "7500");
  set("intel-rapl:0:0", "900000");
  EXPECT_DOUBLE_EQ(*(*counter)->readJoules(), 700e-6);
}

TEST_F(RaplTest, CountersBeginAgain) {
  write("intel-rapl:0", "package-0", "999900");
  auto counter = open();
  ASSERT_TRUE(counter.ok());
  EXPECT_EQ(*(*counter)->readJoules(), 0);
  set("intel-rapl:0", "100");
  EXPECT_DOUBLE_EQ(*(*counter)->readJoules(), 200e-6);
}

TEST_F(RaplTest, StatesWhyThereIsNone) {
  auto counter = open();
  ASSERT_FALSE(counter.ok());
  EXPECT_THAT(counter.error().message,
              HasSubstr("has no package with a counter of energy; virtual "
                        "machines and containers usually have none"));
  write("intel-rapl:0", "package-0", "100");
  std::filesystem::remove(directory / "intel-rapl:0" / "energy_uj");
  counter = open();
  ASSERT_FALSE(counter.ok());
  EXPECT_THAT(counter.error().message, HasSubstr("energy_uj"));
  EXPECT_THAT(counter.error().message, HasSubstr("only root may read it"));
}

TEST_F(RaplTest, GarbledCountersAreErrors) {
  write("intel-rapl:0", "package-0", "100");
  auto counter = open();
  ASSERT_TRUE(counter.ok());
  set("intel-rapl:0", "much");
  auto joules = (*counter)->readJoules();
  ASSERT_FALSE(joules.ok());
  EXPECT_THAT(joules.error().message, HasSubstr("energy_uj' has no number"));
}

TEST_P(GpuEnergyTest, ReadsJoules) {
  auto counter = open();
  ASSERT_TRUE(counter.ok()) << counter.error().message;
  double before = *(*counter)->readJoules();
  double after = *(*counter)->readJoules();
  EXPECT_NEAR(after - before, 0.5, 1e-4); // as the fakes count
}

TEST_P(GpuEnergyTest, StatesWhyThereIsNone) {
  EXPECT_THAT(
      GetParam().open("0000:10:00.0", "/nowhere/lib.so").error().message,
      StartsWith("the library '/nowhere/lib.so'"));
  EXPECT_THAT(GetParam()
                  .open("0000:10:00.0", fakeLibrary("libfakecuda"))
                  .error()
                  .message,
              HasSubstr("is missing from its library"));
  EXPECT_FALSE(open("0000:99:00.0").ok());
  EXPECT_FALSE(open("").ok());
  for (const char *function : {GetParam().reading, GetParam().init}) {
    fail(function);
    auto counter = open();
    ASSERT_FALSE(counter.ok()) << function;
    EXPECT_THAT(counter.error().message, HasSubstr(" returned 9"));
  }
}

TEST_P(GpuEnergyTest, FailuresOfReadingAreErrors) {
  auto counter = open();
  ASSERT_TRUE(counter.ok());
  fail(GetParam().reading);
  EXPECT_FALSE((*counter)->readJoules().ok());
}

INSTANTIATE_TEST_SUITE_P(
    Vendors, GpuEnergyTest,
    testing::Values(GpuCounter{openNvmlEnergy, "libfakenvml", "FAKE_NVML_FAIL",
                               "nvmlDeviceGetTotalEnergyConsumption",
                               "nvmlInit_v2"},
                    GpuCounter{openAmdSmiEnergy, "libfakeamdsmi",
                               "FAKE_AMDSMI_FAIL", "amdsmi_get_energy_count",
                               "amdsmi_init"}));

TEST(EnergySampler, SamplesAreJoulesOfALaunch) {
  FakeLaunches launches;
  EnergySampler sampler(launches, launches);
  EXPECT_NEAR(*sampler.sample(baselineEntrant), 2, 1e-9);
  EXPECT_NEAR(launches.clock, 0.11, 0.011) << "a window of the counter";
  launches.batchSize = 3;
  EXPECT_NEAR(*sampler.sample(firstCandidate), 1, 1e-9);
  EXPECT_EQ(*sampler.warm(baselineEntrant), 0.01) << "in seconds";
}

/// As NVML's counter on an H100, which changes every 100 ms.
TEST(EnergySampler, SamplesSpanChangesOfTheCounter) {
  FakeLaunches launches;
  launches.periodSeconds = 0.07;
  EnergySampler sampler(launches, launches);
  for (int i = 0; i < 5; ++i) {
    launches.clock += 0.013 * i; // so that samples begin anywhere in a period
    EXPECT_NEAR(*sampler.sample(i % 2), launches.perLaunch[i % 2], 1e-9);
  }
}

TEST(EnergySampler, LaunchesMayTakeLongerThanAWindow) {
  FakeLaunches launches;
  launches.batchSize = 100;
  EnergySampler sampler(launches, launches);
  EXPECT_NEAR(*sampler.sample(baselineEntrant), 2, 1e-9);
}

TEST(EnergySampler, TestsComparesJoules) {
  FakeLaunches launches;
  launches.perLaunch[firstCandidate] = 1.6;
  EnergySampler sampler(launches, launches);
  auto compared = compareWithBaseline(sampler, makeEnergyProtocol({}), 1);
  ASSERT_TRUE(compared.ok()) << compared.error().message;
  EXPECT_EQ(compared->verdict, Verdict::faster);
  EXPECT_NEAR(compared->speedup, 1.25, 1e-9);
  EXPECT_NEAR(compared->baselineSeconds.median, 2, 1e-9);
  EXPECT_LT(launches.clock, 3);
}

TEST(EnergySampler, ACounterThatStandsStillIsLost) {
  FakeLaunches launches;
  launches.perLaunch[0] = 0;
  EnergySampler sampler(launches, launches);
  auto sample = sampler.sample(baselineEntrant);
  ASSERT_FALSE(sample.ok());
  EXPECT_EQ(sample.error().status, Status::lost);
  EXPECT_THAT(sample.error().message, HasSubstr("did not change"));
  launches.isBroken = true;
  EXPECT_EQ(sampler.sample(baselineEntrant).error().message, "no counter");
}

TEST_F(RaplTest, RunnersCompareEnergy) {
  write("intel-rapl:0", "package-0", "0");
  std::atomic<bool> ends = false;
  std::thread power([&] { // 50 W
    double begin = steadySeconds();
    while (!ends) {
      double used = 50e6 * (steadySeconds() - begin);
      set("intel-rapl:0", std::to_string(static_cast<uint64_t>(used)));
    }
  });
  auto device = HostDevice::create({}, directory.path().string());
  auto host = HostDevice::create();
  ASSERT_TRUE(device.ok() && host.ok());
  auto runner = createLocalRunner(std::move(*device), std::move(*host));
  RunnerSession session = doublingSession();
  session.oracle.objective = Resource::energy;
  ASSERT_TRUE(runner->open(session).ok());
  RunRequest request = doublingRequest("ok");
  request.kind = RunRequest::Kind::compare;
  request.ofEnergy = true;
  request.acceptContended = true; // by the thread above
  request.baseline = kernelArtifact("takes_a_millisecond");
  RunResult result = runner->run(request);
  ends = true;
  power.join();
  ASSERT_TRUE(result.comparison.has_value()) << result.message;
  EXPECT_EQ(result.comparison->verdict, Verdict::faster);
  EXPECT_GT(result.comparison->speedup, 2);
  EXPECT_GT(result.comparison->baselineSeconds.median, 0.03); // joules
}

TEST_F(RaplTest, RunnersRefuseWithoutACounter) {
  auto device = HostDevice::create({}, directory.path().string());
  auto host = HostDevice::create();
  ASSERT_TRUE(device.ok() && host.ok());
  auto runner = createLocalRunner(std::move(*device), std::move(*host));
  RunnerSession session = doublingSession();
  session.oracle.front = {Resource::energy};
  auto opened = runner->open(session);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message,
              StartsWith("energy cannot be measured: '"));
  EXPECT_THAT(opened.error().message,
              HasSubstr("; omit it from '--objective' and '--pareto'"));
}
