//===- Progress on a terminal ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_PROGRESS_H
#define TONNO_SESSION_PROGRESS_H

#include "tonno/Session/TuneObserver.h"

#include <ostream>

namespace tonno {

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

/// Prints the progress of tuning: on a terminal a status line that is rewritten
/// after each trial and for each kernel of a model that is timed; always the
/// baseline and the winner of each kernel. In verbose mode, prints a permanent
/// line for each trial, with the reason for its proposal and the time to
/// propose it.
class Progress : public WarningPrinter {
public:
  Progress(std::ostream &stream, bool isTerminal, bool isVerbose = false)
      : WarningPrinter(stream), isTerminal(isTerminal), isVerbose(isVerbose) {}

  void timing(const DeviceDescription &device) override;
  void started(const std::string &kernel, const SearchSpace &space,
               const Budget &budget) override;
  void record(const Trial &trial, const Trial *incumbent) override;
  void decided(const KernelOutcome &outcome) override;
  void timingInModel(const ModelKernelOutcome &kernel, size_t n,
                     size_t all) override;
  void tunedInModel(const ModelKernelOutcome &kernel) override;
  void skipped(const std::string &kernel) override;
  /// Takes back the line that is rewritten.
  void finish() override { clearLine(); }

private:
  void clearLine();
  /// Rewrites the line of a terminal; prints nothing elsewhere.
  void printStatus(const std::string &text);
  /// Prints in place of the line that is rewritten.
  void print(const std::string &text) override;
  void printTrial(const Trial &trial);

  bool isTerminal, isVerbose;
  std::string kernelName;
  SearchSpace space;
  Budget budget;
  uint64_t plannedTrials = 0;
  uint64_t trials = 0;
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

} // namespace tonno

#endif // TONNO_SESSION_PROGRESS_H
