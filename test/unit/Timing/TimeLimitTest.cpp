//===- Candidates within a limit on time, and beyond ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Timing/Protocol.h"

#include "FakeSampler.h"

#include <gmock/gmock.h>

using namespace tonno;

/// Returns the number of simulated tests that show a candidate to be within the
/// limit, where it takes `ratio` times as long as the baseline.
static size_t countAccepted(double ratio, double limit, size_t runs) {
  ProtocolOptions options = makeLimitProtocol({}, 1 / limit);
  options.warmupSeconds = 0.0015; // two launches of a millisecond
  NoisySampler::Machine machine;
  machine.speedup = 1 / ratio;
  size_t accepted = 0;
  for (uint64_t seed = 0; seed < runs; ++seed) {
    NoisySampler sampler(machine, 7000 + seed);
    auto comparison = compareWithBaseline(sampler, options, seed);
    EXPECT_TRUE(comparison.ok());
    accepted += comparison->verdict == Verdict::faster;
  }
  testing::Test::RecordProperty("accepted", static_cast<int>(accepted));
  return accepted;
}

TEST(TimeLimit, WhatIsWithinIsAccepted) {
  EXPECT_GE(countAccepted(1.03, 1.05, 1000), 990u);
  EXPECT_EQ(countAccepted(0.5, 1.05, 100), 100u);
}

TEST(TimeLimit, WhatIsAtTheLimitIsRejected) {
  EXPECT_LE(countAccepted(1.05, 1.05, 2000), 20u);
}

TEST(TimeLimit, WhatIsAboveIsRejected) {
  EXPECT_LE(countAccepted(1.055, 1.05, 2000), 2u);
}

TEST(TimeLimit, NoLimitAcceptsAllAtTheFirstLook) {
  ProtocolOptions options = makeLimitProtocol({}, 0);
  options.warmupSeconds = 0.0015;
  NoisySampler::Machine machine;
  machine.speedup = 0.01;
  NoisySampler sampler(machine, 1);
  auto comparison = compareWithBaseline(sampler, options, 1);
  ASSERT_TRUE(comparison.ok());
  EXPECT_EQ(comparison->verdict, Verdict::faster);
  EXPECT_EQ(comparison->rounds, options.firstLook);
}
