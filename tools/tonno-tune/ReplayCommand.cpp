//===- tonno-tune replay --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands.h"
#include "Terminal.h"

#include "tonno/Search/Recording.h"
#include "tonno/Search/Replay.h"
#include "tonno/Session/RecordedJournal.h"
#include "tonno/Strategies/Strategies.h"

#include "llvm/Support/raw_ostream.h"

using namespace tonno;
namespace cl = llvm::cl;

ReplayCommand::ReplayCommand(OptionCategories &categories)
    : command("replay",
              "Compare strategies on recorded tuning spaces, without "
              "running anything: cache files of Kernel Tuner, T4 "
              "files, CSV, journals, compressed or not; directories of "
              "caches"),
      strategyHelp("Strategies to compare, of " + strategyList() +
                   "; ratios are to the first"),
      files(cl::Positional, cl::OneOrMore, cl::desc("<file>..."),
            cl::sub(command), cl::cat(categories[OptionGroup::input])),
      strategies("strategy", cl::desc(strategyHelp), cl::value_desc("name,..."),
                 cl::CommaSeparated, cl::sub(command),
                 cl::cat(categories[OptionGroup::search])),
      seeds("seeds",
            cl::desc("Runs of each strategy on each file; 30 by default"),
            cl::value_desc("n"), cl::init(30), cl::sub(command),
            cl::cat(categories[OptionGroup::search])),
      budgetTrials("budget-trials", cl::desc("Trials of a run; 400 by default"),
                   cl::value_desc("n"), cl::init(400), cl::sub(command),
                   cl::cat(categories[OptionGroup::search])),
      budgetSeconds(
          "budget-seconds",
          cl::desc(
              "Recorded seconds of compiling and running after which a run "
              "begins no trial; no limit by default"),
          cl::value_desc("s"),
          cl::init(std::numeric_limits<double>::infinity()), cl::sub(command),
          cl::cat(categories[OptionGroup::search])),
      pending("pending",
              cl::desc("Candidates that are proposed before the oldest of them "
                       "is observed; 1 by default"),
              cl::value_desc("n"), cl::init(1), cl::sub(command),
              cl::cat(categories[OptionGroup::search])),
      noise(
          "noise",
          cl::desc(
              "Relative error of the times that strategies see; 0 by default"),
          cl::value_desc("share"), cl::init(0), cl::sub(command),
          cl::cat(categories[OptionGroup::search])),
      threads("threads", cl::desc("Runs at the same time; 1 by default"),
              cl::value_desc("n"), cl::init(1), cl::sub(command),
              cl::cat(categories[OptionGroup::search])),
      isJson("json", cl::desc("Print JSON instead of a table"),
             cl::sub(command), cl::cat(categories[OptionGroup::input])) {
  categories.hideUnrelatedOptions(command);
}

int ReplayCommand::run() const {
  ReplayGridOptions options;
  options.replay.trials = budgetTrials;
  options.replay.seconds = budgetSeconds;
  options.replay.pending = pending;
  options.replay.noise = noise;
  options.seeds = seeds;
  options.threads = threads;
  if (auto sound = checkReplayOptions(options); !sound)
    return fail(sound.error().message);
  std::vector<std::string> names(strategies.begin(), strategies.end());
  if (names.empty())
    names = {std::string(ensembleName), "random"};
  auto named = namedStrategies(names);
  if (!named)
    return fail(named.error().message);
  std::vector<std::filesystem::path> paths(files.begin(), files.end());
  auto recordings = readAllRecordings(paths);
  if (!recordings)
    return fail(recordings.error().message);
  for (const Recording &recording : *recordings)
    for (const std::string &note : recording.notes())
      messages() << "warning: " << recording.name() << ": " << note << "\n";
  auto grid = replayGrid(*recordings, *named, options);
  if (!grid)
    return fail(grid.error().message);
  ReplayReport report = summarize(*recordings, *named, options, *grid);
  answers() << (isJson ? printed(report, 1) + "\n" : printTable(report));
  return 0;
}
