//===- CommandLine.cpp - What tonno-tune is told --------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

using namespace tonno;

TuneRequest CommandLine::request() const {
  TuneRequest request;
  request.target = target;
  request.chip = chip;
  request.device = device;
  request.compileOnly = compileOnly;
  if (bundle.getNumOccurrences())
    request.bundle = bundle;
  if (results.getNumOccurrences())
    request.results = results;
  request.jobs = jobs;
  request.kernel = kernel;
  request.effort = effort;
  request.strategy = strategy;
  if (budgetTrials.getNumOccurrences())
    request.budgetTrials = budgetTrials;
  if (budgetSeconds.getNumOccurrences())
    request.budgetSeconds = budgetSeconds;
  if (referenceSeconds.getNumOccurrences())
    request.referenceSeconds = referenceSeconds;
  if (startSeconds.getNumOccurrences())
    request.startSeconds = startSeconds;
  request.seed = seed;
  request.cacheState = cacheState;
  request.retune = retune;
  request.cache = cache;
  request.cacheDirectory = cacheDirectory;
  request.requireCached = requireCached;
  request.journal = journal;
  request.resume = resume;
  request.failures = failures;
  request.oracle = {allowNondeterminism, allowLowerPrecision, allowNan};
  request.kernelOptions = {pipeline,
                           {knobs.begin(), knobs.end()},
                           {constraints.begin(), constraints.end()},
                           {inputs.begin(), inputs.end()},
                           reference};
  request.dialectPlugins = plugins.dialects();
  request.passPlugins = plugins.passes();
  request.workerCommand.assign(workerCommand.begin(), workerCommand.end());
  request.runnerCommand.assign(runnerCommand.begin(), runnerCommand.end());
  return request;
}
