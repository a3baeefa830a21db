//===- Samples of artifacts on a device -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SamplerFixture.h"

using namespace tonno;
using testing::ElementsAre;

namespace {
class DeviceSamplerTest : public SamplerFixture {};
} // namespace

TEST_F(DeviceSamplerTest, SamplesTheSideThatIsAskedFor) {
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  ASSERT_TRUE(sampler.ok());
  EXPECT_EQ(*sampler->sample(baselineEntrant), 1e-3);
  EXPECT_EQ(*sampler->sample(firstCandidate), 1e-3);
  EXPECT_THAT(ran, ElementsAre("baseline", "candidate"));
}

TEST_F(DeviceSamplerTest, SidesThatTakeTurnsSeeEverySet) {
  BufferRotation rotation = rotate();
  size_t sets = turn(rotation).size();
  auto sampler = sampleFrom(rotation);
  device.launched.clear();
  for (size_t i = 0; i < sets; ++i) {
    ASSERT_TRUE(sampler->sample(baselineEntrant).ok());
    ASSERT_TRUE(sampler->sample(firstCandidate).ok());
  }
  std::set<void *> seen[2];
  for (size_t i = 0; i < device.launched.size(); ++i)
    seen[i % 2].insert(device.launched[i][0]);
  EXPECT_EQ(seen[0].size(), sets);
  EXPECT_EQ(seen[1].size(), sets);
}

TEST_F(DeviceSamplerTest, ReloadLoadsAllAnew) {
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  EXPECT_THAT(device.loads, ElementsAre("baseline", "candidate"));
  ASSERT_TRUE(sampler->reload().ok());
  EXPECT_THAT(device.loads,
              ElementsAre("baseline", "candidate", "baseline", "candidate"));
  EXPECT_TRUE(sampler->sample(firstCandidate).ok());
}

TEST_F(DeviceSamplerTest, EventsAreThoseOfOneLaunchFromTheTimedState) {
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  EXPECT_EQ(*sampler->countEvents(firstCandidate), EventCounts());
  EXPECT_THAT(ran, ElementsAre());
  device.cycles = 100;
  device.flushes = true;
  device.about.cacheBytes = 1 << 30; // that the sets do not cover
  device.events.clear();
  options.maxRotationBytes = 1 << 16;
  BufferRotation small = rotate();
  auto flushing = sampleFrom(small);
  auto counts = flushing->countEvents(firstCandidate);
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(counts->cycles, 100);
  EXPECT_FALSE(counts->llcMisses.has_value());
  EXPECT_THAT(ran, ElementsAre("candidate"));
  EXPECT_THAT(device.events, ElementsAre("flush", "count"));
  device.failNextLaunch = true;
  EXPECT_FALSE(flushing->countEvents(firstCandidate).ok());
}

TEST_F(DeviceSamplerTest, ArtifactThatDoesNotLoadIsAFailure) {
  BufferRotation rotation = rotate();
  Artifact gone = FakeDevice::artifactOf("gone", plan);
  for (bool isCandidate : {true, false}) {
    auto sampler = DeviceSampler::create(
        device, rotation,
        {isCandidate ? &baseline : &gone, isCandidate ? &gone : &candidate},
        options);
    ASSERT_FALSE(sampler.ok());
    EXPECT_EQ(sampler.error().status, Status::load_error);
  }
}

TEST_F(DeviceSamplerTest, WorkspaceIsAppended) {
  BufferRotation rotation = rotate();
  plan.buffers.push_back(
      {"workspace0", ElementType::f32, {16}, Access::workspace, 64});
  Artifact greedy = FakeDevice::artifactOf("candidate", plan);
  auto sampler =
      DeviceSampler::create(device, rotation, {&baseline, &greedy}, options);
  ASSERT_TRUE(sampler.ok());
  ASSERT_TRUE(sampler->sample(firstCandidate).ok());
  ASSERT_TRUE(sampler->sample(baselineEntrant).ok());
  EXPECT_EQ(device.launched[0].size(), 3u);
  EXPECT_EQ(device.launched[1].size(), 2u);
}

TEST_F(DeviceSamplerTest, KernelsInPlaceFindTheSameContentsEveryTime) {
  plan.buffers[0].access = Access::read_write;
  for (const char *name : {"candidate", "baseline"})
    device.kernels[name] = [&, name](auto buffers) {
      ran.emplace_back(name);
      auto *bytes = static_cast<unsigned char *>(buffers[0]);
      EXPECT_EQ(bytes[0], 0x42);
      EXPECT_EQ(bytes[255], 0x42);
      std::memset(bytes, 0, 256);
      // Outputs keep the contents of the last launch.
      auto *result = static_cast<unsigned char *>(buffers[1]);
      EXPECT_TRUE(result[0] == 0xFF || result[0] == 0x11);
      result[0] = 0x11;
    };
  candidate = FakeDevice::artifactOf("candidate", plan);
  baseline = FakeDevice::artifactOf("baseline", plan);
  BufferRotation rotation = rotate();
  size_t sets = turn(rotation).size();
  auto sampler = sampleFrom(rotation);
  for (size_t i = 0; i < 3 * sets; ++i) {
    ASSERT_TRUE(sampler->sample(baselineEntrant).ok());
    ASSERT_TRUE(sampler->sample(firstCandidate).ok());
  }
  EXPECT_EQ(ran.size(), 6 * sets);
}

