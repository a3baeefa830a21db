//===- A GPU by its vendor's driver ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuDriver.h"

#include <algorithm>
#include <charconv>
#include <map>

using namespace tonno;

// Numbers that both vendors share.
static constexpr int errorLogOption = 5;
static constexpr int errorLogBytesOption = 6;
static constexpr int maxThreadsAttribute = 0;
static constexpr int sharedBytesAttribute = 1;
static constexpr int maxDynamicSharedBytesAttribute = 8;

/// More than that a CUDA kernel must be granted.
static constexpr uint32_t grantedSharedBytes = 48 << 10;

/// Longest kernel time that counts as short. A launch takes 2 to 5 us of host
/// time, which longer kernels hide.
static constexpr double shortSeconds = 20e-6;
/// Limit on the graphs of one executable. A rotation with more sets rebuilds
/// its graphs.
static constexpr size_t maxGraphs = 256;

static constexpr unsigned recordAsNode = 1;
static constexpr int relaxedCapture = 2;

static Failure refused(const std::string &why) {
  return {Status::load_error, why};
}

/// Returns true if the binary is PTX rather than machine code in an ELF file or
/// a fat binary.
static bool isText(const std::vector<uint8_t> &binary) {
  auto startsWith = [&](std::initializer_list<uint8_t> magic) {
    return binary.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), binary.begin());
  };
  return !startsWith({0x7F, 'E', 'L', 'F'}) &&
         !startsWith({0x50, 0xED, 0x55, 0xBA});
}

static GpuAddress addressOf(DevicePointer pointer) {
  return reinterpret_cast<GpuAddress>(pointer.memory) + pointer.offset;
}

namespace {
struct Consequence {
  std::optional<Status> status; ///< none if the caller says it
  bool losesDevice;
};
} // namespace

static constexpr Consequence consequences[] = {
    {std::nullopt, false},          // request
    {Status::out_of_memory, false}, // memory
    {Status::load_error, false},    // binary
    {Status::unlaunchable, false},  // resources
    {Status::fault, true},          // fault
    {Status::hang, true},           // hang
    {Status::lost, true},           // device
    {std::nullopt, true}, // unknown: perhaps a new way to crash, so a fresh
                          // process is the safe answer
};
static_assert(std::size(consequences) ==
              static_cast<size_t>(GpuTrouble::unknown) + 1);

namespace {

struct GpuLimits {
  int threads = 0; ///< of a block
  std::array<int, 3> block = {};
  std::array<int, 3> grid = {};
  int sharedBytes = 0; ///< of a block, all that can be had
};

/// A GPU that this process uses, with one stream for all work. After a kernel
/// has crashed, a driver fails every call of the process, on purpose.
class GpuContext {
public:
  static Result<std::unique_ptr<GpuContext>> create(const GpuDriver &driver,
                                                    int index) {
    constexpr unsigned nonBlocking = 1; // apart from the default stream
    const GpuFunctions &f = driver.functions();
    auto failed = [&](GpuCode code) {
      return Error{"cannot use device " + std::to_string(index) + ": " +
                   driver.errorText(code)};
    };
    int device = 0;
    if (GpuCode code = f.deviceGet(&device, index))
      return failed(code);
    if (GpuCode code = driver.vendor().use(f, device))
      return failed(code);
    std::unique_ptr<GpuContext> context(new GpuContext(driver, device));
    if (GpuCode code = f.streamCreate(&context->itsStream, nonBlocking))
      return failed(code);
    TONNO_TRY(context->readLimits());
    return context;
  }

  ~GpuContext() {
    // A driver in a broken state may not come back from a call.
    if (loss)
      return;
    if (itsStream)
      functions().streamDestroy(itsStream);
    vendor().leave(functions(), device);
  }

  GpuContext(const GpuContext &) = delete;
  GpuContext &operator=(const GpuContext &) = delete;

  const GpuFunctions &functions() const { return driver.functions(); }
  const GpuDriverTraits &vendor() const { return driver.vendor(); }
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

