//===- Verification and timing of a case ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contest.h"
#include "tonno/Core/File.h"
#include "Agreement.h"
#include "JsonFile.h"
#include "Oracle/InputData.h"
#include "Sampling/BufferSet.h"
#include "Sampling/DeviceSampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tonno;

void tonno::to_json(Json &json, const Ratio &ratio) {
  json = Json{{"value", ratio.value}, {"interval", ratio.interval}};
}

Ratio tonno::ratioOf(std::span<const double> passes) {
  MeanEstimate estimate = estimateMean(passes);
  double margin =
      estimate.standardError * studentQuantile(1.96, double(passes.size() - 1));
  return {std::exp(estimate.mean),
          {std::exp(estimate.mean - margin), std::exp(estimate.mean + margin)}};
}

static Result<Artifact> readBinary(const std::filesystem::path &library,
                                   LaunchPlan plan) {
  auto bytes = TONNO_TRY(readFile(library));
  Artifact artifact;
  artifact.target = "host";
  artifact.binary.assign(bytes.begin(), bytes.end());
  artifact.plan = std::move(plan);
  return artifact;
}

static std::filesystem::path planBeside(std::filesystem::path library) {
  return library.replace_extension(".plan.json");
}

/// Reads a binary with its launch plan beside it.
static Result<Artifact> readShipped(const std::filesystem::path &library) {
  auto plan = TONNO_TRY(readJson<LaunchPlan>(planBeside(library)));
  return readBinary(library, std::move(plan));
}

/// Returns the launch plan of C code: the signature's buffers alone.
static LaunchPlan planOfOpponent(const Signature &signature) {
  Launch launch = {"entry", {}};
  for (uint32_t i = 0; i < signature.size(); ++i)
    launch.buffers.push_back(i);
  return {signature, {launch}};
}

/// Runs the artifact once on fresh buffers.
static Result<BufferContents, Failure>
run(Device &device, const Artifact &artifact, const BufferContents &inputs) {
  auto executable = TONNO_TRY(device.load(artifact));
  const auto &buffers = artifact.plan.buffers;
  auto block =
      TONNO_TRY(DeviceBlock::allocate(device, BufferSet::bytesFor(buffers)));
  std::mt19937_64 layout(0);
  auto set =
      TONNO_TRY(BufferSet::place(device, buffers, block.start(), layout));
  BufferContents contents = inputs;
  contents.resize(buffers.size());
  TONNO_TRY(set.fill(contents));
  TONNO_TRY(device.launch(*executable, set.pointers()));
  TONNO_TRY(set.checkRedzones());
  return set.downloadOutputs();
}

Result<Contest> Contest::create(Device &device, const CaseSpec &spec,
                                uint64_t seed) {
  auto tuned = readShipped(spec.tuned);
  if (!tuned)
    return tuned.error();
  Signature signature = tuned->plan.signature();
  std::mt19937_64 generator(seed);
  BufferContents inputs = encodeAll(
      signature, drawReals(signature, Values(signature.size()), generator));
  Contest contest(spec.name, std::move(signature), std::move(inputs));
  auto outputs = run(device, *tuned, contest.inputs);
  if (!outputs)
    return Error{outputs.error().message};
  contest.outputs = std::move(*outputs);
  contest.sides.push_back({"tuned", std::move(*tuned)});
  if (!spec.standard.empty()) {
    auto standard = TONNO_TRY(readShipped(spec.standard));
    contest.hasDefault = true;
    contest.defaultIsTuned =
        standard.binary == contest.sides.front().artifact.binary;
    if (!contest.defaultIsTuned)
      contest.sides.push_back({"default", std::move(standard)});
  }
  contest.addOpponents(spec.opponents);
  for (Side &side : contest.sides)
    contest.verify(device, side);
  return contest;
}

void Contest::addOpponents(std::span<const SideSpec> specs) {
  for (const SideSpec &spec : specs) {
    auto artifact = std::filesystem::exists(planBeside(spec.library))
                        ? readShipped(spec.library)
                        : readBinary(spec.library, planOfOpponent(signature));
    if (artifact)
      sides.push_back({spec.name, std::move(*artifact)});
    else
      sides.push_back({spec.name, {}, artifact.error().message});
  }
}

void Contest::verify(Device &device, Side &side) {
  if (!side.takesPart())
    return;
  auto found = run(device, side.artifact, inputs);
  if (!found) {
    side.problem = found.error().message;
    return;
  }
  for (size_t i = 0; i < signature.size(); ++i)
    if (isOutput(signature[i]))
      if (auto same = checkAgreement(signature[i], outputs[i], (*found)[i]);
          !same)
        side.problem = same.error().message;
}

const Side *Contest::standard() const {
  return hasDefault && !defaultIsTuned ? &sides[1] : nullptr;
}

const Side *Contest::best() const {
  const Side *least = nullptr;
  double leastLog = std::numeric_limits<double>::infinity();
  for (const Side &side : sides) {
    if (&side == &sides.front() || &side == standard() || !side.takesPart() ||
        side.logs.empty())
      continue;
    double log = estimateMean(side.logs).mean;
    if (log < leastLog) {
      least = &side;
      leastLog = log;
    }
  }
  return least;
}

void Contest::screen(double factor) {
  const Side *first = best();
  if (!first)
    return;
  double most = first->logs.front() + std::log(factor);
  for (Side &side : sides)
    if (&side != &sides.front() && &side != standard() && side.takesPart() &&
        side.logs.front() > most)
      side.isSlow = true;
}

Result<void, Failure> Contest::pass(Device &device, const Specification &spec,
                                    const ProtocolOptions &options,
                                    uint64_t seed) {
  auto rotation = TONNO_TRY(
      BufferRotation::create(device, signature, inputs, options, seed));
  std::vector<Side *> playing;
  std::vector<const Artifact *> artifacts;
  for (Side &side : sides)
    if (side.takesPart()) {
      playing.push_back(&side);
      artifacts.push_back(&side.artifact);
    }
  auto sampler = TONNO_TRY(
      DeviceSampler::create(device, rotation, std::move(artifacts), options));
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (size_t i = 0; i < playing.size(); ++i) {
    auto seconds =
        TONNO_TRY(warmUp(sampler, i, i == 0 ? options.warmupSeconds : 0));
    least = std::min(least, seconds);
    most = std::max(most, seconds);
  }
  sampler.expectSeconds(least, most);

  std::mt19937_64 generator(seed);
  std::vector<std::vector<double>> times(playing.size());
  std::vector<size_t> order(playing.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  Stopwatch watch(sampler);
  for (size_t round = 0; round < spec.rounds; ++round) {
    if (round >= 3 && watch.seconds() > spec.passSeconds)
      break;
    std::shuffle(order.begin(), order.end(), generator);
    for (size_t entrant : order) {
      auto seconds = TONNO_TRY(sampler.sample(entrant));
      times[entrant].push_back(seconds);
    }
  }
  if (!sampler.checkContention())
    ++contended;
  for (size_t i = 0; i < playing.size(); ++i) {
    std::vector<double> logs;
    for (size_t round = 0; round < times[i].size(); ++round)
      logs.push_back(std::log(times[i][round] / times[0][round]));
    playing[i]->logs.push_back(pseudoMedian(logs));
    playing[i]->seconds.push_back(median(times[i]));
  }
  if (sides.front().logs.size() == 1)
    screen(spec.screenFactor);
  if (auto intact = rotation.checkInputs(); !intact)
    return intact;
  return {};
}
