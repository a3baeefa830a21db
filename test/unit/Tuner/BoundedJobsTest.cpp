//===- More workers than are of use ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/TuneRequest.h"
#include "Jobs.h"

#include <gmock/gmock.h>

using namespace tonno;

static constexpr uint64_t gib = uint64_t{1} << 30;

TEST(BoundedJobs, AreTwoForEachCore) {
  JobLimits limits{4, 64 * gib};
  EXPECT_EQ(limits.useful(), 4u);
  for (unsigned jobs : {1u, 4u, 8u}) {
    EXPECT_EQ(boundJobs(jobs, limits).jobs, jobs);
    EXPECT_EQ(boundJobs(jobs, limits).warning, "");
  }
  BoundedJobs bounded = boundJobs(4294967295, limits);
  EXPECT_EQ(bounded.jobs, 8u);
  EXPECT_EQ(bounded.warning,
            "'--jobs=4294967295' is lowered to 8, two for each "
            "of the 4 cores that this process may use");
}

TEST(BoundedJobs, FitIntoMemory) {
  JobLimits limits{64, gib};
  EXPECT_EQ(limits.useful(), 4u);
  EXPECT_EQ(boundJobs(4, limits).warning, "");
  BoundedJobs bounded = boundJobs(64, limits);
  EXPECT_EQ(bounded.jobs, 4u);
  EXPECT_EQ(bounded.warning, "'--jobs=64' is lowered to 4, one for each 256 of "
                             "the 1024 MiB of memory that are available");
  limits.memoryBytes = 1; // one has to do
  EXPECT_EQ(limits.useful(), 1u);
  EXPECT_EQ(boundJobs(64, limits).jobs, 1u);
  limits.memoryBytes = 0; // unknown
  EXPECT_EQ(boundJobs(64, limits).jobs, 64u);
}

TEST(BoundedJobs, OfACommandMayBeOnOtherMachines) {
  JobLimits limits{2, 64 * gib, true};
  EXPECT_EQ(boundJobs(200, limits).jobs, 200u);
  EXPECT_EQ(boundJobs(1000, limits).jobs, 256u);
  EXPECT_EQ(
      boundJobs(1000, limits).warning,
      "'--jobs=1000' is lowered to 256, the most that one command starts");
  limits.memoryBytes = gib;
  EXPECT_EQ(boundJobs(1000, limits).jobs, 16u);
}

TEST(BoundedJobs, AreThoseOfARequest) {
  JobLimits machine = JobLimits::ofThisMachine();
  EXPECT_GE(machine.cores, 1u);
  TuneRequest request;
  EXPECT_EQ(request.resolve()->jobs, 1u);
  request.compileOnly = true;
  EXPECT_LE(request.resolve()->jobs, machine.cores);
  EXPECT_TRUE(request.resolve()->warnings.empty());
  request.jobs = 4294967295;
  auto options = request.resolve();
  EXPECT_LE(options->jobs, 2 * machine.cores);
  ASSERT_EQ(options->warnings.size(), 1u);
  EXPECT_THAT(options->warnings[0],
              testing::StartsWith("'--jobs=4294967295' "));
  request.workerCommands = {"ssh host tonno-worker"};
  EXPECT_LE(request.resolve()->jobs, 256u);
  request.jobs = 0;
  EXPECT_EQ(request.resolve().error().message, "'--jobs' must be at least 1");
}
