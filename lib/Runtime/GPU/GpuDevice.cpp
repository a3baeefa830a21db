//===- A GPU by its vendor's driver ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuDevice.h"
#include "tonno/Runtime/GpuProgram.h"
#include "Energy/EnergyCounters.h"

#include <algorithm>
#include <charconv>
#include <map>

using namespace tonno;

/// Longest kernel time that counts as short. A launch takes 2 to 5 us of host
/// time, which longer kernels hide.
static constexpr double shortSeconds = 20e-6;
/// Limit on the graphs of one executable. A rotation with more sets rebuilds
/// its graphs.
static constexpr size_t maxGraphs = 256;

static constexpr unsigned recordAsNode = 1;
static constexpr int relaxedCapture = 2;

static GpuAddress getAddress(DevicePointer pointer) {
  return reinterpret_cast<GpuAddress>(pointer.memory) + pointer.offset;
}

namespace {

/// A GPU that this process uses, with one stream for all work. After a kernel
/// has crashed, a driver fails every call of the process, on purpose.
class GpuContext {
public:
  static Result<std::unique_ptr<GpuContext>> create(const GpuDriver &driver,
                                                    int index) {
    constexpr unsigned nonBlocking = 1; // apart from the default stream
    constexpr GpuCode outOfMemory = 2;  // of both vendors
    const GpuFunctions &f = driver.functions();
    auto failed = [&](GpuCode code) {
      return Error{"cannot use device " + std::to_string(index) + ": " +
                   driver.errorText(code) +
                   (code == outOfMemory
                        ? "; other processes hold its memory: end them"
                        : "")};
    };
    int device = 0;
    if (GpuCode code = f.deviceGet(&device, index))
      return failed(code);
    GpuCurrent retained;
    if (GpuCode code = driver.vendor().retain(f, device, retained))
      return failed(code);
    std::unique_ptr<GpuContext> context(new GpuContext(driver, device));
    if (GpuCode code = driver.vendor().setCurrent(f, retained))
      return failed(code);
    if (GpuCode code = f.streamCreate(&context->itsStream, nonBlocking))
      return failed(code);
    context->itsLimits = TONNO_TRY(GpuLimits::read(driver, device));
    return context;
  }

  ~GpuContext() {
    // A driver in a broken state may not come back from a call.
    if (loss)
      return;
    if (itsStream)
      functions().streamDestroy(itsStream);
    vendor().release(functions(), device);
  }

  GpuContext(const GpuContext &) = delete;
  GpuContext &operator=(const GpuContext &) = delete;

  const GpuDriver &driver() const { return itsDriver; }
  const GpuFunctions &functions() const { return itsDriver.functions(); }
  const GpuDriverTraits &vendor() const { return itsDriver.vendor(); }
  const GpuLimits &limits() const { return itsLimits; }
  GpuStream stream() const { return itsStream; }
  /// Returns the PCI bus id, "0000:17:00.0"; empty if the driver doesn't report
  /// it.
  std::string busId() const {
    char text[64] = {};
    if (!functions().deviceBusId ||
        functions().deviceBusId(text, sizeof text - 1, device) != 0)
      return "";
    return text;
  }

  /// Returns the failure. If it loses the device, every later call fails.
  Failure note(GpuFailure failure) {
    if (failure.losesDevice && !loss)
      loss = failure.failure.message;
    return std::move(failure.failure);
  }

  /// Checks what a call returned: see GpuDriver::checkCall.
  Result<void, Failure> check(GpuCode code, Status refused,
                              const std::string &doing) {
    auto checked = itsDriver.checkCall(code, refused, doing);
    return checked ? Result<void, Failure>() : note(checked.error());
  }

  /// Waits for all of the stream. A kernel that crashed shows here.
  Result<void, Failure> synchronize(const std::string &doing) {
    return check(functions().streamSynchronize(itsStream), Status::fault,
                 doing);
  }

  /// Waits for the work that such a call has put into the stream, and checks
  /// the result.
  Result<void, Failure> finish(GpuCode code, const std::string &doing) {
    auto begun = check(code, Status::lost, doing);
    return begun ? synchronize(doing) : begun;
  }

  Result<void, Failure> alive() const {
    if (loss)
      return Failure{Status::lost, "the device was lost before: " + *loss};
    return {};
  }

  bool isLost() const { return loss.has_value(); }

private:
  GpuContext(const GpuDriver &driver, int device)
      : itsDriver(driver), device(device) {}

