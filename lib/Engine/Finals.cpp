//===- Chooses the candidate for the test, and tests it -------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Finals.h"

using namespace tonno;

/// The least time of a finalist, as a share of its trial: a warm-up launch and
/// two rounds.
static constexpr double leastOfTrial = 0.25;
/// Candidates with other bits than the default's that are timed at most: those
/// that were fastest as they were verified, by single launches.
static constexpr size_t otherBitsTrials = 4;

double SessionFinals::leastSecondsOfTest() const {
  if (!ledger.baseline().ok())
    return 0;
  double round = 2 * ledger.baseline().measurement->baselineSeconds.median;
  return static_cast<double>(session.opened.protocol.minRounds) * round;
}

/// Returns the candidates whose interval says so, the best first, as far as
/// there is time for them.
std::vector<size_t> SessionFinals::mayBeBest(std::span<const size_t> ranking) {
  const ProtocolOptions &protocol = session.opened.protocol;
  std::vector<size_t> finalists;
  double least = leastOfTrial * ledger.baseline().runSeconds;
  // All finalists use as much of the resource as the first one.
  auto usesMore = [&](size_t trial) {
    return ledger.getUsed(trial) > ledger.getUsed(ranking.front());
  };
  ranking = {ranking.begin(), std::ranges::find_if(ranking, usesMore)};
  double leastHigh = ledger.objective.isTime()
                         ? ledger.incumbentHigh()
                         : std::numeric_limits<double>::infinity();
  for (size_t trial : ranking)
    leastHigh =
        std::min(leastHigh, ledger[trial].measurement->ratioInterval.high);
  for (size_t trial : ranking) {
    if (finalists.size() == protocol.maxFinalists)
      break;
    if (ledger[trial].measurement->ratioInterval.low >
        protocol.finalistMargin * leastHigh)
      continue;
    least += leastOfTrial * ledger[trial].runSeconds;
    if (least > secondsForFinals())
      break;
    if (evaluator.makeArtifact(trial))
      finalists.push_back(trial);
  }
  return finalists;
}

RunResult SessionFinals::time(std::span<const size_t> finalists,
                              double seconds) {
  RunRequest request;
  request.kind = RunRequest::Kind::choose;
  request.baseline = *evaluator.baseline;
  for (size_t trial : finalists)
    request.finalists.push_back(evaluator.artifact(trial));
  request.seconds = seconds;
  return evaluator.runWithRetry(request);
}

/// Records that a finalist failed while it was timed beside the others, which
/// does not end their finals.
void SessionFinals::leave(size_t trial, RunResult result) {
  result.message = "in the finals: " + result.message;
  RunRequest request = evaluator.makeTest(trial, clock.secondsForTest());
  session.reportFailure(ledger[trial], result, session.opened, request);
  evaluator.dismiss(trial, result);
}

Result<void> SessionFinals::play(std::vector<size_t> &ranking) {
  if (session.isStopped())
    return {}; // to compile finalists again takes time
  std::vector<size_t> finalists = mayBeBest(ranking);
  RunResult result;
  for (;;) {
    if (finalists.size() < 2 || session.interrupted() || clock.isOverdrawn())
      return {};
    result = time(finalists, secondsForFinals());
    if (session.interrupted())
      return {};
    if (result.status == Status::ok || !result.failedEntrant ||
        *result.failedEntrant == baselineEntrant)
      break;
    auto failed =
        finalists.begin() +
        static_cast<ptrdiff_t>(*result.failedEntrant - firstCandidate);
    leave(*failed, result);
    finalists.erase(failed);
  }
  bool isBaseline = result.failedEntrant == baselineEntrant;
  if (!isLasting(result.status)) {
    session.endEarly(isBaseline
                         ? "the default configuration failed in the finals"
                         : "the finals were not run",
                     result);
    return {};
  }
  if (isBaseline) {
    RunRequest request;
    request.candidate = request.baseline = *evaluator.baseline;
    session.reportFailure(ledger.baseline(), result, session.opened, request);
    return Error{"the default configuration was correct before, but fails in "
                 "the finals, '" +
                 std::string(toString(result.status)) + "': " + result.message +
                 "; candidates are compared with it, so nothing is decided"};
  }
  if (result.status != Status::ok) {
    session.log.warn("the finals ended with '" +
                     std::string(toString(result.status)) +
                     "': " + result.message +
                     "; the candidate to test is chosen by the trials alone");
    return {};
  }
  std::vector<size_t> chosen;
  size_t numTied = 0;
  for (const Finalist &finalist : result.finalists) {
    chosen.push_back(finalists.at(finalist.candidate));
    if (numTied + 1 == chosen.size() && finalist.behind <= tiedLogarithm)
      ++numTied;
  }
  ledger.sortByResourceUsage(std::span(chosen).first(numTied));
  std::erase_if(ranking, [&](size_t trial) {
    return std::ranges::find(finalists, trial) != finalists.end();
  });
  ranking.insert(ranking.begin(), chosen.begin(), chosen.end());
  return {};
}

std::optional<std::pair<size_t, RunResult>> SessionFinals::repeat() {
  for (;;) {
    std::vector<size_t> best = ledger.rankAll();
    if (best.empty())
      return std::nullopt;
    best.resize(std::min(best.size(), session.numRepeated));
    RunResult result;
    if (!session.isStopped()) {
      auto isMade = [&](size_t trial) { return evaluator.makeArtifact(trial); };
      if (!std::ranges::all_of(best, isMade))
        continue; // one has failed, or the session is interrupted
      result = time(best, clock.secondsLeft());
    }
    if (result.status == Status::ok && !result.finalists.empty())
      return std::pair(best.at(result.finalists.front().candidate), result);
    if (session.isStopped() || !result.failedEntrant)
      return std::pair(best.front(), RunResult());
    size_t failed = best.at(*result.failedEntrant - firstCandidate);
    leave(failed, std::move(result));
  }
}

