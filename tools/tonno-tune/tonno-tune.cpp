//===- tonno-tune.cpp - Tunes the kernels of a file -----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputModule.h"

#include "tonno/Backend/Shipping.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Version.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Tuner/Interrupt.h"
#include "tonno/Tuner/Progress.h"
#include "tonno/Tuner/TuneRequest.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

#include <filesystem>
#include <unistd.h>

using namespace mlir;
using namespace tonno;
namespace cl = llvm::cl;

namespace {

/// The command line. A local of main: nothing else reads it.
struct CommandLine {
  cl::OptionCategory category{"tonno-tune options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<input file>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("The tuned IR; - is stdout"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
  cl::list<Emission> emit{
      "emit", cl::desc("Also write, beside the output, <kernel> with ending:"),
      cl::CommaSeparated,
      cl::values(
          clEnumValN(Emission::obj, "obj", ".o, an object"),
          clEnumValN(Emission::so, "so",
                     ".so, a shared object: what was measured"),
          clEnumValN(Emission::llvm, "llvm", ".ll, optimised LLVM IR"),
          clEnumValN(Emission::header, "header", ".h, for C"),
          clEnumValN(Emission::plan, "plan", ".plan.json, the launch plan")),
      cl::cat(category)};
  cl::opt<std::string> target{"target", cl::desc("Backend: host (default)"),
                              cl::init("host"), cl::cat(category)};
  cl::opt<std::string> chip{
      "chip", cl::desc("Chip to compile for; native (default) is this one"),
      cl::init("native"), cl::cat(category)};
  cl::opt<std::string> kernel{"kernel", cl::desc("Tune only this kernel"),
                              cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> effort{
      "effort",
      cl::desc("quick (default): 60 trials or 2 minutes; full: 400 or 30 "
               "minutes; exhaustive: every configuration"),
      cl::init("quick"), cl::cat(category)};
  cl::opt<std::string> strategy{
      "strategy", cl::desc("random or exhaustive; else the effort's"),
      cl::cat(category)};
  cl::opt<uint64_t> budgetTrials{"budget-trials",
                                 cl::desc("Stop after so many trials"),
                                 cl::value_desc("n"), cl::cat(category)};
  cl::opt<double> budgetSeconds{
      "budget-seconds",
      cl::desc("Stop after so many seconds, the final test among them"),
      cl::value_desc("s"), cl::cat(category)};
  cl::opt<uint64_t> seed{
      "seed", cl::desc("Of strategy, inputs and layouts; 0 by default"),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<bool> retune{
      "retune", cl::desc("Tune also kernels whose knobs are all selected"),
      cl::cat(category)};
  cl::opt<std::string> cache{
      "cache", cl::desc("Use of the cache: rw (default), ro or off"),
      cl::init("rw"), cl::cat(category)};
  cl::opt<std::string> cacheDirectory{
      "cache-dir",
      cl::desc("Its directory; else $TONNO_CACHE_DIR, else .tonno-cache"),
      cl::value_desc("directory"), cl::cat(category)};
  cl::list<std::string> workerCommand{
      "worker-command",
      cl::desc("Compile with this program; once for each word"),
      cl::value_desc("word"), cl::cat(category)};
  cl::list<std::string> runnerCommand{
      "runner-command", cl::desc("Run with this program; once for each word"),
      cl::value_desc("word"), cl::cat(category)};

  TuneRequest request() const {
    TuneRequest request;
    request.target = target;
    request.chip = chip;
    request.kernel = kernel;
    request.effort = effort;
    request.strategy = strategy;
    request.budgetTrials = budgetTrials;
    request.budgetSeconds = budgetSeconds;
    request.seed = seed;
    request.retune = retune;
    request.cache = cache;
    request.cacheDirectory = cacheDirectory;
    request.workerCommand.assign(workerCommand.begin(), workerCommand.end());
    request.runnerCommand.assign(runnerCommand.begin(), runnerCommand.end());
    return request;
  }
};

} // namespace

static constexpr char overview[] =
    "tunes the kernels of an MLIR file\n"
    "\n"
    "A kernel is a public function with #tonno.knob attributes. Candidates "
    "are\n"
    "compiled, verified, and timed beside the default; the best is tested\n"
    "against it, and the tuned IR goes to the output, everything else to\n"
    "stderr. Exit status: 0, 1 on an error, 130 after Ctrl-C (the best so far\n"
    "is written).\n";

/// A file to write once everything has succeeded.
using Pending = std::pair<std::filesystem::path, std::string>;

/// The forms of each tuned kernel that were asked for.
static FailureOr<std::vector<Pending>>
emitKernels(ModuleOp module, const std::vector<KernelOutcome> &outcomes,
            const TuneOptions &options, llvm::ArrayRef<Emission> emissions,
            const std::filesystem::path &folder) {
  std::vector<Pending> files;
  if (emissions.empty())
    return files;
  auto backend = createBackend(options.target, options.chip);
  if (!backend)
    return emitError(module.getLoc(), backend.error().message);
  for (const KernelOutcome &outcome : outcomes)
    for (Emission emission : emissions) {
      auto kernel = module.lookupSymbol<func::FuncOp>(outcome.kernel);
      auto bytes = shipKernel(kernel, **backend, emission);
      if (failed(bytes))
        return failure();
      files.emplace_back(folder / (outcome.kernel + fileEnding(emission).str()),
                         std::move(*bytes));
    }
  return files;
}

static int fail(const std::string &message) {
  llvm::errs() << "tonno-tune: error: " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  CommandLine commandLine;
  cl::HideUnrelatedOptions(commandLine.category);
  cl::SetVersionPrinter([](llvm::raw_ostream &stream) {
    stream << "tonno-tune " << version() << " (LLVM " LLVM_VERSION_STRING ")\n";
  });
  cl::ParseCommandLineOptions(argc, argv, overview);

  if (commandLine.budgetTrials.getNumOccurrences() &&
      commandLine.budgetTrials == 0)
    return fail("--budget-trials must be at least 1");
  auto options = commandLine.request().resolve();
  if (!options)
    return fail(options.error().message);

  // Linking an object resets the options: they are not read after it.
  const std::string output = commandLine.output;
  const std::vector<Emission> emissions(commandLine.emit.begin(),
                                        commandLine.emit.end());
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<TonnoDialect>();
  registerBackendDialects(registry);
  auto input = InputModule::open(commandLine.input, registry);
  if (!input)
    return fail(input.error().message);
  ModuleOp module = (*input)->get();
  if (!module)
    return 1;

  // Found out before an hour of tuning, not after it.
  std::optional<AtomicFile> file;
  if (output != "-") {
    auto created = AtomicFile::create(output);
    if (!created)
      return fail(created.error().message);
    file.emplace(std::move(*created));
  }

  InterruptScope interrupts;
  options->interrupted = [] { return InterruptScope::received() != 0; };
  Progress progress(llvm::errs(), ::isatty(STDERR_FILENO));
  auto outcomes = tuneModule(module, *options, progress);
  if (failed(outcomes))
    return 1;
  std::filesystem::path folder;
  if (file)
    folder = std::filesystem::path(output).parent_path();
  auto emitted = emitKernels(module, *outcomes, *options, emissions, folder);
  if (failed(emitted))
    return 1;

  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << "\n";
  for (const auto &[path, bytes] : *emitted)
    if (auto written = writeFileAtomically(path, bytes); !written)
      return fail(written.error().message);
  if (file) {
    if (auto written = file->write(text); !written)
      return fail(written.error().message);
    if (auto written = file->commit(); !written)
      return fail(written.error().message);
  } else {
    llvm::outs() << text;
  }
  int signal = InterruptScope::received();
  return signal ? 128 + signal : 0;
}
