//===- tonno._core.RecordedSpace ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bindings.h"
#include "Refusal.h"
#include "Space.h"

#include "tonno/Search/Replay.h"
#include "tonno/Session/RecordedJournal.h"
#include "tonno/Strategies/Strategies.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

namespace {

/// A recording with its points as a space.
struct RecordedSpace {
  explicit RecordedSpace(Recording read)
      : recording(std::move(read)),
        space(std::make_shared<Space>(recording.space(), recording.points())) {}

  Recording recording;
  std::shared_ptr<Space> space;
};

/// Index of the trial, best seconds so far, recorded seconds spent so far.
using Step = std::tuple<size_t, double, double>;

} // namespace

static std::vector<std::shared_ptr<RecordedSpace>>
readAll(const std::string &path) {
  std::vector<std::shared_ptr<RecordedSpace>> spaces;
  for (Recording &each : valueOrThrow(readRecordings(path)))
    spaces.push_back(std::make_shared<RecordedSpace>(std::move(each)));
  return spaces;
}

template <auto get> static auto ask(const RecordedSpace &recorded) {
  return (recorded.recording.*get)();
}

static nb::list recordedTrials(const RecordedSpace &recorded) {
  nb::list list;
  for (const RecordedTrial &trial : recorded.recording.trials())
    list.append(
        nb::make_tuple(recorded.space->values(trial.configuration),
                       std::string(toString(trial.status)),
                       trial.ok() ? std::optional(trial.seconds) : std::nullopt,
                       trial.cost.compile, trial.cost.run, trial.cost.other));
  return list;
}

static std::optional<size_t> find(const RecordedSpace &recorded,
                                  nb::handle values) {
  return recorded.recording.find(recorded.space->point(values));
}

static std::tuple<std::vector<Step>, double, bool>
replayOn(const RecordedSpace &recorded, const std::string &name, uint64_t seed,
         size_t trials, double seconds, size_t pending, double noise) {
  ReplayGridOptions options;
  options.replay.trials = trials;
  options.replay.seconds = seconds;
  options.replay.pending = pending;
  options.replay.noise = noise;
  options.replay.seed = ~seed; // as the grid does
  check(checkReplayOptions(options));
  auto strategy =
      valueOrThrow(createStrategy(name, recorded.space->legal(), seed));
  ReplayRun run =
      valueOrThrow(replay(recorded.recording, *strategy, options.replay));
  std::vector<Step> steps;
  for (const ReplayStep &step : run.steps)
    steps.emplace_back(step.trial, step.best, step.spent);
  return {std::move(steps), run.proposingSeconds, run.hasEnded};
}

void tonno::python::bindRecordings(nb::module_ &module) {
  nb::class_<RecordedSpace>(module, "RecordedSpace")
      .def("name", &ask<&Recording::name>)
      .def("space", [](const RecordedSpace &it) { return it.space; })
      .def("trials", &recordedTrials,
           nb::sig("def trials(self) -> list[tuple[dict[str, typing.Any], str, "
                   "float | None, float, float, float]]"))
      .def("find", &find)
      .def("size",
           [](const RecordedSpace &it) { return it.recording.trials().size(); })
      .def("best_seconds", &ask<&Recording::bestSeconds>)
      .def("ok_count", &ask<&Recording::okCount>)
      .def("excluded", &ask<&Recording::excluded>)
      .def("disturbed", &ask<&Recording::disturbed>)
      .def("notes", &ask<&Recording::notes>)
      .def("replay", &replayOn, Unlocked());
  module.def("read_recordings", &readAll, Unlocked(),
             nb::sig("def read_recordings(path: str, /) -> "
                     "list[RecordedSpace]"));
}
