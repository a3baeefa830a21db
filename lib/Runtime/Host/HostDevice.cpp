//===- The CPU of this process --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/HostDevice.h"
#include "tonno/Core/File.h"
#include "tonno/Runtime/Environment.h"
#include "Confinement.h"
#include "Energy/EnergyCounters.h"
#include "HostEvents.h"
#include "HostPeaks.h"
#include "SharedLibrary.h"
#include "ThreadTeam.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace tonno;

namespace {

using Launches = HostDevice::Launches;

using Entry = void (*)(void **);
/// The entry of a launch with several workgroups; takes the workgroup's number.
using WorkgroupEntry = void (*)(void **, uint64_t);

struct HostLaunch {
  void *entry;
  std::vector<uint32_t> buffers;
  uint32_t workgroups;
  bool atLoad;
};

class HostExecutable : public Executable {
public:
  explicit HostExecutable(std::unique_ptr<SharedLibrary> library,
                          ThreadTeam *team)
      : team(team), library(std::move(library)) {}
  ~HostExecutable() override {
    if (team) // code goes away that its threads may still run
      team->end();
  }

  /// Null for code of one thread.
  ThreadTeam *team;
  uint32_t threads = 1; ///< that it uses at most
  std::unique_ptr<SharedLibrary> library;
  std::vector<HostLaunch> launches;
};

} // namespace

/// The largest cache of the first core. (The C library's figure is wrong by ten
/// times on some virtual machines.)
static uint64_t lastLevelCacheBytes() {
  uint64_t largest = 0;
  for (unsigned level = 1; uint64_t size = getCacheBytes(level); ++level)
    largest = std::max(largest, size);
  return largest ? largest : 32u << 20; // not told: as large as common ones
}

/// The Error lists the cores that this process may use.
static Result<void> checkCore(unsigned core) {
  std::vector<int> allowed = allowedCores();
  if (std::ranges::find(allowed, static_cast<int>(core)) != allowed.end())
    return {};
  std::string list;
  for (int each : allowed)
    list += (list.empty() ? "" : ", ") + std::to_string(each);
  return Error{"the device 'host:" + std::to_string(core) +
               "' is not a core that this process may use; these are: " + list};
}

Result<std::unique_ptr<Device>>
HostDevice::create(HostThreads threads, std::string powercap,
                   std::optional<unsigned> core) {
  if (core)
    TONNO_TRY(checkCore(*core));
  std::unique_ptr<HostDevice> device(new HostDevice(threads, core));
  device->powercap = std::move(powercap);
  return std::unique_ptr<Device>(std::move(device));
}

Result<EnergyCounter *> HostDevice::energyCounter() {
  if (!energy)
    energy = TONNO_TRY(powercap.empty() ? openRapl() : openRapl(powercap));
  return energy.get();
}

HostDevice::~HostDevice() = default;

