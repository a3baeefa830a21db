//===- Events that the processor counts -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Host/HostEvents.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

using namespace tonno;

/// Touches so many pages for the first time.
static void touch(size_t pages) {
  constexpr size_t page = 4096;
  void *memory = ::mmap(nullptr, pages * page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(::madvise(memory, pages * page, MADV_NOHUGEPAGE), 0);
  for (size_t i = 0; i < pages; ++i)
    static_cast<volatile char *>(memory)[i * page] = 1;
  ::munmap(memory, pages * page);
}

TEST(HostEventsTest, CountsFromStartToStop) {
  const HostEvent events[] = {
      {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, &EventCounts::cycles},
      {PERF_TYPE_SOFTWARE, ~uint64_t{0}, &EventCounts::llcMisses}};
  HostEvents counters(events);
  if (!counters.countsAny())
    GTEST_SKIP() << "this system does not count events";
  counters.start();
  touch(100);
  EventCounts first = counters.stop();
  ASSERT_TRUE(first.cycles.has_value());
  EXPECT_GE(*first.cycles, 100);
  EXPECT_LT(*first.cycles, 200);
  EXPECT_FALSE(first.llcMisses.has_value()) << "there is no such event";
  touch(1000);
  counters.start();
  EventCounts second = counters.stop();
  EXPECT_LT(second.cycles.value_or(0), 100) << "counts between stop and start";
  counters.start();
  touch(50);
  EventCounts third = counters.stop();
  ASSERT_TRUE(third.cycles.has_value());
  EXPECT_GE(*third.cycles, 50);
  EXPECT_LT(*third.cycles, 150) << "counts of before";
}

TEST(HostEventsTest, ProcessorCountsThemOrNone) {
  HostEvents counters(hardwareEvents());
  counters.start();
  volatile double sum = 0;
  for (int i = 0; i < 100000; ++i)
    sum = sum + i;
  EventCounts counts = counters.stop();
  if (counts != EventCounts()) // others may have all counters
    EXPECT_TRUE(counters.countsAny());
  if (counts.executedInstructions)
    EXPECT_GT(*counts.executedInstructions, 100000);
}
