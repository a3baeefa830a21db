//===- MutantFile.cpp - Kernels in MLIR with their mutants ----------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MutantFile.h"

#include "tonno/Backend/Compile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <filesystem>

using namespace tonno;
using namespace tonno::gate;

static mlir::DialectRegistry allDialects() {
  mlir::DialectRegistry registry;
  registerBackendDialects(registry);
  return registry;
}

/// Compiles a function of the kernel whose plan this is.
static mlir::FailureOr<Artifact> compileVariant(mlir::ModuleOp module,
                                                llvm::StringRef function,
                                                LaunchPlan plan) {
  plan.launches.front().symbol = function.str() + "_entry";
  return compilePlain(module, function, plan);
}

Result<MutantFile> MutantFile::load(const std::string &path) {
  mlir::MLIRContext context(allDialects(),
                            mlir::MLIRContext::Threading::DISABLED);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          message = diagnostic.str();
      });
  MutantFile file;
  file.name = std::filesystem::path(path).stem();
  auto failed = [&] { return Error{file.name + ": " + message}; };
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
  if (!module)
    return failed();
  auto backend = createBackend({"host", "native"});
  if (!backend)
    return backend.error();
  auto problem = compileReference(*module, "kernel");
  auto kernel = module->lookupSymbol<mlir::func::FuncOp>("kernel");
  if (mlir::failed(problem) || !kernel)
    return failed();
  auto plan = launchPlan(kernel);
  if (mlir::failed(plan))
    return failed();
  file.problem = std::move(*problem);
  file.signature = plan->signature();
  mlir::OwningOpRef<mlir::ModuleOp> clone = module->clone();
  auto ours = compileCandidate(**backend, *clone, "kernel");
  if (mlir::failed(ours))
    return failed();
  file.variants.push_back({"default", true, std::move(*ours)});
  for (auto function : module->getOps<mlir::func::FuncOp>()) {
    std::string name = function.getName().str();
    bool isMutant = name.starts_with("wrong_");
    if (name != "kernel" && !isMutant && !name.starts_with("right_"))
      continue;
    auto artifact = compileVariant(*module, name, *plan);
    if (mlir::failed(artifact))
      return Error{file.name + ", @" + name + ": " + message};
    file.variants.push_back({name, !isMutant, std::move(*artifact)});
  }
  return file;
}

std::vector<std::string> tonno::gate::mutantFiles() {
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(MUTANTS))
    if (entry.path().extension() == ".mlir")
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

Result<std::vector<RunResult>>
tonno::gate::judge(const MutantFile &file, Runner &runner, uint64_t seed) {
  RunnerSession session;
  session.problem = file.problem;
  session.signature = file.signature;
  session.seed = seed;
  if (auto opened = runner.open(session); !opened)
    return Error{file.name + ": " + opened.error().message};
  std::vector<RunResult> results;
  for (const MutantFile::Variant &variant : file.variants) {
    RunRequest request;
    request.kind = RunRequest::Kind::verify;
    request.candidate = variant.artifact;
    results.push_back(runner.run(request));
  }
  return results;
}
