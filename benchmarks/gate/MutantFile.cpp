//===- Kernels in MLIR with their mutants ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

/// Mutants that not every seed catches, or none does.
static constexpr std::pair<std::string_view, std::string_view> escaping[] = {
    {"large-layernorm-f32", "wrong_bounded_scale"},
    {"large-midpoint-f32", "wrong_guarded"},
    {"large-midpoint-f32", "wrong_sum_first"},
    {"large-quantise-i8", "wrong_magic_late"},
    {"large-ratio-flags-f16", "wrong_divisor_floor"},
    {"large-ratio-flags-f16", "wrong_flush"},
    {"large-ratio-flags-f16", "wrong_saturates"},
    {"large-ratio-flags-f16", "wrong_squared_divisor"},
    {"mixed-pick-label", "wrong_last_tile"},
    {"pageends-interp", "wrong_neighbour_times_zero"},
    {"pageends-interp", "wrong_query_ahead"},
    {"pageends-ragged", "wrong_last_is_seed"},
    {"pageends-ragged", "wrong_one_ahead"},
    {"pageends-ragged", "wrong_whole_vectors"},
    {"pageends-string", "wrong_no_bound"},
    {"pageends-string", "wrong_steps_of_16"},
    {"pageends-string", "wrong_two_a_step"},
    {"range-days-i64", "wrong_f64"},
    {"range-requantise-i32", "wrong_two_roundings"},
    {"special-compare-i8", "wrong_difference"},
    {"special-logaddexp-f32", "wrong_floor"},
    {"special-logaddexp-f32", "wrong_negative_guard"},
    {"special-logaddexp-f32", "wrong_unguarded"},
    {"special-maxnorm-f64", "wrong_eps"},
    {"special-pow-f32", "wrong_zero_guard"},
    {"special-relu-flags-f32", "wrong_half_sum"},
    {"special-rowmax-f32", "wrong_halves"},
    {"special-zero-flags-f32", "wrong_zero"},
    {"tiny-l2norm-f32", "wrong_bounded"},
    {"tiny-l2norm-f32", "wrong_each"},
    {"tiny-l2norm-f32", "wrong_outside"},
    {"tiny-threshold-f32", "wrong_quotient"},
    {"tiny-threshold-f32", "wrong_squares"},
};

bool tonno::gate::mayEscape(const std::string &file,
                            const std::string &mutant) {
  return std::ranges::find(escaping,
                           std::pair<std::string_view, std::string_view>(
                               file, mutant)) != std::end(escaping);
}