  GpuDriver itsDriver;
  int device;
  GpuLimits itsLimits;
  GpuStream itsStream = nullptr;
  std::optional<std::string> loss; ///< why
};

/// A program of a context, with what its timings need.
class GpuExecutable : public Executable {
public:
  static Result<std::unique_ptr<Executable>, Failure>
  load(GpuContext &context, const Artifact &artifact,
       const std::string &deviceChip) {
    auto program = GpuProgram::load(context.driver(), context.limits(),
                                    deviceChip, artifact);
    if (!program)
      return context.note(program.error());
    return std::unique_ptr<Executable>(
        new GpuExecutable(context, *std::move(program)));
  }

  ~GpuExecutable() override {
    clearGraphs();
    if (context.isLost())
      return;
    // A failure here is reported by the next call, too.
    if (auto unloaded = program.unload(); !unloaded)
      context.note(unloaded.error());
  }

  /// Enqueues all launches of the plan on the stream.
  Result<void, Failure> enqueue(std::span<const DevicePointer> buffers) {
    std::vector<GpuAddress> addresses;
    for (DevicePointer buffer : buffers)
      addresses.push_back(getAddress(buffer));
    auto enqueued = program.enqueue(context.stream(), addresses);
    return enqueued ? Result<void, Failure>() : context.note(enqueued.error());
  }

  size_t launchCount() const { return program.launchCount(); }

  /// True if launching takes so long that it must not be timed, once known.
  std::optional<bool> isShort;
  size_t plainTimings = 0;
  /// Graphs by the addresses of the buffers of a batch.
  std::map<std::vector<GpuAddress>, GpuGraphExec> graphs;
  void clearGraphs() {
    for (const auto &[buffers, graph] : graphs)
      if (!context.isLost())
        context.functions().graphExecDestroy(graph);
    graphs.clear();
  }

private:
  GpuExecutable(GpuContext &context, GpuProgram program)
      : context(context), program(std::move(program)) {}

  GpuContext &context;
  GpuProgram program;
};

/// Times launches between two events. A short kernel would end before the host
/// has launched the next or recorded the event: such batches become graphs.
class GpuTimer {
public:
  static Result<std::unique_ptr<GpuTimer>, Failure>
  create(GpuContext &context) {
    std::unique_ptr<GpuTimer> timer(new GpuTimer(context));
    for (GpuEvent *event : {&timer->start, &timer->stop})
      TONNO_TRY(context.check(timer->f.eventCreate(event, 0), Status::lost,
                              "create an event"));
    return timer;
  }

  ~GpuTimer() {
    for (GpuEvent event : {start, stop})
      if (event && !context.isLost())
        f.eventDestroy(event);
  }

  GpuTimer(const GpuTimer &) = delete;
  GpuTimer &operator=(const GpuTimer &) = delete;

  /// Times a batch. The first timing of an executable uses plain launches, and
  /// decides the method of later ones; so does the second unless the first was
  /// short, since the first may include loading the kernel.
  Result<double, Failure> time(GpuExecutable &executable, LaunchBatch batch) {
    if (hasGraphs && executable.isShort.value_or(false)) {
      auto seconds = timeGraph(executable, batch);
      if (context.isLost() || (seconds && *seconds > 0))
        return seconds;
      hasGraphs = false; // what a driver can't do once, it can't do
    }
    auto seconds = measure(/*isRecorded=*/false,
                           [&] { return enqueueAll(executable, batch); });
    if (!seconds || executable.isShort)
      return seconds;
    size_t launches = batch.size() * executable.launchCount();
    bool isShort = *seconds < shortSeconds * static_cast<double>(launches);
    if (++executable.plainTimings == 2 || isShort)
      executable.isShort = isShort;
    return seconds;
  }

private:
  explicit GpuTimer(GpuContext &context)
      : context(context), f(context.functions()) {
    hasGraphs = f.captureBegin && f.captureEnd && f.graphInstantiate &&
                f.graphLaunch && f.graphDestroy && f.graphExecDestroy;
    recordsInGraphs = f.eventRecordWithFlags != nullptr;
  }

  /// Returns the seconds between the two events, which `launch` may record.
  template <typename Launch>
  Result<double, Failure> measure(bool isRecorded, Launch launch) {
    auto record = [&](GpuEvent event) {
      return isRecorded ? Result<void, Failure>()
                        : context.check(f.eventRecord(event, context.stream()),
                                        Status::lost, "record an event");
    };
    TONNO_TRY(record(start));
    TONNO_TRY(launch());
    TONNO_TRY(record(stop));
    TONNO_TRY(context.synchronize("run the kernel"));
    float milliseconds = 0;
    TONNO_TRY(context.check(f.eventElapsed(&milliseconds, start, stop),
                            Status::lost, "read the device's clock"));
    return static_cast<double>(milliseconds) * 1e-3;
  }

