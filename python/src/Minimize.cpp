//===- tonno.minimize -----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bindings.h"
#include "PythonSampler.h"
#include "Refusal.h"
#include "Space.h"
#include "Values.h"

#include "tonno/Engine/TuningSession.h"
#include "tonno/Search/SearchStrategy.h"
#include "tonno/Strategies/Strategies.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cmath>
#include <deque>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

/// Returns what an exception says of a candidate. Raises again what is no
/// `Exception`, such as KeyboardInterrupt.
static Failure getFailure(nb::python_error &error) {
  if (!error.matches(PyExc_Exception))
    throw;
  Status status = error.matches(PyExc_MemoryError)    ? Status::out_of_memory
                  : error.matches(PyExc_TimeoutError) ? Status::hang
                                                      : Status::fault;
  return {status, nb::cast<std::string>(error.type().attr("__name__")) + ": " +
                      nb::cast<std::string>(nb::str(error.value()))};
}

namespace {

/// Builds candidates and times them by calling Python. A binary is the text of
/// the configuration.
class PythonCandidates : public Compiler, public Runner {
public:
  PythonCandidates(const Space &space, nb::object function)
      : space(space), function(std::move(function)) {}

  /// Is called when the function gives seconds instead of a callable.
  std::function<void()> timesOnce = [] {};

  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &) override {
    return LocatedError{"opened already"};
  }
  Result<Problem, LocatedError> reference(ReferenceCpu) override {
    return LocatedError{"there is no reference"};
  }
  void submit(const Json &values) override { submitted.push_back(values); }
  Compilation next() override;

  Result<DeviceDescription> device() override { return DeviceDescription(); }
  Result<void> open(const RunnerSession &) override { return {}; }
  RunResult run(const RunRequest &request) override;

private:
  const nb::object &get(const Artifact &artifact) const {
    return built.at({artifact.binary.begin(), artifact.binary.end()});
  }
  void judge(const RunRequest &request, RunResult &result);
  void measure(const RunRequest &request, RunResult &result);

  const Space &space;
  nb::object function;
  std::deque<Json> submitted;
  std::map<std::string, nb::object> built; ///< by the text of the values
  ProtocolOptions protocol;
};

} // namespace

Compilation PythonCandidates::next() {
  Json values = std::move(submitted.front());
  submitted.pop_front();
  Compilation made;
  auto point = space.searchSpace().configuration(values);
  try {
    nb::object candidate = function(space.values(*point));
    std::string text = printed(values);
    if (!PyCallable_Check(candidate.ptr())) {
      double seconds = nb::cast<double>(nb::float_(candidate));
      timesOnce();
      if (!std::isfinite(seconds)) {
        made.status = Status::fault;
        made.message = "it took " +
                       std::string(nb::str(nb::float_(seconds)).c_str()) +
                       " seconds";
        return made;
      }
      if (seconds <= 0)
        throw Refusal("seconds are positive and finite, not " +
                      std::to_string(seconds));
    }
    built.insert_or_assign(text, std::move(candidate));
    made.artifact.emplace();
    made.artifact->binary.assign(text.begin(), text.end());
  } catch (nb::python_error &error) {
    Failure failure = getFailure(error);
    made.status = failure.status;
    made.message = failure.message;
  }
  return made;
}

static Distribution getSingle(double seconds) {
  return {1, seconds, seconds, seconds, seconds};
}

void PythonCandidates::measure(const RunRequest &request, RunResult &result) {
  const nb::object &candidate = get(request.candidate);
  const nb::object &baseline = get(request.baseline);
  if (PyCallable_Check(candidate.ptr()) != PyCallable_Check(baseline.ptr()))
    throw nb::type_error("the function gives seconds for some configurations, "
                         "and a callable for others");
  if (!PyCallable_Check(candidate.ptr())) {
    double seconds = nb::cast<double>(candidate);
    double ratio = seconds / nb::cast<double>(baseline);
    Measurement &measured = result.measurement.emplace();
    measured.seconds = getSingle(seconds);
    measured.baselineSeconds = getSingle(nb::cast<double>(baseline));
    measured.ratio = ratio;
    measured.ratioInterval = {ratio, ratio};
    return;
  }
  CallableSampler sampler({baseline, candidate});
  double first = *sampler.sample(firstCandidate);
  auto paired = measurePaired(sampler, protocol, request.incumbentHigh,
                              first >= protocol.longLaunchSeconds
                                  ? TrialLength::longLaunches
                                  : TrialLength::usual);
  result.status = paired->status;
  result.measurement = paired->measurement;
  if (result.status == Status::pruned)
    result.message = "clearly slower than the incumbent";
}

