//===- OpenCL device ------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Artifact.h"
#include "tonno/Runtime/OpenClProgram.h"
#include "OpenClNames.h"

#include <algorithm>
#include <set>

using namespace tonno;

/// Each new layout makes parts; none can be released while enqueued.
static constexpr size_t mostParts = 4096;

static OpenClMemory getOpenClMemory(DeviceMemory memory) {
  return static_cast<OpenClMemory>(memory);
}

/// Returns the number of dimensions without trailing extents of 1.
static uint32_t countDimensions(const std::array<size_t, 3> &global) {
  uint32_t dimensions = 3;
  while (dimensions > 1 && global[dimensions - 1] == 1)
    --dimensions;
  return dimensions;
}

namespace {

/// A program that is loaded on an OpenCL device, with its plan.
class OpenClExecutable : public Executable {
public:
  static Result<std::unique_ptr<OpenClExecutable>, Failure>
  load(OpenClContext &context, const Artifact &artifact) {
    if (artifact.target != openClTarget)
      return Failure{Status::load_error,
                     "an opencl device cannot load a binary for " +
                         artifact.target};
    auto program = TONNO_TRY(OpenClProgram::load(context, artifact.binary));
    std::unique_ptr<OpenClExecutable> executable(
        new OpenClExecutable(context, std::move(program)));
    for (const BufferSpec &buffer : artifact.plan.buffers)
      executable->bytes.push_back(buffer.bytes());
    for (const Launch &launch : artifact.plan.launches)
      TONNO_TRY(executable->add(launch));
    return executable;
  }

  /// Enqueues all launches and adds their events, for the caller to release.
  Result<void, Failure> enqueue(std::span<const OpenClMemory> buffers,
                                std::vector<OpenClEvent> &events) {
    for (Call &call : calls) {
      for (size_t i = 0; i < call.positions.size(); ++i) {
        OpenClMemory memory = buffers[call.launch.buffers[i]];
        TONNO_TRY(call.kernel.setArgument(call.positions[i],
                                          sizeof(OpenClMemory),
                                          static_cast<const void *>(&memory)));
      }
      const auto &[grid, block, sharedBytes] = call.launch.geometry;
      std::array<size_t, 3> global = {}, local = {};
      bool isChosen = block[0] != 0;
      for (size_t d = 0; d < 3; ++d) {
        local[d] = block[d];
        global[d] = size_t{grid[d]} * (isChosen ? block[d] : 1);
      }
      OpenClEvent event = nullptr;
      TONNO_TRY(context.check(
          f.launch(context.queue(), call.kernel.handle(),
                   countDimensions(global), nullptr, global.data(),
                   isChosen ? local.data() : nullptr, 0, nullptr, &event),
          Status::unlaunchable, "launch '" + call.launch.symbol + "'"));
      events.push_back(event);
    }
    return {};
  }

  /// Returns the size of each of the plan's buffers.
  std::span<const size_t> bufferBytes() const { return bytes; }

private:
  struct Call {
    OpenClKernel kernel;
    Launch launch;
    std::vector<uint32_t> positions; ///< of each of the launch's buffers
  };

  OpenClExecutable(OpenClContext &context, OpenClProgram program)
      : context(context), f(context.functions()), program(std::move(program)) {}
  Result<void, Failure> add(const Launch &launch) {
    auto refused = [&](const std::string &why) {
      return Failure{Status::load_error, "'" + launch.symbol + "' " + why};
    };
    for (uint32_t buffer : launch.buffers)
      if (buffer >= bytes.size())
        return refused("is launched with a buffer that the plan does not have");
    auto kernel = TONNO_TRY(program.kernel(launch.symbol));
    auto count = TONNO_TRY(kernel.argumentCount());
    Call call = {std::move(kernel), launch, {}};
    std::set<uint32_t> taken;
    for (const PlainArgument &argument : launch.plain) {
      if (argument.position >= count || !taken.insert(argument.position).second)
        return refused("has no argument " + std::to_string(argument.position));
      const void *value =
          argument.value.empty() ? nullptr : argument.value.data();
      size_t size = value ? argument.value.size() : argument.localBytes;
      TONNO_TRY(call.kernel.setArgument(argument.position, size, value));
    }
    for (uint32_t position = 0; position < count; ++position)
      if (!taken.contains(position))
        call.positions.push_back(position);
    if (call.positions.size() != launch.buffers.size())
      return refused("takes " + std::to_string(call.positions.size()) +
                     " buffers, the plan gives " +
                     std::to_string(launch.buffers.size()));
    TONNO_TRY(checkGeometry(call));
    calls.push_back(std::move(call));
    return {};
  }

