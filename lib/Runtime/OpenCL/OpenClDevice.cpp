//===- A device of OpenCL -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/OpenClDevice.h"
#include "tonno/Runtime/OpenClNames.h"
#include "OpenClExecutable.h"

#include <algorithm>

using namespace tonno;

/// Layouts are redrawn all the time, and each has parts of its own. While
/// launches are enqueued, none can be released.
static constexpr size_t mostParts = 4096;

namespace {
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
} // namespace

static OpenClMemory memoryOf(DeviceMemory memory) {
  return static_cast<OpenClMemory>(memory);
}

Result<std::unique_ptr<Device>>
OpenClDevice::create(const std::string &which, const DeviceOptions &options) {
  auto driver = OpenClDriver::open(options.driver);
  if (!driver)
    return driver.error();
  auto place = driver->choose(which);
  if (!place)
    return place.error();
  auto context = OpenClContext::create(*driver, *place);
  if (!context)
    return context.error();
  return std::unique_ptr<Device>(new OpenClDevice(std::move(*context)));
}

Result<std::vector<DeviceDescription>>
OpenClDevice::list(const DeviceOptions &options) {
  auto driver = OpenClDriver::open(options.driver);
  if (!driver)
    return driver.error();
  std::vector<DeviceDescription> devices;
  for (const OpenClPlace &place : driver->places())
    devices.push_back(place.about);
  return devices;
}

OpenClDevice::~OpenClDevice() {
  if (context->isLost())
    return;
  for (auto &[part, memory] : parts)
    context->functions().releaseMemory(memory);
  if (scratch)
    context->functions().releaseMemory(memoryOf(scratch));
}

Result<DeviceMemory, Failure> OpenClDevice::allocate(size_t bytes) {
  if (auto up = context->alive(); !up)
    return up.error();
  OpenClCode code = 0;
  OpenClMemory memory = context->functions().createBuffer(
      context->handle(), opencl::readWriteMemory, std::max<size_t>(bytes, 1),
      nullptr, &code);
  if (auto given =
          context->check(code, Status::out_of_memory,
                         "allocate " + std::to_string(bytes) + " bytes");
      !given)
    return given.error();
  return static_cast<DeviceMemory>(memory);
}

void OpenClDevice::release(DeviceMemory memory) {
  if (context->isLost())
    return;
  auto first = parts.lower_bound({memory, 0, 0});
  auto last = first;
  for (; last != parts.end() && std::get<0>(last->first) == memory; ++last)
    context->functions().releaseMemory(last->second);
  parts.erase(first, last);
  // Where it fails, the next call says so, too.
  (void)context
      ->check(context->functions().releaseMemory(memoryOf(memory)),
              Status::lost, "release memory")
      .ok();
}

Result<void, Failure> OpenClDevice::upload(DevicePointer to,
                                           std::span<const std::byte> from) {
  if (auto up = context->alive(); !up || from.empty())
    return up;
  constexpr uint32_t waits = 1;
  return context->checkRun(
      context->functions().write(context->queue(), memoryOf(to.memory), waits,
                                 to.offset, from.size(), from.data(), 0,
                                 nullptr, nullptr),
      "upload data");
}

Result<void, Failure> OpenClDevice::download(std::span<std::byte> to,
                                             DevicePointer from) {
  if (auto up = context->alive(); !up || to.empty())
    return up;
  constexpr uint32_t waits = 1;
  return context->checkRun(
      context->functions().read(context->queue(), memoryOf(from.memory), waits,
                                from.offset, to.size(), to.data(), 0, nullptr,
                                nullptr),
      "download data");
}

Result<std::unique_ptr<Executable>, Failure>
OpenClDevice::load(const Artifact &artifact) {
  if (auto up = context->alive(); !up)
    return up.error();
  auto loaded = OpenClExecutable::load(*context, artifact);
  if (!loaded)
    return loaded.error();
  return std::unique_ptr<Executable>(std::move(*loaded));
}

