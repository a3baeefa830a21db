//===- Compile times for the host -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostCandidates.h"

#include "tonno/Backend/Compile.h"
#include "tonno/Search/SearchStrategy.h"
#include "tonno/Session/CompilingChild.h"
#include "tonno/Strategies/Strategies.h"
#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Tuner/PrepareModule.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/Diagnostics.h"

#include <cstdio>
#include <map>
#include <sys/resource.h>
#include <vector>

using namespace tonno;

static constexpr double mostSeconds = 2;      ///< of one candidate
static constexpr double notableSeconds = 0.5; ///< candidates above are listed
static constexpr double patience = 120;
static constexpr uint64_t memory = uint64_t{4} << 30;
/// Waits for signs of life.
static constexpr FrameChannel nobody = {-1, -1};

/// Returns the processor time of this process, in user and system mode.
static double processorSeconds() {
  rusage used;
  ::getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval &time) {
    return double(time.tv_sec) + 1e-6 * double(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

namespace {

/// Outcome of compiling a candidate.
struct Compiled {
  Json values;
  std::string status, message;
  double lowering = 0, emission = 0; ///< in seconds of a processor
  uint64_t codeBytes = 0;

  double seconds() const { return lowering + emission; }
};

/// Compiles candidates of a kernel in a process of their own, as workers do.
class HostKernel {
public:
  HostKernel(mlir::func::FuncOp kernel, const Backend &backend,
             SearchSpace space)
      : closure(extractClosure(kernel)), backend(backend),
        space(std::move(space)),
        compiler(backend, *kernel.getContext(), kernel.getSymName()),
        child(memory, nobody,
              [this](const Json &values) { return compileHere(values); }) {}

  Compiled compile(const Configuration &configuration);

private:
  Json compileHere(const Json &values);

  mlir::OwningOpRef<mlir::ModuleOp> closure;
  const Backend &backend;
  SearchSpace space;
  CandidateCompiler compiler;
  CompilingChild child;
};

} // namespace

Json HostKernel::compileHere(const Json &values) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(closure->getContext(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          if (message.empty())
                                            message = diagnostic.str();
                                          return mlir::success();
                                        });
  auto refused = [&] {
    return Json{{"status", Status::compile_error}, {"message", message}};
  };
  auto configuration = space.configuration(values);
  double start = processorSeconds();
  mlir::OwningOpRef<mlir::ModuleOp> candidate = closure->clone();
  if (!configuration ||
      failed(applyConfiguration(candidate->getOperation(), space,
                                *configuration, KnobMode::Resolve)))
    return refused();
  auto plan = compiler.lower(*candidate);
  if (failed(plan))
    return refused();
  double lowered = processorSeconds();
  auto code = backend.emit(*candidate, backend.forms().front());
  if (failed(code))
    return refused();
  double emitted = processorSeconds();
  return {{"status", Status::ok},
          {"lowering", lowered - start},
          {"emission", emitted - lowered},
          {"code", backend.usage(*code, *plan).codeBytes.value_or(0)}};
}

Compiled HostKernel::compile(const Configuration &configuration) {
  Compiled compiled;
  compiled.values = space.values(configuration);
  auto answer = child.ask(compiled.values, patience);
  if (!answer) {
    compiled.status = toString(answer.error().status);
    compiled.message = answer.error().message;
    return compiled;
  }
  compiled.status = (*answer)["status"].get<std::string>();
  compiled.message = answer->value("message", "");
  compiled.lowering = answer->value("lowering", 0.0);
  compiled.emission = answer->value("emission", 0.0);
  compiled.codeBytes = answer->value("code", uint64_t{0});
  return compiled;
}

void tonno::printHostHeading(const HostSample &sample) {
  std::printf(
      "%zu random legal candidates of each kernel, seed %llu; "
      "milliseconds of a processor, user and system\n\n"
      "kernel                           tried failed   median     95 %% "
      " slowest  its configuration\n",
      sample.candidates, static_cast<unsigned long long>(sample.seed));
}

/// Prints how many of each status there are, and one of each.
static void printFailures(const std::vector<Compiled> &candidates) {
  std::map<std::string, std::pair<size_t, const Compiled *>> byStatus;
  for (const Compiled &candidate : candidates)
    if (candidate.status != "ok") {
      auto &entry = byStatus[candidate.status];
      ++entry.first;
      entry.second = &candidate;
    }
  for (const auto &[status, entry] : byStatus)
    std::printf("    %zu %s, such as %s: %s\n", entry.first, status.c_str(),
                entry.second->values.dump().c_str(),
                entry.second->message.c_str());
}

/// Prints a row; `candidates` are in order, the slowest first.
static bool printRow(const std::string &name,
                     const std::vector<Compiled> &candidates) {
  auto numFailed = llvm::count_if(
      candidates, [](const Compiled &one) { return one.status != "ok"; });
  const Compiled &slowest = candidates.front();
  auto quantile = [&](double share) {
    return candidates[size_t((1 - share) * double(candidates.size()))]
        .seconds();
  };
  bool pass = numFailed == 0 && slowest.seconds() <= mostSeconds;
  std::printf("%-32s %5zu %6zd %8.0f %8.0f %8.0f  %s%s\n", name.c_str(),
              candidates.size(), numFailed, 1e3 * quantile(0.5),
              1e3 * quantile(0.95), 1e3 * slowest.seconds(),
              slowest.values.dump().c_str(), pass ? "" : "  FAIL");
  for (const Compiled &one : candidates) {
    if (one.seconds() < notableSeconds)
      break;
    std::printf("    %5.0f ms, %.0f of them lowering, %llu bytes of code: %s\n",
                1e3 * one.seconds(), 1e3 * one.lowering,
                static_cast<unsigned long long>(one.codeBytes),
                one.values.dump().c_str());
  }
  printFailures(candidates);
  std::fflush(stdout);
  return pass;
}

static bool printError(const std::string &name, const std::string &why) {
  std::fprintf(stderr, "error: %s: %s\n", name.c_str(), why.c_str());
  return false;
}

bool tonno::reportHost(const std::string &name, mlir::ModuleOp module,
                       const HostSample &sample) {
  auto kernels = chooseKernels(module, "", Unmarked::include);
  auto backend = createBackend({"host", "native"});
  if (!backend)
    return printError(name, backend.error().message);
  if (failed(kernels) || kernels->size() != 1)
    return printError(name, "not one kernel");
  auto closure = extractClosure(kernels->front());
  auto space = extractSearchSpace(*closure);
  if (failed(space))
    return printError(name, "its space can't be read");
  auto strategy =
      createStrategy("random", LegalSpace::create(*space), sample.seed);
  if (!strategy)
    return printError(name, strategy.error().message);
  HostKernel kernel(kernels->front(), **backend, *space);
  // Whatever is made once is made by the first.
  kernel.compile(space->defaultConfiguration());
  std::vector<Compiled> candidates;
  while (candidates.size() < sample.candidates) {
    auto proposed = (*strategy)->propose(1);
    if (proposed.empty())
      break;
    candidates.push_back(kernel.compile(proposed.front()));
    Trial trial;
    trial.configuration = proposed.front();
    (*strategy)->observe(std::span(&trial, 1));
  }
  if (candidates.empty())
    return printError(name, "no point is legal");
  llvm::sort(candidates, [](const Compiled &a, const Compiled &b) {
    return a.seconds() > b.seconds();
  });
  return printRow(name, candidates);
}
