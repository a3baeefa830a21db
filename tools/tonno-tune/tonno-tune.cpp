//===- Tunes the kernels of a file ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CacheCommands.h"
#include "ExplainCommand.h"
#include "InputModule.h"
#include "LockCommands.h"
#include "Messages.h"
#include "Output.h"
#include "PriorCommands.h"
#include "PythonPrograms.h"
#include "ReportFile.h"

#include "tonno/Backend/Shipping.h"
#include "tonno/Core/Version.h"
#include "tonno/Process/ProgramStart.h"
#include "tonno/Session/Interrupt.h"
#include "tonno/Session/Progress.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"
#include "tonno/Tuner/SurveyModule.h"
#include "tonno/Tuner/TuneModule.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace mlir;
using namespace tonno;
namespace cl = llvm::cl;

static constexpr char toolName[] = "tonno-tune";

int tonno::fail(const LocatedError &error) {
  return Messages(toolName, ProgressForm::automatic).fail(error);
}

int tonno::fail(const std::string &message) {
  return fail(LocatedError{message});
}

static constexpr char overview[] =
    R"(tunes the kernels of an MLIR file, or a kernel in OpenCL C (.cl)

EXAMPLES:

  tonno-tune matmul.mlir -o tuned.mlir
  tonno-tune --budget-seconds=60 --emit=obj,header matmul.mlir -o tuned.mlir
  tonno-tune --target=nvptx --chip=sm_90 --compile-only matmul.mlir

A kernel is a public function with #tonno.knob attributes, or one whose schedule
has knobs; linalg ops of other functions get a default space. Candidates are
compiled, verified, and timed beside the default. The best is tested against
the default, and the tuned IR is written to the output; messages go to stderr.

For OpenCL C, --knob names macros that the build defines. A .cl file may state
options itself, one a line: // tonno: --knob=TS=8,16,32

With --run and --build it tunes any command: see 'tonno-command --help'.

EXIT STATUS:

  0    every kernel was decided
  1    an error; kernels that were tuned before it are written
  130  Ctrl-C; the best so far is written

STATUSES OF TRIALS:

  ok                verified and timed
  pruned            verified, and clearly slower than the best so far
  compile_error     refused by the compiler
  compile_timeout   compiled for longer than --compile-seconds
  compile_crash     crashed the compiler
  load_error        refused by the device or its loader
  unlaunchable      asks for more than the device has, such as shared memory
  out_of_memory     needed more memory than the limit
  fault             crashed while running
  hang              did not end in time
  wrong             outputs differ from the reference
  out_of_bounds     wrote outside of its buffers, or into an input
  nondeterministic  outputs vary from launch to launch
  different_bits    right, but with other bits than the default's, under
                    --bits=same
  contended         not timed, since other processes used the device
  lost              the runner or the worker ended for another reason than the
                    candidate; --resume tries it again
  bounded           not run, since its time bound, or its use of the
                    objective, is above that of the best
  over_limit        not run, since it uses more of a resource than --limit allows
)";

namespace {

/// One form of a kernel that is to be written beside the output.
struct PlannedEmission {
  func::FuncOp kernel;
  std::string name;
  Emission emission;
  std::filesystem::path file;
};

/// From which names of what ships follow.
struct Naming {
  std::string rename; ///< of the only kernel; empty: its own
  std::string input;  ///< the file that it is in
};

} // namespace

/// Returns the files that `--emit` asks for. Errors that would keep a file from
/// being written are found before an hour of tuning, not after it.
static FailureOr<std::vector<PlannedEmission>>
planEmissions(ModuleOp module, StringRef onlyKernel, const Naming &naming,
              llvm::ArrayRef<Emission> emissions, const std::string &path) {
  std::vector<PlannedEmission> shipments;
  if (emissions.empty())
    return shipments;
  auto kernels = chooseKernels(module, onlyKernel, Unmarked::include);
  if (failed(kernels))
    return failure();
  if (!naming.rename.empty() && kernels->size() > 1)
    return kernels->back().emitError(
        "'--rename' names one kernel, and the input has several; choose one by "
        "'--kernel'");
  for (func::FuncOp kernel : *kernels) {
    auto name = chooseEmissionName(kernel, naming.rename, naming.input);
    if (failed(name))
      return failure();
    auto isSame = [&](const PlannedEmission &other) {
      return other.name == *name;
    };
    if (llvm::any_of(shipments, isSame))
      return kernel.emitError("the kernel would be emitted as '")
             << *name
             << "', as another kernel is; choose it by '--kernel', and give it "
                "another name by '--rename'";
    for (Emission emission : emissions) {
      auto file = chooseEmissionFile(path, *name, emission);
      if (!file)
        return kernel.emitError() << file.error().message;
      shipments.push_back({kernel, *name, emission, std::move(*file)});
    }
  }
  return shipments;
}