  /// Times a graph; returns 0 seconds if the driver can't time it.
  Result<double, Failure> timeGraph(GpuExecutable &executable,
                                    LaunchBatch batch) {
    auto graph = TONNO_TRY(getOrCaptureGraph(executable, batch));
    return measure(recordsInGraphs, [&] {
      return context.check(f.graphLaunch(graph, context.stream()),
                           Status::unlaunchable, "launch a graph");
    });
  }

  Result<void, Failure> enqueueAll(GpuExecutable &executable,
                                   LaunchBatch batch) {
    for (const std::vector<DevicePointer> &buffers : batch)
      TONNO_TRY(executable.enqueue(buffers));
    return {};
  }

  Result<GpuGraphExec, Failure> getOrCaptureGraph(GpuExecutable &executable,
                                                  LaunchBatch batch) {
    std::vector<GpuAddress> key;
    for (const std::vector<DevicePointer> &buffers : batch)
      for (DevicePointer buffer : buffers)
        key.push_back(getAddress(buffer));
    if (auto found = executable.graphs.find(key);
        found != executable.graphs.end())
      return found->second;
    auto graph = TONNO_TRY(capture(executable, batch));
    auto exec = instantiate(graph);
    if (!context.isLost())
      f.graphDestroy(graph);
    if (!exec)
      return exec.error();
    if (executable.graphs.size() >= maxGraphs)
      executable.clearGraphs();
    executable.graphs.emplace(std::move(key), *exec);
    return *exec;
  }

  Result<GpuGraph, Failure> capture(GpuExecutable &executable,
                                    LaunchBatch batch) {
    auto checked = [&](GpuCode code) {
      return context.check(code, Status::unlaunchable, "make a graph");
    };
    auto recordNode = [&](GpuEvent event) -> Result<void, Failure> {
      if (!recordsInGraphs)
        return {};
      return checked(
          f.eventRecordWithFlags(event, context.stream(), recordAsNode));
    };
    TONNO_TRY(checked(f.captureBegin(context.stream(), relaxedCapture)));
    auto captured = recordNode(start);
    if (captured)
      captured = enqueueAll(executable, batch);
    if (captured)
      captured = recordNode(stop);
    // Even after a failure, since it ends the stream's capturing.
    GpuGraph graph = nullptr;
    auto ended = context.isLost()
                     ? captured
                     : checked(f.captureEnd(context.stream(), &graph));
    if (captured && ended)
      return graph;
    if (graph && !context.isLost())
      f.graphDestroy(graph);
    return captured ? ended.error() : captured.error();
  }

  Result<GpuGraphExec, Failure> instantiate(GpuGraph graph) {
    GpuGraphExec exec = nullptr;
    TONNO_TRY(context.check(f.graphInstantiate(&exec, graph, 0),
                            Status::unlaunchable, "make a graph"));
    // Else the first launch does it, on the clock.
    if (f.graphUpload)
      if (auto uploaded = context.check(f.graphUpload(exec, context.stream()),
                                        Status::unlaunchable, "make a graph");
          !uploaded && context.isLost())
        return uploaded.error();
    return exec;
  }

  GpuContext &context;
  const GpuFunctions &f;
  GpuEvent start = nullptr, stop = nullptr;
  bool hasGraphs;
  bool recordsInGraphs; ///< else the events stand around the graph
};

class GpuDevice : public Device {
public:
  GpuDevice(DeviceDescription about, std::unique_ptr<GpuContext> context,
            std::unique_ptr<GpuTimer> timer,
            std::unique_ptr<GpuMonitor> monitor, std::string library)
      : about(std::move(about)), context(std::move(context)),
        f(this->context->functions()), timer(std::move(timer)),
        monitor(std::move(monitor)), library(std::move(library)) {}
  ~GpuDevice() override {
    if (scratch)
      release(scratch);
  }

  const DeviceDescription &description() const override { return about; }
  Result<DeviceMemory, Failure> allocate(size_t bytes) override {
    TONNO_TRY(context->alive());
    GpuAddress address = 0;
    GpuCode code = f.allocate(&address, std::max<size_t>(bytes, 1));
    TONNO_TRY(context->check(code, Status::out_of_memory,
                             "allocate " + std::to_string(bytes) + " bytes"));
    return reinterpret_cast<DeviceMemory>(address);
  }

  void release(DeviceMemory memory) override {
    if (context->isLost())
      return;
    // A failure here is reported by the next call, too.
    (void)context
        ->check(f.free(getAddress({memory, 0})), Status::lost, "release memory")
        .ok();
  }

  Result<void, Failure> upload(DevicePointer to,
                               std::span<const std::byte> from) override {
    if (auto up = context->alive(); !up || from.empty())
      return up;
    GpuCode code =
        f.upload(getAddress(to), from.data(), from.size(), context->stream());
    return context->finish(code, "upload data");
  }