std::optional<size_t> SessionFinals::chooseOverlapping() {
  std::vector<size_t> left = ledger.findOverlapping(session.numOverlapping);
  while (left.size() > 1 && !session.isStopped() && !clock.isOverdrawn()) {
    RunResult result = time(left, clock.secondsLeft());
    if (result.status == Status::ok && !result.finalists.empty())
      return left.at(result.finalists.front().candidate);
    if (session.isStopped())
      break;
    if (!result.failedEntrant || *result.failedEntrant == baselineEntrant) {
      session.log.warn(
          "the finals were not run, '" + std::string(toString(result.status)) +
          "': " + result.message + "; the trials alone choose the candidate");
      break;
    }
    auto failed = left.begin() + static_cast<ptrdiff_t>(*result.failedEntrant -
                                                        firstCandidate);
    leave(*failed, std::move(result));
    left.erase(failed);
  }
  if (!left.empty())
    return left.front();
  std::vector<size_t> ranking = ledger.rankAll();
  return ranking.empty() ? std::nullopt : std::optional(ranking.front());
}

std::optional<OtherBitsRecord> SessionFinals::timeOtherBits() {
  std::vector<size_t> ranking = ledger.rankOtherBits();
  if (ranking.empty())
    return std::nullopt;
  OtherBitsRecord record;
  record.candidates = ranking.size();
  ranking.resize(std::min<size_t>(ranking.size(), otherBitsTrials));
  RunRequest request;
  request.baseline = *evaluator.baseline;
  request.acceptsOtherBits = true;
  request.incumbentHigh = ledger.incumbentHigh();
  double leastRatio = ledger.incumbent()->measurement->ratio;
  for (size_t trial : ranking) {
    if (session.isStopped() || clock.isOverdrawn())
      break;
    if (!evaluator.makeArtifact(trial))
      continue;
    request.candidate = evaluator.artifact(trial);
    RunResult result = evaluator.ask(request);
    if (!isLasting(result.status))
      break;
    ++record.timed;
    if (result.status != Status::ok || result.measurement->ratio >= leastRatio)
      continue;
    const Measurement &measured = *result.measurement;
    leastRatio = measured.ratio;
    request.incumbentHigh =
        std::min(request.incumbentHigh, measured.ratioInterval.high);
    record.values = session.space.values(ledger[trial].configuration);
    record.seconds = measured.seconds.median;
    record.speedup = {
        1 / measured.ratio,
        {1 / measured.ratioInterval.high, 1 / measured.ratioInterval.low}};
    record.needs = result.message;
  }
  return record;
}

static RunResult getLost(const Error &error) {
  RunResult result;
  result.status = Status::lost;
  result.message = error.message;
  return result;
}

RunResult SessionFinals::test(size_t trial) {
  RunRequest request = evaluator.makeTest(trial, clock.secondsForTest());
  bool usesLess = ledger.getUsed(trial) < ledger.getUsed(0);
  if (usesLess)
    request.leastSpeedup = 1 / ledger.objective.mostRatio();
  RunResult result = evaluator.runWithRetry(request);
  if (result.status != Status::ok)
    session.reportFailure(ledger[trial], result, session.opened, request);
  if (result.status != Status::ok)
    return result;
  Verdict &verdict = result.comparison->verdict;
  if (usesLess && verdict == Verdict::faster)
    verdict = Verdict::less;
  if (!isWin(verdict))
    return result;
  RunResult confirmed = confirm(trial);
  if (confirmed.status == Status::ok)
    return result;
  if (!isLasting(confirmed.status))
    return confirmed; // which ends the session
  verifyDefault();
  // Reopen the session for the next candidate to be tested.
  if (auto reopened = evaluator.reopen(session.opened); !reopened)
    return getLost(reopened.error());
  return confirmed;
}

RunResult SessionFinals::testEnergy(size_t trial) {
  RunRequest request = evaluator.makeTest(trial, clock.secondsForTest());
  request.ofEnergy = true;
  return evaluator.runWithRetry(request);
}

/// Verifies the winner again in a fresh process with other data, since the
/// first process or its data may have hidden an error.
RunResult SessionFinals::confirm(size_t trial) {
  RunnerSession again = session.opened;
  again.seed = ~again.seed;
  if (auto reopened = evaluator.reopen(again); !reopened)
    return getLost(reopened.error());
  RunRequest request;
  request.kind = RunRequest::Kind::verify;
  request.candidate = evaluator.artifact(trial);
  RunResult result = evaluator.runWithRetry(request);
  if (result.status == Status::ok)
    return result;
  session.reportFailure(ledger[trial], result, again, request);
  result.message = "with other data, in a fresh process: " + result.message;
  return result;
}

/// Verifies the default where a candidate has failed: the data may be at fault.
void SessionFinals::verifyDefault() {
  RunRequest request;
  request.kind = RunRequest::Kind::verify;
  request.candidate = *evaluator.baseline;
  RunResult result = evaluator.ask(request);
  if (result.status == Status::ok || !isLasting(result.status))
    return;
  session.isDoubtful = true;
  session.log.warn(
      "with other data the default configuration fails as well, '" +
      std::string(toString(result.status)) + "': " + result.message +
      "; either the kernel is wrong for some inputs, or the tolerance is too "
      "strict");
}
