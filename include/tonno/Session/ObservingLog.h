//===- Tells of trials, keeps none ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_OBSERVINGLOG_H
#define TONNO_SESSION_OBSERVINGLOG_H

#include "tonno/Session/TuneObserver.h"

namespace tonno {

/// Tells an observer of each trial, and keeps nothing.
class ObservingLog : public TrialLog {
public:
  explicit ObservingLog(TuneObserver &observer) : observer(observer) {}
  void record(const Trial &trial, const Trial *incumbent) override {
    observer.tried(trial, incumbent);
  }
  void warn(const std::string &message) override { observer.warned(message); }

private:
  TuneObserver &observer;
};

} // namespace tonno

#endif // TONNO_SESSION_OBSERVINGLOG_H