  /// Fails with "cannot <doing>: ..." for what a call returned; with `refused`
  /// where the code only says that the call was wrong. A crash loses the
  /// device.
  Result<void, Failure> check(GpuCode code, Status refused,
                              const std::string &doing) {
    if (code == 0)
      return {};
    auto [status, losesDevice] =
        consequences[static_cast<size_t>(troubleOf(vendor(), code))];
    Failure failure = {status.value_or(refused),
                       "cannot " + doing + ": " + driver.errorText(code)};
    if (losesDevice && !loss)
      loss = failure.message;
    return failure;
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
      : driver(driver), device(device) {}

  Result<void> readLimits() {
    const GpuAttributes &attributes = vendor().attributes;
    auto read = [&](int attribute, int &value) {
      return functions().deviceAttribute(&value, attribute, device);
    };
    GpuCode code = read(attributes.threads, itsLimits.threads);
    for (size_t i = 0; i < 3 && code == 0; ++i) {
      code = read(attributes.block[i], itsLimits.block[i]);
      if (code == 0)
        code = read(attributes.grid[i], itsLimits.grid[i]);
    }
    if (code == 0)
      code = read(attributes.sharedBytes, itsLimits.sharedBytes);
    if (code)
      return Error{"cannot read the device's limits: " +
                   driver.errorText(code)};
    // Some drivers lack the opt-in attribute.
    if (int bytes = 0; read(attributes.sharedBytesOptIn, bytes) == 0)
      itsLimits.sharedBytes = std::max(itsLimits.sharedBytes, bytes);
    return {};
  }

  GpuDriver driver;
  int device;
  GpuLimits itsLimits;
  GpuStream itsStream = nullptr;
  std::optional<std::string> loss; ///< why
};

/// A binary in the device's memory, and the kernels that its plan launches.
class GpuExecutable : public Executable {
public:
  /// Fails with `load_error` for another chip's or corrupt binaries and missing
  /// kernels, with `unlaunchable` for blocks or grids that are too large.
  static Result<std::unique_ptr<Executable>, Failure>
  load(GpuContext &context, const Artifact &artifact,
       const std::string &deviceChip) {
    const GpuDriverTraits &vendor = context.vendor();
    if (artifact.target != vendor.target)
      return refused(std::string("a ") + vendor.kind +
                     " device can't load a binary for " + artifact.target);
    if (!vendor.runs(deviceChip, artifact.chip, isText(artifact.binary)))
      return refused("the binary is for " + artifact.chip +
                     ", which the device, " + deviceChip + ", can't run");
    std::unique_ptr<GpuExecutable> executable(new GpuExecutable(context));
    TONNO_TRY(executable->loadModule(artifact.binary));
    for (const Launch &launch : artifact.plan.launches)
      TONNO_TRY(executable->addKernel(launch, artifact.plan.buffers.size()));
    return std::unique_ptr<Executable>(std::move(executable));
  }

  ~GpuExecutable() override {
    clearGraphs();
    // A failure here is reported by the next call, too.
    if (module && !context.isLost())
      (void)context
          .check(f.moduleUnload(module), Status::lost, "unload a binary")
          .ok();
  }

  /// Enqueues all launches of the plan on the stream.
  Result<void, Failure> enqueue(std::span<const DevicePointer> buffers) {
    for (const Kernel &kernel : kernels) {
      std::vector<GpuAddress> addresses;
      for (uint32_t index : kernel.launch.buffers)
        addresses.push_back(addressOf(buffers[index]));
      std::vector<void *> parameters;
      for (GpuAddress &address : addresses)
        parameters.push_back(&address);
      const auto &[grid, block, sharedBytes] = kernel.launch.geometry;
      GpuCode code = f.launch(kernel.function, grid[0], grid[1], grid[2],
                              block[0], block[1], block[2], sharedBytes,
                              context.stream(), parameters.data(), nullptr);
      TONNO_TRY(context.check(code, Status::unlaunchable,
                              "launch '" + kernel.launch.symbol + "'"));
    }
    return {};
  }

  size_t launchCount() const { return kernels.size(); }

  /// True if launching takes so long that it must not be timed, once known.
  std::optional<bool> isShort;
  size_t plainTimings = 0;
  /// Graphs by the addresses of the buffers of a batch.
  std::map<std::vector<GpuAddress>, GpuGraphExec> graphs;
  void clearGraphs() {
    for (const auto &[buffers, graph] : graphs)
      if (!context.isLost())
        f.graphExecDestroy(graph);
    graphs.clear();
  }

private:
  struct Kernel {
    Launch launch;
    GpuFunction function = nullptr;
  };

  explicit GpuExecutable(GpuContext &context)
      : context(context), f(context.functions()) {}

  Result<void, Failure> loadModule(const std::vector<uint8_t> &binary) {
    // Drivers read text up to a null character, and headers of short files.
    constexpr size_t headerBytes = 64;
    std::vector<uint8_t> image = binary;
    image.resize(binary.size() + headerBytes);
    std::vector<char> log(8192);
    int names[] = {errorLogOption, errorLogBytesOption};
    void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
    unsigned options = isText(binary) ? 2 : 0;
    GpuCode code = f.moduleLoad(&module, image.data(), options, names, values);
    auto loaded = context.check(code, Status::load_error, "load the binary");
    if (loaded)
      return {};
    module = nullptr;
    Failure failure = loaded.error();
    if (log[0])
      failure.message += std::string("\n") + log.data();
    return failure;
  }

