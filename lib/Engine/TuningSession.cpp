//===- The tuning loop ----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/TuningSession.h"
#include "CandidateQueue.h"
#include "Finals.h"
#include "SessionFront.h"

using namespace tonno;

using CutShort = SessionContext::CutShort;

/// Lost trials in a row that abort a search or a survey: the runner is at
/// fault, not the candidates.
static constexpr size_t maxLostInARow = 3;
/// Contended trials in a row that end a search.
static constexpr size_t maxContendedInARow = 3;
/// Trials for which time is kept to time candidates with other bits than the
/// default's: fewer than are made if there is time.
static constexpr double otherBitsReserve = 2;
/// Trials for which time is kept to test the front: fewer than are made if
/// there is time.
static constexpr double frontReserve = 6;
/// Share of the budget's seconds that is kept to measure energy.
static constexpr double energyShare = 0.35;
/// The usual share of their limits that finals and test take; only for reports.
static constexpr double usualShare = 1. / 3;

struct TuningSession::State {
  Result<void> tryDefault();
  std::optional<size_t> findReplayedContender() const;
  void retimeReplayed();
  bool isBudgetSpent() const;
  bool isRunnerAtFault() const {
    return ledger.lostInARow >= maxLostInARow && !session.interrupted();
  }
  bool endIfEnvironmental();
  bool endIfEnough();
  bool endIfStopped();
  SearchEnd findSearchEnd() const;
  std::optional<Result<SessionOutcome>> concludeWithoutTest();
  Result<SessionOutcome> concludeByTrials();
  Result<std::vector<size_t>> playFinals();
  SessionOutcome testInOrder(std::span<const size_t> ranking);
  void timeOtherBits(SessionOutcome &outcome);
  void testFront(SessionOutcome &outcome);
  void reserveEnd();
  void chooseByEnergy(SessionOutcome &outcome);
  void updateTimes(SessionOutcome &outcome) const;
  std::map<SessionPhase, double> getPhaseSeconds() const;
  std::optional<ObjectiveRecord> describeObjective(size_t trial) const;
  SessionOutcome conclude(size_t trial, Comparison comparison) const;
  SessionOutcome concludeInterrupted(std::span<const size_t> ranking) const;
  bool warnOfFewRounds(const Comparison &comparison);
  void rejectForTime(size_t trial, const Comparison &comparison);
  void enter(SessionPhase next);
  void advance();
  std::optional<double> estimateSearch() const;
  double limitFinals() const;
  double limitTest() const;

  SessionContext session;
  BudgetClock clock;
  TrialLedger ledger;
  Evaluator evaluator;
  CandidateQueue queue;
  SessionFinals finals;
  bool defaultFailed = false; ///< when it was tried, or replayed
  SearchEnd searchEnd = SearchEnd::budget;
  const SearchStrategy &strategy;
  RunnerPool *devices = nullptr; ///< unless there is one
  SearchStops stops;
  std::optional<SearchEnd> stopped; ///< by these
  SessionPhase phase = SessionPhase::baseline;
  std::map<SessionPhase, double> phaseSeconds; ///< of those that ended
  double phaseBegin = 0;                       ///< seconds into the session
  size_t trialsOfPhase = 0; ///< that had ended when the phase began

  State(SessionContext about, Compiler &compiler, Runner *runner,
        SearchStrategy &strategy, size_t compileAhead,
        std::function<double()> now)
      : session(std::move(about)), clock(session.budget, std::move(now)),
        ledger(session.opened),
        evaluator(session, ledger, clock, compiler, runner),
        queue(session, ledger, clock, evaluator, strategy, compileAhead),
        finals(session, ledger, clock, evaluator), strategy(strategy) {}
};

TuningSession::TuningSession(const SearchSpace &space, Compiler &compiler,
                             Runner *runner, SearchStrategy &strategy,
                             TrialLog &log, RunnerSession opened, Budget budget,
                             size_t compileAhead,
                             std::function<bool()> interrupted,
                             std::function<double()> clock)
    : state(std::make_unique<State>(
          SessionContext{space, log, std::move(opened), budget,
                         std::move(interrupted)},
          compiler, runner, strategy, compileAhead, std::move(clock))) {}

TuningSession::~TuningSession() = default;

void TuningSession::setProtocol(const ProtocolOptions &protocol) {
  state->session.opened.protocol = protocol;
}