TEST_F(DeviceSamplerTest, RestoringIsNotTimedAndItsFailureIsOne) {
  plan.buffers[0].access = Access::read_write;
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  size_t uploads = device.uploads;
  EXPECT_EQ(*sampler->sample(firstCandidate), 1e-3);
  EXPECT_EQ(device.uploads, uploads + 1);
  device.failUploads = true;
  auto failed = sampler->sample(firstCandidate);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().status, Status::fault);
}

TEST_F(DeviceSamplerTest, SmallRotationsAreFlushedBeforeEachSample) {
  // 512 bytes a set, of 4095 sets at most.
  device.about.cacheBytes = uint64_t(1) << 22;
  device.flushes = true;
  BufferRotation rotation = rotate();
  EXPECT_FALSE(rotation.coversCache());
  EXPECT_EQ(rotation.size(), 257u); // more would cost more than they give
  device.events.clear();
  auto sampler = sampleFrom(rotation);
  ASSERT_TRUE(sampler->sample(firstCandidate).ok());
  ASSERT_TRUE(sampler->sample(baselineEntrant).ok());
  EXPECT_THAT(device.events, ElementsAre("flush", "time", "flush", "time"));
}

TEST_F(DeviceSamplerTest, WhatIsLoadedIsThereAndColdBeforeEachSample) {
  device.flushes = true;
  BufferRotation rotation = rotate();
  ASSERT_TRUE(rotation.coversCache());
  plan.launches.push_back({.symbol = "load", .buffers = {}, .atLoad = true});
  Artifact loading = FakeDevice::artifactOf("candidate", plan);
  auto sampler =
      DeviceSampler::create(device, rotation, {&baseline, &loading}, options);
  ASSERT_TRUE(sampler.ok());
  device.events.clear();
  ASSERT_TRUE(sampler->sample(firstCandidate).ok());
  ASSERT_TRUE(sampler->sample(baselineEntrant).ok());
  // The baseline, without such a launch, finds the same cache.
  EXPECT_THAT(device.events,
              ElementsAre("load", "flush", "time", "load", "flush", "time"));
  // The second launch of a batch would find it in the cache.
  sampler->expectSeconds(1e-9, 1e-9);
  EXPECT_EQ(sampler->batch(), 1u);

  // A device that can't flush its cache has it overwritten.
  device.flushes = false;
  size_t uploads = device.uploads;
  ASSERT_TRUE(sampler->sample(firstCandidate).ok());
  EXPECT_GT(device.uploads, uploads);
}

TEST_F(DeviceSamplerTest, RotationsThatCoverTheCacheAreNot) {
  device.about.cacheBytes = 3 * 512 - 1;
  device.flushes = true;
  BufferRotation rotation = rotate();
  EXPECT_TRUE(rotation.coversCache());
  auto sampler = sampleFrom(rotation);
  ASSERT_TRUE(sampler->sample(firstCandidate).ok());
  EXPECT_THAT(device.events, ElementsAre("time"));
}

TEST_F(DeviceSamplerTest, DeviceThatCannotFlushIsTimedAllTheSame) {
  device.about.cacheBytes = uint64_t(1) << 30;
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  EXPECT_TRUE(sampler->sample(firstCandidate).ok());
  EXPECT_THAT(device.events, ElementsAre("time"));
}

TEST_F(DeviceSamplerTest, FlushThatFailsIsAFailure) {
  device.about.cacheBytes = uint64_t(1) << 30;
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  device.failFlushes = true;
  auto failed = sampler->sample(firstCandidate);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().status, Status::lost);
}

TEST_F(DeviceSamplerTest, ShortLaunchesAreBatched) {
  device.about.cacheBytes = 1 << 16;
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  EXPECT_EQ(sampler->batch(), 1u);
  sampler->expectSeconds(3e-6, 3e-6);
  EXPECT_EQ(sampler->batch(), 7u);
  // The mean of the launches, each on other buffers.
  EXPECT_DOUBLE_EQ(*sampler->sample(firstCandidate), 1e-3);
  ASSERT_EQ(device.launched.size(), 7u);
  std::set<void *> places;
  for (const auto &buffers : device.launched)
    places.insert(buffers[0]);
  EXPECT_EQ(places.size(), 7u);
}

TEST_F(DeviceSamplerTest, LongLaunchesAreNot) {
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  sampler->expectSeconds(20e-6, 20e-6);
  EXPECT_EQ(sampler->batch(), 1u);
}

TEST_F(DeviceSamplerTest, LongOnesBesideShortOnesAreNot) {
  device.about.cacheBytes = 1 << 16;
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  sampler->expectSeconds(1e-6, 2e-4);
  EXPECT_EQ(sampler->batch(), 5u);
  sampler->expectSeconds(1e-6, 0.4);
  EXPECT_EQ(sampler->batch(), 1u);
}