  Result<void, Failure> addKernel(const Launch &launch, size_t bufferCount) {
    constexpr GpuCode notFound = 500; // of both vendors
    for (uint32_t buffer : launch.buffers)
      if (buffer >= bufferCount)
        return refused("the launch plan has no buffer " +
                       std::to_string(buffer));
    Kernel kernel = {launch};
    GpuCode code =
        f.moduleFunction(&kernel.function, module, launch.symbol.c_str());
    if (code == notFound)
      return refused("the binary has no symbol '" + launch.symbol + "'");
    TONNO_TRY(context.check(code, Status::load_error,
                            "find the kernel '" + launch.symbol + "'"));
    TONNO_TRY(checkGeometry(kernel));
    if (f.functionSetAttribute &&
        launch.geometry.sharedBytes > grantedSharedBytes)
      TONNO_TRY(context.check(
          f.functionSetAttribute(kernel.function,
                                 maxDynamicSharedBytesAttribute,
                                 static_cast<int>(launch.geometry.sharedBytes)),
          Status::unlaunchable,
          "give '" + launch.symbol + "' " +
              std::to_string(launch.geometry.sharedBytes) +
              " bytes of shared memory"));
    if (f.functionLoad)
      TONNO_TRY(context.check(f.functionLoad(kernel.function),
                              Status::load_error,
                              "load the kernel '" + launch.symbol + "'"));
    kernels.push_back(std::move(kernel));
    return {};
  }

  Result<void, Failure> checkGeometry(const Kernel &kernel) {
    const GpuLimits &limits = context.limits();
    const LaunchGeometry &geometry = kernel.launch.geometry;
    auto within = [&](uint64_t asked, int limit,
                      const char *what) -> Result<void, Failure> {
      if (asked >= 1 && asked <= static_cast<uint64_t>(limit))
        return {};
      return Failure{Status::unlaunchable,
                     "'" + kernel.launch.symbol + "' asks for " +
                         std::to_string(asked) + " " + what + ", but at most " +
                         std::to_string(limit) + " are possible"};
    };
    uint64_t threads = 1;
    for (size_t i = 0; i < 3; ++i) {
      static constexpr const char *blockWords[] = {"threads of a block in x",
                                                   "threads of a block in y",
                                                   "threads of a block in z"};
      static constexpr const char *gridWords[] = {"blocks in x", "blocks in y",
                                                  "blocks in z"};
      threads *= geometry.block[i];
      TONNO_TRY(within(geometry.block[i], limits.block[i], blockWords[i]));
      TONNO_TRY(within(geometry.grid[i], limits.grid[i], gridWords[i]));
    }
    TONNO_TRY(within(threads, limits.threads, "threads of a block"));
    int ownThreads = 0, ownSharedBytes = 0;
    for (auto [attribute, value] :
         {std::pair(maxThreadsAttribute, &ownThreads),
          std::pair(sharedBytesAttribute, &ownSharedBytes)})
      TONNO_TRY(context.check(
          f.functionAttribute(value, attribute, kernel.function),
          Status::load_error, "describe '" + kernel.launch.symbol + "'"));
    TONNO_TRY(within(threads, ownThreads,
                     "threads of a block with the registers it uses"));
    uint64_t shared = geometry.sharedBytes +
                      static_cast<uint64_t>(std::max(ownSharedBytes, 0));
    return shared == 0
               ? Result<void, Failure>()
               : within(shared, limits.sharedBytes, "bytes of shared memory");
  }

  GpuContext &context;
  const GpuFunctions &f;
  GpuModule module = nullptr;
  std::vector<Kernel> kernels;
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
    auto graph = TONNO_TRY(graphOf(executable, batch));
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

  Result<GpuGraphExec, Failure> graphOf(GpuExecutable &executable,
                                        LaunchBatch batch) {
    std::vector<GpuAddress> key;
    for (const std::vector<DevicePointer> &buffers : batch)
      for (DevicePointer buffer : buffers)
        key.push_back(addressOf(buffer));
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
            std::unique_ptr<GpuMonitor> monitor)
      : about(std::move(about)), context(std::move(context)),
        f(this->context->functions()), timer(std::move(timer)),
        monitor(std::move(monitor)) {}
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
        ->check(f.free(addressOf({memory, 0})), Status::lost, "release memory")
        .ok();
  }

  Result<void, Failure> upload(DevicePointer to,
                               std::span<const std::byte> from) override {
    if (auto up = context->alive(); !up || from.empty())
      return up;
    GpuCode code =
        f.upload(addressOf(to), from.data(), from.size(), context->stream());
    return context->finish(code, "upload data");
  }

  Result<void, Failure> download(std::span<std::byte> to,
                                 DevicePointer from) override {
    if (auto up = context->alive(); !up || to.empty())
      return up;
    GpuCode code =
        f.download(to.data(), addressOf(from), to.size(), context->stream());
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
    GpuCode code = f.fill(addressOf({scratch, 0}), 0, bytes, context->stream());
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

  bool isLost() const override { return context->isLost(); }

private:
  DeviceDescription about;
  std::unique_ptr<GpuContext> context;
  const GpuFunctions &f;
  std::unique_ptr<GpuTimer> timer;
  std::unique_ptr<GpuMonitor> monitor; ///< null where there is none
  DeviceMemory scratch = nullptr;      ///< overwritten by flushes
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
               "'; there are:" + known};
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
                    std::move(monitor)));
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
