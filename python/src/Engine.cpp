//===- tonno.frontends ----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bindings.h"
#include "Locks.h"
#include "Proposals.h"
#include "PythonSampler.h"
#include "Refusal.h"
#include "Space.h"
#include "Values.h"

#include "tonno/Core/Version.h"
#include "tonno/Search/ProposerSearch.h"
#include "tonno/Search/ValueScale.h"
#include "tonno/Session/JournaledTrialLog.h"
#include "tonno/Strategies/Strategies.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

namespace {

/// Calls a `tonno.frontends.Frontend`.
class PythonFrontend : public Frontend {
public:
  /// `reporter` is called with the fields of each trial, unless it is None;
  /// what it returns is true if the search is to end.
  PythonFrontend(const Space &space, nb::object frontend, Objective objective,
                 nb::object reporter)
      : space(space), frontend(std::move(frontend)), objective(objective),
        reporter(std::move(reporter)) {}

  std::vector<Result<std::string, Failure>>
  build(std::span<const Configuration> configurations) override;
  TimingPolicy policy() const override;
  Result<std::unique_ptr<TrialSampler>, Failure>
  sampler(std::span<const Configuration> entrants) override;
  void release(const Configuration &configuration) override;
  bool isStopped() const;
  /// Returns true if the reporter has asked for the end of the search.
  bool hasEnough() const { return isEnough; }
  /// Returns the KeyboardInterrupt that stopped the session, or None.
  nb::object getInterrupt() const { return interruption.get(); }
  /// Reports a trial to whoever follows the session.
  void report(const Trial &trial) const;
  /// Returns the text that a journal keeps of a trial.
  std::string describe(const Configuration &configuration) const {
    nb::gil_scoped_acquire locked;
    return nb::cast<std::string>(
        frontend.attr("describe")(space.values(configuration)));
  }
  void resume(const JournaledSession &session) const;
  /// Returns what a proposer answers; nothing if it is interrupted.
  std::vector<Configuration> propose(const nb::object &proposer,
                                     std::span<const Trial> trials) const;

private:
  /// Calls Python. Returns false if a KeyboardInterrupt was raised or kept
  /// before.
  template <typename Call> bool callUninterrupted(Call &&call) const {
    if (interruption.isSet())
      return false;
    try {
      call();
      return true;
    } catch (nb::python_error &error) {
      if (!interruption.keep(error))
        throw;
      return false;
    }
  }
  Points toPoints(std::span<const Configuration> configurations) const {
    return space.values({configurations.begin(), configurations.end()});
  }

  const Space &space;
  nb::object frontend;
  Objective objective;
  nb::object reporter;
  mutable Interruption interruption;
  mutable bool isEnough = false;
};

/// A sampler that a context manager has given, which ends with it.
class ManagedSampler : public PythonSampler {
public:
  ManagedSampler(nb::object manager, nb::object sampler,
                 Interruption &interruption, Objective objective)
      : PythonSampler(std::move(sampler), &interruption, objective),
        manager(std::move(manager)) {}
  ~ManagedSampler() override {
    nb::gil_scoped_acquire locked;
    try {
      manager.attr("__exit__")(nb::none(), nb::none(), nb::none());
    } catch (nb::python_error &error) {
      // Raised again where the session asks whether it is interrupted.
      if (error.matches(PyExc_KeyboardInterrupt))
        PyErr_SetInterrupt();
      else
        error.discard_as_unraisable("tonno.frontends.Frontend.sampler");
    }
    manager.reset();
  }

private:
  nb::object manager;
};

/// Keeps the trials where the session has no outcome, and the warnings.
class Trials : public TrialLog {
public:
  explicit Trials(const PythonFrontend &frontend) : frontend(frontend) {}
  void record(const Trial &trial, const Trial *) override {
    all.push_back(trial);
    frontend.report(trial);
  }
  void warn(const std::string &message) override {
    warnings.push_back(message);
  }
  std::vector<Trial> all;
  std::vector<std::string> warnings;

private:
  const PythonFrontend &frontend;
};

/// A file and the session in it that is kept or resumed.
struct JournalLocation {
  std::string file, session;
  Json about; ///< for readers
  bool isRequired = false;
};

/// The journal of a `tonno.frontends.Resumable`.
class FrontendJournal : public JournaledTrialLog {
public:
  FrontendJournal(Journal &journal, const std::string &session,
                  const SearchSpace &space, TrialLog &observer,
                  const PythonFrontend &frontend)
      : JournaledTrialLog(journal, session, space, observer,
                          {/*failures=*/false,
                           /*baseline=*/frontend.policy().isPaired}),
        frontend(frontend) {}

protected:
  std::optional<Json> describe(const Trial &trial) override {
    return Json(frontend.describe(trial.configuration));
  }

private:
  const PythonFrontend &frontend;
};

} // namespace

