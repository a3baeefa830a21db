//===- Tests for simulated collectives ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimulatedKernel.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

class SimCollectivesTest : public SimulatedKernelTest {
protected:
  /// Returns the first result of each thread.
  std::vector<uint64_t>
  together(SimCollective kind, uint32_t threads,
           const std::function<std::array<uint64_t, 3>(uint32_t)> &operands,
           size_t result = 0) {
    std::vector<uint64_t> results(threads);
    auto kernel = [&](SimulatedThread gpu) {
      gpu.meet("here", kind, ~0ull, operands(gpu.thread()));
      results[gpu.thread()] = gpu.results[result];
    };
    auto ran = run(kernel, threads);
    EXPECT_TRUE(ran.ok()) << ran.error().message;
    return results;
  }
};

} // namespace

TEST_F(SimCollectivesTest, ExchangeTakesAValueFromALane) {
  auto take = [](uint32_t thread) {
    uint32_t from = thread == 3 ? 40 : thread % 32 ^ 5;
    return std::array<uint64_t, 3>{1000 + thread, from, 7};
  };
  auto results = together(SimCollective::exchange, 64, take);
  for (uint32_t thread = 0; thread < 64; ++thread)
    EXPECT_EQ(results[thread], thread == 3 ? 7 : 1000 + (thread ^ 5));
  object.subgroupSize = 64;
  results = together(SimCollective::exchange, 64, take);
  EXPECT_EQ(results[3], 1040u);
}

TEST_F(SimCollectivesTest, LanesThatDoNotExistGiveNothing) {
  auto results = together(SimCollective::exchange, 40, [](uint32_t thread) {
    return std::array<uint64_t, 3>{thread, thread % 32 + 1, 7};
  });
  EXPECT_EQ(results[31], 7u); // beyond its subgroup
  EXPECT_EQ(results[38], 39u);
  EXPECT_EQ(results[39], 7u); // beyond the workgroup
}

TEST_F(SimCollectivesTest, Ballots) {
  auto odd = [](uint32_t thread) {
    return std::array<uint64_t, 3>{thread & 1};
  };
  for (uint64_t got : together(SimCollective::ballot, 32, odd))
    EXPECT_EQ(got, 0xaaaaaaaau);
  for (uint64_t got : together(SimCollective::ballot, 20, odd, 1))
    EXPECT_EQ(got, 0xfffffu);
  object.subgroupSize = 64;
  for (uint64_t got : together(SimCollective::ballot, 64, odd))
    EXPECT_EQ(got, 0xaaaaaaaaaaaaaaaau);
}

TEST_F(SimCollectivesTest, FirstLane) {
  auto results = together(SimCollective::firstLane, 64, [](uint32_t thread) {
    return std::array<uint64_t, 3>{thread + 100};
  });
  EXPECT_EQ(results[31], 100u);
  EXPECT_EQ(results[32], 132u);
}

TEST_F(SimCollectivesTest, Reductions) {
  auto give = [](uint32_t thread) {
    return std::array<uint64_t, 3>{uint32_t(7 * (thread - 10))};
  };
  auto all = [&](SimCollective kind, size_t result = 0) {
    return static_cast<uint32_t>(together(kind, 32, give, result)[9]);
  };
  uint32_t sum = 0, conjunction = ~0u, disjunction = 0, difference = 0;
  for (uint32_t thread = 0; thread < 32; ++thread) {
    uint32_t value = 7 * (thread - 10);
    sum += value;
    conjunction &= value;
    disjunction |= value;
    difference ^= value;
  }
  EXPECT_EQ(all(SimCollective::reduceAdd), sum);
  EXPECT_EQ(all(SimCollective::reduceAnd), conjunction);
  EXPECT_EQ(all(SimCollective::reduceOr), disjunction);
  EXPECT_EQ(all(SimCollective::reduceXor), difference);
  EXPECT_EQ(all(SimCollective::reduceSigned), uint32_t(-70));
  EXPECT_EQ(all(SimCollective::reduceSigned, 1), 147u);
  EXPECT_EQ(all(SimCollective::reduceUnsigned), 0u);
  EXPECT_EQ(all(SimCollective::reduceUnsigned, 1), uint32_t(-7));
}

TEST_F(SimCollectivesTest, BarriersCount) {
  for (uint64_t got :
       together(SimCollective::barrierCount, 100, [](uint32_t thread) {
         return std::array<uint64_t, 3>{thread % 3 == 0};
       }))
    EXPECT_EQ(got, 34u);
}

