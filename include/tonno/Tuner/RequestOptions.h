//===- Options that make a TuneRequest ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_REQUESTOPTIONS_H
#define TONNO_TUNER_REQUESTOPTIONS_H

#include "tonno/Tuner/TuneRequest.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"

#include <deque>
#include <memory>

namespace tonno {

/// Parses the value of an integer option. The Error says which integers it may
/// be.
template <typename T>
Result<T> parseInteger(llvm::StringRef text, T least, T greatest) {
  T value;
  if (!text.getAsInteger(0, value) && value >= least && value <= greatest)
    return value;
  return Error{("'" + text + "' is not an integer from " + llvm::Twine(least) +
                " to " + llvm::Twine(greatest))
                   .str()};
}

/// The headings of a tool's `--help`. LLVM takes one category of a name.
class OptionCategories {
public:
  OptionCategories();

  llvm::cl::OptionCategory &operator[](OptionGroup group) {
    return categories[static_cast<size_t>(group)];
  }

  /// Removes LLVM's own options from the help of a tool or a subcommand.
  void hideUnrelatedOptions(
      llvm::cl::SubCommand &command = llvm::cl::SubCommand::getTopLevel());

private:
  std::deque<llvm::cl::OptionCategory> categories; ///< as in OptionGroup
};

/// The options of TuneRequest's table, on a command line. They must be declared
/// before the command line is parsed.
class RequestOptions {
public:
  /// Declares the options with these flags; all if there are none.
  explicit RequestOptions(
      OptionCategories &categories, llvm::ArrayRef<llvm::StringRef> flags = {},
      llvm::cl::SubCommand &command = llvm::cl::SubCommand::getTopLevel());

  /// Returns the request of the command line. The Error names the option whose
  /// value is no number, or out of range.
  Result<TuneRequest> request() const;

  /// Returns true if the command line has the option of this flag.
  bool isGiven(llvm::StringRef flag) const;

  /// Unregisters the options. lld, which links in this process, registers
  /// options of LLVM's with the same names, and two are a fatal error.
  void remove();

private:
  llvm::ArrayRef<llvm::StringRef> flags;
  std::deque<std::string> help; ///< which the options refer to
  std::vector<std::unique_ptr<llvm::cl::Option>> options; ///< as in the table
};

/// The options by which a kernel is found and lowered.
inline constexpr llvm::StringRef sourceFlags[] = {
    "target",          "chip",
    "kernel",          "shapes",
    "pipeline",        "knob",
    "constraint",      "fp-contract",
    "whole-function",  "load-dialect-plugin",
    "load-pass-plugin"};

/// The options that the question of a decision depends on, those by which its
/// kernel is read, and others that a command line of tuning may have.
inline constexpr llvm::StringRef questionFlags[] = {"target",
                                                    "chip",
                                                    "device",
                                                    "kernel",
                                                    "shapes",
                                                    "pipeline",
                                                    "knob",
                                                    "constraint",
                                                    "fp-contract",
                                                    "whole-function",
                                                    "effort",
                                                    "strategy",
                                                    "prior",
                                                    "budget-trials",
                                                    "budget-seconds",
                                                    "stop-at-limit",
                                                    "stop-at-gain",
                                                    "cache-state",
                                                    "inputs",
                                                    "reference",
                                                    "retune",
                                                    "seed",
                                                    "when-busy",
                                                    "time-bounds",
                                                    "jobs",
                                                    "reference-seconds",
                                                    "compile-seconds",
                                                    "failures",
                                                    "allow-nondeterminism",
                                                    "allow-lower-precision",
                                                    "allow-nan",
                                                    "bits",
                                                    "objective",
                                                    "pareto",
                                                    "limit",
                                                    "tolerance",
                                                    "worker-command",
                                                    "runner-command",
                                                    "start-seconds",
                                                    "load-dialect-plugin",
                                                    "load-pass-plugin"};

/// The options by which workers and runners are started.
inline constexpr llvm::StringRef processFlags[] = {
    "worker-command", "runner-command", "start-seconds", "load-dialect-plugin",
    "load-pass-plugin"};

} // namespace tonno

#endif // TONNO_TUNER_REQUESTOPTIONS_H
