//===- A GPU by its vendor's driver ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/GpuDevice.h"
#include "tonno/Runtime/GpuMonitor.h"
#include "GpuTimer.h"

#include <algorithm>
#include <charconv>

using namespace tonno;

GpuDevice::GpuDevice(DeviceDescription about,
                     std::unique_ptr<GpuContext> context,
                     std::unique_ptr<GpuTimer> timer,
                     std::unique_ptr<GpuMonitor> monitor)
    : about(std::move(about)), context(std::move(context)),
      timer(std::move(timer)), monitor(std::move(monitor)) {}

GpuDevice::~GpuDevice() {
  if (scratch)
    release(scratch);
}

Result<std::vector<DeviceDescription>>
GpuDevice::list(const GpuVendor &vendor, const DeviceOptions &options) {
  auto driver = GpuDriver::open(vendor, options.driver);
  if (!driver)
    return driver.error();
  std::vector<DeviceDescription> devices;
  for (int index = 0; index < driver->deviceCount(); ++index) {
    auto about = driver->describe(index);
    if (!about)
      return about.error();
    devices.push_back(std::move(*about));
  }
  return devices;
}

/// The index of the device that is meant.
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
    auto about = driver.describe(i);
    if (!about)
      return about.error();
    if (about->uuid == which)
      return i;
    known +=
        "\n  " + std::to_string(i) + "  " + about->name + "  " + about->uuid;
  }
  return Error{"no " + std::string(driver.vendor().kind) + " device '" + which +
               "'; there are:" + known};
}

Result<std::unique_ptr<Device>>
GpuDevice::create(const GpuVendor &vendor, const std::string &which,
                  const DeviceOptions &options) {
  auto driver = GpuDriver::open(vendor, options.driver);
  if (!driver)
    return driver.error();
  auto index = choose(*driver, which);
  if (!index)
    return index.error();
  auto about = driver->describe(*index);
  if (!about)
    return about.error();
  auto context = GpuContext::create(*driver, *index);
  if (!context)
    return context.error();
  auto timer = GpuTimer::create(**context);
  if (!timer)
    return Error{timer.error().message};
  std::string busId = (*context)->busId();
  auto monitor = &vendor == &cudaVendor() ? openNvml(busId, options.monitor)
                                          : openAmdSensors(busId);
  if (monitor)
    about->environment = monitor->environment();
  return std::unique_ptr<Device>(
      new GpuDevice(std::move(*about), std::move(*context), std::move(*timer),
                    std::move(monitor)));
}

Result<DeviceMemory, Failure> GpuDevice::allocate(size_t bytes) {
  if (auto up = context->alive(); !up)
    return up.error();
  GpuAddress address = 0;
  GpuCode code =
      context->functions().allocate(&address, std::max<size_t>(bytes, 1));
  if (auto given =
          context->check(code, Status::out_of_memory,
                         "allocate " + std::to_string(bytes) + " bytes");
      !given)
    return given.error();
  return reinterpret_cast<DeviceMemory>(address);
}

void GpuDevice::release(DeviceMemory memory) {
  if (context->isLost())
    return;
  // Where it fails, the next call says so, too.
  (void)context
      ->check(context->functions().free(addressOf({memory, 0})), Status::lost,
              "release memory")
      .ok();
}

Result<void, Failure> GpuDevice::upload(DevicePointer to,
                                        std::span<const std::byte> from) {
  if (auto up = context->alive(); !up || from.empty())
    return up;
  GpuCode code = context->functions().upload(addressOf(to), from.data(),
                                             from.size(), context->stream());
  if (auto begun = context->check(code, Status::lost, "upload data"); !begun)
    return begun;
  return context->synchronize("upload data");
}

Result<void, Failure> GpuDevice::download(std::span<std::byte> to,
                                          DevicePointer from) {
  if (auto up = context->alive(); !up || to.empty())
    return up;
  GpuCode code = context->functions().download(to.data(), addressOf(from),
                                               to.size(), context->stream());
  if (auto begun = context->check(code, Status::lost, "download data"); !begun)
    return begun;
  return context->synchronize("download data");
}

Result<std::unique_ptr<Executable>, Failure>
GpuDevice::load(const Artifact &artifact) {
  if (auto up = context->alive(); !up)
    return up.error();
  return GpuExecutable::load(*context, artifact, about.chip);
}

Result<void, Failure>
GpuDevice::launch(Executable &executable,
                  std::span<const DevicePointer> buffers) {
  if (auto up = context->alive(); !up)
    return up;
  auto &kernels = static_cast<GpuExecutable &>(executable);
  if (auto enqueued = kernels.enqueue(buffers); !enqueued)
    return enqueued;
  return context->synchronize("run the kernel");
}

Result<double, Failure>
GpuDevice::time(Executable &executable,
                std::span<const std::vector<DevicePointer>> batch) {
  if (auto up = context->alive(); !up)
    return up.error();
  return timer->time(static_cast<GpuExecutable &>(executable), batch);
}

Result<bool, Failure> GpuDevice::flush() {
  if (auto up = context->alive(); !up)
    return up.error();
  // More than the cache, since not every line of it goes at once.
  size_t bytes = about.cacheBytes + about.cacheBytes / 2;
  if (bytes == 0)
    return false;
  if (!scratch) {
    auto memory = allocate(bytes);
    if (!memory)
      return memory.error();
    scratch = *memory;
  }
  GpuCode code = context->functions().fill(addressOf({scratch, 0}), 0, bytes,
                                           context->stream());
  if (auto begun = context->check(code, Status::lost, "flush the cache");
      !begun)
    return begun.error();
  if (auto ended = context->synchronize("flush the cache"); !ended)
    return ended.error();
  return true;
}

std::optional<DeviceCondition> GpuDevice::condition() {
  DeviceCondition now = monitor ? monitor->read() : DeviceCondition();
  if (now == DeviceCondition())
    return std::nullopt;
  return now;
}

bool GpuDevice::isLost() const { return context->isLost(); }