  Result<void, Failure> checkGeometry(const Call &call) const {
    const auto &block = call.launch.geometry.block;
    uint64_t items = uint64_t{1} * block[0] * block[1] * block[2];
    auto refused = [&](const std::string &why) {
      return Failure{Status::unlaunchable,
                     "'" + call.launch.symbol + "' " + why};
    };
    auto most = TONNO_TRY(call.kernel.mostWorkItems());
    if (items > most)
      return refused("asks for " + std::to_string(items) +
                     " work-items of a workgroup, but at most " +
                     std::to_string(most) + " are possible");
    std::array<size_t, 3> wanted = call.kernel.requiredSize();
    if (wanted[0] != 0 &&
        !std::equal(wanted.begin(), wanted.end(), block.begin()))
      return refused(
          "requires the local size " + std::to_string(wanted[0]) + ", " +
          std::to_string(wanted[1]) + ", " + std::to_string(wanted[2]) +
          ", by its reqd_work_group_size; give it by '--local-size'");
    uint64_t local = call.kernel.usage().sharedBytes.value_or(0);
    if (local > context.localBytes())
      return refused("asks for " + std::to_string(local) +
                     " bytes of local memory, but at most " +
                     std::to_string(context.localBytes()) + " are possible");
    return {};
  }

  OpenClContext &context;
  const OpenClFunctions &f;
  OpenClProgram program;
  std::vector<Call> calls; ///< destroyed before the program
  std::vector<size_t> bytes;
};

/// The events of launches, released whatever becomes of these.
struct Events {
  explicit Events(OpenClContext &context) : context(context) {}
  Events(const Events &) = delete;
  Events &operator=(const Events &) = delete;
  ~Events() {
    if (context.isLost())
      return;
    for (OpenClEvent event : all)
      context.functions().releaseEvent(event);
  }

  OpenClContext &context;
  std::vector<OpenClEvent> all;
};

class OpenClDevice : public Device {
public:
  explicit OpenClDevice(std::unique_ptr<OpenClContext> context)
      : context(std::move(context)), f(this->context->functions()) {}
  ~OpenClDevice() override {
    if (context->isLost())
      return;
    for (auto &[part, memory] : parts)
      f.releaseMemory(memory);
    if (scratch)
      f.releaseMemory(getOpenClMemory(scratch));
  }

  const DeviceDescription &description() const override {
    return context->place().about;
  }

  Result<DeviceMemory, Failure> allocate(size_t bytes) override {
    TONNO_TRY(context->alive());
    OpenClCode code = 0;
    OpenClMemory memory =
        f.createBuffer(context->handle(), opencl::readWriteMemory,
                       std::max<size_t>(bytes, 1), nullptr, &code);
    TONNO_TRY(context->check(code, Status::out_of_memory,
                             "allocate " + std::to_string(bytes) + " bytes"));
    return static_cast<DeviceMemory>(memory);
  }

  void release(DeviceMemory memory) override {
    if (context->isLost())
      return;
    auto first = parts.lower_bound({memory, 0, 0});
    auto last = first;
    for (; last != parts.end() && std::get<0>(last->first) == memory; ++last)
      f.releaseMemory(last->second);
    parts.erase(first, last);
    // A failure here is reported by the next call, too.
    (void)context
        ->check(f.releaseMemory(getOpenClMemory(memory)), Status::lost,
                "release memory")
        .ok();
  }

  Result<void, Failure> upload(DevicePointer to,
                               std::span<const std::byte> from) override {
    if (auto up = context->alive(); !up || from.empty())
      return up;
    constexpr uint32_t waits = 1;
    return context->checkRun(
        f.write(context->queue(), getOpenClMemory(to.memory), waits, to.offset,
                from.size(), from.data(), 0, nullptr, nullptr),
        "upload data");
  }

  Result<void, Failure> download(std::span<std::byte> to,
                                 DevicePointer from) override {
    if (auto up = context->alive(); !up || to.empty())
      return up;
    constexpr uint32_t waits = 1;
    return context->checkRun(
        f.read(context->queue(), getOpenClMemory(from.memory), waits,
               from.offset, to.size(), to.data(), 0, nullptr, nullptr),
        "download data");
  }

  Result<std::unique_ptr<Executable>, Failure>
  loadImpl(const Artifact &artifact) override {
    TONNO_TRY(context->alive());
    auto loaded = TONNO_TRY(OpenClExecutable::load(*context, artifact));
    return std::unique_ptr<Executable>(std::move(loaded));
  }

  Result<void, Failure>
  launchImpl(Executable &executable,
             std::span<const DevicePointer> buffers) override {
    TONNO_TRY(context->alive());
    Events events(*context);
    TONNO_TRY(enqueue(executable, buffers, events.all));
    TONNO_TRY(finish(events.all));
    return {};
  }

  Result<double, Failure> timeImpl(Executable &executable,
                                   LaunchBatch batch) override {
    TONNO_TRY(context->alive());
    Events events(*context);
    for (const std::vector<DevicePointer> &buffers : batch)
      TONNO_TRY(enqueue(executable, buffers, events.all));
    return finish(events.all);
  }