void TuningSession::setTimeBounds(TimeBounds timeBounds) {
  state->session.timeBounds = timeBounds;
}

void TuningSession::setDevices(RunnerPool &devices) {
  state->devices = &devices;
}

void TuningSession::setStops(SearchStops stops) {
  state->stops = std::move(stops);
}

void TuningSession::decideByTrials() { state->session.isTested = false; }

void TuningSession::decideByRepeats(size_t best) {
  decideByTrials();
  state->session.numRepeated = best;
}

void TuningSession::decideByFinals(size_t most) {
  decideByTrials();
  state->session.numOverlapping = most;
}

bool TuningSession::isTimeUp() const { return state->clock.isOverdrawn(); }

Result<SessionOutcome> TuningSession::run() {
  state->clock.markOpened();
  state->reserveEnd();
  state->evaluator.times.verifying += state->clock.openingSeconds();
  state->enter(SessionPhase::baseline);
  TONNO_TRY(state->tryDefault());
  const TrialLedger &ledger = state->ledger;
  if (auto unknown = ledger.objective.explainUnknown(ledger.baseline().usage);
      unknown && !ledger.baseline().artifactHash.empty())
    return Error{*unknown};
  if (state->devices && !state->session.isStopped())
    state->evaluator.useDevices(*state->devices);
  state->enter(SessionPhase::search);
  while (!state->isBudgetSpent() && !state->session.interrupted() &&
         !state->endIfStopped()) {
    state->queue.fill();
    if (state->queue.isEmpty())
      break; // the strategy has nothing left, or the budget
    TONNO_TRY(state->queue.takeNext());
    state->advance();
    if (state->endIfEnvironmental() || state->endIfEnough())
      break;
  }
  state->queue.finishBegun();
  state->searchEnd = state->findSearchEnd();
  if (!state->session.isTested)
    state->retimeReplayed();
  if (auto outcome = state->concludeWithoutTest())
    return *std::move(outcome);
  auto ranking = TONNO_TRY(state->playFinals());
  SessionOutcome outcome = state->testInOrder(ranking);
  if (state->session.opened.sameAs)
    state->timeOtherBits(outcome);
  if (state->ledger.objective.testsFront())
    state->testFront(outcome);
  return outcome;
}

Result<SurveyTrials> TuningSession::survey() {
  SessionContext &session = state->session;
  TrialLedger &ledger = state->ledger;
  session.isTiming = false;
  state->enter(SessionPhase::baseline);
  state->evaluator.submit(session.space.defaultConfiguration());
  state->queue.conclude(
      state->evaluator.evaluateNext(session.space.defaultConfiguration()));
  auto isSpent = [&] {
    return state->clock.isOverdrawn() || session.interrupted();
  };
  state->enter(SessionPhase::search);
  for (state->queue.fill(); !state->queue.isEmpty() && !isSpent();
       state->queue.fill()) {
    TONNO_TRY(state->queue.takeNext());
    state->advance();
    if (state->isRunnerAtFault())
      return Error{std::to_string(ledger.lostInARow) +
                   " candidates in a row were lost, the last because " +
                   ledger.all().back().message};
  }
  return SurveyTrials{ledger.all(), !state->queue.isEmpty()};
}

bool TuningSession::State::isBudgetSpent() const {
  if (ledger.spentTrials() >= session.budget.trials)
    return true;
  if (!session.isTested)
    return session.numRepeated > 0 ? clock.isSearchOver(/*leastOfTest=*/0)
                                   : clock.isOverdrawn();
  return !queue.isReplaying() &&
         clock.isSearchOver(finals.leastSecondsOfTest());
}

void TuningSession::State::enter(SessionPhase next) {
  phaseSeconds[phase] += clock.elapsed() - phaseBegin;
  phase = next;
  phaseBegin = clock.elapsed();
  trialsOfPhase = ledger.all().size();
  advance();
}

