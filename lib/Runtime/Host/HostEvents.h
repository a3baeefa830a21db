//===- Events that the processor counts -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_HOST_HOSTEVENTS_H
#define TONNO_LIB_RUNTIME_HOST_HOSTEVENTS_H

#include "tonno/Core/Descriptor.h"
#include "tonno/Core/Measurement.h"

#include <span>
#include <vector>

namespace tonno {

/// An event of Linux's perf_event_open(2), and the member that has its count.
struct HostEvent {
  uint32_t type;   ///< perf_event_attr::type
  uint64_t config; ///< perf_event_attr::config
  std::optional<double> EventCounts::*count;
};

/// Returns an event for each member of EventCounts.
std::span<const HostEvent> hardwareEvents();

/// Counts events of the thread that creates it, in user mode. Events that the
/// system does not count or may not show are left out.
class HostEvents {
public:
  explicit HostEvents(std::span<const HostEvent> events);

  bool countsAny() const { return !counters.empty(); }

  void start();
  /// Returns the counts since `start`. A counter that had only a share of the
  /// time is extrapolated; one that had none is left out.
  EventCounts stop();

private:
  /// Counts of the system since a counter was opened.
  struct Reading {
    uint64_t count = 0, enabled = 0, running = 0; ///< times in nanoseconds
  };
  struct Counter {
    Descriptor file;
    std::optional<double> EventCounts::*count;
    std::optional<Reading> begin;

    std::optional<Reading> read() const;
  };
  std::vector<Counter> counters;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_HOST_HOSTEVENTS_H