Result<OpenClMemory, Failure> OpenClDevice::partOf(DevicePointer start,
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
  known->second = context->functions().createSubBuffer(
      memoryOf(start.memory), opencl::readWriteMemory, opencl::regionOfBuffer,
      &region, &code);
  if (auto made = context->check(code, Status::lost, "make a sub-buffer");
      !made) {
    parts.erase(known);
    return made.error();
  }
  return known->second;
}

Result<void, Failure>
OpenClDevice::enqueue(Executable &executable,
                      std::span<const DevicePointer> buffers,
                      std::vector<OpenClEvent> &events) {
  auto &kernels = static_cast<OpenClExecutable &>(executable);
  std::vector<OpenClMemory> memories;
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto part = partOf(buffers[i], kernels.bufferBytes()[i]);
    if (!part)
      return part.error();
    memories.push_back(*part);
  }
  return kernels.enqueue(memories, events);
}

/// Waits, and returns the seconds that the launches ran.
Result<double, Failure>
OpenClDevice::finish(const std::vector<OpenClEvent> &events) {
  const OpenClFunctions &f = context->functions();
  const std::string doing = "run the kernel";
  if (auto ended = context->checkRun(f.finish(context->queue()), doing); !ended)
    return ended.error();
  if (parts.size() > mostParts) {
    for (auto &[part, memory] : parts)
      f.releaseMemory(memory);
    parts.clear();
  }
  uint64_t nanoseconds = 0;
  for (OpenClEvent event : events) {
    OpenClCode status = 0;
    uint64_t start = 0, end = 0;
    OpenClCode code = f.eventInfo(event, opencl::eventStatus, sizeof status,
                                  &status, nullptr);
    if (auto ended =
            context->checkRun(code ? code : std::min(status, 0), doing);
        !ended)
      return ended.error();
    for (auto [name, value] : {std::pair(opencl::profileStart, &start),
                               std::pair(opencl::profileEnd, &end)})
      if (auto read = context->check(
              f.profile(event, name, sizeof *value, value, nullptr),
              Status::lost, "read the device's clock");
          !read)
        return read.error();
    nanoseconds += end - std::min(start, end);
  }
  return static_cast<double>(nanoseconds) * 1e-9;
}

Result<void, Failure>
OpenClDevice::launch(Executable &executable,
                     std::span<const DevicePointer> buffers) {
  if (auto up = context->alive(); !up)
    return up;
  Events events(*context);
  if (auto enqueued = enqueue(executable, buffers, events.all); !enqueued)
    return enqueued;
  if (auto ended = finish(events.all); !ended)
    return ended.error();
  return {};
}

Result<double, Failure>
OpenClDevice::time(Executable &executable,
                   std::span<const std::vector<DevicePointer>> batch) {
  if (auto up = context->alive(); !up)
    return up.error();
  Events events(*context);
  for (const std::vector<DevicePointer> &buffers : batch)
    if (auto enqueued = enqueue(executable, buffers, events.all); !enqueued)
      return enqueued.error();
  return finish(events.all);
}

Result<bool, Failure> OpenClDevice::flush() {
  if (auto up = context->alive(); !up)
    return up.error();
  // More than the cache, since not every line of it goes at once.
  const DeviceDescription &about = description();
  size_t bytes = about.cacheBytes + about.cacheBytes / 2;
  if (bytes == 0 || context->place().isCpu)
    return false;
  bytes = (bytes + 3) / 4 * 4;
  if (!scratch) {
    auto memory = allocate(bytes);
    if (!memory)
      return memory.error();
    scratch = *memory;
  }
  const uint32_t zero = 0;
  OpenClCode code =
      context->functions().fill(context->queue(), memoryOf(scratch), &zero,
                                sizeof zero, 0, bytes, 0, nullptr, nullptr);
  if (code == 0)
    code = context->functions().finish(context->queue());
  if (auto ended = context->check(code, Status::lost, "flush the cache");
      !ended)
    return ended.error();
  return true;
}
