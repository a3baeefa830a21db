//===- TuneModule.cpp - Tunes the kernels of a module ---------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Tuner/TuneModule.h"
#include "tonno/Cache/RecordStore.h"
#include "tonno/Runtime/Oracle.h"
#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Tuner/CachedTrialLog.h"
#include "tonno/Tuner/ToolPath.h"
#include "tonno/Tuner/WorkerProcess.h"
#include "tonno/Tuner/WriteBack.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Bytecode/BytecodeWriter.h"

#include <cstdlib>

using namespace mlir;
using namespace tonno;

namespace {

/// Tunes the kernels of one module; one runner serves them all.
class ModuleTuner {
public:
  ModuleTuner(ModuleOp module, const TuneOptions &options,
              TuneObserver &observer);

  LogicalResult openStore();
  FailureOr<SmallVector<func::FuncOp>> chooseKernels();
  FailureOr<KernelOutcome> tune(func::FuncOp kernel);

private:
  FailureOr<CompilerDescription> openCompiler(func::FuncOp kernel,
                                              ModuleOp closure);
  FailureOr<SessionOutcome> search(func::FuncOp kernel,
                                   const KernelOutcome &outcome,
                                   const CompilerDescription &compiled,
                                   const ProblemIdentity &identity);
  std::optional<DecisionRecord> findDecision(const KernelOutcome &outcome);

  ModuleOp module;
  const TuneOptions &options;
  TuneObserver &observer;
  WorkerProcess compiler;
  RunnerProcess runner;
  ProtocolOptions protocol;
  std::unique_ptr<RecordStore> store;
};

} // namespace

static std::vector<std::string> commandOr(const std::vector<std::string> &given,
                                          const std::string &tool) {
  return given.empty() ? std::vector{findTool(tool)} : given;
}

ModuleTuner::ModuleTuner(ModuleOp module, const TuneOptions &options,
                         TuneObserver &observer)
    : module(module), options(options), observer(observer),
      compiler(commandOr(options.workerCommand, "tonno-worker")),
      runner(commandOr(options.runnerCommand, "tonno-runner"), {},
             options.interrupted) {}

LogicalResult ModuleTuner::openStore() {
  if (options.cacheMode == CacheMode::off) {
    store = std::make_unique<NullStore>();
    return success();
  }
  std::string directory = options.cacheDirectory;
  if (const char *given = std::getenv("TONNO_CACHE_DIR");
      directory.empty() && given)
    directory = given;
  if (directory.empty())
    directory = ".tonno-cache";
  auto opened = DirectoryStore::open(
      directory,
      options.cacheMode == CacheMode::read_only
          ? DirectoryStore::Mode::read_only
          : DirectoryStore::Mode::read_write,
      [this](const std::string &message) { observer.warned(message); });
  if (!opened)
    return emitError(module.getLoc(), opened.error().message)
           << "; choose another with TONNO_CACHE_DIR, or read it only with "
              "cache=ro, or do without with cache=off";
  store = std::move(*opened);
  return success();
}

FailureOr<SmallVector<func::FuncOp>> ModuleTuner::chooseKernels() {
  SmallVector<func::FuncOp> kernels = findKernels(module);
  if (!options.kernel.empty()) {
    auto isNamed = [&](func::FuncOp kernel) {
      return kernel.getSymName() == options.kernel;
    };
    if (auto *named = llvm::find_if(kernels, isNamed); named != kernels.end())
      return SmallVector<func::FuncOp>{*named};
    if (auto function = module.lookupSymbol<func::FuncOp>(options.kernel))
      return emitError(function.getLoc(), "@")
             << options.kernel << " is no kernel: "
             << (function.isPublic() ? "it has no knobs; mark what may vary "
                                       "with #tonno.knob"
                                     : "it is private");
    auto error = emitError(module.getLoc(), "unknown kernel '@")
                 << options.kernel << "'";
    if (!kernels.empty()) {
      error << "; the kernels are: ";
      llvm::interleaveComma(kernels, error, [&](func::FuncOp kernel) {
        error << "@" << kernel.getSymName();
      });
    }
    return error;
  }
  if (kernels.empty())
    return emitError(module.getLoc(),
                     "no kernel: no public function has a #tonno.knob "
                     "that marks what may vary");
  return kernels;
}

/// The error of another process at the place in the input it speaks of.
static InFlightDiagnostic emitLocated(func::FuncOp kernel,
                                      const LocatedError &error) {
  if (error.file.empty())
    return emitError(kernel.getLoc(), error.message);
  return emitError(FileLineColLoc::get(kernel.getContext(), error.file,
                                       error.line, error.column),
                   error.message);
}