TEST_F(DeviceSamplerTest, BatchesAreNoLongerThanTheRotation) {
  device.about.cacheBytes = 0;
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  sampler->expectSeconds(0, 0);
  EXPECT_EQ(sampler->batch(), rotation.size());
}

TEST_F(DeviceSamplerTest, EachSetOfABatchGetsItsContentsBack) {
  device.about.cacheBytes = 1 << 16;
  plan.buffers[0].access = Access::read_write;
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  sampler->expectSeconds(2.1e-6, 2.1e-6);
  size_t uploads = device.uploads;
  ASSERT_TRUE(sampler->sample(firstCandidate).ok());
  EXPECT_EQ(device.uploads, uploads + 10);
}

TEST_F(DeviceSamplerTest, WarmSamplesFollowALaunchOnTheSameBuffers) {
  options.cacheState = CacheState::warm;
  device.flushes = true;
  BufferRotation rotation = rotate();
  EXPECT_EQ(rotation.size(), 1u);
  auto sampler = sampleFrom(rotation);
  ASSERT_TRUE(sampler->sample(firstCandidate).ok());
  ASSERT_TRUE(sampler->sample(baselineEntrant).ok());
  EXPECT_THAT(ran,
              ElementsAre("candidate", "candidate", "baseline", "baseline"));
  EXPECT_THAT(device.events, ElementsAre("time", "time"));
  std::set<void *> places;
  for (const auto &buffers : device.launched)
    places.insert(buffers[0]);
  EXPECT_EQ(places.size(), 1u);
}

TEST_F(DeviceSamplerTest, WarmKernelsInPlaceFindTheSameContentsToo) {
  options.cacheState = CacheState::warm;
  plan.buffers[0].access = Access::read_write;
  device.kernels["candidate"] = [&](auto buffers) {
    auto *bytes = static_cast<unsigned char *>(buffers[0]);
    EXPECT_EQ(bytes[0], 0x42);
    bytes[0] = 0;
  };
  candidate = FakeDevice::artifactOf("candidate", plan);
  baseline = FakeDevice::artifactOf("baseline", plan);
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  sampler->expectSeconds(1e-6, 1e-6);
  EXPECT_EQ(sampler->batch(), 1u);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(sampler->sample(firstCandidate).ok());
  EXPECT_EQ(device.launched.size(), 6u);
}

TEST_F(DeviceSamplerTest, DisturbedSamplesAreTakenAgain) {
  // Other processes run during every other launch.
  StolenSeconds stolen;
  device.kernels["candidate"] = [&](auto) {
    if (++launches % 2 == 1)
      stolen.own += 1;
  };
  device.stolen = [&] { return stolen; };
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(sampler->sample(firstCandidate).ok());
  EXPECT_EQ(launches, 8u);
  EXPECT_TRUE(sampler->checkContention().ok());
}

TEST_F(DeviceSamplerTest, WhatOthersTakeIsSubtractedWhereTheyAreAccepted) {
  StolenSeconds stolen;
  device.kernels["candidate"] = [&](auto) {
    ++launches;
    stolen.own += 0.4e-3; // of 1 ms
  };
  device.stolen = [&] { return stolen; };
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  sampler->acceptContention();
  EXPECT_FALSE(sampler->isContended());
  for (int i = 0; i < 3; ++i) {
    auto seconds = sampler->sample(firstCandidate);
    ASSERT_TRUE(seconds.ok());
    EXPECT_NEAR(*seconds, 0.6e-3, 1e-9);
  }
  EXPECT_EQ(launches, 3u);
  EXPECT_TRUE(sampler->checkContention().ok());
  EXPECT_TRUE(sampler->isContended());
}

TEST_F(DeviceSamplerTest, WhatSeveralThreadsWaitedForIsNotSubtracted) {
  StolenSeconds stolen;
  device.kernels["candidate"] = [&](auto) {
    stolen.own += 0.1e-3;
    stolen.elsewhere += 0.4e-3;
  };
  device.stolen = [&] { return stolen; };
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  sampler->acceptContention();
  auto seconds = sampler->sample(firstCandidate);
  ASSERT_TRUE(seconds.ok());
  EXPECT_NEAR(*seconds, 1e-3, 1e-9);
  EXPECT_TRUE(sampler->isContended());
}

TEST_F(DeviceSamplerTest, DeviceThatOthersKeepIsContended) {
  StolenSeconds stolen;
  device.kernels["candidate"] = [&](auto) {
    ++launches;
    stolen.own += 1;
  };
  device.stolen = [&] { return stolen; };
  BufferRotation rotation = rotate();
  auto sampler = sampleFrom(rotation);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(sampler->sample(firstCandidate).ok());
  EXPECT_EQ(launches, 3 * (1 + options.maxRetakes));
  auto alone = sampler->checkContention();
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.error().status, Status::contended);
  EXPECT_THAT(alone.error().message,
              testing::StartsWith(
                  "other processes ran on the device during 3 of 3 samples"));
  // Half of them may be.
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(sampler->sample(baselineEntrant).ok());
  EXPECT_TRUE(sampler->checkContention().ok());
}
