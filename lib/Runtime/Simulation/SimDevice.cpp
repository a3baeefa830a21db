//===- Simulated GPU for verification -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/HostDevice.h"
#include "Host/Confinement.h"
#include "Host/SharedLibrary.h"
#include "SimScheduler.h"

#include <limits>

using namespace tonno;

/// Returns the library's description of itself, or why it can't be used.
static Result<SimObject *> findObject(const SharedLibrary &library) {
  void *symbol = library.find(simObjectSymbol);
  if (!symbol)
    return Error{std::string("the binary has no symbol '") + simObjectSymbol +
                 "': the binary is not compiled for simulation"};
  auto *object = static_cast<SimObject *>(symbol);
  if (object->version != simVersion)
    return Error{
        "the binary was made for version " + std::to_string(object->version) +
        " of the simulator, this is version " + std::to_string(simVersion)};
  if (object->subgroupSize != 32 && object->subgroupSize != 64)
    return Error{"subgroups of " + std::to_string(object->subgroupSize) +
                 " threads cannot be simulated"};
  return object;
}

namespace {

struct LoadedLaunch {
  void (*entry)(void **);
  Launch plan;
  std::vector<uint64_t> bufferBytes; ///< of the launch's buffers
};

class SimExecutable : public Executable {
public:
  SimExecutable(std::unique_ptr<SharedLibrary> library, SimObject &object)
      : library(std::move(library)), object(object) {}

  std::unique_ptr<SharedLibrary> library;
  SimObject &object;
  std::vector<LoadedLaunch> launches;
};

/// The host with other launches.
class SimDevice : public HostDevice {
public:
  explicit SimDevice(uint64_t seed) : HostDevice(HostThreads()), seed(seed) {
    about.name = "simulated on " + about.name;
    about.kind = "sim";
  }

  Result<std::unique_ptr<Executable>, Failure>
  loadImpl(const Artifact &artifact) override {
    auto refuse = [](const std::string &why) {
      return Failure{Status::load_error, why};
    };
    if (artifact.target != "sim")
      return refuse("the simulated device cannot load a binary for " +
                    artifact.target);
    auto library = TONNO_TRY(SharedLibrary::load(artifact.binary));
    auto object = findObject(*library);
    if (!object)
      return refuse(object.error().message);
    auto executable =
        std::make_unique<SimExecutable>(std::move(library), **object);
    // A plan need not state its buffers to be launched with some.
    auto getBufferBytes = [&](uint32_t index) {
      return index < artifact.plan.buffers.size()
                 ? artifact.plan.buffers[index].bytes()
                 : std::numeric_limits<uint64_t>::max();
    };
    for (const Launch &launch : artifact.plan.launches) {
      void *symbol = executable->library->find(launch.symbol);
      if (!symbol)
        return refuse("the binary has no symbol '" + launch.symbol + "'");
      LoadedLaunch &loaded = executable->launches.emplace_back();
      loaded.entry = reinterpret_cast<void (*)(void **)>(symbol);
      loaded.plan = launch;
      for (uint32_t index : launch.buffers)
        loaded.bufferBytes.push_back(getBufferBytes(index));
    }
    return std::unique_ptr<Executable>(std::move(executable));
  }

  Result<void, Failure>
  launchImpl(Executable &executable,
             std::span<const DevicePointer> buffers) override {
    auto &loaded = static_cast<SimExecutable &>(executable);
    for (const LoadedLaunch &launch : loaded.launches) {
      std::vector<void *> pointers;
      for (uint32_t index : launch.plan.buffers)
        pointers.push_back(static_cast<char *>(buffers[index].memory) +
                           buffers[index].offset);
      // Far apart from the seeds of other launches and of seeds near this one.
      uint64_t order = seed * 0x9e3779b97f4a7c15 + ++launches;
      SimKernel kernel = {launch.entry, pointers.data(), loaded.object,
                          launch.bufferBytes.data()};
      Confinement confinement(Confinement::Phase::running);
      auto ran = scheduler.run(kernel, launch.plan.geometry, order);
      TONNO_TRY(confinement.check());
      if (!ran)
        return Failure{ran.error().status,
                       launch.plan.symbol + ", " + ran.error().message};
    }
    return {};
  }

  Result<double, Failure> timeImpl(Executable &executable,
                                   LaunchBatch batch) override {
    return Failure{Status::unlaunchable,
                   "the simulated device measures nothing"};
  }

private:
  uint64_t seed;
  uint64_t launches = 0;
  SimScheduler scheduler;
};

} // namespace

std::unique_ptr<Device> tonno::createSimDevice(uint64_t seed) {
  return std::make_unique<SimDevice>(seed);
}
