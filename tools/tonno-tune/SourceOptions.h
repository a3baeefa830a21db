//===- What kernels there are, and of whom --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_SOURCEOPTIONS_H
#define TONNO_TOOLS_SOURCEOPTIONS_H

#include "FpContractOption.h"
#include "PluginOptions.h"

#include "tonno/Tuner/TuneRequest.h"

#include "llvm/Support/CommandLine.h"

namespace tonno {

/// The options that a kernel's space depends on: of tuning, and of looking at
/// the space.
struct SourceOptions {
  explicit SourceOptions(
      llvm::cl::OptionCategory &category,
      llvm::cl::SubCommand &command = llvm::cl::SubCommand::getTopLevel());

  /// Puts what was given into the request.
  void addTo(TuneRequest &request) const;

  llvm::cl::opt<std::string> input, target, chip, kernel, pipeline;
  llvm::cl::list<std::string> knobs, constraints;
  FpContractOption fpContract;
  PluginOptions plugins;
};

} // namespace tonno

#endif // TONNO_TOOLS_SOURCEOPTIONS_H
