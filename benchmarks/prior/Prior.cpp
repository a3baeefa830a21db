//===- Worth and cost of priors -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Searches each recording with a prior that was learnt from the others, as it
// was measured, with shuffled labels, and with opposite ones. Prints fractions
// of the optimum, trials to within 5 % of it over those without a prior, and
// the time that a prior adds to the start of a session.

#include "tonno/Prior/PriorSearch.h"
#include "tonno/Prior/PriorTest.h"
#include "tonno/Session/RecordedJournal.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tonno;

[[noreturn]] static void fail(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

static void printScores(const char *title,
                        std::span<const Recording> recordings,
                        const PriorTestOptions &options) {
  auto scores = testPrior(recordings, options);
  if (!scores)
    fail(scores.error().message);
  double with = 0, without = 0, logRatio = 0, logDefault = 0, logChoice = 0;
  std::printf("%s\n  %-32s  sources  first   with  without  trials to 5 %%  "
              "default  choice  expected\n",
              title, "recording");
  for (const PriorScore &score : *scores) {
    std::printf("  %-32s  %7zu  %5.3f  %5.3f  %7.3f  %5.1f / %5.1f    %5.3f   "
                "%5.3f     %5.2f\n",
                score.recording.c_str(), score.sources, score.first,
                score.withPrior, score.withoutPrior, score.goalWithPrior,
                score.goalWithoutPrior, score.defaultFraction,
                score.choiceFraction, score.expectedSpeedup);
    logDefault += std::log(score.defaultFraction);
    logChoice += std::log(score.choiceFraction);
    with += score.withPrior;
    without += score.withoutPrior;
    logRatio += std::log(score.goalWithPrior / score.goalWithoutPrior);
  }
  auto count = static_cast<double>(scores->size());
  std::printf("  mean: %.3f with, %.3f without; trials with / without: %.2f; "
              "default %.3f, choice %.3f\n",
              with / count, without / count, std::exp(logRatio / count),
              std::exp(logDefault / count), std::exp(logChoice / count));
}

static void printStart(std::span<const Recording> recordings) {
  Prior prior = learnPrior(makePriorSources(recordings));
  std::string text = formatPrior(prior);
  using Clock = std::chrono::steady_clock;
  double most = 0;
  for (const Recording &recording : recordings) {
    auto legal = LegalSpace::of(recording.space(), recording.points());
    PriorTask task = makePriorSource(recording).task;
    auto start = Clock::now();
    auto read = parsePrior(text, "prior");
    if (!read)
      fail(read.error().message);
    PriorSearch search(legal, *read, task, createEnsembleSearch(legal, 0), 0,
                       PriorSearch::Options());
    search.propose(1);
    std::chrono::duration<double> taken = Clock::now() - start;
    most = std::max(most, taken.count());
  }
  std::printf("start of a search: at most %.1f ms; the prior has %zu kB\n",
              1e3 * most, text.size() / 1000);
}

int main(int argc, char **argv) {
  PriorTestOptions options;
  options.goalTrials = 100;
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--seeds=", 8) == 0)
      options.seeds = std::strtoul(argv[i] + 8, nullptr, 10);
    else if (std::strcmp(argv[i], "--leave-kernel-out") == 0)
      options.leavesKernelOut = true;
    else
      files.emplace_back(argv[i]);
  }
  if (files.empty() || options.seeds == 0)
    fail("usage: tonno-benchmark-prior [--seeds=N] [--leave-kernel-out] "
         "RECORDING...");
  auto recordings = readAllRecordings(files);
  if (!recordings)
    fail(recordings.error().message);
  printScores("as measured", *recordings, options);
  options.labels = PriorLabels::shuffled;
  printScores("shuffled labels", *recordings, options);
  options.labels = PriorLabels::opposite;
  printScores("opposite labels", *recordings, options);
  printStart(*recordings);
  return 0;
}
