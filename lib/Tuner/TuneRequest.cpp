//===- TuneRequest.cpp - Tuning options as users write them ---------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Tuner/TuneRequest.h"

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
  if (budgetTrials > 0)
    options.effort.budget.trials = budgetTrials;
  if (!(budgetSeconds >= 0)) // NaN neither
    return Error{"budget-seconds must not be negative"};
  if (budgetSeconds > 0)
    options.effort.budget.seconds = budgetSeconds;
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
  options.workerCommand = workerCommand;
  options.runnerCommand = runnerCommand;
  return options;
}
