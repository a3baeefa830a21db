//===- The candidates that no other one beats -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SessionFront.h"

#include <algorithm>

using namespace tonno;

/// Candidates that are tested at most, the winner and the default not counted.
static constexpr size_t mostTested = 8;
/// Limit on the seconds of one test, which shows how fast a candidate is, not
/// that it is faster.
static constexpr double mostSeconds = 5;

/// Returns the trials that no other one beats by its ratio, the default and the
/// winner among them if so, and otherwise as many as are tested, evenly by
/// their ratios.
std::vector<size_t> SessionFront::findUnbeaten(size_t winner) const {
  std::vector<size_t> all = ledger.rankAll();
  std::vector<size_t> unbeaten, others;
  for (size_t trial : all) {
    // Those before it are as fast.
    bool isBeaten = std::ranges::any_of(
        unbeaten, [&](size_t other) { return usesNoMore(other, trial); });
    if (isBeaten)
      continue;
    unbeaten.push_back(trial);
    if (trial != 0 && trial != winner)
      others.push_back(trial);
  }
  if (others.size() <= mostTested)
    return others;
  std::vector<size_t> chosen;
  for (size_t i = 0; i < mostTested; ++i)
    chosen.push_back(others[i * (others.size() - 1) / (mostTested - 1)]);
  return chosen;
}

/// Tests the trials that are tested still, and appends them. Returns false if
/// the session has no time for all.
bool SessionFront::testAll(std::vector<size_t> trials,
                           std::vector<Point> &points) {
  for (size_t i = 0; i < trials.size(); ++i) {
    if (session.isStopped() || clock.isOverdrawn())
      return false;
    size_t trial = trials[i];
    if (!evaluator.makeArtifact(trial))
      continue;
    RunRequest request;
    request.kind = RunRequest::Kind::compare;
    request.candidate = evaluator.artifact(trial);
    request.baseline = *evaluator.baseline;
    auto left = static_cast<double>(trials.size() - i);
    request.seconds = std::min(mostSeconds, clock.secondsForTest() / left);
    RunResult result = evaluator.runWithRetry(request);
    if (result.status == Status::ok) {
      if (result.comparison->rounds < session.opened.protocol.minRounds)
        return false;
      points.push_back({trial, *result.comparison});
      continue;
    }
    if (session.isStopped() || !isLasting(result.status))
      return false;
    session.reportFailure(ledger[trial], result, session.opened, request);
    evaluator.dismiss(trial, result);
  }
  return true;
}

/// Verifies the points but the default and the winner in a fresh process with
/// other data, and removes those that fail. Returns false if the process does
/// not run.
bool SessionFront::confirm(std::vector<Point> &points, size_t winner) {
  auto isConfirmed = [&](const Point &point) {
    return point.trial == 0 || point.trial == winner;
  };
  if (std::ranges::all_of(points, isConfirmed))
    return true;
  RunnerSession again = session.opened;
  again.seed = ~again.seed;
  if (!evaluator.reopen(again))
    return false;
  std::vector<Point> right;
  for (const Point &point : points) {
    if (session.isStopped())
      return false;
    if (isConfirmed(point)) {
      right.push_back(point);
      continue;
    }
    RunRequest request;
    request.kind = RunRequest::Kind::verify;
    request.candidate = evaluator.artifact(point.trial);
    RunResult result = evaluator.runWithRetry(request);
    if (result.status == Status::ok) {
      right.push_back(point);
      continue;
    }
    if (!isLasting(result.status))
      return false;
    session.reportFailure(ledger[point.trial], result, again, request);
    result.message = "with other data, in a fresh process: " + result.message;
    evaluator.dismiss(point.trial, result);
  }
  points = std::move(right);
  return true;
}

FrontPoint SessionFront::describe(const Point &point) const {
  const Trial &trial = ledger[point.trial];
  FrontPoint described = {session.space.values(trial.configuration),
                          trial.artifactHash, point.comparison, trial.usage};
  described.comparison.cacheState = session.opened.protocol.cacheState;
  if (point.trial != 0 && !isWin(point.comparison.verdict))
    described.comparison.verdict = Verdict::less;
  return described;
}

std::optional<std::vector<FrontPoint>>
SessionFront::test(size_t winner, const Comparison &comparison) {
  Comparison unchanged = comparison;
  unchanged.verdict = Verdict::tie;
  unchanged.seconds = unchanged.baselineSeconds;
  unchanged.speedup = 1;
  unchanged.speedupInterval = {1, 1};
  unchanged.shownSpeedup.reset();
  unchanged.otherSpeedup.reset();
  std::vector<Point> points = {{0, unchanged}};
  if (winner != 0)
    points.push_back({winner, comparison});
  if (!testAll(findUnbeaten(winner), points) || !confirm(points, winner))
    return std::nullopt;
  std::ranges::sort(points, {}, [](const Point &point) {
    return std::pair(-point.comparison.speedup, point.trial);
  });
  std::vector<FrontPoint> front;
  std::vector<size_t> unbeaten;
  for (const Point &point : points) {
    bool isBeaten = std::ranges::any_of(
        unbeaten, [&](size_t other) { return usesNoMore(other, point.trial); });
    // A gain that was not shown is none.
    bool isTied = point.trial != 0 &&
                  point.comparison.verdict == Verdict::tie &&
                  usesNoMore(0, point.trial);
    if (isBeaten || isTied)
      continue;
    unbeaten.push_back(point.trial);
    front.push_back(describe(point));
  }
  return front;
}
