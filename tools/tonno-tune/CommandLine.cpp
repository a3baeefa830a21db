//===- What tonno-tune is told --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandLine.h"

using namespace tonno;

TuneRequest CommandLine::request() const {
  TuneRequest request;
  source.addTo(request);
  request.device = device;
  request.compileOnly = compileOnly;
  request.verifyOnly = verifyOnly;
  if (bundle.getNumOccurrences())
    request.bundle = bundle;
  if (results.getNumOccurrences())
    request.results = results;
  if (jobs.getNumOccurrences())
    request.jobs = jobs;
  request.effort = effort;
  request.strategy = strategy;
  if (budgetTrials.getNumOccurrences())
    request.budgetTrials = budgetTrials;
  if (budgetSeconds.getNumOccurrences())
    request.budgetSeconds = budgetSeconds;
  if (referenceSeconds.getNumOccurrences())
    request.referenceSeconds = referenceSeconds;
  if (compileSeconds.getNumOccurrences())
    request.compileSeconds = compileSeconds;
  if (startSeconds.getNumOccurrences())
    request.startSeconds = startSeconds;
  request.seed = seed;
  request.cacheState = cacheState;
  request.whenBusy = whenBusy;
  request.retune = retune;
  request.cache = cache;
  request.cacheDirectory = cacheDirectory;
  request.requireCached = requireCached;
  request.journal = journal;
  request.resume = resume;
  request.failures = failures;
  request.oracle = {allowNondeterminism, allowLowerPrecision, allowNan};
  request.kernelOptions.inputs.assign(inputs.begin(), inputs.end());
  request.kernelOptions.reference = reference;
  request.workerCommand.assign(workerCommand.begin(), workerCommand.end());
  request.runnerCommand.assign(runnerCommand.begin(), runnerCommand.end());
  return request;
}

const char *CommandLine::openClOption() const {
  if (globalSize.getNumOccurrences())
    return "--global-size";
  if (localSize.getNumOccurrences())
    return "--local-size";
  if (!arguments.empty())
    return "--arg";
  return buildOptions.getNumOccurrences() ? "--build-options" : nullptr;
}
