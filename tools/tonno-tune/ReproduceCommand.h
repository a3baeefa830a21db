//===- tonno-tune reproduce -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_REPRODUCECOMMAND_H
#define TONNO_TOOLS_REPRODUCECOMMAND_H

#include "IntegerOption.h"

#include "tonno/Tuner/RequestOptions.h"

namespace tonno {

/// `tonno-tune reproduce FILE`.
class ReproduceCommand {
public:
  ReproduceCommand();

  bool isGiven() const { return bool(command); }
  /// Returns the exit status: 0 if it happens still, 3 if it does not, 1 if
  /// that can't be found out, 128 and the signal that has ended it.
  int run() const;

private:
  llvm::cl::SubCommand command;
  llvm::cl::OptionCategory category{"reproduce options"};
  llvm::cl::opt<std::string> file;
  IntegerOption<unsigned, 1> attempts;
  RequestOptions processOptions{category, processFlags, command};
};

} // namespace tonno

#endif // TONNO_TOOLS_REPRODUCECOMMAND_H
