//===- Kernels compiled and verified --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Workbench.h"

#include "tonno/Backend/KernelAtSizes.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Runtime/HostDevice.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"

using namespace tonno;

static mlir::DialectRegistry allDialects() {
  mlir::DialectRegistry registry;
  registerBackendDialects(registry);
  return registry;
}

Workbench::Workbench()
    : context(allDialects(), mlir::MLIRContext::Threading::DISABLED),
      handler(&context, [this](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          message = diagnostic.str();
      }) {}

mlir::OwningOpRef<mlir::ModuleOp> Workbench::parse(const std::string &text) {
  return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
}

Workbench::ChipCompiler &Workbench::compiler(const std::string &chip) {
  ChipCompiler &found = compilers[chip];
  if (!found.backend) {
    std::string target = chip.starts_with("gfx") ? "amdgpu" : "nvptx";
    found.backend =
        std::move(*createBackend({target, chip, /*isSimulated=*/true}));
    found.candidates =
        std::make_unique<CandidateCompiler>(*found.backend, context, "f");
  }
  return found;
}

Result<Workbench::Lowered> Workbench::lower(const std::string &text,
                                            const std::string &chip) {
  Lowered lowered;
  lowered.module = parse(text);
  if (!lowered.module)
    return Error{message};
  auto plan = compiler(chip).candidates->lower(*lowered.module);
  if (failed(plan))
    return Error{message};
  lowered.plan = std::move(*plan);
  return lowered;
}

Result<Workbench::Lowered> Workbench::lower(const std::string &text,
                                            const std::string &chip,
                                            const Edit &edit) {
  context.registerActionHandler(
      [&](llvm::function_ref<void()> run, const mlir::tracing::Action &action) {
        run();
        auto *pass = llvm::dyn_cast<mlir::PassExecutionAction>(&action);
        if (pass && pass->getPass().getArgument() == "tonno-map-to-gpu")
          edit(llvm::cast<mlir::func::FuncOp>(pass->getOp()));
      });
  auto lowered = lower(text, chip);
  context.registerActionHandler(nullptr);
  return lowered;
}

Result<Artifact> Workbench::emit(Lowered lowered, const std::string &chip) {
  const Backend &target = *compiler(chip).backend;
  auto code = target.emit(*lowered.module, target.forms().front());
  if (failed(code))
    return Error{message};
  Artifact artifact;
  artifact.target = target.artifactTarget().str();
  artifact.triple = target.target().triple;
  artifact.chip = target.target().chip;
  artifact.binary.assign(code->bytes.begin(), code->bytes.end());
  artifact.plan = std::move(lowered.plan);
  return artifact;
}

Result<Artifact> Workbench::compile(const std::string &text,
                                    const std::string &chip) {
  auto lowered = lower(text, chip);
  if (!lowered)
    return lowered.error();
  return emit(std::move(*lowered), chip);
}

/// Removes the configurations, which do not affect the results.
static void dropConfigurations(mlir::ModuleOp module) {
  module.walk([](mlir::Operation *op) {
    op->removeAttr(TonnoDialect::kLoweringConfig);
  });
}

Result<const Problem *> Workbench::problemOf(const std::string &text) {
  auto module = parse(text);
  if (!module)
    return Error{message};
  dropConfigurations(*module);
  std::string key;
  llvm::raw_string_ostream stream(key);
  module->print(stream);
  auto found = problems.find(key);
  if (found == problems.end()) {
    auto problem = compileReference(*module, "f");
    if (failed(problem))
      return Error{message};
    found = problems.emplace(key, std::move(*problem)).first;
  }
  return &found->second;
}

Result<Runner *> Workbench::runner(const Problem &problem,
                                   const Artifact &artifact, uint64_t seed) {
  OpenRunner &open = runners[seed];
  if (!open.runner) {
    auto device = createDevice("sim:" + std::to_string(seed));
    if (!device)
      return device.error();
    auto host = HostDevice::create();
    if (!host)
      return host.error();
    open.runner = createLocalRunner(std::move(*device), std::move(*host));
  }
  if (open.problem == &problem)
    return open.runner.get();
  open.problem = nullptr;
  RunnerSession session;
  session.problem = problem;
  session.signature = artifact.plan.signature();
  session.protocol.maxRotationSets = 1; // nothing is timed
  session.seed = seed;
  if (auto opened = open.runner->open(session); !opened)
    return opened.error();
  open.problem = &problem;
  return open.runner.get();
}

Result<void, Failure> Workbench::verify(const std::string &text,
                                        const Artifact &artifact,
                                        const std::vector<uint64_t> &seeds) {
  auto problem = problemOf(text);
  if (!problem)
    return Failure{Status::lost, problem.error().message};
  return verify(**problem, artifact, seeds);
}

Result<void, Failure> Workbench::verifyAt(const std::string &text,
                                          Artifact artifact,
                                          const std::vector<Dimension> &sizes,
                                          const std::vector<uint64_t> &seeds) {
  auto module = parse(text);
  auto kernel = KernelAtSizes::create(*module, "f", sizes);
  if (failed(kernel) || failed(kernel->fixSizes(artifact)))
    return Failure{Status::lost, message};
  auto key = std::make_pair(text, formatDimensions(sizes, ", "));
  auto known = problemsAtSizes.find(key);
  if (known == problemsAtSizes.end()) {
    auto problem = kernel->compileReference("native");
    if (failed(problem))
      return Failure{Status::lost, message};
    known = problemsAtSizes.emplace(key, std::move(*problem)).first;
  }
  return verify(known->second, artifact, seeds);
}

Result<void, Failure> Workbench::verify(const Problem &problem,
                                        const Artifact &artifact,
                                        const std::vector<uint64_t> &seeds) {
  for (uint64_t seed : seeds) {
    auto opened = runner(problem, artifact, seed);
    if (!opened)
      return Failure{Status::lost, opened.error().message};
    RunRequest request;
    request.kind = RunRequest::Kind::verify;
    request.candidate = artifact;
    RunResult result = (*opened)->run(request);
    if (result.status != Status::ok)
      return Failure{result.status,
                     "seed " + std::to_string(seed) + ": " + result.message};
  }
  return {};
}