  Result<void, Failure> download(std::span<std::byte> to,
                                 DevicePointer from) override {
    if (auto up = context->alive(); !up || to.empty())
      return up;
    GpuCode code =
        f.download(to.data(), getAddress(from), to.size(), context->stream());
    return context->finish(code, "download data");
  }

  Result<std::unique_ptr<Executable>, Failure>
  loadImpl(const Artifact &artifact) override {
    TONNO_TRY(context->alive());
    return GpuExecutable::load(*context, artifact, about.chip);
  }

  Result<void, Failure>
  launchImpl(Executable &executable,
             std::span<const DevicePointer> buffers) override {
    TONNO_TRY(context->alive());
    auto &kernels = static_cast<GpuExecutable &>(executable);
    TONNO_TRY(kernels.enqueue(buffers));
    return context->synchronize("run the kernel");
  }

  Result<double, Failure> timeImpl(Executable &executable,
                                   LaunchBatch batch) override {
    TONNO_TRY(context->alive());
    return timer->time(static_cast<GpuExecutable &>(executable), batch);
  }

  Result<bool, Failure> flush() override {
    TONNO_TRY(context->alive());
    // More than the cache, since not every line of it goes at once.
    size_t bytes = about.cacheBytes + about.cacheBytes / 2;
    if (bytes == 0)
      return false;
    if (!scratch)
      scratch = TONNO_TRY(allocate(bytes));
    GpuCode code =
        f.fill(getAddress({scratch, 0}), 0, bytes, context->stream());
    TONNO_TRY(context->finish(code, "flush the cache"));
    return true;
  }

  double overheadSeconds() const override { return 5e-6; }
  std::optional<DeviceCondition> condition() override {
    DeviceCondition now = monitor ? monitor->read() : DeviceCondition();
    if (now == DeviceCondition())
      return std::nullopt;
    return now;
  }

  Result<EnergyCounter *> energyCounter() override {
    if (!energy) {
      bool isCuda = &context->vendor() == &cudaVendor();
      energy = TONNO_TRY((isCuda ? openNvmlEnergy : openAmdSmiEnergy)(
          context->busId(), library));
    }
    return energy.get();
  }

  bool isLost() const override { return context->isLost(); }

private:
  DeviceDescription about;
  std::unique_ptr<GpuContext> context;
  const GpuFunctions &f;
  std::unique_ptr<GpuTimer> timer;
  std::unique_ptr<GpuMonitor> monitor; ///< null where there is none
  std::string library;                 ///< DeviceOptions::monitor
  std::unique_ptr<EnergyCounter> energy;
  DeviceMemory scratch = nullptr; ///< overwritten by flushes
};

} // namespace

static Result<int> choose(const GpuDriver &driver, const std::string &which) {
  if (which.empty())
    return 0;
  int index = -1;
  const char *end = which.data() + which.size();
  auto [rest, error] = std::from_chars(which.data(), end, index);
  if (error == std::errc() && rest == end && index >= 0 &&
      index < driver.deviceCount())
    return index;
  std::string known;
  for (int i = 0; i < driver.deviceCount(); ++i) {
    auto about = TONNO_TRY(driver.describe(i));
    if (about.uuid == which)
      return i;
    known += "\n  " + std::to_string(i) + "  " + about.name + "  " + about.uuid;
  }
  return Error{"no " + std::string(driver.vendor().kind) + " device '" + which +
               "'; the devices are:" + known};
}

Result<std::unique_ptr<Device>>
tonno::createGpuDevice(const GpuDriverTraits &vendor, const std::string &which,
                       const DeviceOptions &options) {
  auto driver = TONNO_TRY(GpuDriver::open(vendor, options.driver));
  auto index = TONNO_TRY(choose(driver, which));
  auto about = TONNO_TRY(driver.describe(index));
  auto context = TONNO_TRY(GpuContext::create(driver, index));
  auto timer = GpuTimer::create(*context);
  if (!timer)
    return Error{timer.error().message};
  std::string busId = context->busId();
  auto monitor = &vendor == &cudaVendor() ? openNvml(busId, options.monitor)
                                          : openAmdSensors(busId);
  if (monitor)
    about.environment = monitor->environment();
  return std::unique_ptr<Device>(
      new GpuDevice(std::move(about), std::move(context), std::move(*timer),
                    std::move(monitor), options.monitor));
}

Result<std::vector<DeviceDescription>>
tonno::listGpuDevices(const GpuDriverTraits &vendor,
                      const DeviceOptions &options) {
  auto driver = TONNO_TRY(GpuDriver::open(vendor, options.driver));
  std::vector<DeviceDescription> devices;
  for (int index = 0; index < driver.deviceCount(); ++index)
    devices.push_back(TONNO_TRY(driver.describe(index)));
  return devices;
}
