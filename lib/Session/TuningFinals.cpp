//===- Which candidate is put to the test ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/Records.h"
#include "tonno/Session/TuningSession.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

/// What lies this close to the best, by logarithms, is as good: nothing tells
/// them apart, and what they need decides.
static constexpr double tied = 0.001;
/// Of the seconds left; the test needs the others.
static constexpr double finalsShare = 0.5;
/// What a finalist takes at least, as a share of its trial: a launch to warm
/// up, and two rounds.
static constexpr double leastOfTrial = 0.25;

/// The candidates that ran, by their trials.
std::vector<size_t> TuningSession::rankCandidates() const {
  std::vector<size_t> ranking;
  for (size_t i = 1; i < trials.size(); ++i)
    if (trials[i].ok() && trials[i].artifactHash != trials.front().artifactHash)
      ranking.push_back(i);
  auto ratio = [&](size_t trial) { return trials[trial].measurement->ratio; };
  std::ranges::sort(ranking, {}, ratio);
  auto isTied = [&](size_t trial) {
    return std::log(ratio(trial) / ratio(ranking.front())) <= tied;
  };
  auto end = std::ranges::find_if_not(ranking, isTied);
  preferThriftiest(std::span(ranking.begin(), end));
  return ranking;
}

/// Brings to the front what needs less; what needs as much keeps its order.
void TuningSession::preferThriftiest(std::span<size_t> tied) const {
  for (size_t i = 1; i < tied.size(); ++i)
    for (size_t j = i;
         j > 0 && needsLess(trials[tied[j]].usage, trials[tied[j - 1]].usage);
         --j)
      std::swap(tied[j], tied[j - 1]);
}

double TuningSession::secondsForFinals() const {
  double seconds = std::max(0.0, secondsForTest() - longestRun);
  return std::min(finalsShare * seconds,
                  std::max(0.0, seconds - leastSecondsOfTest()));
}

/// Returns the seconds that the test's fewest rounds take.
double TuningSession::leastSecondsOfTest() const {
  if (!trials.front().ok())
    return 0;
  double round = 2 * trials.front().measurement->baselineSeconds.median;
  return static_cast<double>(opened.protocol.minRounds) * round;
}

/// Those whose interval says so, best first, as far as there is time for them.
std::vector<size_t> TuningSession::mayBeBest(std::span<const size_t> ranking) {
  std::vector<size_t> finalists;
  double least = leastOfTrial * trials.front().runSeconds;
  double leastHigh = incumbentHigh;
  for (size_t trial : ranking)
    leastHigh =
        std::min(leastHigh, trials[trial].measurement->ratioInterval.high);
  for (size_t trial : ranking) {
    if (finalists.size() == opened.protocol.maxFinalists)
      break;
    if (trials[trial].measurement->ratioInterval.low >
        opened.protocol.finalistMargin * leastHigh)
      continue;
    least += leastOfTrial * trials[trial].runSeconds;
    if (least > secondsForFinals())
      break;
    if (makeArtifact(trial))
      finalists.push_back(trial);
  }
  return finalists;
}

/// Once more where the answer may be of something outside of the candidates.
/// How long to wait for other processes is the runner's to know.
RunResult TuningSession::askTwice(RunRequest &request) {
  RunResult result = ask(request);
  bool isSettled =
      isLasting(result.status) || result.status == Status::contended;
  return isSettled || interrupted() ? result : ask(request);
}

RunResult TuningSession::askFinals(std::span<const size_t> finalists) {
  RunRequest request;
  request.kind = RunRequest::Kind::choose;
  request.baseline = *baseline;
  for (size_t trial : finalists)
    request.finalists.push_back(artifacts.at(trial));
  request.seconds = secondsForFinals();
  return askTwice(request);
}

/// Records that a finalist failed while it was timed beside the others, which
/// does not end their finals.
void TuningSession::leaveFinals(size_t trial, RunResult result) {
  result.message = "in the finals: " + result.message;
  RunRequest request;
  request.kind = RunRequest::Kind::compare;
  request.candidate = artifacts.at(trial);
  request.baseline = *baseline;
  request.seconds = secondsForTest();
  tellFailure(trials[trial], result, opened, request);
  dismiss(trial, result);
}