TEST_F(SimCollectivesTest, OnlyTheLanesOfTheMaskMeet) {
  for (uint64_t seed = 0; seed < 16; ++seed) {
    auto kernel = [](SimulatedThread gpu) {
      uint32_t lane = gpu.thread();
      if (lane < 16)
        EXPECT_EQ(gpu.exchange(lane, lane ^ 1, 0xffff), lane ^ 1);
      else if (lane < 24)
        EXPECT_EQ(gpu.exchange(lane, 2, 0xff0000), 999u); // takes no part
      gpu.barrier();
    };
    auto ran = run(kernel, 32, seed);
    EXPECT_TRUE(ran.ok()) << ran.error().message;
  }
}

TEST_F(SimCollectivesTest, LanesThatHaveEndedAreNotAwaited) {
  for (uint64_t seed = 0; seed < 16; ++seed) {
    auto kernel = [](SimulatedThread gpu) {
      if (gpu.thread() >= 5)
        EXPECT_EQ(gpu.exchange(gpu.thread(), gpu.thread() - 1),
                  gpu.thread() == 5 ? 999 : gpu.thread() - 1);
    };
    auto ran = run(kernel, 32, seed);
    EXPECT_TRUE(ran.ok()) << ran.error().message;
  }
}

TEST_F(SimCollectivesTest, ABarrierThatAnEndedThreadMissesIsAFault) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Failure got = failure(
        [](SimulatedThread gpu) {
          if (gpu.thread() != 37)
            gpu.barrier();
        },
        64, seed);
    EXPECT_EQ(got.status, Status::fault);
    EXPECT_EQ(got.message,
              "workgroup (0, 0, 0): thread 0 waits at a barrier for thread 37, "
              "which has ended; of 64 threads 63 wait as the former does");
  }
}

TEST_F(SimCollectivesTest, DifferentBarriersAreAFault) {
  Failure got = failure(
      [](SimulatedThread gpu) {
        if (gpu.thread() < 32)
          gpu.barrier();
        else
          gpu.meet("another barrier", SimCollective::barrier);
      },
      64);
  EXPECT_EQ(got.status, Status::fault);
  EXPECT_THAT(got.message,
              HasSubstr("thread 0 waits at a barrier for thread 32, which "
                        "waits at another barrier"));
}

TEST_F(SimCollectivesTest, DivergentCollectivesAreAFault) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Failure got = failure(
        [](SimulatedThread gpu) {
          if (gpu.thread() < 8)
            gpu.meet("a ballot", SimCollective::ballot);
          else
            gpu.exchange(0, 0);
        },
        32, seed);
    EXPECT_EQ(got.status, Status::fault);
    EXPECT_THAT(got.message, HasSubstr("thread 0 waits at a ballot for thread "
                                       "8, which waits at an exchange"));
  }
}

TEST_F(SimCollectivesTest, ACollectiveBesideABarrierIsAFault) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Failure got = failure(
        [](SimulatedThread gpu) {
          if (gpu.thread() % 32 < 20)
            gpu.exchange(0, 0);
          gpu.barrier();
        },
        64, seed);
    EXPECT_EQ(got.status, Status::fault);
    EXPECT_THAT(got.message, HasSubstr("thread 0 waits at an exchange for "
                                       "thread 20, which waits at a barrier"));
  }
}

TEST_F(SimCollectivesTest, MasksThatDifferAreAFault) {
  Failure got = failure(
      [](SimulatedThread gpu) {
        gpu.exchange(0, 0, gpu.thread() == 1 ? 0xf : 0xff);
      },
      8);
  EXPECT_EQ(got.status, Status::fault);
  EXPECT_THAT(got.message,
              HasSubstr("thread 0 waits at an exchange of lanes 0x000000ff for "
                        "thread 1, which waits at an exchange of lanes "
                        "0x0000000f"));
}

TEST_F(SimCollectivesTest, ALaneOutsideOfItsMaskIsAFault) {
  Failure got =
      failure([](SimulatedThread gpu) { gpu.exchange(0, 0, 0x7f); }, 8);
  EXPECT_EQ(got.status, Status::fault);
  EXPECT_THAT(got.message, HasSubstr("thread 7 takes part in an exchange but "
                                     "is not among its lanes"));
}

TEST_F(SimCollectivesTest, AnUnknownCollectiveIsAFault) {
  Failure got = failure(
      [](SimulatedThread gpu) {
        gpu.meet("tomorrow", static_cast<SimCollective>(1000));
      },
      1);
  EXPECT_EQ(got.status, Status::fault);
  EXPECT_THAT(got.message, HasSubstr("does not know the collective of "
                                     "tomorrow"));
}
