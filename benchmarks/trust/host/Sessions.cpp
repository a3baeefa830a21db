//===- Sessions on this machine -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whole sessions of 64 candidates on this machine, as tonno-tune runs them: by
// tonno-runner, on binaries that do equal work but differ, or of which all but
// one do 2 % more, as their instructions say. How many end in `faster` though
// all are equal, how many find the one that is faster, how often a trial was
// contended.

#include "HostKernel.h"

#include "tonno/Engine/RunnerPool.h"
#include "tonno/Engine/TuningSession.h"
#include "tonno/Runtime/HostDevice.h"
#include "tonno/Runtime/PatientRunner.h"
#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Search/SearchStrategy.h"
#include "tonno/Strategies/Strategies.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>
#include <random>

using namespace tonno;
using namespace tonno::trust;

static constexpr unsigned numCandidates = 64;

namespace {

/// Binaries that are there already. The default is number 0.
class ReadyCompiler : public Compiler {
public:
  /// Makes candidates that do `extra` percent more work; all but `faster` do
  /// another 2 % more.
  ReadyCompiler(const HostKernel &kernel, unsigned session, unsigned extra,
                std::optional<unsigned> faster)
      : kernel(kernel), session(session), extra(extra), faster(faster) {}

  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &) override {
    return CompilerDescription();
  }
  Result<Problem, LocatedError> reference(ReferenceCpu) override {
    return kernel.problem();
  }
  void submit(const Json &values) override {
    submitted.push_back(values.at("candidate").get<unsigned>());
  }
  Compilation next() override {
    unsigned candidate = submitted.front();
    submitted.pop_front();
    unsigned percent =
        extra + (faster && candidate != *faster ? (100 + extra) / 50 : 0);
    Compilation compilation;
    compilation.artifact =
        kernel.candidate(1000 * session + candidate, percent);
    return compilation;
  }

private:
  const HostKernel &kernel;
  unsigned session, extra;
  std::optional<unsigned> faster;
  std::deque<unsigned> submitted;
};

struct Outcome {
  Verdict verdict = Verdict::tie;
  unsigned chosen = 0;
  double speedup = 1;
  size_t rounds = 0;
  size_t contended = 0;
  double seconds = 0;
};

struct Options {
  unsigned equalSessions = 50, fasterSessions = 20;
  uint64_t seed = 0;
  std::string kernel = "matmul";
  unsigned seconds = 3600; ///< of a session
  unsigned busy = 0;       ///< other processes, one a core
  unsigned extra = 0;      ///< percent of extra work of each candidate
  unsigned cores = 0; ///< that are devices of their own; 0: the host is one
};

} // namespace

[[noreturn]] static void fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::exit(1);
}

static Outcome runSession(const HostKernel &kernel, const Options &options,
                          unsigned number, std::optional<unsigned> faster,
                          uint64_t seed) {
  ReadyCompiler compiler(kernel, number, options.extra, faster);
  Patience patience;
  if (options.busy > 0)
    patience.whenBusy = WhenBusy::measure;
  std::vector<RunnerPool::Device> devices;
  for (unsigned core = 0; core < std::max(1u, options.cores); ++core) {
    std::string name =
        options.cores == 0 ? "host" : "host:" + std::to_string(core);
    devices.push_back(
        {std::make_unique<PatientProcess>(
             RunnerProcess({RUNNER, "--device=" + name}), patience),
         name});
  }
  RunnerPool runner(std::move(devices));
  std::vector<Json> candidates;
  for (unsigned i = 0; i <= numCandidates; ++i)
    candidates.emplace_back(i);
  SearchSpace space({{"candidate", candidates, 0}});
  RunnerSession opened;
  opened.problem = kernel.problem();
  opened.signature = kernel.candidate(0, 0).plan.signature();
  opened.seed = seed;
  if (auto ready = runner.open(opened); !ready)
    fail(ready.error().message);
  auto strategy = createStrategy("random", LegalSpace::create(space), seed);
  TrialLog log;
  Budget budget{numCandidates + 1, double(options.seconds)};
  auto begin = Clock::now();
  TuningSession session(
      space, compiler, &runner, **strategy, log, opened, budget,
      /*compileAhead=*/std::max(1u, options.cores), [] { return false; });
  session.setDevices(runner);
  auto found = session.run();
  if (!found)
    fail(found.error().message);
  Outcome outcome;
  outcome.verdict = found->comparison.verdict;
  outcome.chosen = found->chosen.indices.at(0);
  outcome.speedup = found->comparison.speedup;
  outcome.rounds = found->comparison.rounds;
  for (const Trial &trial : found->trials)
    outcome.contended += trial.status == Status::contended ||
                         (trial.measurement && trial.measurement->contended);
  outcome.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return outcome;
}

