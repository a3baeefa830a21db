//===- tonno-tune explain -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExplainCommand.h"
#include "InputModule.h"
#include "LockCommands.h"
#include "PythonPrograms.h"
#include "Terminal.h"

#include "tonno/Core/Duration.h"
#include "tonno/Session/Interrupt.h"
#include "tonno/Session/LiveRegion.h"
#include "tonno/Session/Progress.h"
#include "tonno/Tuner/ExplainAssembly.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <unistd.h>

using namespace mlir;
using namespace tonno;
namespace cl = llvm::cl;

/// The version of `explain --json`. docs/guide/assembly.md lists the members.
static constexpr int explainSchema = 1;

ExplainCommand::ExplainCommand(OptionCategories &categories)
    : command("explain",
              "Explain what a session found, if it is real, why the others "
              "lost, and how far the limit is: takes its journal, or what else "
              "tonno-report reads. With '--asm', why a winner is faster than "
              "the default: takes the file that was tuned. Nothing is "
              "measured"),
      input(cl::Positional, cl::Required, cl::desc("<input file>"),
            cl::sub(command), cl::cat(categories[OptionGroup::input])),
      source(categories, getDecisionFlags(), command),
      isAsm("asm",
            cl::desc("Show the hottest loop of both as machine code, with what "
                     "limits it by llvm-mca's model of the CPU"),
            cl::sub(command), cl::cat(categories[OptionGroup::input])),
      isJson("json", cl::desc("Print an object a line instead of text"),
             cl::sub(command), cl::cat(categories[OptionGroup::input])) {
  categories.hideUnrelatedOptions(command);
}

static std::string describeLimit(const LoopThroughput &throughput) {
  switch (throughput.limit) {
  case LoopLimit::dispatch:
    return "dispatch of micro-ops";
  case LoopLimit::ports:
    return "ports " + throughput.ports;
  case LoopLimit::register_chain:
    return "a chain of dependences through registers";
  case LoopLimit::memory_chain:
    return "a chain of dependences through memory";
  case LoopLimit::unknown:
    break;
  }
  return "unknown";
}

/// Returns the lines about one configuration.
static std::vector<std::string> describeCode(const char *title,
                                             const ConfigurationCode &code) {
  std::vector<std::string> lines;
  auto add = [&](const auto &...parts) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    (stream << ... << parts);
    lines.push_back(text);
  };
  add(title, ": ", formatValues(code.values));
  if (code.seconds)
    add("measured  ", formatSeconds(*code.seconds), " a launch");
  if (!code.loop) {
    add("no loop to show: ", code.unknown);
    return lines;
  }
  const HotLoop &loop = *code.loop;
  add("loop      in ", loop.function, ", depth ", loop.depth, ", ",
      loop.instructions.size(), " instructions");
  if (loop.throughput) {
    const LoopThroughput &throughput = *loop.throughput;
    add("model     ",
        llvm::format("%.1f cycles an iteration; at least %.1f",
                     throughput.cycles, throughput.bound),
        " by dispatch and ports");
    add("limit     ", describeLimit(throughput));
    if (throughput.waiting)
      add("waits     ", loop.instructions[*throughput.waiting]);
    if (loop.flops && *loop.flops > 0)
      add("work      ",
          llvm::format("%.0f FLOPs an iteration, %.1f a cycle", *loop.flops,
                       *loop.flops / throughput.cycles));
  } else {
    add("model     none: ", loop.unknown);
    if (loop.flops && *loop.flops > 0)
      add("work      ", llvm::format("%.0f FLOPs an iteration", *loop.flops));
  }
  if (loop.bytes)
    add("memory    ", llvm::format("%.0f bytes an iteration", *loop.bytes));
  lines.emplace_back();
  for (const std::string &instruction : loop.instructions)
    lines.push_back(instruction);
  return lines;
}

/// Prints both side by side if they fit, else one after the other.
static void printCode(const std::vector<std::string> &left,
                      const std::vector<std::string> &right) {
  constexpr llvm::StringRef gap = "  | ";
  auto width = [](const std::vector<std::string> &lines) {
    size_t most = 0;
    for (const std::string &line : lines)
      most = std::max(most, line.size());
    return most;
  };
  llvm::raw_ostream &stream = answers();
  if (!::isatty(STDOUT_FILENO) || width(left) + gap.size() + width(right) >
                                      getTerminalSize(STDOUT_FILENO).columns) {
    for (const auto *lines : {&left, &right}) {
      for (const std::string &line : *lines)
        stream << "  " << line << "\n";
      stream << "\n";
    }
    return;
  }
  size_t column = width(left);
  for (size_t i = 0, e = std::max(left.size(), right.size()); i < e; ++i) {
    std::string line = i < left.size() ? left[i] : "";
    line.resize(column, ' ');
    stream << line << gap << (i < right.size() ? right[i] : "") << "\n";
  }
}

static void print(const KernelAssembly &assembly) {
  answers() << "@" << assembly.kernel << ", " << assembly.chip << ":";
  if (!assembly.winner) {
    answers() << " the default stayed\n";
    printCode(describeCode("default", assembly.baseline), {});
    return;
  }
  answers() << "\n";
  printCode(describeCode("winner", *assembly.winner),
            describeCode("default", assembly.baseline));
}

int ExplainCommand::run() const {
  InterruptScope interrupts;
  if (!isAsm && llvm::StringRef(input).ends_with(".mlir"))
    return fail(
        "to explain the code of a kernel, give '--asm'; to explain a "
        "session, give its journal, which is in '.tonno-cache/journals' "
        "or the file of '--journal'");
  if (!isAsm) {
    std::vector<std::string> arguments = {isJson ? "--json" : "--text"};
    if (auto request = source.request(); request && !request->kernel.empty())
      arguments.push_back("--kernel=" + request->kernel);
    arguments.insert(arguments.end(), {"--", input});
    return becomePythonProgram("tonno-report", std::move(arguments),
                               "the short form of a session needs");
  }
  if (llvm::StringRef(input).ends_with(".cl"))
    return fail("'--asm' is for kernels in MLIR; "
                "LLVM cannot disassemble the binaries of OpenCL's drivers");
  auto request = source.request();
  if (!request)
    return fail(request.error().message);
  request->cache = "ro";
  auto options = resolveWithChip(*request);
  if (!options)
    return fail(options.error().message);
  options->interrupted = [] { return InterruptScope::received() != 0; };
  const Messages messages("tonno-tune", ProgressForm::none);
  auto opened = InputModule::open(input, *request, messages);
  if (!opened)
    return fail(opened.error().message);
  ModuleOp module = (*opened)->get();
  if (!module || failed(prepareModule(module, *options)))
    return 1;
  std::unique_ptr<TuneObserver> progress =
      messages.createProgress(/*isVerbose=*/false);
  auto all = explainAssembly(module, *options, *progress);
  if (int signal = InterruptScope::received())
    return 128 + signal;
  if (failed(all))
    return 1;
  for (const KernelAssembly &assembly : *all) {
    if (!isJson) {
      print(assembly);
      continue;
    }
    Json json = assembly;
    json["schema"] = explainSchema;
    answers() << printed(json) << "\n";
  }
  return 0;
}
