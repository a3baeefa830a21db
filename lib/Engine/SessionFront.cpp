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
/// The same where energy is measured, which takes longer.
static constexpr size_t mostMeasured = 4;
static constexpr double mostEnergySeconds = 10;

/// Returns the default's comparison with itself, from one with a candidate.
static Comparison makeUnchanged(Comparison comparison) {
  comparison.verdict = Verdict::tie;
  comparison.seconds = comparison.baselineSeconds;
  comparison.speedup = 1;
  comparison.speedupInterval = {1, 1};
  comparison.shownSpeedup.reset();
  comparison.otherSpeedup.reset();
  return comparison;
}

/// Returns the trials that no other one beats by its ratio but for the default
/// and the winner; if these are too many, evenly by their ratios. To measure
/// energy, returns the fastest, too.
std::vector<size_t> SessionFront::findUnbeaten(size_t winner) const {
  size_t most = wantsEnergy() ? mostMeasured : mostTested;
  std::vector<size_t> all = ledger.rankAll();
  std::vector<size_t> unbeaten, others, beaten;
  for (size_t trial : all) {
    // Those before it are as fast.
    bool isBeaten = std::ranges::any_of(
        unbeaten, [&](size_t other) { return usesNoMore(other, trial); });
    if (!isBeaten)
      unbeaten.push_back(trial);
    if (trial != 0 && trial != winner)
      (isBeaten ? beaten : others).push_back(trial);
  }
  if (wantsEnergy() && others.size() < most)
    others.insert(others.end(), beaten.begin(),
                  beaten.begin() +
                      std::min(beaten.size(), most - others.size()));
  if (others.size() <= most)
    return others;
  std::vector<size_t> chosen;
  for (size_t i = 0; i < most; ++i)
    chosen.push_back(others[i * (others.size() - 1) / (most - 1)]);
  return chosen;
}

/// Compares a trial with the default. Dismisses a trial that fails. The Failure
/// is not lasting if it is not the trial's.
Result<Comparison, Failure> SessionFront::compare(size_t trial, bool ofEnergy,
                                                  double seconds) {
  RunRequest request = evaluator.makeTest(trial, seconds);
  request.ofEnergy = ofEnergy;
  RunResult result = evaluator.runWithRetry(request);
  if (result.status == Status::ok)
    return *result.comparison;
  if (!session.isStopped() && isLasting(result.status)) {
    session.reportFailure(ledger[trial], result, session.opened, request);
    evaluator.dismiss(trial, result);
  }
  return Failure{result.status, result.message};
}

/// Tests the trials, and appends their points. Returns false if the session has
/// no time for all.
bool SessionFront::testAll(std::span<const size_t> trials,
                           std::vector<Point> &points) {
  for (size_t i = 0; i < trials.size(); ++i) {
    if (session.isStopped() || clock.isOverdrawn())
      return false;
    if (!evaluator.makeArtifact(trials[i]))
      continue;
    auto left = static_cast<double>(trials.size() - i);
    auto compared =
        compare(trials[i], /*ofEnergy=*/false,
                std::min(mostSeconds, clock.secondsForTest() / left));
    if (!compared &&
        (session.isStopped() || !isLasting(compared.error().status)))
      return false;
    if (compared && compared->rounds < session.opened.protocol.minRounds)
      return false;
    if (compared)
      points.push_back({trials[i], *compared});
  }
  return true;
}

/// Measures the energy of all points, and removes those that fail; the
/// default's is known from the first comparison with it. Returns false if the
/// session has no time for all.
bool SessionFront::measureEnergy(std::vector<Point> &points) {
  std::vector<Point> measured;
  for (size_t i = 0; i < points.size(); ++i) {
    Point &point = points[i];
    if (point.trial == 0)
      continue;
    if (session.isStopped() || clock.isOverdrawn())
      return false;
    auto left = static_cast<double>(points.size() - i + 1); // and a test
    auto energy =
        compare(point.trial, /*ofEnergy=*/true,
                std::min(mostEnergySeconds, clock.secondsForTest() / left));
    if (!energy && (session.isStopped() || !isLasting(energy.error().status))) {
      session.log.warn("energy was not measured: " + energy.error().message);
      return false;
    }
    if (!energy)
      continue;
    point.energy = *energy;
    measured.push_back(point);
  }
  auto theDefault = std::ranges::find(points, 0U, &Point::trial);
  if (theDefault != points.end()) {
    if (!measured.empty())
      theDefault->energy = makeUnchanged(*measured.front().energy);
    measured.push_back(*theDefault);
  }
  points = std::move(measured);
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
  described.energy = point.energy;
  return described;
}

std::optional<std::vector<FrontPoint>>
SessionFront::test(size_t winner, const Comparison &comparison) {
  std::vector<Point> points = {{0, makeUnchanged(comparison)}};
  if (winner != 0)
    points.push_back({winner, comparison});
  if (!testAll(findUnbeaten(winner), points) ||
      (wantsEnergy() && !measureEnergy(points)) || !confirm(points, winner))
    return std::nullopt;
  std::ranges::sort(points, {}, [](const Point &point) {
    return std::pair(-point.comparison.speedup, point.trial);
  });
  std::vector<FrontPoint> front;
  std::vector<Point> unbeaten;
  for (const Point &point : points) {
    bool isBeaten = std::ranges::any_of(
        unbeaten, [&](const Point &other) { return usesNoMore(other, point); });
    // A gain that was not shown is none.
    bool isTied = point.trial != 0 &&
                  point.comparison.verdict == Verdict::tie &&
                  (!point.energy || point.energy->verdict != Verdict::faster) &&
                  usesNoMore(0, point.trial);
    if (isBeaten || isTied)
      continue;
    unbeaten.push_back(point);
    front.push_back(describe(point));
  }
  return front;
}