bool PythonFrontend::isStopped() const {
  nb::gil_scoped_acquire locked;
  bool isStopped = false;
  bool isDone = callUninterrupted([&] {
    if (PyErr_CheckSignals())
      throw nb::python_error();
    isStopped = nb::cast<bool>(frontend.attr("is_stopped")());
  });
  return !isDone || isStopped;
}

/// Returns the text of a program, empty if it is None, or why there is none.
static Result<std::string, Failure> toProgram(nb::handle built) {
  if (built.is_none())
    return std::string();
  if (nb::isinstance<nb::str>(built))
    return nb::cast<std::string>(built);
  return toFailure(built);
}

std::vector<Result<std::string, Failure>>
PythonFrontend::build(std::span<const Configuration> configurations) {
  nb::gil_scoped_acquire locked;
  std::vector<Result<std::string, Failure>> results;
  nb::object answers;
  if (!callUninterrupted(
          [&] { answers = frontend.attr("build")(toPoints(configurations)); }))
    return {configurations.size(), Interruption::failure()};
  if (nb::isinstance<nb::sequence>(answers))
    for (nb::handle built : answers)
      results.push_back(toProgram(built));
  if (results.size() != configurations.size())
    throw Refusal(
        "build must return None, text or a CandidateFailed for each of " +
        std::to_string(configurations.size()) + " configurations");
  return results;
}

TimingPolicy PythonFrontend::policy() const {
  nb::gil_scoped_acquire locked;
  nb::object given;
  if (!callUninterrupted([&] { given = frontend.attr("policy")(); }))
    return {};
  std::pair<std::string, nb::dict> stated;
  static constexpr std::string_view names[] = {"paired", "median", "repeated"};
  if (!nb::try_cast(given, stated) ||
      std::ranges::find(names, stated.first) == std::end(names))
    throw Refusal("policy must return paired(), median() or repeated(), not " +
                  nb::cast<std::string>(nb::repr(given)));
  const auto &[name, options] = stated;
  if (objective == Objective::value && name != "repeated")
    throw Refusal("values need the policy repeated(), not " + name + "()");
  TimingPolicy policy;
  policy.isPaired = name == "paired";
  if (policy.isPaired) {
    policy.paired = toProtocolOptions(options);
    return policy;
  }
  if (name == "repeated") {
    policy.repeated.emplace().calls = nb::cast<uint64_t>(options["calls"]);
    return policy;
  }
  policy.unpaired.shortWarmup = nb::cast<uint64_t>(options["short_warmup"]);
  policy.unpaired.warmup = nb::cast<uint64_t>(options["warmup"]);
  policy.unpaired.samples = nb::cast<uint64_t>(options["samples"]);
  policy.unpaired.pruneFactor = nb::cast<double>(options["prune_factor"]);
  if (auto finalists = nb::cast<size_t>(options["finalists"]); finalists > 1)
    policy.unpairedFinals.emplace().maxCandidates = finalists;
  return policy;
}

Result<std::unique_ptr<TrialSampler>, Failure>
PythonFrontend::sampler(std::span<const Configuration> entrants) {
  return callPython(
      [&]() -> std::unique_ptr<TrialSampler> {
        nb::object manager = frontend.attr("sampler")(toPoints(entrants));
        nb::object entered = manager.attr("__enter__")();
        return std::make_unique<ManagedSampler>(
            std::move(manager), std::move(entered), interruption, objective);
      },
      &interruption);
}

void PythonFrontend::release(const Configuration &configuration) {
  nb::gil_scoped_acquire locked;
  if (nb::hasattr(frontend, "release"))
    callUninterrupted(
        [&] { frontend.attr("release")(space.values(configuration)); });
}

