//===- A list of observers of tuning --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_TUNEOBSERVERS_H
#define TONNO_SESSION_TUNEOBSERVERS_H

#include "tonno/Session/TuneObserver.h"

namespace tonno {

/// Passes each event to a list of observers, one after the other.
class TuneObservers final : public TuneObserver {
public:
  void add(std::unique_ptr<TuneObserver> observer) {
    observers.push_back(std::move(observer));
  }

  void timing(const DeviceDescription &device) override {
    forEach([&](TuneObserver &one) { one.timing(device); });
  }
  void started(const std::string &kernel, const SearchSpace &space,
               const Budget &budget) override {
    forEach([&](TuneObserver &one) { one.started(kernel, space, budget); });
  }
  void record(const Trial &trial, const Trial *incumbent) override {
    forEach([&](TuneObserver &one) { one.record(trial, incumbent); });
  }
  void advance(const SessionState &state) override {
    forEach([&](TuneObserver &one) { one.advance(state); });
  }
  void warn(const std::string &message) override {
    forEach([&](TuneObserver &one) { one.warn(message); });
  }
  void decided(const KernelOutcome &outcome) override {
    forEach([&](TuneObserver &one) { one.decided(outcome); });
  }
  void timingInModel(const ModelKernelOutcome &kernel, size_t n,
                     size_t all) override {
    forEach([&](TuneObserver &one) { one.timingInModel(kernel, n, all); });
  }
  void tunedInModel(const ModelKernelOutcome &kernel) override {
    forEach([&](TuneObserver &one) { one.tunedInModel(kernel); });
  }
  void tunedAtShape(const KernelOutcome &outcome) override {
    forEach([&](TuneObserver &one) { one.tunedAtShape(outcome); });
  }
  void measuredPeaks(const DeviceDescription &device, const PeakQuery &query,
                     double seconds) override {
    forEach(
        [&](TuneObserver &one) { one.measuredPeaks(device, query, seconds); });
  }
  void skipped(const std::string &kernel) override {
    forEach([&](TuneObserver &one) { one.skipped(kernel); });
  }
  void waiting(const std::string &holder) override {
    forEach([&](TuneObserver &one) { one.waiting(holder); });
  }
  void finish() override {
    forEach([](TuneObserver &one) { one.finish(); });
  }

private:
  template <typename Call> void forEach(Call &&call) {
    for (const std::unique_ptr<TuneObserver> &observer : observers)
      call(*observer);
  }

  std::vector<std::unique_ptr<TuneObserver>> observers;
};

} // namespace tonno

#endif // TONNO_SESSION_TUNEOBSERVERS_H
