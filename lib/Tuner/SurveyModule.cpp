//===- Surveys the kernels of a module ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/SurveyModule.h"
#include "tonno/Core/Duration.h"
#include "tonno/Engine/TuningSession.h"
#include "tonno/Session/Progress.h"
#include "tonno/Strategies/Strategies.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"
#include "tonno/Tuner/TuningProblem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "KernelShapes.h"
#include "RangeTuner.h"
#include <cmath>
#include <map>
#include <optional>

using namespace mlir;
using namespace tonno;

/// Checks that the kernel reads no files, which a bundle does not contain.
static LogicalResult checkBundles(func::FuncOp kernel,
                                  const Signature &signature) {
  for (const BufferSpec &buffer : signature)
    if (buffer.input && buffer.input->kind == InputSpec::Kind::npy)
      return emitError(kernel.getLoc())
             << buffer.name << " is read from '" << buffer.input->path
             << "', and a bundle contains no files; describe the data by "
                "'--inputs', or tune on the machine with the device";
  return success();
}

namespace {

/// Surveys the kernels of one module.
class ModuleSurvey {
public:
  ModuleSurvey(const TunerOptions &options, TuneObserver &observer)
      : options(options), observer(observer),
        compiler(createWorkers(options, observer)) {
    if (!options.compileOnly)
      runner.emplace(createRunner(options, observer));
  }

  /// Checks that the kernel can be surveyed, before time is spent on others.
  LogicalResult check(func::FuncOp kernel) {
    if (!isForRange(kernel))
      return LogicalResult(read(kernel));
    auto shapes = KernelShapes::find(kernel);
    if (!shapes)
      return emitLocated(kernel, shapes.error());
    return LogicalResult(read(kernel, shapes->anchors.front().sizes));
  }
  /// Surveys a kernel of several shapes at each of those that stand for them;
  /// at one, if its candidates are only compiled: they are the same for all.
  FailureOr<std::vector<SurveyOutcome>> surveyShapes(func::FuncOp kernel) {
    auto shapes = KernelShapes::find(kernel);
    if (!shapes)
      return emitLocated(kernel, shapes.error());
    std::vector<SurveyOutcome> outcomes;
    for (const AnchorShape &shape :
         llvm::concat<AnchorShape>(shapes->anchors, shapes->probes)) {
      if (!outcomes.empty() && (!runner || options.interrupted()))
        break;
      auto outcome = look(kernel, shape.sizes);
      if (failed(outcome))
        return failure();
      outcomes.push_back(std::move(*outcome));
    }
    return outcomes;
  }

