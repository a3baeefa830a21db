//===- The option --parent ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_PARENTOPTION_H
#define TONNO_TOOLS_PARENTOPTION_H

#include "tonno/Process/ProgramStart.h"

#include "llvm/Support/CommandLine.h"

namespace tonno {

/// The option by which a program binds a tool that it starts to its own life.
class ParentOption {
public:
  explicit ParentOption(llvm::cl::OptionCategory &category)
      : parent("parent",
               llvm::cl::desc("Ends in order, as by SIGTERM, once the process "
                              "of this id, which started the tool, has ended"),
               llvm::cl::value_desc("pid"), llvm::cl::cat(category)) {}

  /// Binds the tool to its parent if the option is given.
  Result<void> bind() const {
    return parent.getNumOccurrences() > 0 ? terminateWithParent(parent)
                                          : Result<void>();
  }

private:
  llvm::cl::opt<int> parent;
};

} // namespace tonno

#endif // TONNO_TOOLS_PARENTOPTION_H
