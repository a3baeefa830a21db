//===- The commands of tonno-tune and their options -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_COMMANDS_H
#define TONNO_TOOLS_COMMANDS_H

#include "EmissionOption.h"
#include "Messages.h"
#include "NamedValues.h"
#include "ParentOption.h"
#include "RayCommand.h"

#include "tonno/Engine/Compiler.h"
#include "tonno/Search/SpaceReport.h"
#include "tonno/Tuner/RequestOptions.h"
#include "tonno/Tuner/TuneRequest.h"

#include <cstdint>
#include <limits>

namespace tonno {

/// An integer within bounds. A type of its own, since LLVM's parsers of
/// integers are final.
template <typename T, T least, T greatest> struct BoundedInteger {
  BoundedInteger(T value = least) : value(value) {}
  operator T() const { return value; }

  T value;
};

template <typename T, T least = 0, T greatest = std::numeric_limits<T>::max()>
using IntegerOption = llvm::cl::opt<BoundedInteger<T, least, greatest>>;

} // namespace tonno

/// Parses integers as the parser of T does; the error says which ones fit.
template <typename T, T least, T greatest>
class llvm::cl::parser<tonno::BoundedInteger<T, least, greatest>>
    : public llvm::cl::basic_parser<tonno::BoundedInteger<T, least, greatest>> {
  using Value = tonno::BoundedInteger<T, least, greatest>;

public:
  using basic_parser<Value>::basic_parser;

  bool parse(Option &option, StringRef, StringRef text, Value &value) {
    auto parsed = tonno::parseInteger<T>(text, least, greatest);
    if (!parsed)
      return option.error(parsed.error().message);
    value = *parsed;
    return false;
  }
  void printOptionDiff(const Option &option, const Value &,
                       const OptionValue<Value> &, size_t width) const {
    this->printOptionNoValue(option, width);
  }
};

namespace tonno {

/// Prints the error to stderr, with its location and note if it has any, and
/// returns the exit status of a failure.
int fail(const LocatedError &error);
int fail(const std::string &message);

/// The command line of tuning. A local of main: nothing else reads it.
struct CommandLine {
  OptionCategories categories;
  RequestOptions options{categories};
  llvm::cl::opt<std::string> input{
      llvm::cl::Positional, llvm::cl::desc("<input file>"), llvm::cl::init("-"),
      llvm::cl::cat(categories[OptionGroup::input])};
  llvm::cl::opt<std::string> output{
      "o",
      llvm::cl::desc("The tuned IR, or the table of --compile-only and "
                     "--verify-only; - is stdout"),
      llvm::cl::value_desc("file"), llvm::cl::init("-"),
      llvm::cl::cat(categories[OptionGroup::input])};
  llvm::cl::list<Emission, bool, NamedValues<Emission>> emit{
      "emit",
      llvm::cl::desc("Also write, beside the output, as <kernel> with ending:"),
      llvm::cl::CommaSeparated, EmissionValues{/*hasOpenCl=*/true},
      llvm::cl::cat(categories[OptionGroup::input])};
  llvm::cl::opt<std::string> rename{
      "rename", llvm::cl::desc(renameHelp), llvm::cl::value_desc("name"),
      llvm::cl::cat(categories[OptionGroup::input])};
  llvm::cl::opt<bool> verbose{
      "verbose", llvm::cl::desc("Report each trial, and why it was proposed"),
      llvm::cl::cat(categories[OptionGroup::input])};
  llvm::cl::opt<ProgressForm, false, NamedValues<ProgressForm>> progress{
      "progress", llvm::cl::desc("Form of what is reported on stderr:"),
      llvm::cl::init(ProgressForm::automatic), ProgressValues(),
      llvm::cl::cat(categories[OptionGroup::input])};
  llvm::cl::opt<std::string> progressFile{
      "progress-file",
      llvm::cl::desc("Also write the events of --progress=json to this file"),
      llvm::cl::value_desc("file"),
      llvm::cl::cat(categories[OptionGroup::input])};
  ParentOption parent{categories[OptionGroup::input]};
  RayOption ray{categories[OptionGroup::target]};
  llvm::cl::opt<std::string> report{
      "report",
      llvm::cl::desc("Also write decisions and trials to this file, as JSON"),
      llvm::cl::value_desc("file"),
      llvm::cl::cat(categories[OptionGroup::input])};
  llvm::cl::opt<std::string> globalSize{
      "global-size",
      llvm::cl::desc("Work-items, such as '1024 / WPT, 1024'; may use knobs"),
      llvm::cl::value_desc("x[,y[,z]]"),
      llvm::cl::cat(categories[OptionGroup::openCl])};
  llvm::cl::opt<std::string> localSize{
      "local-size",
      llvm::cl::desc(
          "Work-items of a workgroup, such as 'TS, TS'; by default the "
          "driver's choice"),
      llvm::cl::value_desc("x[,y[,z]]"),
      llvm::cl::cat(categories[OptionGroup::openCl])};
  llvm::cl::list<std::string> arguments{
      "arg",
      llvm::cl::desc("Argument: an array 'A=[1024x1024]', with its type "
                     "'A=f32[4096]:out', a value 'N=1024', or local memory "
                     "'tile=[TS * TS]'"),
      llvm::cl::value_desc("name=what"),
      llvm::cl::cat(categories[OptionGroup::openCl])};
  llvm::cl::opt<std::string> buildOptions{
      "build-options",
      llvm::cl::desc("Options for the driver's compiler, such as "
                     "'-cl-fast-relaxed-math -I include'"),
      llvm::cl::value_desc("options"),
      llvm::cl::cat(categories[OptionGroup::openCl])};
};

/// Returns true if the input is in OpenCL C, by the name of its file.
bool isOpenCl(const CommandLine &commandLine);

/// Tunes it. Returns the exit status.
int tuneOpenClFile(const CommandLine &commandLine, const Messages &messages);

/// `tonno-tune replay FILE...`.
class ReplayCommand {
public:
  explicit ReplayCommand(OptionCategories &categories);