static void print(unsigned number, const char *what, const Outcome &outcome) {
  std::printf("%4u  %-10s %-11s candidate %2u  %.4fx over %4zu rounds  "
              "%zu contended  %.1f s\n",
              number, what, std::string(toString(outcome.verdict)).c_str(),
              outcome.chosen, outcome.speedup, outcome.rounds,
              outcome.contended, outcome.seconds);
  std::fflush(stdout);
}

/// Parses an option; returns false if there is no such option.
static bool parse(const char *word, Options &options) {
  auto number = [&](const char *name, auto &value) {
    size_t length = std::strlen(name);
    if (std::strncmp(word, name, length) != 0)
      return false;
    char *end = nullptr;
    value = static_cast<std::remove_reference_t<decltype(value)>>(
        std::strtoull(word + length, &end, 10));
    return *end == '\0' && end != word + length;
  };
  if (std::strncmp(word, "--kernel=", 9) == 0) {
    options.kernel = word + 9;
    return true;
  }
  return number("--equal=", options.equalSessions) ||
         number("--faster=", options.fasterSessions) ||
         number("--seed=", options.seed) || number("--busy=", options.busy) ||
         number("--extra=", options.extra) ||
         number("--cores=", options.cores) ||
         number("--seconds=", options.seconds);
}

static uint64_t instructionsOf(const Artifact &artifact) {
  auto count = countInstructions(artifact);
  if (!count)
    fail(count.error().message);
  return *count;
}

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i)
    if (!parse(argv[i], options)) {
      std::fprintf(
          stderr,
          "usage: %s [--equal=N] [--faster=N] [--seed=N] [--busy=CORES] "
          "[--extra=PERCENT] [--cores=N] [--seconds=N] "
          "[--kernel=matmul|stream]\n",
          argv[0]);
      return 2;
    }
  auto kernel = HostKernel::load(options.kernel);
  if (!kernel)
    fail(kernel.error().message);
  uint64_t plain = instructionsOf(kernel->candidate(1, 0));
  uint64_t other = instructionsOf(kernel->candidate(2, 0));
  uint64_t slowed = instructionsOf(kernel->candidate(1, 2));
  std::printf("%s, %s, seed %llu: %llu instructions; of another candidate "
              "%llu; made slower %llu, that is %.4f times\n",
              options.kernel.c_str(),
              options.busy > 0 ? "beside busy processes" : "idle",
              static_cast<unsigned long long>(options.seed),
              static_cast<unsigned long long>(plain),
              static_cast<unsigned long long>(other),
              static_cast<unsigned long long>(slowed),
              static_cast<double>(slowed) / static_cast<double>(plain));
  std::deque<Neighbour> neighbours;
  for (unsigned core = 0; core < options.busy; ++core)
    neighbours.emplace_back(core);
  // Leaves the timing core to the runner, as tonno-tune's worker does.
  if (auto apart = options.cores > 0 ? Result<void>() : avoidTimingCores();
      !apart)
    fail(apart.error().message);

  std::mt19937_64 generator(options.seed);
  unsigned number = 0, falselyFaster = 0, found = 0, contended = 0;
  double seconds = 0;
  for (unsigned i = 0; i < options.equalSessions; ++i) {
    Outcome outcome =
        runSession(*kernel, options, ++number, std::nullopt, generator());
    print(number, "equal", outcome);
    falselyFaster += outcome.verdict == Verdict::faster;
    contended += outcome.contended > 0;
    seconds += outcome.seconds;
  }
  for (unsigned i = 0; i < options.fasterSessions; ++i) {
    auto faster = static_cast<unsigned>(1 + generator() % numCandidates);
    Outcome outcome =
        runSession(*kernel, options, ++number, faster, generator());
    print(number, "one faster", outcome);
    found += outcome.verdict == Verdict::faster && outcome.chosen == faster;
    contended += outcome.contended > 0;
    seconds += outcome.seconds;
  }
  std::printf("%u of %u sessions of equal candidates ended in faster; the one "
              "that is 2 %% faster was found in %u of %u; %u sessions had "
              "contended trials; %.1f s a session\n",
              falselyFaster, options.equalSessions, found,
              options.fasterSessions, contended,
              seconds / std::max(number, 1u));
  return 0;
}
