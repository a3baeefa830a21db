//===- Machine code of winners and defaults -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/ExplainAssembly.h"
#include "tonno/Tuner/KernelProblems.h"
#include "tonno/Tuner/PrepareModule.h"

using namespace mlir;
using namespace tonno;

void tonno::mapFields(JsonFields &fields, ConfigurationCode &code) {
  fields("values", code.values);
  fields("seconds", code.seconds);
  fields("loop", code.loop);
  fields("unknown", code.unknown, {});
}

void tonno::mapFields(JsonFields &fields, KernelAssembly &assembly) {
  fields("kernel", assembly.kernel);
  fields("chip", assembly.chip);
  fields("baseline", assembly.baseline);
  fields("winner", assembly.winner);
}

/// Compiles a configuration and finds its hot loop.
static Result<ConfigurationCode> examine(Compiler &compiler,
                                         const TuningProblem &problem,
                                         const Json &values,
                                         std::optional<double> seconds) {
  auto artifact = TONNO_TRY(compileConfiguration(compiler, values));
  ConfigurationCode code{values, seconds};
  llvm::StringRef binary(reinterpret_cast<const char *>(artifact.binary.data()),
                         artifact.binary.size());
  auto loop = findHotLoop(
      binary, {artifact.triple, artifact.chip, problem.compiled.features});
  if (loop)
    code.loop = std::move(*loop);
  else
    code.unknown = loop.error().message;
  return code;
}

FailureOr<std::vector<KernelAssembly>>
tonno::explainAssembly(ModuleOp module, const TunerOptions &options,
                       TuneObserver &observer) {
  auto warn = [&](const std::string &message) { observer.warn(message); };
  auto store = openStore(options.getStoreChoice(), warn);
  if (!store)
    return emitError(module.getLoc(), store.error().message);
  KernelProblems problems(module, options, observer);
  std::vector<KernelAssembly> all;
  auto visit = [&](func::FuncOp kernel,
                   const TuningProblem &problem) -> LogicalResult {
    auto decision =
        findDecision(**store, problem.identity.latestKey(problem.space),
                     problem.space, warn);
    if (!decision)
      return kernel.emitError("the cache has no decision for @")
             << kernel.getSymName() << " on " << problem.device.name
             << "; give the file as it was before it was tuned, or see "
                "'tonno-tune cache why-miss'";
    const Json values =
        problem.space.values(problem.space.defaultConfiguration());
    const Comparison &comparison = decision->comparison;
    auto baseline =
        examine(problems.compiler(), problem, values,
                comparison.baselineSeconds.n > 0
                    ? std::optional(comparison.baselineSeconds.median)
                    : std::nullopt);
    if (!baseline)
      return kernel.emitError() << baseline.error().message;
    KernelAssembly assembly{problem.source.kernel, problem.compiled.chip,
                            std::move(*baseline), std::nullopt};
    if (decision->values != values) {
      auto winner = examine(problems.compiler(), problem, decision->values,
                            comparison.chosenSeconds());
      if (!winner)
        return kernel.emitError() << winner.error().message;
      assembly.winner = std::move(*winner);
    }
    all.push_back(std::move(assembly));
    return success();
  };
  if (failed(problems.visit(visit)))
    return failure();
  return all;
}