  bool isGiven() const { return bool(command); }
  /// Returns the exit status: 0, or 1 on an error.
  int run() const;

private:
  llvm::cl::SubCommand command;
  const std::string strategyHelp;
  llvm::cl::list<std::string> files, strategies;
  IntegerOption<uint64_t, 1> seeds, budgetTrials;
  llvm::cl::opt<double> budgetSeconds;
  IntegerOption<uint64_t, 1> pending;
  llvm::cl::opt<double> noise;
  IntegerOption<unsigned, 1> threads;
  llvm::cl::opt<bool> isJson;
};

/// `tonno-tune reproduce FILE`.
class ReproduceCommand {
public:
  explicit ReproduceCommand(OptionCategories &categories);

  bool isGiven() const { return bool(command); }
  /// Returns the exit status: 0 if it happens still, 3 if it does not, 1 if
  /// that can't be found out, 128 and the signal that has ended it.
  int run() const;

private:
  llvm::cl::SubCommand command;
  llvm::cl::opt<std::string> file;
  IntegerOption<unsigned, 1> attempts;
  RequestOptions processOptions;
};

/// `tonno-tune space FILE`.
class SpaceCommand {
public:
  explicit SpaceCommand(OptionCategories &categories);

  bool isGiven() const { return bool(command); }
  /// Returns the exit status: 0, or 1 on an error.
  int run() const;

private:
  int reportOpenClSpace(const TuneRequest &request) const;
  mlir::FailureOr<SpaceReport> look(mlir::func::FuncOp kernel) const;

  llvm::cl::SubCommand command;
  llvm::cl::opt<std::string> input;
  RequestOptions source;
  /// The most draws: memory has room for them with hundreds of knobs, too.
  static constexpr uint64_t mostDraws = 1000000;
  IntegerOption<uint64_t, 0, mostDraws> draws;
  IntegerOption<uint64_t> seed;
  llvm::cl::opt<bool> isJson;
};

} // namespace tonno

#endif // TONNO_TOOLS_COMMANDS_H