  /// Flushes the cache. Does nothing on a CPU, where a flush takes longer than
  /// kernels do.
  Result<bool, Failure> flush() override {
    TONNO_TRY(context->alive());
    // More than the cache, since not every line of it goes at once.
    const DeviceDescription &about = description();
    size_t bytes = about.cacheBytes + about.cacheBytes / 2;
    if (bytes == 0 || context->place().isCpu)
      return false;
    bytes = (bytes + 3) / 4 * 4;
    if (!scratch)
      scratch = TONNO_TRY(allocate(bytes));
    const uint32_t zero = 0;
    OpenClCode code = f.fill(context->queue(), getOpenClMemory(scratch), &zero,
                             sizeof zero, 0, bytes, 0, nullptr, nullptr);
    if (code == 0)
      code = f.finish(context->queue());
    TONNO_TRY(context->check(code, Status::lost, "flush the cache"));
    return true;
  }

  double overheadSeconds() const override { return 5e-6; }
  bool isLost() const override { return context->isLost(); }

private:
  /// Returns a sub-buffer for the buffer's part of its memory, kept until the
  /// memory is released.
  Result<OpenClMemory, Failure> getSubBuffer(DevicePointer start,
                                             size_t bytes) {
    bytes = std::max<size_t>(bytes, 1);
    auto [known, isNew] =
        parts.try_emplace({start.memory, start.offset, bytes}, nullptr);
    if (!isNew)
      return known->second;
    struct {
      size_t origin, size;
    } region = {start.offset, bytes};
    OpenClCode code = 0;
    known->second = f.createSubBuffer(getOpenClMemory(start.memory),
                                      opencl::readWriteMemory,
                                      opencl::regionOfBuffer, &region, &code);
    if (auto made = context->check(code, Status::lost, "make a sub-buffer");
        !made) {
      parts.erase(known);
      return made.error();
    }
    return known->second;
  }

  Result<void, Failure> enqueue(Executable &executable,
                                std::span<const DevicePointer> buffers,
                                std::vector<OpenClEvent> &events) {
    auto &kernels = static_cast<OpenClExecutable &>(executable);
    std::vector<OpenClMemory> memories;
    for (size_t i = 0; i < buffers.size(); ++i)
      memories.push_back(
          TONNO_TRY(getSubBuffer(buffers[i], kernels.bufferBytes()[i])));
    return kernels.enqueue(memories, events);
  }

  /// Waits, and returns the seconds that the launches ran.
  Result<double, Failure> finish(const std::vector<OpenClEvent> &events) {
    const std::string doing = "run the kernel";
    TONNO_TRY(context->checkRun(f.finish(context->queue()), doing));
    if (parts.size() > mostParts) {
      for (auto &[part, memory] : parts)
        f.releaseMemory(memory);
      parts.clear();
    }
    uint64_t nanoseconds = 0;
    for (OpenClEvent event : events) {
      OpenClCode status = 0;
      uint64_t start = 0, end = 0;
      OpenClCode code =
          opencl::getInfo(status, f.eventInfo, event, opencl::eventStatus);
      TONNO_TRY(context->checkRun(code ? code : std::min(status, 0), doing));
      for (auto [name, value] : {std::pair(opencl::profileStart, &start),
                                 std::pair(opencl::profileEnd, &end)})
        TONNO_TRY(
            context->check(opencl::getInfo(*value, f.profile, event, name),
                           Status::lost, "read the device's clock"));
      nanoseconds += end - std::min(start, end);
    }
    return static_cast<double>(nanoseconds) * 1e-9;
  }

  using Part = std::tuple<DeviceMemory, size_t, size_t>; ///< offset, bytes

  std::unique_ptr<OpenClContext> context;
  const OpenClFunctions &f;
  std::map<Part, OpenClMemory> parts;
  DeviceMemory scratch = nullptr; ///< overwritten by flushes
};

} // namespace

Result<std::unique_ptr<Device>>
tonno::createOpenClDevice(const std::string &which,
                          const DeviceOptions &options) {
  auto driver = TONNO_TRY(OpenClDriver::open(options.driver));
  auto place = TONNO_TRY(driver.choose(which));
  auto context = TONNO_TRY(OpenClContext::create(driver, place));
  return std::unique_ptr<Device>(new OpenClDevice(std::move(context)));
}

Result<std::vector<DeviceDescription>>
tonno::listOpenClDevices(const DeviceOptions &options) {
  auto driver = TONNO_TRY(OpenClDriver::open(options.driver));
  std::vector<DeviceDescription> devices;
  for (const OpenClPlatformDevice &place : driver.places())
    devices.push_back(place.about);
  return devices;
}