  FailureOr<SurveyOutcome> look(func::FuncOp kernel,
                                const std::vector<Dimension> &sizes = {}) {
    auto start = Clock::now();
    auto problem = read(kernel, sizes);
    if (failed(problem))
      return failure();
    const std::string &remark = problem->compiled.remark;
    if (!remark.empty() && !std::exchange(hasRemarked, true))
      observer.warn(remark);
    if (!options.compileOnly || !options.bundle.empty())
      for (const std::string &warning : findConstantInputs(*problem))
        observer.warn(warning);
    auto strategy =
        createStrategy(options.effort.strategy,
                       LegalSpace::create(problem->space), options.seed);
    if (!strategy)
      return emitError(kernel.getLoc(), strategy.error().message);
    std::optional<BundledKernel> bundled;
    if (!options.bundle.empty()) {
      auto begun = beginBundle(kernel, *problem);
      if (failed(begun))
        return failure();
      bundled = std::move(*begun);
    }
    RunnerSession opened;
    opened.oracle = options.oracle;
    if (runner) {
      auto session = openRunner(kernel, *problem);
      if (failed(session))
        return failure();
      opened = std::move(*session);
    }
    observer.started(kernel.getSymName().str(), problem->space,
                     options.effort.budget);
    TrialLogs logs;
    logs.add(observer);
    auto failures = createFailureLog(*problem, options, observer);
    if (failures)
      logs.add(*failures);
    std::optional<RecordingCompiler> recorder;
    if (bundled)
      recorder.emplace(compiler, *bundled);
    Compiler &chosen = recorder ? static_cast<Compiler &>(*recorder) : compiler;
    TuningSession session(problem->space, chosen, runner ? &*runner : nullptr,
                          **strategy, logs, std::move(opened),
                          options.effort.budget, pendingFor(options.jobs),
                          options.interrupted);
    auto looked = session.survey();
    if (!looked)
      return emitError(kernel.getLoc(), looked.error().message);
    if (bundled)
      bundled->isComplete = !looked->isCut;
    std::chrono::duration<double> elapsed = Clock::now() - start;
    SurveyOutcome outcome{kernel.getSymName().str(), sizes,
                          std::move(problem->space), options.target,
                          problem->compiled.chip,    runner.has_value(),
                          std::move(looked->trials), elapsed.count(),
                          std::move(bundled)};
    if (failures && failures->numKept() > 0) {
      outcome.keptFailures = failures->numKept();
      outcome.failureDirectory = options.failureDirectory;
    }
    return outcome;
  }

private:
  FailureOr<TuningProblem> read(func::FuncOp kernel,
                                ArrayRef<Dimension> sizes = {}) {
    return readProblem(kernel, options, compiler, DeviceDescription(), sizes);
  }
  /// Returns the kernel's bundle without candidates.
  FailureOr<BundledKernel> beginBundle(func::FuncOp kernel,
                                       const TuningProblem &problem) {
    if (failed(checkBundles(kernel, problem.compiled.signature)))
      return failure();
    auto reference = compiler.reference(ReferenceCpu::any);
    if (!reference)
      return emitLocated(kernel, reference.error());
    return BundledKernel{kernel.getSymName().str(),
                         problem.space,
                         problem.compiled,
                         problem.identity,
                         std::move(*reference),
                         options.protocol,
                         options.effort,
                         options.seed,
                         options.oracle,
                         /*isComplete=*/false,
                         {}};
  }

  FailureOr<RunnerSession> openRunner(func::FuncOp kernel,
                                      const TuningProblem &problem) {
    auto session = createRunnerSession(compiler, problem, options);
    if (!session)
      return emitLocated(kernel, session.error());
    if (auto opened = runner->open(*session); !opened)
      return emitError(kernel.getLoc(), opened.error().message);
    return std::move(*session);
  }

  const TunerOptions &options;
  TuneObserver &observer;
  WorkerPool compiler;
  std::optional<RunnerProcess> runner;
  bool hasRemarked = false;
};

} // namespace

FailureOr<std::vector<SurveyOutcome>>
tonno::surveyModule(ModuleOp module, const TunerOptions &options,
                    TuneObserver &observer) {
  for (const std::string &warning : options.warnings)
    observer.warn(warning);
  auto kernels = chooseKernels(module, options.kernel, Unmarked::include);
  if (failed(kernels))
    return failure();
  for (func::FuncOp kernel : *kernels)
    if (isForRange(kernel))
      if (auto checked = checkOptionsOfRange(options); !checked)
        return kernel.emitError() << checked.error().message;
  ModuleSurvey survey(options, observer);
  if (kernels->size() > 1)
    for (func::FuncOp kernel : *kernels)
      if (failed(survey.check(kernel)))
        return failure();
  std::vector<SurveyOutcome> outcomes;
  for (func::FuncOp kernel : *kernels) {
    if (isForRange(kernel)) {
      auto atShapes = survey.surveyShapes(kernel);
      if (failed(atShapes))
        return failure();
      llvm::move(*atShapes, std::back_inserter(outcomes));
    } else {
      auto outcome = survey.look(kernel);
      if (failed(outcome))
        return failure();
      outcomes.push_back(std::move(*outcome));
    }
    if (options.interrupted())
      break;
  }
  return outcomes;
}