HostDevice::HostDevice(HostThreads threads, std::optional<unsigned> core)
    : threads(threads),
      // Opened now: descriptors that appear later are taken for a candidate's.
      events(std::make_unique<HostEvents>(hardwareEvents())),
      cores(core ? std::vector{static_cast<int>(*core)} : coresForThreads()),
      schedule(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {
  DeviceIdentity identity = getHostIdentity();
  about = {identity.kind, processorName(), identity.uuid,
           lastLevelCacheBytes()};
  about.memoryBytes = usableMemory();
  about.core = core;
  if (!cores.empty())
    about.environment = inspectHost(cores.front(), allowedCores().size());
  if (!schedule.valid())
    about.environment["scheduler"] =
        "no counter reports when other processes run on the timing core";
}

Result<DeviceMemory, Failure> HostDevice::allocate(size_t bytes) {
  // Mapped, not from the heap: a stray write of a candidate can't reach the
  // heap's bookkeeping through a neighbour, and pages are placed anew.
  size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  size_t used = (std::max<size_t>(bytes, 1) + page - 1) / page * page;
  auto failed = [&] {
    return Failure{Status::out_of_memory,
                   "cannot allocate " + std::to_string(bytes) + " bytes"};
  };
  void *reserved = ::mmap(nullptr, used + 2 * guardBytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED)
    return failed();
  void *memory = ::mmap(
      static_cast<char *>(reserved) + guardBytes, used, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_FIXED, -1, 0);
  if (memory == MAP_FAILED) {
    ::munmap(reserved, used + 2 * guardBytes);
    return failed();
  }
  reservedBytes[memory] = used + 2 * guardBytes;
  addGuardedBlock(memory, used);
  return memory;
}

Result<void, Failure> HostDevice::setWritable(DeviceMemory memory,
                                              bool isWritable) {
  if (::mprotect(memory, reservedBytes.at(memory) - 2 * guardBytes,
                 isWritable ? PROT_READ | PROT_WRITE : PROT_READ) == 0)
    return {};
  return Failure{Status::lost, std::string("cannot protect a buffer: ") +
                                   std::strerror(errno)};
}

void HostDevice::release(DeviceMemory memory) {
  auto block = reservedBytes.find(memory);
  removeGuardedBlock(memory);
  ::munmap(static_cast<char *>(memory) - guardBytes, block->second);
  reservedBytes.erase(block);
}

static void *getAddress(DevicePointer pointer) {
  return static_cast<char *>(pointer.memory) + pointer.offset;
}

Result<void, Failure> HostDevice::upload(DevicePointer to,
                                         std::span<const std::byte> from) {
  std::memcpy(getAddress(to), from.data(), from.size());
  return {};
}

Result<void, Failure> HostDevice::download(std::span<std::byte> to,
                                           DevicePointer from) {
  std::memcpy(to.data(), getAddress(from), to.size());
  return {};
}

const std::byte *HostDevice::view(DevicePointer pointer) const {
  return static_cast<const std::byte *>(getAddress(pointer));
}

Result<std::unique_ptr<Executable>, Failure>
HostDevice::loadImpl(const Artifact &artifact) {
  auto refuse = [](const std::string &why) {
    return Failure{Status::load_error, why};
  };
  if (artifact.target != "host")
    return refuse("the host cannot load a binary for " + artifact.target);
  uint32_t threads = 1;
  for (const Launch &launch : artifact.plan.launches)
    threads = std::max(threads, launch.threads);
  ThreadTeam *team = nullptr;
  if (threads > 1) {
    if (threads > cores.size())
      return Failure{Status::unlaunchable,
                     "the kernel has " + std::to_string(threads) +
                         " threads, and this process may use " +
                         std::to_string(cores.size()) +
                         (cores.size() == 1 ? " core" : " cores")};
    team = TONNO_TRY(ThreadTeam::ofProcess());
  }
  auto library = TONNO_TRY(SharedLibrary::load(artifact.binary));
  auto executable = std::make_unique<HostExecutable>(std::move(library), team);
  executable->threads = threads;
  for (const Launch &launch : artifact.plan.launches) {
    LaunchGeometry flat;
    flat.grid[0] = launch.geometry.grid[0];
    if (launch.geometry != flat || flat.grid[0] == 0 ||
        (flat.grid[0] != 1 && launch.threads != 1))
      return refuse("the host runs workgroups of one thread in one dimension, "
                    "but the plan of '" +
                    launch.symbol + "' has other workgroups");
    void *symbol = executable->library->find(launch.symbol);
    if (!symbol)
      return refuse("the binary has no symbol '" + launch.symbol + "'");
    executable->launches.push_back(
        {symbol, launch.buffers, flat.grid[0], launch.atLoad});
  }
  return std::unique_ptr<Executable>(std::move(executable));
}

namespace {
struct PreparedCall {
  void *entry;
  uint32_t workgroups;
  std::vector<void *> arguments;

  void run(uint32_t workgroup) {
    reinterpret_cast<WorkgroupEntry>(entry)(arguments.data(), workgroup);
  }
  void run() {
    if (workgroups == 1)
      return reinterpret_cast<Entry>(entry)(arguments.data());
    for (uint32_t workgroup = 0; workgroup < workgroups; ++workgroup)
      run(workgroup);
  }
};
} // namespace

static void prepare(const HostExecutable &executable,
                    std::span<const DevicePointer> buffers, Launches which,
                    std::vector<PreparedCall> &calls) {
  for (const HostLaunch &launch : executable.launches) {
    if (which != Launches::all && launch.atLoad != (which == Launches::atLoad))
      continue;
    PreparedCall &call = calls.emplace_back();
    call.entry = launch.entry;
    call.workgroups = launch.workgroups;
    for (uint32_t index : launch.buffers)
      call.arguments.push_back(getAddress(buffers[index]));
  }
}

Result<std::optional<GatheredTeam>, Failure>
HostDevice::gather(const Executable &executable) const {
  const auto &host = static_cast<const HostExecutable &>(executable);
  if (!host.team)
    return std::optional<GatheredTeam>();
  auto gathered = TONNO_TRY(
      GatheredTeam::gather(*host.team, std::span(cores).first(host.threads)));
  return std::optional<GatheredTeam>(std::move(gathered));
}

Result<void, Failure>
HostDevice::launchImpl(Executable &executable,
                       std::span<const DevicePointer> buffers) {
  return run(executable, buffers, Launches::all);
}

Result<void, Failure>
HostDevice::launchAtLoad(Executable &executable,
                         std::span<const DevicePointer> buffers) {
  return run(executable, buffers, Launches::atLoad);
}

Result<void, Failure> HostDevice::run(Executable &executable,
                                      std::span<const DevicePointer> buffers,
                                      Launches which) {
  // Before the confinement, which would count what its threads hold.
  auto team = TONNO_TRY(gather(executable));
  std::vector<PreparedCall> calls;
  prepare(static_cast<HostExecutable &>(executable), buffers, which, calls);
  for (PreparedCall &call : calls) {
    if (call.workgroups != 1) { // the reference's
      threads.run(call.workgroups,
                  [&](uint32_t workgroup) { call.run(workgroup); });
      continue;
    }
    Confinement confinement(Confinement::Phase::running);
    call.run();
    TONNO_TRY(confinement.check());
  }
  return {};
}

Result<double, Failure> HostDevice::timeImpl(Executable &executable,
                                             LaunchBatch batch) {
  auto team = TONNO_TRY(gather(executable));
  std::vector<PreparedCall> calls;
  for (const std::vector<DevicePointer> &buffers : batch)
    prepare(static_cast<HostExecutable &>(executable), buffers,
            Launches::afterLoad, calls);
  double waitedBefore = team ? team->waitedSeconds() : 0;
  Confinement confinement(Confinement::Phase::running);
  auto start = std::chrono::steady_clock::now();
  for (PreparedCall &call : calls)
    call.run();
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  if (team)
    waitedElsewhere += team->waitedSeconds() - waitedBefore;
  TONNO_TRY(confinement.check());
  return elapsed.count();
}

bool HostDevice::countsEvents(const Executable &executable) {
  return events->countsAny() &&
         static_cast<const HostExecutable &>(executable).threads == 1;
}

Result<EventCounts, Failure>
HostDevice::countEvents(Executable &executable,
                        std::span<const DevicePointer> buffers) {
  std::vector<PreparedCall> calls;
  prepare(static_cast<HostExecutable &>(executable), buffers,
          Launches::afterLoad, calls);
  Confinement confinement(Confinement::Phase::running);
  events->start();
  for (PreparedCall &call : calls)
    call.run();
  EventCounts counts = events->stop();
  TONNO_TRY(confinement.check());
  return counts;
}

std::optional<DevicePeaks> HostDevice::measurePeaks(const PeakQuery &query) {
  if (query.threads == 0 || query.threads > cores.size())
    return std::nullopt;
  return measureHostPeaks(std::span(cores).first(query.threads), query,
                          about.memoryBytes / 4);
}

std::optional<StolenSeconds> HostDevice::stolenSeconds() {
  // Nanoseconds on a processor, nanoseconds waiting for one, time slices.
  char text[128];
  ssize_t length = ::pread(schedule.get(), text, sizeof text - 1, 0);
  if (length <= 0)
    return std::nullopt;
  text[length] = '\0';
  char *next = nullptr;
  std::strtoull(text, &next, 10);
  return StolenSeconds{static_cast<double>(std::strtoull(next, nullptr, 10)) *
                           1e-9,
                       waitedElsewhere};
}