FailureOr<CompilerDescription> ModuleTuner::openCompiler(func::FuncOp kernel,
                                                         ModuleOp closure) {
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  if (failed(writeBytecodeToFile(closure, stream)))
    return emitError(kernel.getLoc(),
                     "the kernel can't be written as bytecode");
  CompilerSession session;
  session.module.assign(bytecode.begin(), bytecode.end());
  session.kernel = kernel.getSymName().str();
  session.target = options.target;
  session.chip = options.chip;
  auto compiled = compiler.open(session);
  if (!compiled)
    return emitLocated(kernel, compiled.error());
  return std::move(*compiled);
}

std::optional<DecisionRecord>
ModuleTuner::findDecision(const KernelOutcome &outcome) {
  auto found = store->find(outcome.key);
  if (!found)
    return std::nullopt;
  auto record = decode<DecisionRecord>(*found);
  if (record && outcome.space.configuration(record->values))
    return std::move(*record);
  observer.warned("the cache's decision " + outcome.key +
                  " does not fit; taken as a miss");
  return std::nullopt;
}

FailureOr<SessionOutcome>
ModuleTuner::search(func::FuncOp kernel, const KernelOutcome &outcome,
                    const CompilerDescription &compiled,
                    const ProblemIdentity &identity) {
  auto strategy =
      createStrategy(options.effort.strategy, outcome.space, options.seed);
  if (!strategy)
    return emitError(kernel.getLoc(), strategy.error().message);
  auto problem = compiler.reference();
  if (!problem)
    return emitLocated(kernel, problem.error());
  if (auto opened =
          runner.open({*problem, compiled.signature, protocol, options.seed});
      !opened)
    return emitError(kernel.getLoc(), opened.error().message);
  CachedTrialLog log(*store, identity, outcome.space, observer);
  TuningSession session(outcome.space, compiler, runner, **strategy, log,
                        options.effort.budget, options.interrupted);
  auto found = session.run();
  if (!found)
    return emitError(kernel.getLoc(), found.error().message);
  return std::move(*found);
}

/// How trials are judged. The oracle's version stands for its passes and
/// bounds, which are constants of its code.
static Json policyJson(const ProtocolOptions &protocol) {
  return {{"protocol", protocol}, {"oracle", oracleVersion}};
}

FailureOr<KernelOutcome> ModuleTuner::tune(func::FuncOp kernel) {
  auto start = Clock::now();
  KernelOutcome outcome;
  outcome.kernel = kernel.getSymName().str();
  auto space = extractSearchSpace(kernel);
  if (failed(space))
    return failure();
  outcome.space = std::move(*space);
  OwningOpRef<ModuleOp> closure = extractClosure(kernel);
  auto compiled = openCompiler(kernel, *closure);
  if (failed(compiled))
    return failure();
  outcome.chip = compiled->chip;
  auto device = runner.device();
  if (!device)
    return emitError(kernel.getLoc(), device.error().message);
  outcome.device = std::move(*device);

  ProblemIdentity identity{kernelHash(*closure),  compiled->triple,
                           compiled->chip,        compiled->features,
                           compiled->fingerprint, outcome.device.name,
                           policyJson(protocol)};
  outcome.key = identity.decisionKey(outcome.space, effortJson(options.effort));
  if (auto decision = findDecision(outcome)) {
    outcome.decision = std::move(*decision);
    outcome.fromCache = true;
    return outcome;
  }
  observer.started(kernel, outcome.space, options.effort.budget);
  auto found = search(kernel, outcome, *compiled, identity);
  if (failed(found))
    return failure();
  outcome.decision = {outcome.space.values(found->chosen),
                      found->artifactHash,
                      found->comparison,
                      found->trials.size(),
                      options.seed,
                      options.effort.strategy,
                      compiled->versions};
  outcome.trials = std::move(found->trials);
  outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (found->isConclusive)
    if (auto stored = store->insert(outcome.key, outcome.decision); !stored)
      observer.warned(stored.error().message);
  return outcome;
}

FailureOr<std::vector<KernelOutcome>>
tonno::tuneModule(ModuleOp module, const TuneOptions &options,
                  TuneObserver &observer) {
  ModuleTuner tuner(module, options, observer);
  auto kernels = tuner.chooseKernels();
  if (failed(kernels) || failed(tuner.openStore()))
    return failure();
  SmallVector<func::FuncOp> tuned;
  std::vector<KernelOutcome> outcomes;
  for (func::FuncOp kernel : *kernels) {
    if (isResolved(kernel) && !options.retune) {
      observer.skipped(kernel);
      continue;
    }
    auto outcome = tuner.tune(kernel);
    if (failed(outcome))
      return failure();
    observer.decided(kernel, *outcome);
    tuned.push_back(kernel);
    outcomes.push_back(std::move(*outcome));
    if (options.interrupted())
      break;
  }
  for (auto [kernel, outcome] : llvm::zip_equal(tuned, outcomes))
    if (failed(writeBack(kernel, outcome)))
      return failure();
  return outcomes;
}