namespace {

/// Rows of text in columns as wide as their widest cell.
class Table {
public:
  explicit Table(std::vector<std::string> heads) { add(std::move(heads)); }

  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  void print(llvm::raw_ostream &stream) const {
    std::vector<size_t> widths(rows.front().size());
    for (const auto &row : rows)
      for (auto [i, cell] : llvm::enumerate(row))
        widths[i] = std::max(widths[i], cell.size());
    for (const auto &row : rows) {
      std::string line;
      for (auto [i, cell] : llvm::enumerate(row))
        line += "  " + cell + std::string(widths[i] - cell.size(), ' ');
      stream << llvm::StringRef(line).rtrim() << "\n";
    }
  }

private:
  std::vector<std::vector<std::string>> rows;
};

} // namespace

template <typename T> static std::string cell(const std::optional<T> &value) {
  return value ? std::to_string(*value) : "?";
}

static std::string percent(const std::optional<double> &share) {
  return share ? std::to_string(std::lround(*share * 100)) + " %" : "?";
}

/// Prints the failures, each with its first candidate, the most frequent first.
/// Compile errors are grouped by message; failures of kernels that run are
/// grouped by status, because their messages hardly repeat.
static void printFailures(llvm::raw_ostream &stream,
                          const SurveyOutcome &outcome) {
  std::map<std::pair<Status, std::string>, std::vector<const Trial *>> reasons;
  for (const Trial &trial : outcome.trials)
    if (trial.status != Status::ok)
      reasons[{trial.status,
               trial.status == Status::compile_error ? trial.message : ""}]
          .push_back(&trial);
  std::vector<std::vector<const Trial *>> groups;
  for (auto &[reason, trials] : reasons)
    groups.push_back(std::move(trials));
  // Trials lie in the order in which they were made.
  llvm::sort(groups, [](const auto &a, const auto &b) {
    return std::make_pair(b.size(), a.front()) <
           std::make_pair(a.size(), b.front());
  });
  constexpr size_t mostShown = 20;
  for (const auto &trials : llvm::ArrayRef(groups).take_front(mostShown)) {
    const Trial &first = *trials.front();
    std::string values =
        formatValues(outcome.space.values(first.configuration));
    stream << "  " << trials.size() << " "
           << std::string(toString(first.status));
    if (!values.empty()) // as without knobs
      stream << (trials.size() == 1 ? ", " : ", first ") << values;
    stream << ": " << first.message << "\n";
  }
  if (groups.size() > mostShown)
    stream << "  and " << groups.size() - mostShown << " more reasons\n";
}

void tonno::printSurvey(llvm::raw_ostream &stream,
                        const SurveyOutcome &outcome) {
  auto numOk = llvm::count_if(outcome.trials, [](const Trial &trial) {
    return trial.status == Status::ok;
  });
  stream << "@" << outcome.kernel;
  if (!outcome.sizes.empty() && outcome.isVerified)
    stream << " at " << formatDimensions(outcome.sizes, ", ");
  stream << " for " << outcome.target << " " << outcome.chip << ": " << numOk
         << " of " << outcome.trials.size() << " candidates "
         << (outcome.isVerified ? "compile and compute the right result, "
                                : "compile, ")
         << "in " << formatSeconds(outcome.seconds) << "\n";
  Table table({"status", "registers", "spills", "shared", "occupancy",
               "instructions", "workspace", "configuration", "bound",
               "proposed"});
  for (const Trial &trial : outcome.trials) {
    const ResourceUsage &usage = trial.usage;
    table.add({std::string(toString(trial.status)), cell(usage.registers),
               cell(usage.spillBytes), cell(usage.sharedBytes),
               percent(usage.occupancy), cell(usage.instructions),
               cell(usage.workspaceBytes),
               formatValues(outcome.space.values(trial.configuration)),
               usage.timeBound ? usage.timeBound->toString() : "?",
               trial.reason});
  }
  table.print(stream);
  printFailures(stream, outcome);
  if (outcome.keptFailures > 0)
    stream << "  failures  " << outcome.keptFailures << " in "
           << outcome.failureDirectory << ", for 'tonno-tune reproduce'\n";
}
