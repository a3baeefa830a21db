//===- tonno-tune learn and prior -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_PRIORCOMMANDS_H
#define TONNO_TOOLS_PRIORCOMMANDS_H

#include "Commands.h"

namespace tonno {

/// `tonno-tune learn FILE...`.
class LearnCommand {
public:
  explicit LearnCommand(OptionCategories &categories);

  bool isGiven() const { return bool(command); }
  /// Returns the exit status: 0, or 1 on an error.
  int run() const;

private:
  llvm::cl::SubCommand command;
  llvm::cl::list<std::string> files;
  llvm::cl::opt<std::string> output;
};

/// `tonno-tune prior test FILE...`, whose words `joinPriorVerb` makes one.
class PriorTestCommand {
public:
  explicit PriorTestCommand(OptionCategories &categories);

  bool isGiven() const { return bool(command); }
  /// Returns the exit status: 0; 1 on an error; 3 if nothing can be claimed.
  int run() const;

private:
  llvm::cl::SubCommand command;
  llvm::cl::list<std::string> files;
  IntegerOption<uint64_t, 1> trials, seeds;
  llvm::cl::opt<bool> isJson;
};

/// Makes `prior test` one argument; exits with an error at another verb.
void joinPriorVerb(int &argc, char **argv);

} // namespace tonno

#endif // TONNO_TOOLS_PRIORCOMMANDS_H