/// Reports how far the session is.
void TuningSession::State::advance() {
  SessionState state{phase, clock.elapsed(), evaluator.times};
  SessionTimes &times = state.times;
  times.idle = std::max(0.0, state.seconds - times.compiling - times.verifying -
                                 times.timing);
  double decision =
      session.isTested && session.isTiming && !ledger.all().empty()
          ? usualShare * (limitFinals() + limitTest())
          : 0;
  double inPhase = state.seconds - phaseBegin;
  if (phase == SessionPhase::search) {
    state.phaseSecondsLeft = estimateSearch();
    if (state.phaseSecondsLeft)
      state.sessionSecondsLeft = *state.phaseSecondsLeft + decision;
  } else if (phase == SessionPhase::finals || phase == SessionPhase::test) {
    bool isTest = phase == SessionPhase::test;
    double limit = isTest ? limitTest() : limitFinals();
    state.phaseSecondsLeft = usualShare * std::max(0.0, limit - inPhase);
    state.sessionSecondsLeft =
        *state.phaseSecondsLeft + (isTest ? 0 : usualShare * limitTest());
  }
  state.condition = evaluator.condition;
  const std::vector<Trial> &trials = ledger.all();
  state.isContended = !trials.empty() && trials.back().measurement &&
                      trials.back().measurement->contended;
  session.log.advance(state);
}

/// Returns the seconds that the search is expected to take still: as long as
/// its trials so far, or the rest of its seconds if that is less; none before
/// its first trial.
std::optional<double> TuningSession::State::estimateSearch() const {
  size_t ended = ledger.all().size() - trialsOfPhase;
  if (ended == 0)
    return std::nullopt;
  double each = (clock.elapsed() - phaseBegin) / static_cast<double>(ended);
  auto planned = static_cast<double>(
      std::min<PointCount>(session.budget.trials, session.space.count()));
  double left =
      std::max(0.0, planned - static_cast<double>(ledger.spentTrials()));
  return std::clamp(
      each * left, 0.0,
      std::max(0.0, clock.secondsForSearch(finals.leastSecondsOfTest())));
}

/// Returns the seconds after which the finals end at the latest.
double TuningSession::State::limitFinals() const {
  return std::min(session.opened.protocol.finalsSeconds,
                  clock.secondsForFinals(finals.leastSecondsOfTest()));
}

double TuningSession::State::limitTest() const {
  return std::min(session.opened.protocol.testSeconds, clock.secondsForTest());
}

/// Ends the search if something outside of the candidates makes them fail.
/// Returns true if it ends.
bool TuningSession::State::endIfEnvironmental() {
  const std::string &message = ledger.all().back().message;
  if (isRunnerAtFault()) {
    session.log.warn(
        "the search ends early, since " + std::to_string(ledger.lostInARow) +
        " candidates in a row were lost, the last because " + message);
    session.cutShort = CutShort::session;
    return true;
  }
  if (ledger.contendedInARow >= maxContendedInARow) {
    session.log.warn(
        "the search ends early, since other processes use the device: " +
        message);
    session.cutShort = CutShort::search;
    return true;
  }
  return false;
}

/// Ends the search if the user wants no more of it. Returns true if it ends.
bool TuningSession::State::endIfEnough() {
  auto best = ledger.bestTrial();
  if (!best || queue.isReplaying())
    return false;
  auto expected = strategy.expectedGain();
  if (stops.isEnough &&
      stops.isEnough(ledger[*best], evaluator.countThreads(*best)))
    stopped = SearchEnd::limit;
  else if (stops.leastGain && expected && *expected < *stops.leastGain)
    stopped = SearchEnd::gain;
  return stopped.has_value();
}

/// Ends the search if a callback asked for it. Returns true if it ends.
bool TuningSession::State::endIfStopped() {
  if (stops.isStopped && stops.isStopped())
    stopped = SearchEnd::stopped;
  return stopped.has_value();
}

SearchEnd TuningSession::State::findSearchEnd() const {
  if (session.interrupted())
    return SearchEnd::interrupted;
  if (session.cutShort != CutShort::nothing)
    return SearchEnd::cut_short;
  if (stopped)
    return *stopped;
  if (isBudgetSpent())
    return SearchEnd::budget;
  return strategy.hasConverged() ? SearchEnd::converged : SearchEnd::done;
}

/// Returns a trial that was made before the session was resumed, and that would
/// be chosen or play finals.
std::optional<size_t> TuningSession::State::findReplayedContender() const {
  auto best = ledger.bestTrial();
  if (!best || ledger.isReplayed(*best))
    return best;
  if (clock.isOverdrawn())
    return std::nullopt;
  for (size_t trial : ledger.findOverlapping(session.numOverlapping))
    if (ledger.isReplayed(trial))
      return trial;
  return std::nullopt;
}

/// Times trials again that were made before the session was resumed: without a
/// test, a time of another moment would decide.
void TuningSession::State::retimeReplayed() {
  while (!session.interrupted()) {
    auto trial = findReplayedContender();
    if (!trial)
      break;
    evaluator.measureAgain(*trial);
  }
}

