//===- Tuning reported as JSON lines --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_JSONPROGRESS_H
#define TONNO_SESSION_JSONPROGRESS_H

#include "tonno/Session/TuneObserver.h"

#include <ostream>

namespace tonno {

/// Writes an event: an object on a line of its own, flushed.
void writeEvent(std::ostream &stream, const char *event, Json members);

/// Reports how tuning goes on to programs: an event for each trial, kernel and
/// warning.
class JsonProgress final : public TuneObserver {
public:
  explicit JsonProgress(std::ostream &stream) : stream(stream) {}

  void timing(const DeviceDescription &device) override;
  void started(const std::string &kernel, const SearchSpace &space,
               const Budget &budget) override;
  void record(const Trial &trial, const Trial *incumbent) override;
  void advance(const SessionState &state) override;
  void decided(const KernelOutcome &outcome) override;
  void tunedInModel(const ModelKernelOutcome &kernel) override;
  void tunedAtShape(const KernelOutcome &outcome) override;
  void measuredPeaks(const DeviceDescription &device, const PeakQuery &query,
                     double seconds) override;
  void skipped(const std::string &kernel) override;
  void waiting(const std::string &holder) override;
  void warn(const std::string &message) override;

private:
  std::ostream &stream;
  std::string kernel; ///< that is being tuned
  SearchSpace space;
  uint64_t trials = 0;
};

} // namespace tonno

#endif // TONNO_SESSION_JSONPROGRESS_H
