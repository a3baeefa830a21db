//===- TuneRequest.cpp - Tuning options as users write them ---------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Tuner/TuneRequest.h"
#include "tonno/Tuner/ToolPath.h"

using namespace tonno;

Result<TuneOptions> TuneRequest::resolve() const {
  TuneOptions options;
  auto parsed = parseEffort(effort);
  if (!parsed)
    return parsed.error();
  options.effort = *parsed;
  if (!strategy.empty())
    options.effort.strategy = strategy;
  // An empty space: the question is only whether the strategy is known.
  if (auto known = createStrategy(options.effort.strategy, SearchSpace(), 0);
      !known)
    return known.error();
  Budget &budget = options.effort.budget;
  budget.trials = budgetTrials.value_or(budget.trials);
  budget.seconds = budgetSeconds.value_or(budget.seconds);
  if (budget.trials == 0)
    return Error{"budget-trials must be at least 1"};
  if (!(budget.seconds > 0)) // NaN neither
    return Error{"budget-seconds must be more than 0"};
  if (requireCached && cache == "off")
    return Error{"require-cached needs the cache; it is off"};
  if (cache == "rw")
    options.cacheMode = CacheMode::read_write;
  else if (cache == "ro")
    options.cacheMode = CacheMode::read_only;
  else if (cache == "off")
    options.cacheMode = CacheMode::off;
  else
    return Error{"unknown cache mode '" + cache +
                 "'; the modes are: rw, ro, off"};
  options.target = target;
  options.chip = chip;
  options.kernel = kernel;
  options.seed = seed;
  options.retune = retune;
  options.cacheDirectory = cacheDirectory;
  options.requireCached = requireCached;
  options.kernelOptions = kernelOptions;
  options.workerCommand = commandOr(workerCommand, "tonno-worker");
  for (const std::string &plugin : dialectPlugins)
    options.workerCommand.push_back("--load-dialect-plugin=" + plugin);
  for (const std::string &plugin : passPlugins)
    options.workerCommand.push_back("--load-pass-plugin=" + plugin);
  options.runnerCommand = runnerCommand;
  return options;
}
