//===- The command line of tonno-tune -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_COMMANDLINE_H
#define TONNO_TOOLS_COMMANDLINE_H

#include "EmissionOption.h"

#include "tonno/Tuner/RequestOptions.h"

namespace tonno {

/// The command line of tuning. A local of main: nothing else reads it.
struct CommandLine {
  llvm::cl::OptionCategory category{"tonno-tune options"};
  RequestOptions options{category};
  llvm::cl::opt<std::string> input{
      llvm::cl::Positional, llvm::cl::desc("<input file>"), llvm::cl::init("-"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> output{
      "o", llvm::cl::desc("The tuned IR; - is stdout"),
      llvm::cl::value_desc("file"), llvm::cl::init("-"),
      llvm::cl::cat(category)};
  llvm::cl::list<Emission> emit{
      "emit",
      llvm::cl::desc("Also write, beside the output, as <kernel> with ending:"),
      llvm::cl::CommaSeparated, emissionValues(), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> rename{"rename", llvm::cl::desc(renameHelp),
                                    llvm::cl::value_desc("name"),
                                    llvm::cl::cat(category)};
  llvm::cl::opt<bool> verbose{
      "verbose", llvm::cl::desc("Report each trial, and why it was proposed"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> globalSize{
      "global-size",
      llvm::cl::desc("OpenCL C: work-items, such as '1024 / WPT, 1024'; knobs "
                     "may decide"),
      llvm::cl::value_desc("x[,y[,z]]"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> localSize{
      "local-size",
      llvm::cl::desc("OpenCL C: those of a workgroup, such as 'TS, TS'; by "
                     "default the driver chooses"),
      llvm::cl::value_desc("x[,y[,z]]"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> arguments{
      "arg",
      llvm::cl::desc("OpenCL C: what an argument is: 'A=[1024x1024]' elements, "
                     "perhaps with their type, 'A=f32[4096]:out', a value, "
                     "'N=1024', or of local memory 'tile=[TS * TS]'"),
      llvm::cl::value_desc("name=what"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> buildOptions{
      "build-options",
      llvm::cl::desc("OpenCL C: for the driver's compiler, such as "
                     "'-cl-fast-relaxed-math -I include'"),
      llvm::cl::value_desc("options"), llvm::cl::cat(category)};
};

} // namespace tonno

#endif // TONNO_TOOLS_COMMANDLINE_H
