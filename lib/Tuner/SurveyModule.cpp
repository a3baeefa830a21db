//===- Looks at the candidates of a module --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/SurveyModule.h"
#include "tonno/Session/FailureKeepingLog.h"
#include "tonno/Session/ObservingLog.h"
#include "tonno/Session/Survey.h"
#include "tonno/Strategies/Strategies.h"
#include "tonno/Tuner/KernelProblem.h"
#include "tonno/Tuner/KernelSelection.h"
#include "tonno/Tuner/Processes.h"

#include <optional>

using namespace mlir;
using namespace tonno;

/// What a candidate reads of other files stays behind.
static LogicalResult checkBundles(func::FuncOp kernel,
                                  const Signature &signature) {
  for (const BufferSpec &buffer : signature)
    if (buffer.input && buffer.input->kind == InputSpec::Kind::npy)
      return emitError(kernel.getLoc())
             << buffer.name << " is read from '" << buffer.input->path
             << "', and files don't travel in a bundle; describe the data with "
                "--inputs, or tune where the device is";
  return success();
}

namespace {

/// Surveys the kernels of one module.
class ModuleSurvey {
public:
  ModuleSurvey(const TuneOptions &options, TuneObserver &observer)
      : options(options), observer(observer), compiler(createWorkers(options)) {
    if (!options.compileOnly)
      runner.emplace(createRunner(options, observer));
  }

  /// Finds what keeps a kernel from being looked at, before others take time.
  LogicalResult check(func::FuncOp kernel) {
    return LogicalResult(read(kernel));
  }
  FailureOr<SurveyOutcome> look(func::FuncOp kernel);

private:
  FailureOr<KernelProblem> read(func::FuncOp kernel) {
    return readProblem(
        kernel, options.retune ? SelectedKnobs::vary : SelectedKnobs::fixed,
        {options.target, options.chip, options.isSimulated()}, compiler, {},
        options.protocol, options.oracle, options.compileSeconds);
  }
  FailureOr<BundledKernel> beginBundle(func::FuncOp kernel,
                                       const KernelProblem &problem);
  FailureOr<RunnerSession> openRunner(func::FuncOp kernel,
                                      const KernelProblem &problem);

  const TuneOptions &options;
  TuneObserver &observer;
  WorkerPool compiler;
  std::optional<RunnerProcess> runner;
  bool hasRemarked = false;
};

} // namespace

/// All but the candidates.
FailureOr<BundledKernel>
ModuleSurvey::beginBundle(func::FuncOp kernel, const KernelProblem &problem) {
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

FailureOr<RunnerSession>
ModuleSurvey::openRunner(func::FuncOp kernel, const KernelProblem &problem) {
  auto reference = compiler.reference(ReferenceCpu::native);
  if (!reference)
    return emitLocated(kernel, reference.error());
  RunnerSession session = {*reference, problem.compiled.signature,
                           options.protocol, options.seed, options.oracle};
  session.waitSeconds = options.effort.budget.secondsToWait(0);
  if (auto opened = runner->open(session); !opened)
    return emitError(kernel.getLoc(), opened.error().message);
  return session;
}

FailureOr<SurveyOutcome> ModuleSurvey::look(func::FuncOp kernel) {
  auto start = Clock::now();
  auto problem = read(kernel);
  if (failed(problem))
    return failure();
  const std::string &remark = problem->compiled.remark;
  if (!remark.empty() && !std::exchange(hasRemarked, true))
    observer.warned(remark);
  if (!options.compileOnly || !options.bundle.empty())
    for (const std::string &warning :
         findConstantInputs(problem->compiled.signature))
      observer.warned(warning);
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
  if (runner) {
    auto session = openRunner(kernel, *problem);
    if (failed(session))
      return failure();
    opened = std::move(*session);
  }
  observer.started(kernel.getSymName().str(), problem->space,
                   options.effort.budget);
  ObservingLog told(observer);
  std::optional<FailureKeepingLog> failures;
  if (!options.failureDirectory.empty())
    failures.emplace(
        told, options.failureDirectory,
        commonOfFailures(*problem, options.device, options.referenceSeconds),
        problem->space);
  TrialLog &log = failures ? static_cast<TrialLog &>(*failures) : told;
  std::optional<RecordingCompiler> recorder;
  if (bundled)
    recorder.emplace(compiler, *bundled);
  Compiler &chosen = recorder ? static_cast<Compiler &>(*recorder) : compiler;
  Survey survey(problem->space, chosen, runner ? &*runner : nullptr, **strategy,
                log, std::move(opened), options.effort.budget,
                pendingFor(options.jobs), options.interrupted);
  auto trials = survey.run();
  if (!trials)
    return emitError(kernel.getLoc(), trials.error().message);
  if (bundled)
    bundled->isComplete = !survey.wasCut();
  std::chrono::duration<double> elapsed = Clock::now() - start;
  SurveyOutcome outcome{
      kernel.getSymName().str(), std::move(problem->space), options.target,
      problem->compiled.chip,    runner.has_value(),        std::move(*trials),
      elapsed.count(),           std::move(bundled)};
  if (failures && failures->numKept() > 0) {
    outcome.keptFailures = failures->numKept();
    outcome.failureDirectory = options.failureDirectory;
  }
  return outcome;
}

FailureOr<std::vector<SurveyOutcome>>
tonno::surveyModule(ModuleOp module, const TuneOptions &options,
                    TuneObserver &observer) {
  for (const std::string &warning : options.warnings)
    observer.warned(warning);
  auto kernels = chooseKernels(module, options.kernel, Unmarked::include);
  if (failed(kernels))
    return failure();
  ModuleSurvey survey(options, observer);
  if (kernels->size() > 1)
    for (func::FuncOp kernel : *kernels)
      if (failed(survey.check(kernel)))
        return failure();
  std::vector<SurveyOutcome> outcomes;
  for (func::FuncOp kernel : *kernels) {
    auto outcome = survey.look(kernel);
    if (failed(outcome))
      return failure();
    outcomes.push_back(std::move(*outcome));
    if (options.interrupted())
      break;
  }
  return outcomes;
}