Result<void> TuningSession::playFinals(std::vector<size_t> &ranking) {
  if (isStopped())
    return {}; // to compile finalists again takes time
  std::vector<size_t> finalists = mayBeBest(ranking);
  RunResult result;
  for (;;) {
    if (finalists.size() < 2 || interrupted() || isOverdrawn())
      return {};
    result = askFinals(finalists);
    if (interrupted())
      return {};
    if (result.status == Status::ok || !result.failedEntrant ||
        *result.failedEntrant == baselineEntrant)
      break;
    auto failed =
        finalists.begin() +
        static_cast<ptrdiff_t>(*result.failedEntrant - firstCandidate);
    leaveFinals(*failed, result);
    finalists.erase(failed);
  }
  bool isBaseline = result.failedEntrant == baselineEntrant;
  if (!isLasting(result.status)) {
    giveUp(isBaseline ? "the default configuration failed in the finals"
                      : "the finals were not played",
           result);
    return {};
  }
  if (isBaseline) {
    RunRequest request;
    request.candidate = request.baseline = *baseline;
    tellFailure(trials.front(), result, opened, request);
    return Error{"the default configuration was right before, and fails in the "
                 "finals, '" +
                 std::string(toString(result.status)) + "': " + result.message +
                 "; others are compared with it, so nothing is decided"};
  }
  if (result.status != Status::ok) {
    log.warn("the finals ended with '" + std::string(toString(result.status)) +
             "': " + result.message +
             "; the candidate to test is chosen by the trials alone");
    return {};
  }
  std::vector<size_t> chosen;
  size_t numTied = 0;
  for (const Finalist &finalist : result.finalists) {
    chosen.push_back(finalists.at(finalist.candidate));
    if (numTied + 1 == chosen.size() && finalist.behind <= tied)
      ++numTied;
  }
  preferThriftiest(std::span(chosen).first(numTied));
  std::erase_if(ranking, [&](size_t trial) {
    return std::ranges::find(finalists, trial) != finalists.end();
  });
  ranking.insert(ranking.begin(), chosen.begin(), chosen.end());
  return {};
}

/// What the search has found hangs on the finals and the test, which may come
/// late for waiting by this share of the budget.
static constexpr double lateShare = 0.2;

double TuningSession::secondsToWait() const {
  double late = trials.empty() ? 0 : lateShare * budget.seconds;
  return budget.secondsToWait(secondsSpent() - late);
}

static RunResult lost(const Error &error) {
  RunResult result;
  result.status = Status::lost;
  result.message = error.message;
  return result;
}

/// Whether it is faster than the baseline, and still right.
RunResult TuningSession::test(size_t trial) {
  RunRequest request;
  request.kind = RunRequest::Kind::compare;
  request.candidate = artifacts.at(trial);
  request.baseline = *baseline;
  request.seconds = secondsForTest();
  RunResult result = askTwice(request);
  if (result.status != Status::ok)
    tellFailure(trials[trial], result, opened, request);
  if (result.status != Status::ok ||
      result.comparison->verdict != Verdict::faster)
    return result;
  RunResult confirmed = confirm(trial);
  if (confirmed.status == Status::ok)
    return result;
  if (!isLasting(confirmed.status))
    return confirmed; // which ends the session
  doubtDefault();
  // For whoever comes next.
  opened.waitSeconds = secondsToWait();
  if (auto reopened = runner.open(opened); !reopened)
    return lost(reopened.error());
  return confirmed;
}

/// Verifies once more what is to be written, by a fresh process and other data:
/// the first may have been kind to it.
RunResult TuningSession::confirm(size_t trial) {
  RunnerSession again = opened;
  again.seed = ~opened.seed;
  again.waitSeconds = secondsToWait();
  if (auto reopened = runner.open(again); !reopened)
    return lost(reopened.error());
  RunRequest request;
  request.kind = RunRequest::Kind::verify;
  request.candidate = artifacts.at(trial);
  RunResult result = askTwice(request);
  if (result.status == Status::ok)
    return result;
  tellFailure(trials[trial], result, again, request);
  result.message = "with other data, in a fresh process: " + result.message;
  return result;
}

/// What fails with these data may do so for a reason that is not its own.
void TuningSession::doubtDefault() {
  RunRequest request;
  request.kind = RunRequest::Kind::verify;
  request.candidate = *baseline;
  RunResult result = ask(request);
  if (result.status == Status::ok || !isLasting(result.status))
    return;
  isDoubtful = true;
  log.warn("with other data the default configuration fails as well, '" +
           std::string(toString(result.status)) + "': " + result.message +
           "; either the kernel is wrong for some inputs, or what it may be "
           "off is judged too strictly");
}

/// For whoever wants to have it again, unless the user has ended it.
void TuningSession::tellFailure(Trial trial, const RunResult &result,
                                const RunnerSession &session,
                                const RunRequest &request) {
  if (result.status == Status::lost && interrupted())
    return;
  trial.status = result.status;
  trial.message = result.message;
  RunRequest limited = request;
  limited.launchSeconds = result.launchSeconds;
  log.failed(trial, session, &limited);
}

/// It has failed in another session, whose binary is gone.
void TuningSession::tellRecalled(const Trial &trial) {
  RunRequest request;
  if (baseline)
    request.baseline = *baseline;
  log.failed(trial, opened, trial.artifactHash.empty() ? nullptr : &request);
}

/// Ends the session with the best so far, which is no answer to keep.
void TuningSession::giveUp(const std::string &what, const RunResult &result) {
  cutShort = CutShort::session;
  log.warn(what + ", '" + std::string(toString(result.status)) +
           "': " + result.message);
}

/// It was ok when it was tried, and is not any more.
void TuningSession::dismiss(size_t trial, const RunResult &result) {
  trials[trial].status = result.status;
  trials[trial].message = result.message;
  if (isLasting(result.status))
    log.amend(trials[trial]);
  log.warn("the candidate " + space.values(trials[trial].configuration).dump() +
           " failed at last, '" + std::string(toString(result.status)) +
           "': " + result.message);
}
