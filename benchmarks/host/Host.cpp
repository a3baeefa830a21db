//===- Tuned kernels compared with libraries on the host ------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares shared objects as a specification (Specification.h) says and prints
// JSON; run.py writes specifications and makes tables of what this prints.
//
//   tonno-benchmark-host SPECIFICATION
//   tonno-benchmark-host --blas=LIBRARY      speed and core type of OpenBLAS
//
// Every pass goes over all cases in random order. A case has its sides in fresh
// memory then, in rounds of a random order, by the sampler that tuning has.

#include "Blas.h"
#include "Contest.h"

#include "tonno/Process/DeviceLock.h"
#include "tonno/Runtime/HostDevice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>

using namespace tonno;

namespace {

/// A row's cases with what became of each.
struct PlayedRow {
  std::string name;
  std::vector<std::pair<std::string, Result<Contest>>> cases;
};

} // namespace

static Json toJson(const Side &side) {
  Json json = {{"name", side.name}};
  if (!side.seconds.empty()) {
    json["seconds"] = median(side.seconds);
    json["passes"] = side.seconds.size();
  }
  if (side.logs.size() > 1)
    json["ratio"] = ratioOf(side.logs);
  else if (!side.logs.empty())
    json["first_ratio"] = std::exp(side.logs.front());
  if (!side.problem.empty())
    json["problem"] = side.problem;
  return json;
}

static Json toJson(const std::string &name, const Result<Contest> &contest) {
  Json json = {{"name", name}};
  if (!contest) {
    json["problem"] = contest.error().message;
    return json;
  }
  json["contended_passes"] = contest->contendedPasses();
  for (const Side &side : contest->all())
    json["sides"].push_back(toJson(side));
  if (const Side *best = contest->best())
    json["best"] = {{"name", best->name}, {"ratio", ratioOf(best->logs)}};
  if (contest->keptDefault())
    json["default"] = Ratio();
  else if (const Side *standard = contest->standard();
           standard && standard->takesPart())
    json["default"] = ratioOf(standard->logs);
  return json;
}

/// Returns the geometric mean over cases, which have equal numbers of passes.
static Json meanRatio(const std::vector<std::vector<double>> &cases) {
  std::vector<double> means(cases.front().size());
  for (const std::vector<double> &logs : cases)
    for (size_t pass = 0; pass < means.size(); ++pass)
      means[pass] += logs[pass] / double(cases.size());
  return Json{{"cases", cases.size()}, {"ratio", ratioOf(means)}};
}

static Json report(const std::vector<PlayedRow> &rows, size_t passes) {
  Json json;
  std::vector<std::vector<double>> standards;
  for (const PlayedRow &row : rows) {
    Json entry = {{"name", row.name}, {"cases", Json::array()}};
    std::vector<std::vector<double>> bests;
    for (const auto &[name, contest] : row.cases) {
      entry["cases"].push_back(toJson(name, contest));
      if (!contest)
        continue;
      if (const Side *best = contest->best())
        bests.push_back(best->logs);
      if (contest->keptDefault())
        standards.emplace_back(passes);
      else if (const Side *standard = contest->standard();
               standard && standard->takesPart())
        standards.push_back(standard->logs);
    }
    if (!bests.empty())
      entry["mean"] = meanRatio(bests);
    json["rows"].push_back(std::move(entry));
  }
  if (!standards.empty())
    json["default"] = meanRatio(standards);
  return json;
}

/// Lets one case have its pass; a failure ends its part in the contest.
static void play(Device &device, Result<Contest> &contest,
                 const Specification &spec, const ProtocolOptions &options,
                 uint64_t seed) {
  auto lock = DeviceLock::acquire(getHostIdentity(),
                                  {.waiting = [](const std::string &) {}});
  if (!lock) {
    contest = Error{lock.error().message};
    return;
  }
  if (auto done = contest->pass(device, spec, options, seed); !done)
    contest = Error{done.error().message};
}

static Result<Json> run(const Specification &spec) {
  Json about = Json::object();
  if (!spec.blas.empty()) {
    auto blas = Blas::load(spec.blas);
    if (!blas)
      return blas.error();
    about["blas"] = {{"core", blas->core()},
                     {"configuration", blas->configuration()}};
  }
  auto device = HostDevice::create(); // first: it describes the whole machine
  if (!device)
    return Error{device.error().message};
  TONNO_TRY(pinToTimingCore());
  ProtocolOptions options;
  options.cacheState = spec.cacheState;
  std::vector<PlayedRow> rows;
  std::vector<Result<Contest> *> contests;
  for (const RowSpec &row : spec.rows) {
    PlayedRow &played = rows.emplace_back(PlayedRow{row.name, {}});
    for (const CaseSpec &one : row.cases)
      played.cases.emplace_back(one.name,
                                Contest::create(**device, one, spec.seed));
  }
  for (PlayedRow &row : rows)
    for (auto &[name, contest] : row.cases)
      contests.push_back(&contest);
  std::mt19937_64 generator(spec.seed);
  for (size_t pass = 0; pass < spec.passes; ++pass) {
    std::shuffle(contests.begin(), contests.end(), generator);
    for (Result<Contest> *contest : contests)
      if (contest->ok())
        play(**device, *contest, spec, options, generator());
    std::fprintf(stderr, "pass %zu of %zu\n", pass + 1, spec.passes);
  }
  Json json = report(rows, spec.passes);
  json["device"] = (*device)->description().name;
  json["environment"] = (*device)->description().environment;
  json.update(about);
  return json;
}

static int fail(const Error &error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  std::string argument = argc == 2 ? argv[1] : "";
  if (argument.empty()) {
    std::fputs("usage: tonno-benchmark-host SPECIFICATION | --blas=LIBRARY\n",
               stderr);
    return 2;
  }
  if (constexpr std::string_view option = "--blas=";
      argument.starts_with(option)) {
    auto blas = Blas::load(argument.substr(option.size()));
    if (!blas)
      return fail(blas.error());
    std::printf("%.1f %s\n", blas->speed(), blas->core().c_str());
    return 0;
  }
  auto spec = readSpecification(argument);
  if (!spec)
    return fail(spec.error());
  auto json = run(*spec);
  if (!json)
    return fail(json.error());
  std::printf("%s\n", json->dump(1).c_str());
  return 0;
}