Result<void> TuningSession::State::tryDefault() {
  Configuration configuration = session.space.defaultConfiguration();
  if (auto past = session.log.replay(configuration)) {
    defaultFailed = !past->ok();
    return queue.replay(std::move(*past));
  }
  // Retry once if the failure may be environmental, since the whole session
  // depends on the baseline.
  for (bool isLast : {false, true}) {
    evaluator.submit(configuration);
    Trial trial = evaluator.evaluateNext(configuration);
    if (!trial.ok() && !isLasting(trial.status) && !isLast &&
        !session.interrupted() && !clock.isOverdrawn()) {
      ledger.clearBinaries();
      continue;
    }
    queue.conclude(std::move(trial));
    break;
  }
  const Trial &trial = ledger.baseline();
  defaultFailed = !trial.ok();
  if (trial.status == Status::lost && !session.interrupted())
    return Error{"the default configuration was lost twice: " + trial.message};
  if (trial.status == Status::contended && !session.interrupted())
    return Error{
        "the default configuration cannot be timed: " + trial.message +
        (evaluator.deviceHeld
             ? "; increase '--budget-seconds' to wait longer"
             : "; stop the other processes, or give '--when-busy=measure'")};
  return {};
}

/// Returns a trial's measurement as a comparison, where no test was made.
static Comparison getComparison(const Trial &trial, Verdict verdict) {
  const Measurement &m = *trial.measurement;
  return {verdict,
          m.seconds,
          m.baselineSeconds,
          1 / m.ratio,
          {1 / m.ratioInterval.high, 1 / m.ratioInterval.low},
          0,
          m.overheadBound,
          m.contended};
}

/// Returns the default's comparison with itself.
static Comparison getNoChange(const Trial &baseline, Verdict verdict) {
  const Distribution &seconds = baseline.measurement->seconds;
  return {verdict,
          seconds,
          seconds,
          1,
          {1, 1},
          0,
          baseline.measurement->overheadBound,
          baseline.measurement->contended};
}

/// Returns the seconds of the phases so far.
std::map<SessionPhase, double> TuningSession::State::getPhaseSeconds() const {
  auto phases = phaseSeconds;
  phases[phase] += clock.elapsed() - phaseBegin;
  return phases;
}

/// Adds what the candidates with other bits than the default's would gain.
void TuningSession::State::timeOtherBits(SessionOutcome &outcome) {
  if (session.isStopped())
    return;
  enter(SessionPhase::other_bits);
  outcome.otherBits = finals.timeOtherBits();
  updateTimes(outcome);
}

void TuningSession::State::updateTimes(SessionOutcome &outcome) const {
  outcome.seconds = clock.elapsed();
  outcome.times = evaluator.times;
  outcome.phaseSeconds = getPhaseSeconds();
}

/// Keeps time for what follows the test.
void TuningSession::State::reserveEnd() {
  const OracleOptions &oracle = session.opened.oracle;
  double trials = (session.opened.sameAs ? otherBitsReserve : 0) +
                  (ledger.objective.testsFront() ? frontReserve : 0);
  bool keepsShare =
      oracle.wantsEnergy() && std::isfinite(session.budget.seconds);
  clock.reserve(trials, keepsShare ? energyShare * session.budget.seconds : 0);
}

/// Adds the candidates that no other one beats. Without all of them, the
/// outcome is no answer to keep.
void TuningSession::State::testFront(SessionOutcome &outcome) {
  if (session.isStopped())
    return;
  enter(SessionPhase::front);
  clock.reserve(0, 0);
  size_t winner = 0;
  while (ledger[winner].configuration != outcome.chosen)
    ++winner;
  SessionFront tester(session, ledger, clock, evaluator);
  if (auto front = tester.test(winner, outcome.comparison)) {
    outcome.front = *std::move(front);
  } else {
    outcome.isConclusive = false;
    if (!session.interrupted())
      session.log.warn("the front was not tested as a whole, and is not kept; "
                       "increase '--budget-seconds'");
  }
  if (session.opened.oracle.objective == Resource::energy)
    chooseByEnergy(outcome);
  outcome.trials = ledger.all(); // some may have failed
  updateTimes(outcome);
}

