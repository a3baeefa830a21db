//===- tonno.protocol -----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bindings.h"
#include "PythonSampler.h"
#include "Values.h"

#include "tonno/Core/Json.h"
#include "tonno/Timing/Finals.h"
#include "tonno/Timing/Protocol.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

ProtocolOptions tonno::python::toProtocolOptions(nb::handle changes) {
  Json options = ProtocolOptions();
  Json given = toJson(changes);
  for (const auto &[name, value] : given.items())
    if (!options.contains(name))
      throw Refusal("the protocol has no option '" + name + "'");
  options.update(given);
  return valueOrThrow(decode<ProtocolOptions>(options));
}

/// A sampler that tells of a failed candidate raises it.
template <typename T> static T valueOrThrow(Result<T, Failure> result) {
  if (!result)
    throw Refusal(result.error().message);
  return *std::move(result);
}

static std::tuple<bool, double, double, double> measure(nb::object sampler,
                                                        double incumbentHigh,
                                                        bool isLong,
                                                        nb::handle changes) {
  PythonSampler samples(std::move(sampler));
  PairedMeasurement measured = ::valueOrThrow(
      measurePaired(samples, toProtocolOptions(changes), incumbentHigh,
                    isLong ? TrialLength::longLaunches : TrialLength::usual));
  const Measurement &found = measured.measurement;
  return {measured.status == Status::pruned, found.ratio,
          found.ratioInterval.low, found.ratioInterval.high};
}

static bool leads(double low, double high, double incumbentHigh,
                  nb::handle changes) {
  Measurement measured;
  measured.ratioInterval = {low, high};
  return becomesIncumbent(measured, incumbentHigh, toProtocolOptions(changes));
}

static std::vector<std::tuple<size_t, double, size_t>>
choose(nb::object sampler, size_t candidates, uint64_t seed,
       nb::handle changes) {
  PythonSampler samples(std::move(sampler));
  std::vector<std::tuple<size_t, double, size_t>> ranking;
  for (const Finalist &each : ::valueOrThrow(chooseByHalving(
           samples, candidates, toProtocolOptions(changes), seed)))
    ranking.emplace_back(each.candidate, each.behind, each.rounds);
  return ranking;
}

static std::tuple<std::string, double, double, double, double, size_t>
compare(nb::object sampler, uint64_t seed, nb::handle changes) {
  PythonSampler samples(std::move(sampler));
  Comparison found = ::valueOrThrow(
      compareWithBaseline(samples, toProtocolOptions(changes), seed));
  return {std::string(toString(found.verdict)),
          found.speedup,
          found.speedupInterval.low,
          found.speedupInterval.high,
          *found.shownSpeedup,
          found.rounds};
}

void tonno::python::bindTiming(nb::module_ &module) {
  module.def(
      "protocol_options", [] { return toPython(ProtocolOptions()); },
      nb::sig("def protocol_options() -> dict[str, typing.Any]"));
  module.def("measure_paired", &measure);
  module.def("takes_lead", &leads);
  module.def("choose_by_halving", &choose);
  module.def("compare_with_baseline", &compare);
}