void PythonCandidates::judge(const RunRequest &request, RunResult &result) {
  ProtocolOptions options = protocol;
  switch (request.kind) {
  case RunRequest::Kind::measure:
    measure(request, result);
    return;
  case RunRequest::Kind::verify:
    return;
  case RunRequest::Kind::choose: {
    std::vector<nb::object> entrants = {get(request.baseline)};
    for (const Artifact &finalist : request.finalists)
      entrants.push_back(get(finalist));
    CallableSampler sampler(std::move(entrants));
    options.finalsSeconds = std::min(options.finalsSeconds, request.seconds);
    try {
      result.finalists = *chooseByHalving(sampler, request.finalists.size(),
                                          options, /*seed=*/0);
    } catch (nb::python_error &) {
      result.failedEntrant = sampler.running();
      throw;
    }
    return;
  }
  case RunRequest::Kind::compare:
    CallableSampler sampler({get(request.baseline), get(request.candidate)});
    options.testSeconds = std::min(options.testSeconds, request.seconds);
    result.comparison = *compareWithBaseline(sampler, options, /*seed=*/0);
  }
}

RunResult PythonCandidates::run(const RunRequest &request) {
  double begin = steadySeconds();
  RunResult result;
  try {
    judge(request, result);
  } catch (nb::python_error &error) {
    Failure failure = getFailure(error);
    result.status = failure.status;
    result.message = failure.message;
    result.measurement.reset();
  }
  result.seconds = steadySeconds() - begin;
  return result;
}

namespace {

/// Keeps the trials where the session has no outcome.
class Trials : public TrialLog {
public:
  void record(const Trial &trial, const Trial *) override {
    all.push_back(trial);
  }
  std::vector<Trial> all;
};

} // namespace

static nb::tuple toTuple(const Space &space, const Trial &trial) {
  nb::object seconds = nb::none();
  if (trial.measurement)
    seconds = nb::float_(trial.measurement->seconds.median);
  return nb::make_tuple(space.values(trial.configuration),
                        std::string(toString(trial.status)), seconds,
                        trial.ok() ? std::string() : trial.message);
}

/// Returns the trials, the index of the chosen one, and the comparison with the
/// default, None where there is none: verdict, speedup, its interval, rounds.
static nb::tuple minimize(const std::shared_ptr<const Space> &space,
                          nb::object function, const std::string &strategy,
                          uint64_t seed, const Points &start, uint64_t trials,
                          double seconds) {
  std::vector<StartingPoint> points;
  for (nb::handle values : start)
    points.push_back({space->legalPoint(values), ""});
  StartingPoints search(
      std::move(points),
      valueOf(createStrategy(strategy, space->legal(), seed)));
  PythonCandidates candidates(*space, std::move(function));
  Trials log;
  TuningSession session(space->searchSpace(), candidates, &candidates, search,
                        log, RunnerSession(), {trials, seconds},
                        /*compileAhead=*/1, [] {
                          if (PyErr_CheckSignals())
                            throw nb::python_error();
                          return false;
                        });
  bool isTested = true;
  candidates.timesOnce = [&] {
    isTested = false;
    session.decideByTrials();
  };
  auto outcome = session.run();
  nb::list told;
  for (const Trial &trial : outcome ? outcome->trials : log.all)
    told.append(toTuple(*space, trial));
  if (!outcome)
    return nb::make_tuple(told, nb::none(), nb::none());
  auto chosen = std::ranges::find(outcome->trials, outcome->chosen,
                                  &Trial::configuration);
  nb::object comparison = nb::none();
  const Comparison &found = outcome->comparison;
  if (isTested && found.verdict != Verdict::no_baseline)
    comparison = nb::make_tuple(std::string(toString(found.verdict)),
                                found.speedup, found.speedupInterval.low,
                                found.speedupInterval.high, found.rounds);
  return nb::make_tuple(told, chosen - outcome->trials.begin(), comparison);
}

void tonno::python::bindMinimize(nb::module_ &module) {
  module.def("minimize", &minimize);
}
