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
  PythonFrontend(const Space &space, nb::object frontend)
      : space(space), frontend(std::move(frontend)) {}

  std::vector<Result<void, Failure>>
  build(std::span<const Configuration> configurations) override;
  TimingPolicy policy() const override;
  Result<std::unique_ptr<TrialSampler>, Failure>
  sampler(std::span<const Configuration> entrants) override;
  bool isStopped() const {
    nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals())
      throw nb::python_error();
    return nb::cast<bool>(frontend.attr("is_stopped")());
  }

private:
  Points toPoints(std::span<const Configuration> configurations) const {
    return space.values({configurations.begin(), configurations.end()});
  }

  const Space &space;
  nb::object frontend;
};

/// A sampler that a context manager has given, which ends with it.
class ManagedSampler : public PythonSampler {
public:
  ManagedSampler(nb::object manager, nb::object sampler)
      : PythonSampler(std::move(sampler)), manager(std::move(manager)) {}
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
  void record(const Trial &trial, const Trial *) override {
    all.push_back(trial);
  }
  void warn(const std::string &message) override {
    warnings.push_back(message);
  }
  std::vector<Trial> all;
  std::vector<std::string> warnings;
};

} // namespace

std::vector<Result<void, Failure>>
PythonFrontend::build(std::span<const Configuration> configurations) {
  nb::gil_scoped_acquire locked;
  std::vector<Result<void, Failure>> results;
  nb::object failures = frontend.attr("build")(toPoints(configurations));
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
  nb::object given = frontend.attr("policy")();
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
  return callPython([&]() -> std::unique_ptr<TrialSampler> {
    nb::object manager = frontend.attr("sampler")(toPoints(entrants));
    nb::object entered = manager.attr("__enter__")();
    return std::make_unique<ManagedSampler>(std::move(manager),
                                            std::move(entered));
  });
}

static nb::tuple toTuple(const Space &space, const Trial &trial) {
  return nb::make_tuple(
      space.values(trial.configuration), std::string(toString(trial.status)),
      trial.measurement ? std::optional(trial.measurement->seconds.median)
                        : std::nullopt,
      trial.ok() ? std::string() : trial.message);
}

/// Returns the comparison with the default: verdict, speedup, the ends of its
/// interval, what is shown of it, rounds.
static nb::object toObject(const Comparison &found) {
  return nb::make_tuple(std::string(toString(found.verdict)), found.speedup,
                        found.speedupInterval.low, found.speedupInterval.high,
                        found.shownSpeedup.value_or(found.speedup),
                        found.rounds);
}

/// Returns the trials, the index of the chosen one, the comparison, the
/// warnings, and, where none was chosen, why. Index and comparison are None
/// then.
static nb::tuple tuneObject(const std::shared_ptr<const Space> &space,
                            nb::object object, const std::string &strategy,
                            uint64_t seed, const Points &start, uint64_t trials,
                            double seconds, size_t batch) {
  std::vector<Configuration> points = space->legalPoints(start);
  PythonFrontend frontend(*space, std::move(object));
  Trials log;
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
  nb::list told;
  for (const Trial &trial : *outcome ? (*outcome)->trials : log.all)
    told.append(toTuple(*space, trial));
  if (!*outcome)
    return nb::make_tuple(told, nb::none(), nb::none(), log.warnings,
                          outcome->error().message);
  auto chosen = std::ranges::find((*outcome)->trials, (*outcome)->chosen,
                                  &Trial::configuration);
  return nb::make_tuple(told, chosen - (*outcome)->trials.begin(),
                        toObject((*outcome)->comparison), log.warnings, "");
}

void tonno::python::bindEngine(nb::module_ &module) {
  module.attr("PRUNE_FACTOR") = UnpairedOptions().pruneFactor;
  module.def(
      "tune", &tuneObject,
      nb::sig("def tune(space: Space, frontend: typing.Any, strategy: str, "
              "seed: int, start: list[dict[str, typing.Any]], trials: int, "
              "seconds: float, batch: int, /) -> tuple["
              "list[tuple[dict[str, typing.Any], str, float | None, str]], "
              "int | None, tuple[str, float, float, float, float, int] | None, "
              "list[str], str]"));
}
