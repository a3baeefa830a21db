//===- tonno-tune lock and check ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_LOCKCOMMANDS_H
#define TONNO_TOOLS_LOCKCOMMANDS_H

#include "Commands.h"

namespace tonno {

/// Returns the options of tuning that commands need to find a decision.
llvm::ArrayRef<llvm::StringRef> getDecisionFlags();

/// The options of both commands.
class LockOptions {
public:
  LockOptions(OptionCategories &categories, llvm::cl::SubCommand &command);

  /// Returns the lock file: the option's, else `tonno.lock` beside the input.
  std::string getLockPath() const;
  Result<TunerOptions> resolve() const;
  Result<TuneRequest> request() const { return source.request(); }

  llvm::cl::opt<std::string> input, lock, binaries;

private:
  RequestOptions source;
};

/// `tonno-tune lock FILE`.
class LockCommand {
public:
  explicit LockCommand(OptionCategories &categories);

  bool isGiven() const { return bool(command); }
  /// Returns the exit status: 0, or 1 on an error.
  int run() const;

private:
  llvm::cl::SubCommand command;
  LockOptions options;
};

/// `tonno-tune check FILE`.
class CheckCommand {
public:
  explicit CheckCommand(OptionCategories &categories);

  bool isGiven() const { return bool(command); }
  /// Returns the exit status: 0; 1 on an error; 3 on a regression; 4 if a
  /// kernel was not compared.
  int run() const;

private:
  llvm::cl::SubCommand command;
  LockOptions options;
  llvm::cl::opt<std::string> risk;
  llvm::cl::opt<bool> allowMissing, isJson;
};

} // namespace tonno

#endif // TONNO_TOOLS_LOCKCOMMANDS_H
