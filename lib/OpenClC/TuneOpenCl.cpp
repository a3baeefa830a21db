//===- Tunes a kernel in OpenCL C -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/OpenClC/TuneOpenCl.h"
#include "tonno/Core/Hash.h"
#include "tonno/Session/WorkerPool.h"
#include "tonno/Tuner/KernelTuner.h"
#include "tonno/Tuner/Processes.h"
#include "tonno/Tuner/TuningProblem.h"

#include <deque>
#include <map>

using namespace tonno;

namespace {

/// Keeps what was compiled, so that the winner ships as it was measured: a
/// driver may not make the same bytes again.
class KeepingCompiler : public Compiler {
public:
  explicit KeepingCompiler(Compiler &inner) : inner(inner) {}

  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &session) override {
    return inner.open(session);
  }
  Result<Problem, LocatedError> reference(ReferenceCpu cpu) override {
    return inner.reference(cpu);
  }
  void submit(const Json &values) override {
    submitted.push_back(values.dump());
    inner.submit(values);
  }
  Compilation next() override {
    Compilation compilation = inner.next();
    if (compilation.artifact)
      kept.insert_or_assign(submitted.front(), compilation);
    submitted.pop_front();
    return compilation;
  }
  /// Returns the last compilation of `values`, or compiles them now. No
  /// candidate may be submitted afterwards.
  Compilation take(const Json &values) {
    if (auto known = kept.find(values.dump()); known != kept.end())
      return std::move(known->second);
    for (; !submitted.empty(); submitted.pop_front())
      inner.next();
    inner.submit(values);
    return inner.next();
  }

  Compiler &inner;

private:
  std::deque<std::string> submitted;
  std::map<std::string, Compilation> kept;
};

} // namespace

/// Returns the properties that the kernel's times depend on, except its knobs'
/// values.
static Json makeIdentityJson(const OpenClFile &file) {
  const OpenClSource &kernel = file.kernel;
  Json names = Json::array();
  for (const Knob &knob : kernel.space.knobs())
    names.push_back(knob.name);
  return {{"text", kernel.textHash},
          {"kernel", kernel.name},
          {"options", kernel.options},
          {"knobs", std::move(names)}};
}

static TuningProblem makeProblem(const OpenClFile &file, CompilerSession source,
                                 CompilerDescription compiled,
                                 const DeviceDescription &device, Json policy,
                                 const ProtocolOptions &protocol) {
  const OpenClSource &kernel = file.kernel;
  Json family = makeIdentityJson(file);
  Json whole = family;
  whole["sizes"] = {kernel.globalSize, kernel.localSize};
  whole["arguments"] = kernel.arguments;
  whole["inputs"] = kernel.inputs;
  std::vector<std::vector<int64_t>> shapes;
  for (const BufferSpec &buffer : compiled.signature)
    shapes.push_back(buffer.shape);
  ProblemIdentity identity{sha256(whole.dump()), compiled.triple,
                           compiled.chip,        compiled.features,
                           compiled.fingerprint, device.name,
                           std::move(policy)};
  return {std::move(source),
          kernel.space,
          std::nullopt,
          std::move(compiled),
          device,
          std::move(identity),
          protocol,
          KernelFamily{sha256(family.dump()), std::move(shapes)},
          KernelFeatures()};
}

static CompilerSession describeSource(const OpenClSource &kernel,
                                      const TunerOptions &options) {
  CompilerSession source;
  source.module = Json::to_cbor(Json(kernel));
  source.kernel = kernel.name;
  source.target = openClTarget;
  source.chip = options.device();
  source.compileSeconds = options.compileSeconds;
  return source;
}

Result<OpenClOutcome, LocatedError>
tonno::tuneOpenCl(OpenClFile file, const TunerOptions &options,
                  bool wantsWinner, TuneObserver &observer) {
  auto start = Clock::now();
  if (file.kernel.globalSize.empty())
    return LocatedError{"'--global-size' is missing; give the number of "
                        "work-items, such as '1024' or '1024 / WPT, 1024'",
                        file.kernel.file, 1, 1};
  for (const std::string &warning : options.warnings)
    observer.warn(warning);
  for (const std::string &warning : file.warnings)
    observer.warn(warning);
  WorkerPool workers = createWorkers(options, observer);
  RunnerPool runner = createRunners(options, observer);
  auto device = findDevice(runner, options);
  if (!device)
    return LocatedError{device.error().message};
  OnDemandCompiler onDemand(workers);
  bool sharesCores = device->chip == "cpu" && options.jobs == 1;
  KeepingCompiler keeping(sharesCores ? static_cast<Compiler &>(onDemand)
                                      : workers);
  Compiler &compiler =
      wantsWinner ? static_cast<Compiler &>(keeping) : keeping.inner;
  KernelTuner tuner(options, compiler, runner, observer, &runner);
  if (auto opened = tuner.open(); !opened)
    return LocatedError{opened.error().message};
  CompilerSession source = describeSource(file.kernel, options);
  auto compiled = TONNO_TRY(compiler.open(source));
  auto policy =
      policyJson(options.protocol, options.oracle, compiled.signature);
  if (!policy)
    return LocatedError{policy.error().message};
  TuningProblem problem =
      makeProblem(file, std::move(source), std::move(compiled), *device,
                  std::move(*policy), options.protocol);
  auto tuned = TONNO_TRY(tuner.tune(problem));
  OpenClOutcome outcome = {std::move(tuned), std::move(file.kernel), {}};
  outcome.kernel.reference = "the default configuration's results";
  if (wantsWinner) {
    const Json &values = outcome.kernel.decision.values;
    Compilation winner = keeping.take(values);
    if (!winner.artifact)
      return LocatedError{"the winner does not build: " + winner.message};
    outcome.winner = std::move(*winner.artifact);
  }
  outcome.kernel.seconds =
      std::chrono::duration<double>(Clock::now() - start).count();
  observer.decided(outcome.kernel);
  return outcome;
}

Result<void> tonno::checkOpenClOptions(const TunerOptions &options) {
  std::pair<bool, const char *> unheeded[] = {
      {options.compileOnly, "--compile-only"},
      {options.verifyOnly, "--verify-only"},
      {options.results.has_value(), "--results"},
      {!options.kernelOptions.pipeline.empty(), "--pipeline"},
      {!options.kernelOptions.reference.empty(), "--reference"},
      {!options.kernelOptions.fpContract.empty(), "--fp-contract"},
      {options.retune, "--retune"},
      {options.chip != "native", "--chip"}};
  for (auto [isGiven, name] : unheeded)
    if (isGiven)
      return Error{"'" + std::string(name) +
                   "' does not apply to kernels in OpenCL C; leave it out"};
  return {};
}
