//===- The option --fp-contract -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_FPCONTRACTOPTION_H
#define TONNO_TOOLS_FPCONTRACTOPTION_H

#include "llvm/Support/CommandLine.h"

#include <string>

namespace tonno {

/// `--fp-contract`. LLVM has an option of this name, which lld registers when
/// it links: two are a fatal error.
class FpContractOption {
public:
  explicit FpContractOption(
      llvm::cl::OptionCategory &category,
      llvm::cl::SubCommand &command = llvm::cl::SubCommand::getTopLevel())
      : option("fp-contract",
               llvm::cl::desc("Which products and sums become one operation: "
                              "on (default), those of reductions and of ops "
                              "with fastmath<contract>; fast, any"),
               llvm::cl::value_desc("mode"), llvm::cl::sub(command),
               llvm::cl::cat(category)) {}

  /// Returns what was given, and unregisters the option. Must be called before
  /// anything is linked.
  std::string take() const {
    option.removeArgument();
    return option;
  }

private:
  mutable llvm::cl::opt<std::string> option;
};

} // namespace tonno

#endif // TONNO_TOOLS_FPCONTRACTOPTION_H