/// Describes a test of energy, in microjoules.
static ObjectiveRecord describeEnergy(const Comparison &energy) {
  double baseline = energy.baselineSeconds.median;
  auto inMicrojoules = [](double joules) {
    return static_cast<uint64_t>(std::llround(1e6 * joules));
  };
  return {Resource::energy, inMicrojoules(baseline / energy.speedup),
          inMicrojoules(baseline),
          Speedup{energy.speedup, energy.speedupInterval}};
}

/// Makes the point of the front that used the least energy the winner, if a
/// test shows on new samples that it uses less than the default.
void TuningSession::State::chooseByEnergy(SessionOutcome &outcome) {
  const FrontPoint *least = nullptr;
  if (outcome.front)
    for (const FrontPoint &point : *outcome.front)
      if (!ledger.objective.findExcess(1 / point.comparison.speedup) &&
          (!least || point.energy->speedup > least->energy->speedup))
        least = &point;
  SessionOutcome tie = conclude(0, getNoChange(ledger[0], Verdict::tie));
  if (!outcome.front)
    tie.comparison.verdict = Verdict::interrupted;
  auto trial =
      least ? ledger.findTrialByBinary(least->artifactHash) : std::nullopt;
  if (trial.value_or(0) != 0) {
    RunResult result = finals.testEnergy(*trial);
    if (result.status != Status::ok && !isLasting(result.status))
      session.endEarly("the energy of the best was not tested", result);
    else if (result.status != Status::ok)
      evaluator.dismiss(*trial, result);
    else if (result.comparison->verdict == Verdict::faster) {
      Comparison comparison = least->comparison;
      comparison.verdict = Verdict::less;
      tie = conclude(*trial, comparison);
      tie.objective = describeEnergy(*result.comparison);
    }
  }
  if (ledger.objective.hasFront())
    tie.front = std::move(outcome.front);
  tie.otherBits = std::move(outcome.otherBits);
  tie.isConclusive &= outcome.isConclusive;
  outcome = std::move(tie);
}

/// Returns what the trial and the default use of the objective's resource.
std::optional<ObjectiveRecord>
TuningSession::State::describeObjective(size_t trial) const {
  if (ledger.objective.isTime())
    return std::nullopt;
  return ObjectiveRecord{*session.opened.oracle.objective,
                         ledger.getUsed(trial), ledger.getUsed(0)};
}

SessionOutcome TuningSession::State::conclude(size_t trial,
                                              Comparison comparison) const {
  comparison.cacheState = session.opened.protocol.cacheState;
  return {ledger[trial].configuration,
          ledger[trial].artifactHash,
          comparison,
          ledger.all(),
          comparison.verdict != Verdict::interrupted &&
              session.cutShort == CutShort::nothing && !session.isDoubtful,
          evaluator.condition,
          session.cutShort != CutShort::nothing,
          searchEnd,
          clock.elapsed(),
          queue.proposingSeconds(),
          evaluator.times,
          getPhaseSeconds(),
          evaluator.countThreads(trial),
          {},
          describeObjective(trial)};
}

SessionOutcome TuningSession::State::concludeInterrupted(
    std::span<const size_t> ranking) const {
  // The ranking still contains trials that have failed since.
  auto best = std::ranges::find_if(ranking, [&](size_t trial) {
    return ledger[trial].ok() && ledger.hasLed(trial);
  });
  if (best == ranking.end() || (ledger.getUsed(*best) == ledger.getUsed(0) &&
                                ledger[*best].measurement->ratio >= 1))
    return conclude(0, getNoChange(ledger[0], Verdict::interrupted));
  return conclude(*best, getComparison(ledger[*best], Verdict::interrupted));
}

/// Warns if the test had time for too few rounds to show anything.
bool TuningSession::State::warnOfFewRounds(const Comparison &comparison) {
  size_t least = session.opened.protocol.minRounds;
  if (comparison.rounds >= least)
    return false;
  session.log.warn("the test ran " + std::to_string(comparison.rounds) +
                   " rounds and needs at least " + std::to_string(least) +
                   ", so the default stays; increase '--budget-seconds'");
  session.isDoubtful = true;
  return true;
}

