//===- Progress on a terminal ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_PROGRESS_H
#define TONNO_SESSION_PROGRESS_H

#include "tonno/Session/TuneObserver.h"

#include <functional>
#include <memory>
#include <ostream>

namespace tonno {

class LiveRegion;
struct LiveStatus;

/// Prints what tuning waits for, and warnings; nothing else.
class WarningPrinter : public TuneObserver {
public:
  explicit WarningPrinter(std::ostream &stream) : stream(stream) {}

  void waiting(const std::string &holder) override;
  void warn(const std::string &message) override;

protected:
  /// Prints text with names and messages of the kernel and the compiler: see
  /// toPrintable.
  virtual void print(const std::string &text);

  std::ostream &stream;
};

/// Prints the progress of tuning: in a live region, or else by a line now and
/// then; always the baseline and the winner of each kernel. In verbose mode,
/// prints a permanent line for each trial, with the reason for its proposal and
/// the time to propose it.
class Progress : public WarningPrinter {
public:
  /// `region` is null if lines stay; `now` is a clock, in seconds.
  explicit Progress(std::ostream &stream,
                    std::shared_ptr<LiveRegion> region = {},
                    bool isVerbose = false,
                    std::function<double()> now = steadySeconds);
  ~Progress() override;

  void timing(const DeviceDescription &device) override;
  void started(const std::string &kernel, const SearchSpace &space,
               const Budget &budget) override;
  void record(const Trial &trial, const Trial *incumbent) override;
  void advance(const SessionState &state) override;
  void decided(const KernelOutcome &outcome) override;
  void timingInModel(const ModelKernelOutcome &kernel, size_t n,
                     size_t all) override;
  void tunedInModel(const ModelKernelOutcome &kernel) override;
  void tunedAtShape(const KernelOutcome &outcome) override;
  void measuredPeaks(const DeviceDescription &device, const PeakQuery &query,
                     double seconds) override;
  void skipped(const std::string &kernel) override;
  /// Removes the live region.
  void finish() override;

private:
  /// Shows the status in the live region.
  void showStatus();
  /// Prints above the live region.
  void print(const std::string &text) override;
  void printTrial(const Trial &trial);

  std::shared_ptr<LiveRegion> region;
  bool isVerbose;
  std::function<double()> now;
  SearchSpace space;
  Budget budget;
  std::unique_ptr<LiveStatus> status;
  double lineAt = 0; ///< when the last status line was printed
};

/// Returns the most trials that a search makes: its budget's, or as many as
/// there are legal points.
uint64_t countPlannedTrials(const SearchSpace &space, const Budget &budget);

/// Formats values: "BM=64 BN=32".
std::string formatValues(const Json &values);

/// Formats a speedup: "1.83x [1.80, 1.86]".
std::string formatSpeedup(const Speedup &speedup);

/// Joins an environment's remarks in one line; empty if there are none.
std::string joinRemarks(const Environment &environment);

/// Summarises a decision in one sentence: "BM=64 BN=32: 1.83x [1.80, 1.86],
/// faster".
std::string summarize(const KernelOutcome &outcome);

/// Describes an output that has the values of these kernels: "the tuned IR",
/// "the IR with its defaults, not measured". `noun`: "IR", "source".
std::string describeTuned(const std::string &noun,
                          std::span<const KernelOutcome> kernels);

} // namespace tonno

#endif // TONNO_SESSION_PROGRESS_H
