//===- What may vary, and how much of it ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_SPACECOMMAND_H
#define TONNO_TOOLS_SPACECOMMAND_H

#include "IntegerOption.h"

#include "tonno/Search/SpaceReport.h"
#include "tonno/Tuner/RequestOptions.h"

namespace tonno {

/// `tonno-tune space FILE`.
class SpaceCommand {
public:
  SpaceCommand();

  bool isGiven() const { return bool(command); }
  /// Returns the exit status: 0, or 1 on an error.
  int run() const;

private:
  int lookAtOpenCl(const TuneRequest &request) const;
  mlir::FailureOr<SpaceReport> look(mlir::func::FuncOp kernel) const;

  llvm::cl::SubCommand command;
  llvm::cl::OptionCategory category{"space options"};
  llvm::cl::opt<std::string> input;
  RequestOptions source{category, sourceFlags, command};
  /// As many as memory has room for, with hundreds of knobs too.
  static constexpr uint64_t mostDraws = 1000000;
  IntegerOption<uint64_t, 0, mostDraws> draws;
  IntegerOption<uint64_t> seed;
  llvm::cl::opt<bool> isJson;
};

} // namespace tonno

#endif // TONNO_TOOLS_SPACECOMMAND_H
