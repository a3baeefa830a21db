//===- Recorder of this machine's noise -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Records what disturbs this machine's times, for the cells of
// tonno-benchmark-trust: one kernel, sampled as the protocol samples it,
// beside itself and alone.

#include "HostKernel.h"

#include "tonno/Process/DeviceLock.h"
#include "tonno/Runtime/HostDevice.h"
#include "Oracle/Oracle.h"
#include "Sampling/DeviceSampler.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

using namespace tonno;
using namespace tonno::trust;

[[noreturn]] static void fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::exit(1);
}

/// Returns the seconds of `samples` launches, on one layout. (Layouts belong to
/// the cells.)
static std::vector<double> record(const HostKernel &kernel, size_t samples) {
  auto device = HostDevice::create();
  if (!device)
    fail(device.error().message);
  auto lock = DeviceLock::acquire(
      getHostIdentity(), {.waiting = [](const std::string &holder) {
        std::fprintf(stderr, "waiting for %s\n", holder.c_str());
      }});
  if (!lock)
    fail(lock.error().message);
  if (auto pinned = pinToTimingCore(); !pinned)
    fail(pinned.error().message);
  Artifact artifact = kernel.candidate(0, 0);
  Signature signature = artifact.plan.signature();
  auto oracle = Oracle::create(kernel.problem(), signature, 0, **device);
  if (!oracle)
    fail(oracle.error().message);
  ProtocolOptions options;
  auto rotation = BufferRotation::create(**device, signature,
                                         oracle->timingInputs(), options, 0);
  if (!rotation)
    fail(rotation.error().message);
  auto sampler =
      DeviceSampler::create(**device, *rotation, {&artifact}, options);
  if (!sampler)
    fail(sampler.error().message);
  std::vector<double> seconds;
  if (auto warm = warmUp(*sampler, baselineEntrant, 0.1); !warm)
    fail(warm.error().message);
  while (seconds.size() < samples) {
    auto sample = sampler->sample(baselineEntrant);
    if (!sample)
      fail(sample.error().message);
    seconds.push_back(*sample);
  }
  return seconds;
}

int main(int argc, char **argv) {
  bool isBusy = argc == 4 && std::strcmp(argv[3], "--busy") == 0;
  if (argc != 3 && !isBusy) {
    std::fprintf(stderr, "usage: %s matmul|stream SAMPLES [--busy]\n", argv[0]);
    return 2;
  }
  auto kernel = HostKernel::load(argv[1]);
  if (!kernel)
    fail(kernel.error().message);
  std::optional<Neighbour> neighbour;
  if (isBusy)
    neighbour.emplace();
  std::vector<double> seconds =
      record(*kernel, std::strtoul(argv[2], nullptr, 10));
  if (seconds.empty())
    fail("no samples");
  double middle = median(seconds);
  Json logs = Json::array();
  for (double each : seconds)
    logs.push_back(std::lround(1e4 * std::log(each / middle)));
  Json trace = {{"kernel", argv[1]},
                {"beside_a_busy_process", isBusy},
                {"seconds", middle},
                {"logs_in_1e-4", std::move(logs)}};
  std::printf("%s\n", trace.dump().c_str());
  return 0;
}
