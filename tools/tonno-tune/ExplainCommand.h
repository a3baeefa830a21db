//===- tonno-tune explain -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_EXPLAINCOMMAND_H
#define TONNO_TOOLS_EXPLAINCOMMAND_H

#include "Commands.h"

namespace tonno {

/// `tonno-tune explain FILE --asm`.
class ExplainCommand {
public:
  explicit ExplainCommand(OptionCategories &categories);

  bool isGiven() const { return bool(command); }
  /// Returns the exit status: 0, or 1 on an error.
  int run() const;

private:
  llvm::cl::SubCommand command;
  llvm::cl::opt<std::string> input;
  RequestOptions source;
  llvm::cl::opt<bool> isAsm, isJson;
};

} // namespace tonno

#endif // TONNO_TOOLS_EXPLAINCOMMAND_H
