//===- Events that the processor counts -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostEvents.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace tonno;

std::span<const HostEvent> tonno::hardwareEvents() {
  constexpr uint64_t missedLoadsOfL1d = PERF_COUNT_HW_CACHE_L1D |
                                        (PERF_COUNT_HW_CACHE_OP_READ << 8) |
                                        (PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
  static constexpr HostEvent events[] = {
      {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, &EventCounts::cycles},
      {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
       &EventCounts::executedInstructions},
      {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
       &EventCounts::branchMisses},
      {PERF_TYPE_HW_CACHE, missedLoadsOfL1d, &EventCounts::l1dMisses},
      {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
       &EventCounts::llcMisses}};
  return events;
}

HostEvents::HostEvents(std::span<const HostEvent> events) {
  for (const HostEvent &event : events) {
    perf_event_attr attributes = {};
    attributes.size = sizeof attributes;
    attributes.type = event.type;
    attributes.config = event.config;
    attributes.disabled = 1;
    // The most that Linux shows to users without privileges.
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.read_format =
        PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    Descriptor file(static_cast<int>(
        ::syscall(SYS_perf_event_open, &attributes, /*pid=*/0, /*cpu=*/-1,
                  /*group_fd=*/-1, PERF_FLAG_FD_CLOEXEC)));
    if (file.valid())
      counters.push_back({std::move(file), event.count, {}});
  }
}

std::optional<HostEvents::Reading> HostEvents::Counter::read() const {
  Reading reading;
  if (::read(file.get(), &reading, sizeof reading) != sizeof reading)
    return std::nullopt;
  return reading;
}

void HostEvents::start() {
  for (Counter &counter : counters)
    counter.begin = counter.read();
  for (const Counter &counter : counters)
    ::ioctl(counter.file.get(), PERF_EVENT_IOC_ENABLE, 0);
}

EventCounts HostEvents::stop() {
  for (const Counter &counter : counters)
    ::ioctl(counter.file.get(), PERF_EVENT_IOC_DISABLE, 0);
  EventCounts counts;
  for (const Counter &counter : counters) {
    auto end = counter.read();
    // The times are since the beginning, also after PERF_EVENT_IOC_RESET.
    if (!end || !counter.begin || end->running == counter.begin->running)
      continue;
    auto count = static_cast<double>(end->count - counter.begin->count);
    auto enabled = static_cast<double>(end->enabled - counter.begin->enabled);
    auto running = static_cast<double>(end->running - counter.begin->running);
    counts.*counter.count = count * enabled / running;
  }
  return counts;
}
