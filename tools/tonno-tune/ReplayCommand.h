//===- tonno-tune replay --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_REPLAYCOMMAND_H
#define TONNO_TOOLS_REPLAYCOMMAND_H

#include "IntegerOption.h"

#include "llvm/Support/CommandLine.h"

#include <string>

namespace tonno {

/// `tonno-tune replay FILE...`.
class ReplayCommand {
public:
  ReplayCommand();

  bool isGiven() const { return bool(command); }
  /// Returns the exit status: 0, or 1 on an error.
  int run() const;

private:
  llvm::cl::SubCommand command;
  llvm::cl::OptionCategory category{"replay options"};
  const std::string strategyHelp;
  llvm::cl::list<std::string> files, strategies;
  IntegerOption<uint64_t, 1> seeds, budgetTrials;
  llvm::cl::opt<double> budgetSeconds;
  IntegerOption<uint64_t, 1> pending;
  llvm::cl::opt<double> noise;
  IntegerOption<unsigned, 1> threads;
  llvm::cl::opt<bool> isJson;
};

} // namespace tonno

#endif // TONNO_TOOLS_REPLAYCOMMAND_H
