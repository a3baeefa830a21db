//===- Times artifacts on a device ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceSampler.h"
#include "tonno/Runtime/Environment.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

Result<double, Failure> DeviceSampler::time(Executable &executable,
                                            LaunchBatch batch) {
  std::optional<StolenSeconds> before = device.stolenSeconds();
  auto seconds = device.time(executable, batch);
  std::optional<StolenSeconds> after = device.stolenSeconds();
  if (!seconds || !before || !after) {
    isDisturbed = false;
    return seconds;
  }
  double own = after->own - before->own;
  double elsewhere = after->elsewhere - before->elsewhere;
  isDisturbed = own + elsewhere > options.stolenShare * *seconds;
  // With several threads, the critical one is unknown.
  bool isKnown = elsewhere == 0 && own < *seconds;
  return isAccepting && isKnown ? *seconds - own : *seconds;
}

Result<double, Failure> DeviceSampler::takeUndisturbed(size_t entrant) {
  ++samples;
  uint64_t retakes = isAccepting ? 0 : options.maxRetakes;
  for (uint64_t attempt = 0;; ++attempt) {
    auto taken = take(entrant);
    if (!taken || !isDisturbed)
      return taken;
    if (attempt == retakes) {
      ++disturbed;
      return taken;
    }
  }
}

bool DeviceSampler::isContended() const {
  return static_cast<double>(disturbed) >
         options.contendedShare * static_cast<double>(samples);
}

Result<void, Failure> DeviceSampler::checkContention() const {
  if (isAccepting || !isContended())
    return {};
  std::string others = busiestProcesses();
  return Failure{Status::contended,
                 "other processes ran on the device during " +
                     std::to_string(disturbed) + " of " +
                     std::to_string(samples) + " samples" +
                     (others.empty() ? "" : " (" + others + ")")};
}

/// Returns the workspace buffers that an artifact appends to those of its
/// kernel.
static std::span<const BufferSpec>
getWorkspaceBuffers(const Artifact &artifact) {
  return std::span(artifact.plan.buffers)
      .subspan(artifact.plan.signature().size());
}

static bool hasReadWriteBuffer(const LaunchPlan &plan) {
  return std::ranges::any_of(plan.signature(), [](const BufferSpec &buffer) {
    return buffer.access == Access::read_write;
  });
}

Result<DeviceSampler, Failure>
DeviceSampler::create(Device &device, BufferRotation &rotation,
                      std::vector<const Artifact *> artifacts,
                      const ProtocolOptions &options, EntrantWatch *watch) {
  DeviceSampler sampler(device, rotation, std::move(artifacts), options, watch);
  size_t bytes = 0;
  for (const Artifact *artifact : sampler.artifacts)
    if (auto buffers = getWorkspaceBuffers(*artifact); !buffers.empty())
      bytes = std::max(bytes, BufferSet::bytesFor(buffers));
  if (bytes != 0)
    sampler.workspace.emplace(TONNO_TRY(DeviceBlock::allocate(device, bytes)));
  for (const Artifact *artifact : sampler.artifacts)
    sampler.hasLaunchAtLoad |=
        std::ranges::any_of(artifact->plan.launches, &Launch::atLoad);
  TONNO_TRY(sampler.reload());
  return sampler;
}

void DeviceSampler::expectSeconds(double least, double most) {
  auto affordable = static_cast<uint64_t>(
      std::max(options.maxBatchSeconds / std::max(most, 1e-9), 1.0));
  uint64_t limit = std::min(options.maxBatch, affordable);
  if (options.cacheState == CacheState::cold)
    // The second launch would find what is loaded in the cache.
    limit = hasLaunchAtLoad ? 1 : std::min<uint64_t>(limit, rotation.size());
  else if (hasReadWriteBuffer(artifacts.front()->plan))
    limit = 1; // the second launch would find other contents
  double wanted = std::ceil(options.batchSeconds / std::max(least, 1e-9));
  batchSize =
      static_cast<size_t>(std::clamp(wanted, 1.0, static_cast<double>(limit)));
}

template <typename Work>
auto DeviceSampler::watched(size_t entrant, const Work &work) {
  if (watch) {
    watch->running = entrant;
    watch->entering(entrant);
  }
  auto result = work();
  if (watch && watch->checksInputs && result)
    if (auto intact = rotation.checkInputs(); !intact)
      result = intact.error();
  if (watch && result)
    watch->running.reset();
  return result;
}