/// Chooses the best trial, or the best after some were run again.
Result<SessionOutcome> TuningSession::State::concludeByTrials() {
  size_t best = *ledger.bestTrial();
  std::optional<RunResult> repeated;
  if (session.numRepeated > 0) {
    auto chosen = finals.repeat();
    if (!chosen)
      return ledger.everyCandidateFailed(session.space, session.interrupted());
    best = chosen->first;
    repeated = std::move(chosen->second);
  } else if (session.numOverlapping > 1) {
    auto chosen = finals.chooseOverlapping();
    if (!chosen)
      return ledger.everyCandidateFailed(session.space, session.interrupted());
    best = *chosen;
  }
  Comparison comparison =
      getComparison(ledger[best], session.isStopped() ? Verdict::interrupted
                                                      : Verdict::no_baseline);
  if (repeated && repeated->measurement) {
    comparison.seconds = repeated->measurement->seconds;
    comparison.rounds = repeated->finalists.front().rounds;
  }
  return conclude(best, comparison);
}

/// Returns the outcome if there is nothing to compare, or nothing to compare it
/// with.
std::optional<Result<SessionOutcome>>
TuningSession::State::concludeWithoutTest() {
  if (!ledger.incumbent())
    return Result<SessionOutcome>(
        ledger.everyCandidateFailed(session.space, session.interrupted()));
  if (!session.isTested)
    return concludeByTrials();
  if (defaultFailed) {
    Comparison comparison = getComparison(
        ledger[ledger.lastLeader()],
        session.isStopped() ? Verdict::interrupted : Verdict::no_baseline);
    comparison.baselineSeconds = {};
    SessionOutcome found = conclude(ledger.lastLeader(), comparison);
    found.isConclusive &= isLasting(ledger.baseline().status);
    return found;
  }
  return std::nullopt;
}

/// Plays finals among the trials that may be the best. Returns trials in the
/// order in which they are to be tested.
Result<std::vector<size_t>> TuningSession::State::playFinals() {
  std::vector<size_t> ranking = ledger.rank();
  if (ranking.empty() && ledger.all().size() == 1 &&
      session.budget.trials > 1 && isBudgetSpent())
    session.log.warn("the budget's seconds do not suffice for a candidate and "
                     "the winner's test; increase them");
  enter(SessionPhase::finals);
  TONNO_TRY(finals.play(ranking));
  return ranking;
}

/// Records that a candidate that uses less than the baseline was not shown to
/// be within the limit on time.
void TuningSession::State::rejectForTime(size_t trial,
                                         const Comparison &comparison) {
  std::string values = session.space.values(ledger[trial].configuration).dump();
  char text[160];
  std::snprintf(text, sizeof text,
                "the test has not shown that it takes at most %.4g times as "
                "long as the default: %.4g [%.4g, %.4g]",
                ledger.objective.mostRatio(), 1 / comparison.speedup,
                1 / comparison.speedupInterval.high,
                1 / comparison.speedupInterval.low);
  ledger.fail(trial, {Status::pruned, text});
  session.log.warn("the candidate " + values + " uses the least, but " + text);
}

/// Tests against the baseline and verifies again, until a trial stands it: one
/// that fails now is no winner. Returns the verdict.
SessionOutcome
TuningSession::State::testInOrder(std::span<const size_t> ranking) {
  bool hasTested = false;
  enter(SessionPhase::test);
  for (size_t trial : ranking) {
    if (session.isStopped())
      return concludeInterrupted(ranking);
    if (hasTested && clock.isOverdrawn()) {
      session.log.warn("the budget's seconds were spent before a candidate "
                       "passed the test; the default stays");
      session.isDoubtful = true;
      break;
    }
    if (!ledger[trial].ok() || !evaluator.makeArtifact(trial))
      continue;
    hasTested = true;
    RunResult result = finals.test(trial);
    if (result.status == Status::ok) {
      if (warnOfFewRounds(*result.comparison))
        break;
      const Comparison &comparison = *result.comparison;
      if (isWin(comparison.verdict))
        return conclude(trial, comparison);
      if (ledger.getUsed(trial) == ledger.getUsed(0)) {
        SessionOutcome tie = conclude(0, comparison);
        tie.tied = ledger[trial].configuration;
        return tie;
      }
      rejectForTime(trial, comparison);
      continue;
    }
    if (session.interrupted())
      return concludeInterrupted(ranking);
    if (!isLasting(result.status))
      session.endEarly("the best candidate was not tested", result);
    // Failures from outside of the candidate leave it the best so far.
    if (result.status != Status::contended && result.status != Status::lost)
      evaluator.dismiss(trial, result);
  }
  if (session.isStopped())
    return concludeInterrupted(ranking);
  return conclude(0, getNoChange(ledger[0], Verdict::tie));
}
