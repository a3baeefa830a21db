//===- tonno-tune --ray ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_RAYCOMMAND_H
#define TONNO_TOOLS_RAYCOMMAND_H

#include "tonno/Core/Result.h"
#include "tonno/Tuner/TuneRequest.h"

#include "llvm/Support/CommandLine.h"

#include <string>

namespace tonno {

/// The option by which the devices of a Ray cluster are used, and its nodes
/// compile.
class RayOption {
public:
  explicit RayOption(llvm::cl::OptionCategory &category)
      : address("ray",
                llvm::cl::desc(
                    "Run candidates on the devices of a Ray cluster, and "
                    "compile on its nodes; by default of $RAY_ADDRESS, else "
                    "the cluster of this machine"),
                llvm::cl::value_desc("address"), llvm::cl::ValueOptional,
                llvm::cl::cat(category)) {}

  bool isGiven() const { return address.getNumOccurrences() > 0; }
  /// Replaces this program by Python's tonno.distributed, which connects to the
  /// cluster and runs the program again, without the option. The Error says why
  /// that can't be done.
  Error replaceProgram(const TuneRequest &request, int argc, char **argv) const;

private:
  llvm::cl::opt<std::string> address;
};

} // namespace tonno

#endif // TONNO_TOOLS_RAYCOMMAND_H
