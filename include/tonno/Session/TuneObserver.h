//===- Is told how tuning goes on -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_TUNEOBSERVER_H
#define TONNO_SESSION_TUNEOBSERVER_H

#include "tonno/Session/KernelOutcome.h"
#include "tonno/Session/TuningSession.h"

namespace tonno {

/// Is told how tuning goes on.
class TuneObserver : public TrialLog {
public:
  /// Times are going to be taken on this device; called once.
  virtual void timing(const DeviceDescription &device) {}
  virtual void started(const std::string &kernel, const SearchSpace &space,
                       const Budget &budget) {}
  virtual void decided(const KernelOutcome &outcome) {}
  /// The kernel's knobs are all selected, so it was left alone.
  virtual void skipped(const std::string &kernel) {}
  /// Another process, "process 4711 of user ...", has the device.
  virtual void waiting(const std::string &holder) {}
};

} // namespace tonno

#endif // TONNO_SESSION_TUNEOBSERVER_H