Result<double, Failure> DeviceSampler::sample(size_t entrant) {
  return watched(entrant, [&] { return takeUndisturbed(entrant); });
}

Result<double, Failure> DeviceSampler::warm(size_t entrant) {
  return watched(entrant, [&] { return take(entrant); });
}

Result<void, Failure> DeviceSampler::prepareCache(
    Loaded &loaded, std::span<const DevicePointer> buffers, BufferSet &set) {
  if (options.cacheState == CacheState::warm) {
    TONNO_TRY(device.launch(*loaded.executable, buffers));
    return rotation.restore(set);
  }
  if (hasLaunchAtLoad) {
    TONNO_TRY(device.launchAtLoad(*loaded.executable, buffers));
    return evict();
  }
  if (!rotation.coversCache())
    TONNO_TRY(device.flush());
  return {};
}

Result<void, Failure> DeviceSampler::evict() {
  bool isFlushed = TONNO_TRY(device.flush());
  if (isFlushed)
    return {};
  auto bytes =
      static_cast<size_t>(options.cacheShare *
                          static_cast<double>(device.description().cacheBytes));
  if (!evictor)
    evictor.emplace(TONNO_TRY(DeviceBlock::allocate(device, bytes)));
  static const std::vector<std::byte> piece(size_t{1} << 16, std::byte{1});
  for (size_t done = 0; done < bytes; done += piece.size())
    TONNO_TRY(device.upload(
        evictor->start() + done,
        std::span(piece).first(std::min(piece.size(), bytes - done))));
  return {};
}

Result<void, Failure> DeviceSampler::checkLaunches(LaunchCheck check) {
  launchCheck = std::move(check);
  return rotation.resetAll();
}

Result<void, Failure> DeviceSampler::finish(size_t entrant, BufferSet &set) {
  if (!launchCheck)
    return rotation.restore(set);
  if (entrant != baselineEntrant) {
    auto outputs = TONNO_TRY(set.downloadOutputs());
    TONNO_TRY(launchCheck(outputs));
  }
  return rotation.reset(set);
}

std::vector<DevicePointer> DeviceSampler::listBuffers(const Loaded &loaded,
                                                      const BufferSet &set) {
  std::vector<DevicePointer> buffers(set.pointers().begin(),
                                     set.pointers().end());
  buffers.insert(buffers.end(), loaded.workspace.begin(),
                 loaded.workspace.end());
  return buffers;
}

Result<EventCounts, Failure> DeviceSampler::countEvents(size_t entrant) {
  Loaded &loaded = entrants[entrant];
  if (!device.countsEvents(*loaded.executable))
    return EventCounts();
  BufferSet &set = rotation.next();
  std::vector<DevicePointer> buffers = listBuffers(loaded, set);
  TONNO_TRY(prepareCache(loaded, buffers, set));
  auto counts = TONNO_TRY(device.countEvents(*loaded.executable, buffers));
  TONNO_TRY(finish(entrant, set));
  return counts;
}

Result<double, Failure> DeviceSampler::take(size_t entrant) {
  Loaded &loaded = entrants[entrant];
  std::vector<BufferSet *> sets;
  std::vector<std::vector<DevicePointer>> launches;
  for (size_t i = 0; i < batchSize; ++i) {
    sets.push_back(&rotation.next());
    launches.push_back(listBuffers(loaded, *sets.back()));
  }
  TONNO_TRY(prepareCache(loaded, launches.front(), *sets.front()));
  auto seconds = TONNO_TRY(time(*loaded.executable, launches));
  for (BufferSet *set : sets)
    TONNO_TRY(finish(entrant, *set));
  return seconds / static_cast<double>(batchSize);
}

Result<DeviceSampler::Loaded, Failure>
DeviceSampler::load(const Artifact &artifact) {
  auto executable = TONNO_TRY(device.load(artifact));
  Loaded loaded;
  loaded.executable = std::move(executable);
  auto buffers = getWorkspaceBuffers(artifact);
  if (buffers.empty())
    return loaded;
  std::mt19937_64 layout(0);
  auto set = TONNO_TRY(BufferSet::place(device, buffers, workspace->start(),
                                        layout, BufferSet::Redzones::bare));
  loaded.workspace.assign(set.pointers().begin(), set.pointers().end());
  return loaded;
}

Result<void, Failure> DeviceSampler::reload() {
  entrants.clear();
  for (const Artifact *artifact : artifacts)
    entrants.push_back(
        TONNO_TRY(watched(entrants.size(), [&] { return load(*artifact); })));
  return {};
}
