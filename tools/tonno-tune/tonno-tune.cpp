//===- tonno-tune.cpp - Tunes the kernels of a file -----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmissionOption.h"
#include "InputModule.h"
#include "Output.h"
#include "PluginOptions.h"

#include "tonno/Backend/Shipping.h"
#include "tonno/Core/Version.h"
#include "tonno/Session/Interrupt.h"
#include "tonno/Session/Progress.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"
#include "tonno/Tuner/SurveyModule.h"
#include "tonno/Tuner/TuneRequest.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include <filesystem>
#include <iostream>
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
      "emit",
      cl::desc("Also write, beside the output, as <kernel> with ending:"),
      cl::CommaSeparated, emissionValues(), cl::cat(category)};
  cl::opt<std::string> target{
      "target", cl::desc("Backend: host (default), nvptx or amdgpu"),
      cl::init("host"), cl::cat(category)};
  cl::opt<std::string> chip{
      "chip",
      cl::desc("Chip to compile for, such as znver4, sm_90, gfx942; native "
               "(default) is the device's"),
      cl::init("native"), cl::cat(category)};
  cl::opt<std::string> device{
      "device",
      cl::desc("Where candidates run: host, cuda[:N], hip[:N]; or sim, where "
               "a GPU's are verified on the CPU, but not timed"),
      cl::value_desc("kind"), cl::cat(category)};
  cl::opt<bool> compileOnly{
      "compile-only",
      cl::desc("Run nothing: tell which candidates compile, and what each "
               "needs"),
      cl::cat(category)};
  cl::opt<std::string> bundle{
      "bundle",
      cl::desc("With --compile-only: put what was compiled into this file, for "
               "tonno-runner --bundle on a machine with the device"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> results{
      "results",
      cl::desc("Measure nothing: take what tonno-runner --bundle found"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<unsigned> jobs{
      "jobs",
      cl::desc("Candidates to compile at the same time; by default one for "
               "each core, on the host device 1"),
      cl::value_desc("n"), cl::init(0), cl::cat(category)};
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
  cl::opt<std::string> cacheState{
      "cache-state",
      cl::desc("What a timed launch finds in the last-level cache: cold "
               "(default), none of its data, or warm, what a launch just "
               "before has left there"),
      cl::init("cold"), cl::cat(category)};
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
  cl::opt<bool> requireCached{
      "require-cached",
      cl::desc("Fail where the cache has no decision, measure nothing"),
      cl::cat(category)};
  cl::opt<std::string> journal{
      "journal",
      cl::desc("Write each trial to this file as it ends; else to one in the "
               "cache's directory"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<bool> resume{
      "resume",
      cl::desc("Go on from the journal where a session was cut short"),
      cl::cat(category)};
  cl::opt<bool> allowNondeterminism{
      "allow-nondeterminism",
      cl::desc("Take candidates whose results vary from launch to launch"),
      cl::cat(category)};
  cl::opt<bool> allowLowerPrecision{
      "allow-lower-precision",
      cl::desc("Take candidates that form sums in the precision of the inputs"),
      cl::cat(category)};
  cl::opt<bool> allowNan{
      "allow-nan",
      cl::desc("Take a reference that gives NaN in more than 1 % of an output"),
      cl::cat(category)};
  cl::opt<std::string> pipeline{
      "pipeline",
      cl::desc("Lower by these passes; @KNOB@ stands for a knob's value"),
      cl::value_desc("builtin.module(...)"), cl::cat(category)};
  cl::list<std::string> knobs{
      "knob",
      cl::desc("A knob of the pipeline: 'BM=[32, 64]', 'BM=pow2<16 to 256> "
               "default 32'"),
      cl::value_desc("NAME=domain"), cl::cat(category)};
  cl::list<std::string> constraints{
      "constraint", cl::desc("A condition over knobs: 'BM * BN <= 4096'"),
      cl::value_desc("condition"), cl::cat(category)};
  cl::list<std::string> inputs{
      "inputs",
      cl::desc("What an argument holds: 'arg0=uniform(-1, 1)', normal, "
               "integers, permutation, constant, npy(\"file\"), sorted"),
      cl::value_desc("argN=data"), cl::cat(category)};
  cl::opt<std::string> reference{
      "reference",
      cl::desc("Compare candidates with this function of the module"),
      cl::value_desc("@function"), cl::cat(category)};
  cl::opt<double> referenceSeconds{
      "reference-seconds",
      cl::desc("What one run of the reference may take; 300 by default"),
      cl::value_desc("s"), cl::cat(category)};
  PluginOptions plugins{category};
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
    request.device = device;
    request.compileOnly = compileOnly;
    if (bundle.getNumOccurrences())
      request.bundle = bundle;
    if (results.getNumOccurrences())
      request.results = results;
    request.jobs = jobs;
    request.kernel = kernel;
    request.effort = effort;
    request.strategy = strategy;
    if (budgetTrials.getNumOccurrences())
      request.budgetTrials = budgetTrials;
    if (budgetSeconds.getNumOccurrences())
      request.budgetSeconds = budgetSeconds;
    if (referenceSeconds.getNumOccurrences())
      request.referenceSeconds = referenceSeconds;
    request.seed = seed;
    request.cacheState = cacheState;
    request.retune = retune;
    request.cache = cache;
    request.cacheDirectory = cacheDirectory;
    request.requireCached = requireCached;
    request.journal = journal;
    request.resume = resume;
    request.oracle = {allowNondeterminism, allowLowerPrecision, allowNan};
    request.kernelOptions = {pipeline,
                             {knobs.begin(), knobs.end()},
                             {constraints.begin(), constraints.end()},
                             {inputs.begin(), inputs.end()},
                             reference};
    request.dialectPlugins = plugins.dialects();
    request.passPlugins = plugins.passes();
    request.workerCommand.assign(workerCommand.begin(), workerCommand.end());
    request.runnerCommand.assign(runnerCommand.begin(), runnerCommand.end());
    return request;
  }
};

} // namespace

static constexpr char overview[] =
    "tunes the kernels of an MLIR file\n"
    "\n"
    "A kernel is a public function with #tonno.knob attributes, or whose\n"
    "schedule has knobs; where there is none, linalg ops get a default space.\n"
    "Candidates are compiled, verified, and timed beside the default; the "
    "best\n"
    "is tested against it, and the tuned IR goes to the output, everything "
    "else\n"
    "to stderr. Exit status: 0, 1 on an error, 130 after Ctrl-C (the best so "
    "far\n"
    "is written).\n";

static int fail(const std::string &message) {
  llvm::errs() << "tonno-tune: error: " << message << "\n";
  return 1;
}

namespace {

/// One form of a kernel that is to be written beside the output.
struct Shipment {
  func::FuncOp kernel;
  Emission emission;
  std::filesystem::path file;
};

} // namespace

/// What `--emit` asks for. Whatever could keep it from being written is found
/// out before an hour of tuning, not after it.
static FailureOr<std::vector<Shipment>>
planShipments(ModuleOp module, StringRef onlyKernel,
              llvm::ArrayRef<Emission> emissions,
              const std::filesystem::path &output) {
  std::vector<Shipment> shipments;
  if (emissions.empty())
    return shipments;
  for (func::FuncOp kernel : findKernels(module)) {
    if (!onlyKernel.empty() && kernel.getName() != onlyKernel)
      continue;
    if (failed(checkShippable(kernel)))
      return failure();
    for (Emission emission : emissions) {
      auto file = output.parent_path() /
                  (kernel.getName() + fileEnding(emission)).str();
      if (file == output)
        return kernel.emitError("what --emit makes of it would replace the "
                                "output '")
               << output.string() << "'";
      if (auto probe = AtomicFile::create(file); !probe)
        return kernel.emitError() << probe.error().message;
      shipments.push_back({kernel, emission, std::move(file)});
    }
  }
  return shipments;
}

static Result<void> writeBundle(std::vector<SurveyOutcome> &outcomes,
                                const TuneOptions &options, Output &output) {
  Bundle bundle{options.target, {}};
  for (SurveyOutcome &outcome : outcomes)
    if (outcome.bundled)
      bundle.kernels.push_back(std::move(*outcome.bundled));
  return output.write(encodeBundle(bundle));
}

/// Looks at candidates instead of tuning: the output is a table of them.
static int survey(ModuleOp module, const TuneOptions &options, Output &output,
                  Progress &progress) {
  std::optional<Output> bundleOutput;
  if (!options.bundle.empty()) {
    auto opened = Output::open(options.bundle);
    if (!opened)
      return fail(opened.error().message);
    bundleOutput.emplace(std::move(*opened));
  }
  auto outcomes = surveyModule(module, options, progress);
  if (failed(outcomes))
    return 1;
  progress.finish();
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const SurveyOutcome &outcome : *outcomes)
    printSurvey(stream, outcome);
  auto written = output.write(text);
  if (!written)
    return fail(written.error().message);
  if (!options.bundle.empty())
    if (auto bundled = writeBundle(*outcomes, options, *bundleOutput); !bundled)
      return fail(bundled.error().message);
  int signal = InterruptScope::received();
  return signal ? 128 + signal : 0;
}

static LogicalResult ship(const Shipment &shipment, const Backend &backend) {
  func::FuncOp kernel = shipment.kernel;
  auto bytes = shipKernel(kernel, backend, shipment.emission);
  if (failed(bytes))
    return failure();
  if (auto written = writeFileAtomically(shipment.file, *bytes); !written)
    return kernel.emitError() << written.error().message;
  return success();
}

int main(int argc, char **argv) {
  openStandardDescriptors();
  CommandLine commandLine;
  cl::HideUnrelatedOptions(commandLine.category);
  cl::SetVersionPrinter([](llvm::raw_ostream &stream) {
    stream << "tonno-tune " << version() << " (LLVM " LLVM_VERSION_STRING ")\n";
  });
  cl::ParseCommandLineOptions(argc, argv, overview);
  auto options = commandLine.request().resolve();
  if (!options)
    return fail(options.error().message);

  auto chip = findChip(*options);
  if (!chip)
    return fail(chip.error().message);
  options->chip = *chip;
  // Linking an object resets the options: they are not read after it.
  const std::string path = commandLine.output;
  const std::vector<Emission> emissions(commandLine.emit.begin(),
                                        commandLine.emit.end());
  std::unique_ptr<Backend> backend;
  if (!emissions.empty()) {
    auto created = createBackend({options->target, options->chip});
    if (!created)
      return fail(created.error().message);
    backend = std::move(*created);
    for (Emission emission : emissions)
      if (auto known = checkEmission(*backend, emission); !known)
        return fail(known.error().message);
  }
  if (options->isSurvey() && !emissions.empty())
    return fail("--emit writes what was tuned; with --compile-only and the "
                "simulated device nothing is");
  if (!options->bundle.empty() && options->bundle == path)
    return fail("the table and the bundle can't both go to '" + path +
                "'; give -o another file");
  DialectRegistry registry;
  registerBackendDialects(registry);
  if (auto loaded = commandLine.plugins.load(registry); !loaded)
    return fail(loaded.error().message);
  auto input = InputModule::open(commandLine.input, registry);
  if (!input)
    return fail(input.error().message);
  ModuleOp module = (*input)->get();
  if (!module)
    return 1;
  auto output = Output::open(path);
  if (!output)
    return fail(output.error().message);
  if (failed(prepareModule(module, *options)))
    return 1;
  auto shipments = planShipments(module, options->kernel, emissions,
                                 path == "-" ? "" : path);
  if (failed(shipments))
    return 1;

  InterruptScope interrupts;
  options->interrupted = [] { return InterruptScope::received() != 0; };
  Progress progress(std::cerr, ::isatty(STDERR_FILENO));
  if (options->isSurvey())
    return survey(module, *options, *output, progress);
  if (failed(tuneModule(module, *options, progress)))
    return InterruptScope::received() ? 128 + InterruptScope::received() : 1;

  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << "\n";
  auto written = output->write(text);
  int status = written ? 0 : fail(written.error().message);
  for (const Shipment &shipment : *shipments)
    // Unresolved are those that an interrupt came before.
    if (isResolved(shipment.kernel) && failed(ship(shipment, *backend)))
      status = 1;
  int signal = InterruptScope::received();
  return status == 0 && signal ? 128 + signal : status;
}