/// Gives the frontend the trials of a session that was cut short.
void PythonFrontend::resume(const JournaledSession &session) const {
  nb::gil_scoped_acquire locked;
  nb::list trials;
  for (const JournaledTrial &trial : session.trials) {
    auto point = space.searchSpace().configuration(trial.record.values);
    const std::optional<Json> &details = trial.details;
    if (point && details && details->is_string())
      trials.append(nb::make_tuple(space.values(*point),
                                   std::string(toString(trial.record.status)),
                                   details->get<std::string>(), trial.seconds));
  }
  frontend.attr("resume")(trials);
}

/// Opens a session's journal and gives the frontend its past, or begins the
/// session. Returns null, with a warning, if none can be kept.
static std::unique_ptr<Journal> openJournal(const JournalLocation &place,
                                            const PythonFrontend &frontend,
                                            TrialLog &log) {
  auto warn = [&](const std::string &message) { log.warn(message); };
  auto refuse = [&](const Error &why) {
    if (place.isRequired)
      throw Refusal(why);
    warn(why.message + "; this session cannot be resumed");
    return nullptr;
  };
  auto journal = Journal::open(place.file, warn);
  if (!journal)
    return refuse(journal.error());
  if (const JournaledSession *past = (*journal)->find(place.session)) {
    frontend.resume(*past);
    return *std::move(journal);
  }
  auto begun = (*journal)->clear();
  if (begun)
    begun = (*journal)->begin(place.session, place.about);
  if (begun)
    return *std::move(journal);
  return refuse(begun.error());
}

/// Notes the end of a session, for readers: it is resumed as before.
static void endJournal(Journal &journal, const JournalLocation &place,
                       const SessionOutcome &found, DecisionRecord decision,
                       TrialLog &log) {
  decision.kernel = place.about.value("kernel", "");
  decision.artifactHash = found.artifactHash;
  decision.comparison = found.comparison;
  // Launches follow each other, and nothing empties caches between them.
  decision.comparison.cacheState = CacheState::warm;
  decision.trials = found.trials.size();
  decision.versions = std::string(tonno::version());
  Json about = {{"search_end", std::string(toString(found.searchEnd))},
                {"session_seconds", found.seconds},
                {"proposing_seconds", found.proposingSeconds}};
  if (auto ended = journal.end(place.session, place.session, decision, about);
      !ended)
    log.warn(ended.error().message);
}

void PythonFrontend::report(const Trial &trial) const {
  nb::gil_scoped_acquire locked;
  if (!reporter.is_none())
    callUninterrupted([&] {
      nb::object answer = reporter(*toTuple(space, trial, objective));
      isEnough |= PyObject_IsTrue(answer.ptr()) > 0;
    });
}

std::vector<Configuration>
PythonFrontend::propose(const nb::object &proposer,
                        std::span<const Trial> trials) const {
  nb::gil_scoped_acquire locked;
  std::vector<Configuration> proposed;
  callUninterrupted(
      [&] { proposed = callProposer(space, proposer, trials, objective); });
  return proposed;
}

/// Returns the comparison with the default: verdict, speedup, the ends of its
/// interval, what is shown of it, rounds, and the seconds or the value of the
/// chosen one.
static nb::object toObject(const Comparison &found) {
  bool isTested =
      found.verdict == Verdict::faster || found.verdict == Verdict::tie;
  return nb::make_tuple(
      std::string(toString(found.verdict)), found.speedup,
      found.speedupInterval.low, found.speedupInterval.high,
      found.shownSpeedup.value_or(found.speedup), found.rounds,
      isTested ? found.chosenSeconds() : found.seconds.median);
}