static Result<void> writeBundle(std::vector<SurveyOutcome> &outcomes,
                                const TunerOptions &options, Output &output) {
  Bundle bundle{options.target, {}};
  for (SurveyOutcome &outcome : outcomes)
    if (outcome.bundled)
      bundle.kernels.push_back(std::move(*outcome.bundled));
  return output.write(encodeBundle(bundle));
}

/// Looks at candidates instead of tuning: the output is a table of them.
static int survey(ModuleOp module, const TunerOptions &options, Output &output,
                  ReportFile &report, const Messages &messages,
                  TuneObserver &progress) {
  std::optional<Output> bundleOutput;
  if (!options.bundle.empty()) {
    auto opened = Output::open(options.bundle);
    if (!opened)
      return messages.fail(opened.error().message);
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
    return messages.fail(written.error().message);
  std::vector<WrittenFile> files;
  output.appendTo(files, "table", "the table of candidates");
  Result<void> bundled;
  if (bundleOutput) {
    bundled = writeBundle(*outcomes, options, *bundleOutput);
    if (bundled)
      bundleOutput->appendTo(files, "bundle",
                             "compiled candidates for 'tonno-runner --bundle'");
  }
  int signal = InterruptScope::received();
  int exitStatus = signal ? 128 + signal : 0;
  auto reported = report.write(*outcomes, exitStatus, files);
  messages.reportWritten(files);
  if (!bundled)
    return messages.fail(bundled.error().message);
  return reported ? exitStatus : messages.fail(reported.error().message);
}

static LogicalResult writeEmission(const PlannedEmission &shipment,
                                   const Backend &backend) {
  func::FuncOp kernel = shipment.kernel;
  auto bytes =
      emitNamedKernel(kernel, shipment.name, backend, shipment.emission);
  if (failed(bytes))
    return failure();
  if (auto written = writeFileAtomically(shipment.file, *bytes); !written)
    return kernel.emitError() << written.error().message;
  return success();
}

/// Returns true if tuning the kernel failed, or was interrupted before.
static bool isLeft(func::FuncOp kernel, const ModuleOutcome &outcome) {
  if (llvm::is_contained(findKernels(kernel->getParentOfType<ModuleOp>()),
                         kernel))
    return !isResolved(kernel);
  return llvm::none_of(outcome.tuned, [&](const KernelOutcome &tuned) {
    return tuned.kernel == kernel.getSymName();
  });
}

/// Describes the output: with `--effort=none`, nothing may be known.
static std::string describeIr(const ModuleOutcome &outcome) {
  return outcome.skipped.empty() ? describeTuned("IR", outcome.tuned)
                                 : "the tuned IR";
}

/// An option of tuning behind a subcommand, which LLVM takes, and nothing
/// heeds; empty if there is none.
static std::string findIgnoredOption() {
  for (const cl::SubCommand *command : cl::getRegisteredSubcommands()) {
    if (command == &cl::SubCommand::getTopLevel() || !*command)
      continue;
    for (auto &[name, option] :
         cl::getRegisteredOptions(cl::SubCommand::getTopLevel()))
      if (option->getNumOccurrences() > 0 &&
          !command->OptionsMap.contains(name))
        return ("'tonno-tune " + command->getName() + "' has no option '" +
                (name.size() == 1 ? "-" : "--") + name + "'; see its '--help'")
            .str();
  }
  return {};
}

/// Returns true if the first word is a subcommand, whose help has no overview
/// of tuning.
static bool isSubcommand(int argc, char **argv) {
  return argc > 1 && llvm::any_of(cl::getRegisteredSubcommands(),
                                  [&](const cl::SubCommand *command) {
                                    return !command->getName().empty() &&
                                           command->getName() == argv[1];
                                  });
}

/// Returns true for what tunes commands: `--run=...` or `--build=...`.
static bool tunesCommands(llvm::ArrayRef<char *> arguments) {
  return llvm::any_of(arguments, [](llvm::StringRef argument) {
    argument.consume_front("-");
    return argument == "-run" || argument == "-build" ||
           argument.starts_with("-run=") || argument.starts_with("-build=");
  });
}

/// Becomes the program of the Python package that tunes commands.
static int tuneCommands(llvm::ArrayRef<char *> arguments) {
  llvm::ArrayRef<char *> words = arguments.drop_front();
  return becomePythonProgram("tonno-command", {words.begin(), words.end()},
                             "'--run' and '--build' need");
}

/// Prints the version and the devices that tonno-runner finds. A driver that
/// crashes or hangs does so in the runner, for a few seconds.
static void printVersion(llvm::raw_ostream &stream) {
  stream << "tonno-tune " << version() << " (LLVM " LLVM_VERSION_STRING ")\n"
         << "devices:\n";
  stream.flush();
  constexpr unsigned mostSeconds = 10;
  const std::string runner = findTool("tonno-runner");
  const std::optional<StringRef> redirects[] = {StringRef(), std::nullopt,
                                                StringRef()};
  std::string problem;
  if (llvm::sys::ExecuteAndWait(runner, {runner, "--list-devices"},
                                /*Env=*/std::nullopt, redirects, mostSeconds,
                                /*MemoryLimit=*/0, &problem) != 0)
    stream << "unknown: " << runner << " --list-devices failed"
           << (problem.empty() ? "" : ": ") << problem << "\n";
}

/// Lets Python run this program on a Ray cluster. Returns why it does not.
static std::string startByRay(const CommandLine &commandLine, int argc,
                              char **argv) {
  if (isOpenCl(commandLine))
    return "'--ray' is for kernels in MLIR, and '" + commandLine.input +
           "' is in OpenCL C";
  if (auto bound = commandLine.parent.bind(); !bound)
    return bound.error().message;
  auto request = commandLine.options.request();
  if (!request)
    return request.error().message;
  return commandLine.ray.replaceProgram(*request, argc, argv).message;
}

int main(int argc, char **argv) {
  if (argc > 1 && tunesCommands({argv + 1, argv + argc}))
    return tuneCommands({argv, argv + argc});
  beginProgram();
  // A closed stderr must not turn a successful run into a failure. The stream
  // is made here, so that it outlives the handler.
  llvm::errs();
  std::atexit([] { llvm::errs().clear_error(); });
  CommandLine commandLine;
  ReplayCommand replayCommand(commandLine.categories);
  ReproduceCommand reproduceCommand(commandLine.categories);
  SpaceCommand spaceCommand(commandLine.categories);
  CacheCommands cacheCommands(commandLine.categories);
  LockCommand lockCommand(commandLine.categories);
  CheckCommand checkCommand(commandLine.categories);
  LearnCommand learnCommand(commandLine.categories);
  PriorTestCommand priorTestCommand(commandLine.categories);
  ExplainCommand explainCommand(commandLine.categories);
  commandLine.categories.hideUnrelatedOptions();
  cl::SetVersionPrinter(printVersion);
  joinCacheVerb(argc, argv);
  joinPriorVerb(argc, argv);
  parseCommandLine(argc, argv, isSubcommand(argc, argv) ? "" : overview,
                   toolName);
  if (std::string unheeded = findIgnoredOption(); !unheeded.empty())
    return fail(unheeded);
  if (replayCommand.isGiven())
    return replayCommand.run();
  if (reproduceCommand.isGiven())
    return reproduceCommand.run();
  if (spaceCommand.isGiven())
    return spaceCommand.run();
  if (lockCommand.isGiven())
    return lockCommand.run();
  if (checkCommand.isGiven())
    return checkCommand.run();
  if (learnCommand.isGiven())
    return learnCommand.run();
  if (priorTestCommand.isGiven())
    return priorTestCommand.run();
  if (explainCommand.isGiven())
    return explainCommand.run();
  if (const CacheVerb *verb = cacheCommands.given())
    return verb->run();
  // Before the first message, which the program that it starts gives.
  std::string whyNotRay =
      commandLine.ray.isGiven() ? startByRay(commandLine, argc, argv) : "";
  auto opened =
      Messages::open(toolName, commandLine.progress, commandLine.progressFile);
  if (!opened)
    return fail(opened.error().message);
  const Messages &messages = *opened;
  if (!whyNotRay.empty())
    return messages.fail(whyNotRay);
  if (auto bound = commandLine.parent.bind(); !bound)
    return messages.fail(bound.error().message);
  if (isOpenCl(commandLine))
    return tuneOpenClFile(commandLine, messages);
  for (llvm::StringRef name :
       {"global-size", "local-size", "arg", "build-options"})
    if (cl::getRegisteredOptions().lookup(name)->getNumOccurrences() > 0)
      return messages.fail(
          "'--" + name.str() +
          "' applies only to kernels in OpenCL C, in files that end with .cl");
  auto request = commandLine.options.request();
  if (!request)
    return messages.fail(request.error().message);
  auto options = request->resolve();
  if (!options)
    return messages.fail(options.error().message);
  commandLine.options.remove();

  auto chip = findChip(*options);
  if (!chip)
    return messages.fail(chip.error().message);
  options->chip = *chip;
  // Linking an object resets the options: they are not read after it.
  const std::string path = commandLine.output;
  const bool isVerbose = commandLine.verbose;
  const std::vector<Emission> emissions(commandLine.emit.begin(),
                                        commandLine.emit.end());
  const Naming naming{commandLine.rename, commandLine.input};
  if (!naming.rename.empty() && emissions.empty())
    return messages.fail(
        "'--rename' names the files of '--emit', which is missing; give both");
  std::unique_ptr<Backend> backend;
  if (!emissions.empty()) {
    auto created = createBackend({options->target, options->chip});
    if (!created)
      return messages.fail(created.error().message);
    backend = std::move(*created);
    for (Emission emission : emissions)
      if (auto known = checkEmission(*backend, emission); !known)
        return messages.fail(known.error().message);
  }
  if (options->isSurvey() && !emissions.empty())
    return messages.fail(
        "'--emit' needs a tuned kernel; leave it out with '--compile-only', "
        "'--verify-only' and '--device=sim'");
  if (!options->bundle.empty() && options->bundle == path)
    return messages.fail("'-o' and '--bundle' both name '" + path +
                         "'; give '-o' another file");
  auto input = InputModule::open(commandLine.input, *request, messages);
  if (!input)
    return messages.fail(input.error().message);
  ModuleOp module = (*input)->get();
  if (!module)
    return 1;
  auto output = Output::open(path);
  if (!output)
    return messages.fail(output.error().message);
  auto report = ReportFile::open(commandLine.report, path);
  if (!report)
    return messages.fail(report.error().message);
  if (failed(prepareModule(module, *options)))
    return 1;
  auto shipments =
      planEmissions(module, options->kernel, naming, emissions, path);
  if (failed(shipments))
    return 1;

  InterruptScope interrupts;
  options->interrupted = [] { return InterruptScope::received() != 0; };
  std::unique_ptr<TuneObserver> progress = messages.createProgress(isVerbose);
  if (options->isSurvey())
    return survey(module, *options, *output, *report, messages, *progress);
  auto outcome = tuneModule(module, *options, *progress);
  progress->finish();
  auto status = [](int otherwise) {
    int signal = InterruptScope::received();
    return signal ? 128 + signal : otherwise;
  };
  if (failed(outcome) || (outcome->tuned.empty() && !outcome->isWhole))
    return status(1);

  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << "\n";
  auto written = output->write(text);
  std::vector<WrittenFile> files;
  if (written)
    output->appendTo(files, "ir", describeIr(*outcome));
  else
    messages.fail(written.error().message);
  bool isWritten = written.ok();
  for (const PlannedEmission &shipment : *shipments) {
    if (isLeft(shipment.kernel, *outcome))
      continue;
    if (succeeded(writeEmission(shipment, *backend)))
      files.push_back(describeEmitted(shipment.file, shipment.emission));
    else
      isWritten = false;
  }
  int exitStatus = isWritten ? status(outcome->isWhole ? 0 : 1) : 1;
  auto reported =
      report->write({outcome->tuned, outcome->skipped, outcome->undecided},
                    exitStatus, files);
  messages.reportWritten(files);
  return reported ? exitStatus : messages.fail(reported.error().message);
}
