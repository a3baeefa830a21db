//===- tonno.frontends ----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bindings.h"
#include "PythonSampler.h"
#include "Refusal.h"
#include "Space.h"
#include "Values.h"

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
  /// `reporter` is called with the fields of each trial, unless it is None.
  PythonFrontend(const Space &space, nb::object frontend, nb::object reporter)
      : space(space), frontend(std::move(frontend)),
        reporter(std::move(reporter)) {}

  std::vector<Result<void, Failure>>
  build(std::span<const Configuration> configurations) override;
  TimingPolicy policy() const override;
  Result<std::unique_ptr<TrialSampler>, Failure>
  sampler(std::span<const Configuration> entrants) override;
  bool isStopped() const;
  /// Returns the KeyboardInterrupt that stopped the session, or None.
  nb::object getInterrupt() const { return interruption.get(); }
  /// Reports a trial to whoever follows the session.
  void report(const Trial &trial) const;

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
  nb::object frontend, reporter;
  mutable Interruption interruption;
};

/// A sampler that a context manager has given, which ends with it.
class ManagedSampler : public PythonSampler {
public:
  ManagedSampler(nb::object manager, nb::object sampler,
                 Interruption &interruption)
      : PythonSampler(std::move(sampler), &interruption),
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

std::vector<Result<void, Failure>>
PythonFrontend::build(std::span<const Configuration> configurations) {
  nb::gil_scoped_acquire locked;
  std::vector<Result<void, Failure>> results;
  nb::object failures;
  if (!callUninterrupted(
          [&] { failures = frontend.attr("build")(toPoints(configurations)); }))
    return {configurations.size(), Interruption::failure()};
  if (nb::isinstance<nb::sequence>(failures))
    for (nb::handle failure : failures)
      results.push_back(failure.is_none() ? Result<void, Failure>()
                                          : toFailure(failure));
  if (results.size() != configurations.size())
    throw Refusal("build returns None or a CandidateFailed for each of " +
                  std::to_string(configurations.size()) + " configurations");
  return results;
}

TimingPolicy PythonFrontend::policy() const {
  nb::gil_scoped_acquire locked;
  nb::object given;
  if (!callUninterrupted([&] { given = frontend.attr("policy")(); }))
    return {};
  std::pair<std::string, nb::dict> stated;
  if (!nb::try_cast(given, stated) ||
      (stated.first != "paired" && stated.first != "median"))
    throw Refusal("policy returns paired() or median(), not " +
                  nb::cast<std::string>(nb::repr(given)));
  const auto &[name, options] = stated;
  TimingPolicy policy;
  policy.isPaired = name == "paired";
  if (policy.isPaired) {
    policy.paired = toProtocolOptions(options);
    return policy;
  }
  policy.unpaired.shortWarmup = nb::cast<uint64_t>(options["short_warmup"]);
  policy.unpaired.warmup = nb::cast<uint64_t>(options["warmup"]);
  policy.unpaired.samples = nb::cast<uint64_t>(options["samples"]);
  policy.unpaired.pruneFactor = nb::cast<double>(options["prune_factor"]);
  return policy;
}

Result<std::unique_ptr<TrialSampler>, Failure>
PythonFrontend::sampler(std::span<const Configuration> entrants) {
  return callPython(
      [&]() -> std::unique_ptr<TrialSampler> {
        nb::object manager = frontend.attr("sampler")(toPoints(entrants));
        nb::object entered = manager.attr("__enter__")();
        return std::make_unique<ManagedSampler>(
            std::move(manager), std::move(entered), interruption);
      },
      &interruption);
}

static nb::tuple toTuple(const Space &space, const Trial &trial) {
  return nb::make_tuple(
      space.values(trial.configuration), std::string(toString(trial.status)),
      trial.measurement ? std::optional(trial.measurement->seconds.median)
                        : std::nullopt,
      trial.ok() ? std::string() : trial.message);
}

void PythonFrontend::report(const Trial &trial) const {
  nb::gil_scoped_acquire locked;
  if (!reporter.is_none())
    callUninterrupted([&] { reporter(*toTuple(space, trial)); });
}

/// Returns the comparison with the default: verdict, speedup, the ends of its
/// interval, what is shown of it, rounds.
static nb::object toObject(const Comparison &found) {
  return nb::make_tuple(std::string(toString(found.verdict)), found.speedup,
                        found.speedupInterval.low, found.speedupInterval.high,
                        found.shownSpeedup.value_or(found.speedup),
                        found.rounds);
}

/// Returns the trials, the index of the chosen one, the comparison, why the
/// search ended, the warnings, why none was chosen, and the KeyboardInterrupt
/// that stopped the session. Index, comparison and end are None if none was
/// chosen.
static nb::tuple tuneObject(const std::shared_ptr<const Space> &space,
                            nb::object object, const std::string &strategy,
                            uint64_t seed, const Points &start, uint64_t trials,
                            double seconds, size_t batch, nb::object reporter) {
  std::vector<Configuration> points = space->legalPoints(start);
  PythonFrontend frontend(*space, std::move(object), std::move(reporter));
  Trials log(frontend);
  std::optional<Result<SessionOutcome>> outcome;
  {
    nb::gil_scoped_release unlocked;
    StartingPoints search(
        std::move(points),
        valueOf(createStrategy(strategy, space->legal(), seed)));
    outcome = tuneFrontend(frontend, {space->searchSpace(),
                                      search,
                                      log,
                                      {trials, seconds},
                                      seed,
                                      batch,
                                      [&] { return frontend.isStopped(); }});
  }
  // A trial that an interrupt has ended is not recorded.
  std::span<const Trial> ended = *outcome ? (*outcome)->trials : log.all;
  nb::list told;
  for (const Trial &trial : ended.first(log.all.size()))
    told.append(toTuple(*space, trial));
  if (!*outcome)
    return nb::make_tuple(told, nb::none(), nb::none(), nb::none(),
                          log.warnings, outcome->error().message,
                          frontend.getInterrupt());
  auto chosen = std::ranges::find((*outcome)->trials, (*outcome)->chosen,
                                  &Trial::configuration);
  return nb::make_tuple(told, chosen - (*outcome)->trials.begin(),
                        toObject((*outcome)->comparison),
                        std::string(toString((*outcome)->searchEnd)),
                        log.warnings, "", frontend.getInterrupt());
}

void tonno::python::bindEngine(nb::module_ &module) {
  module.attr("PRUNE_FACTOR") = UnpairedOptions().pruneFactor;
  module.def(
      "tune", &tuneObject, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
      nb::sig("def tune(space: Space, frontend: typing.Any, strategy: str, "
              "seed: int, start: list[dict[str, typing.Any]], trials: int, "
              "seconds: float, batch: int, reporter: typing.Any, /) -> tuple["
              "list[tuple[dict[str, typing.Any], str, float | None, str]], "
              "int | None, tuple[str, float, float, float, float, int] | None, "
              "str | None, list[str], str, typing.Any]"));
}