/// Returns the trials, the index of the chosen one, the comparison, why the
/// search ended, the warnings, why none was chosen, and the KeyboardInterrupt
/// that stopped the session. Index, comparison and end are None if none was
/// chosen.
static nb::tuple tuneObject(
    const std::shared_ptr<const Space> &space, nb::object object,
    const std::string &strategy, uint64_t seed, const Points &start,
    uint64_t trials, double seconds, size_t batch,
    const std::string &objectiveName, nb::object reporter, nb::object lock,
    std::optional<std::tuple<std::string, std::string, nb::dict, bool>> kept,
    const nb::object &proposer) {
  std::vector<Configuration> points = space->legalPoints(start);
  auto objective = parseObjective(objectiveName);
  if (!objective)
    throw Refusal("unknown objective '" + objectiveName +
                  "'; the objectives are: time, value");
  PythonFrontend frontend(*space, std::move(object), *objective,
                          std::move(reporter));
  Trials log(frontend);
  std::optional<JournalLocation> place;
  if (kept) {
    auto &[file, session, about, isRequired] = *kept;
    place = JournalLocation{file, session, toJson(about), isRequired};
    place->about["space"] = space->searchSpace();
    place->about["strategy"] = strategy;
    place->about["seed"] = seed;
  }
  std::optional<Result<SessionOutcome>> outcome;
  std::optional<FrontendLock> samplingLock = toLock(lock);
  {
    nb::gil_scoped_release unlocked;
    auto journal = place ? openJournal(*place, frontend, log) : nullptr;
    std::optional<FrontendJournal> journaled;
    TrialLogs logs;
    if (journal)
      logs.add(journaled.emplace(*journal, place->session, space->searchSpace(),
                                 log, frontend));
    logs.add(log);
    auto created = valueOrThrow(createStrategy(strategy, space->legal(), seed));
    if (*objective == Objective::value)
      created = std::make_unique<ValueScale>(std::move(created));
    if (!proposer.is_none())
      created = std::make_unique<ProposerSearch>(
          [&](std::span<const Trial> ended) {
            return frontend.propose(proposer, ended);
          },
          std::move(created), seed);
    StartingPoints search(std::move(points), std::move(created));
    outcome = tuneFrontend(frontend, {space->searchSpace(),
                                      search,
                                      logs,
                                      {trials, seconds},
                                      seed,
                                      batch,
                                      *objective,
                                      [&] { return frontend.isStopped(); },
                                      [&] { return frontend.hasEnough(); },
                                      samplingLock});
    // A decision's times are not negative, as values may be.
    if (journal && *outcome && (*outcome)->isConclusive &&
        *objective == Objective::time) {
      DecisionRecord decision;
      decision.values = space->searchSpace().values((*outcome)->chosen);
      if ((*outcome)->tied)
        decision.tied = space->searchSpace().values(*(*outcome)->tied);
      decision.seed = seed;
      decision.strategy = strategy;
      endJournal(*journal, *place, **outcome, std::move(decision), log);
    }
  }
  // A trial that an interrupt has ended is not recorded.
  std::span<const Trial> ended = *outcome ? (*outcome)->trials : log.all;
  nb::list told;
  for (const Trial &trial : ended.first(log.all.size()))
    told.append(toTuple(*space, trial, *objective));
  if (!*outcome)
    return nb::make_tuple(told, nb::none(), nb::none(), nb::none(),
                          log.warnings, outcome->error().message,
                          frontend.getInterrupt());
  nb::object interrupt = frontend.getInterrupt();
  SearchEnd end =
      interrupt.is_none() ? (*outcome)->searchEnd : SearchEnd::interrupted;
  auto chosen = std::ranges::find((*outcome)->trials, (*outcome)->chosen,
                                  &Trial::configuration);
  return nb::make_tuple(told, chosen - (*outcome)->trials.begin(),
                        toObject((*outcome)->comparison),
                        std::string(toString(end)), log.warnings, "",
                        interrupt);
}

void tonno::python::bindEngine(nb::module_ &module) {
  module.attr("REPEATED_CALLS") = RepeatOptions().calls;
  module.attr("PRUNE_FACTOR") = UnpairedOptions().pruneFactor;
  module.attr("FINALISTS") = UnpairedFinalsOptions().maxCandidates;
  module.def(
      "tune", &tuneObject, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
      nb::arg().none(), nb::arg().none(), nb::arg().none(),
      nb::sig(
          "def tune(space: Space, frontend: typing.Any, strategy: str, "
          "seed: int, start: list[dict[str, typing.Any]], trials: int, "
          "seconds: float, batch: int, objective: str, reporter: "
          "typing.Any, lock: typing.Any, journal: tuple[str, str, "
          "dict[str, typing.Any], bool] | None, proposer: typing.Any, /) -> "
          "tuple[list[tuple["
          "dict[str, typing.Any], str, "
          "float | None, str, float | None]], int | None, "
          "tuple[str, float, float, float, float, int, float] | None, "
          "str | None, list[str], str, typing.Any]"));
}
