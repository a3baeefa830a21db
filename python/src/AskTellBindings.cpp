//===- tonno._core.AskTell ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Strategies/Strategies.h"
#include "AskTell.h"
#include "Proposals.h"
#include "Refusal.h"
#include "Values.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

static bool isTimed(Status status) {
  return status == Status::ok || status == Status::pruned;
}

/// Those that a trial can be told with: sessions alone hold candidates back.
static std::vector<std::string> statusNames() {
  std::vector<std::string> names;
  for (int each = 0; each <= static_cast<int>(Status::lost); ++each)
    if (auto status = static_cast<Status>(each); !isHeldBack(status))
      names.emplace_back(toString(status));
  return names;
}

static Status parseStatusOrThrow(const std::string &name) {
  if (auto status = parseStatus(name); status && !isHeldBack(*status))
    return *status;
  std::string known;
  for (const std::string &each : statusNames())
    known += (known.empty() ? "" : ", ") + each;
  throw Refusal("unknown status '" + name + "'; the statuses are: " + known);
}

static ToldTrial makeToldTrial(Configuration point,
                               std::optional<double> seconds,
                               const std::string &status,
                               const std::string &message) {
  ToldTrial trial = {std::move(point), parseStatusOrThrow(status), 0, message};
  if (isTimed(trial.status) != seconds.has_value())
    throw Refusal("a trial that is '" + status +
                  (seconds ? "' has no seconds" : "' needs seconds"));
  if (seconds && !(std::isfinite(*seconds) && *seconds > 0))
    throw Refusal("seconds must be positive and finite, not " +
                  std::to_string(*seconds));
  trial.seconds = seconds.value_or(0);
  return trial;
}

static nb::tuple toTrialTuple(const AskTell &search, const ToldTrial &trial) {
  return nb::make_tuple(search.space().values(trial.configuration),
                        std::string(toString(trial.status)),
                        isTimed(trial.status) ? std::optional(trial.seconds)
                                              : std::nullopt,
                        trial.message);
}

static AskTell *create(const std::shared_ptr<const Space> &space,
                       const std::string &strategy, uint64_t seed,
                       const Points &start, bool hasProposer) {
  std::vector<Configuration> points = space->legalPoints(start);
  return unlocked([&] {
    return new AskTell(space, strategy, seed, std::move(points), hasProposer);
  });
}

static Points ask(AskTell &search, size_t count, const nb::object &proposer) {
  auto propose = [&](std::span<const Trial> trials) {
    return callProposer(search.space(), proposer, trials, Objective::time);
  };
  return search.space().values(
      unlocked([&] { return search.ask(count, propose); }));
}

static void tell(AskTell &search, nb::handle values,
                 std::optional<double> seconds, const std::string &status,
                 const std::string &message) {
  ToldTrial trial = makeToldTrial(search.space().legalPoint(values), seconds,
                                  status, message);
  unlocked([&] { search.tell(trial); });
}

static std::string explain(const AskTell &search, nb::handle values) {
  Configuration point = search.space().point(values);
  return unlocked([&] { return search.explain(point); });
}

static nb::list toldTrials(const AskTell &search) {
  nb::list list;
  for (const ToldTrial &trial : unlocked([&] { return search.trials(); }))
    list.append(toTrialTuple(search, trial));
  return list;
}

static Points pending(const AskTell &search) {
  return search.space().values(unlocked([&] { return search.pending(); }));
}

void tonno::python::bindAskTell(nb::module_ &module) {
  module.def("strategies", [] {
    auto names = strategyNames();
    return std::vector<std::string>(names.begin(), names.end());
  });
  module.def("statuses", &statusNames);
  nb::class_<AskTell>(module, "AskTell")
      .def(nb::new_(&create))
      .def("ask", &ask, nb::arg(), nb::arg().none())
      .def("tell", &tell, nb::arg(), nb::arg().none(), nb::arg(), nb::arg())
      .def("explain", &explain)
      .def("pending", &pending)
      .def("trials", &toldTrials,
           nb::sig("def trials(self) -> list[tuple[dict[str, typing.Any], str, "
                   "float | None, str]]"))
      .def("is_done", &AskTell::isDone, Unlocked());
}
