//===- A GPU that this process shares -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedGpu.h"

#include "tonno/Core/Hash.h"

#include <algorithm>
#include <memory>
#include <tuple>

using namespace tonno;
using namespace tonno::python;

namespace {

/// The devices that calls have used. Never destroyed: streams may outlive
/// static objects.
struct UsedGpus {
  std::mutex lock;
  std::map<std::pair<const GpuDriverTraits *, std::string>, GpuDriver> drivers;
  std::map<std::tuple<const GpuDriverTraits *, std::string, int>,
           std::unique_ptr<SharedGpu>>
      devices;
};

} // namespace

static UsedGpus &usedGpus() {
  static auto *used = new UsedGpus();
  return *used;
}

Result<SharedGpu *> SharedGpu::find(const GpuDriverTraits &vendor,
                                    const std::string &library, int index) {
  UsedGpus &used = usedGpus();
  std::lock_guard lock(used.lock);
  std::unique_ptr<SharedGpu> &device = used.devices[{&vendor, library, index}];
  if (device)
    return device.get();
  auto opened = used.drivers.find({&vendor, library});
  if (opened == used.drivers.end()) {
    auto driver = TONNO_TRY(GpuDriver::open(vendor, library, "driver="));
    opened = used.drivers.emplace(std::pair(&vendor, library), driver).first;
  }
  std::unique_ptr<SharedGpu> started(new SharedGpu(opened->second, index));
  TONNO_TRY(started->start());
  device = std::move(started);
  return device.get();
}

Result<void> SharedGpu::start() {
  int device = 0;
  TONNO_TRY(check(functions().deviceGet(&device, index), "find the device"));
  TONNO_TRY(check(driver.vendor().chip(functions(), device, chip),
                  "read the device's chip"));
  limits = TONNO_TRY(GpuLimits::read(driver, device));
  return check(driver.vendor().retain(functions(), device, shared),
               "use the device");
}

Result<void> SharedGpu::check(GpuCode code, const std::string &doing) const {
  auto checked = driver.checkCall(code, Status::fault, doing);
  return checked ? Result<void>() : Error{checked.error().failure.message};
}

SharedGpu::Use::Use(const SharedGpu &gpu) : gpu(gpu) {
  const GpuDriverTraits &vendor = gpu.driver.vendor();
  state = gpu.check(vendor.getCurrent(gpu.functions(), before),
                    "read the current device");
  if (!state || before == gpu.shared)
    return;
  state = gpu.check(vendor.setCurrent(gpu.functions(), gpu.shared),
                    "make the device current");
  hasChanged = state.ok();
}

SharedGpu::Use::~Use() {
  // A failure here is reported by the library's next call.
  if (hasChanged)
    gpu.driver.vendor().setCurrent(gpu.functions(), before);
}

Result<SharedGpu::Program *> SharedGpu::load(const std::string &hash,
                                             const Artifact &artifact) {
  std::lock_guard lock(programsLock);
  auto found = programs.find(hash);
  if (found == programs.end()) {
    // Kernels for several sizes have one binary.
    std::string binary =
        sha256({reinterpret_cast<const char *>(artifact.binary.data()),
                artifact.binary.size()});
    auto loaded = byBinary.find(binary);
    auto code = loaded != byBinary.end()
                    ? loaded->second->code.withPlan(artifact.plan, limits)
                    : GpuProgram::load(driver, limits, chip, artifact);
    if (!code)
      return Error{code.error().failure.message};
    found = programs.try_emplace(hash, *std::move(code)).first;
    byBinary.try_emplace(std::move(binary), &found->second);
  }
  return &found->second;
}

Result<GpuAddress> SharedGpu::allocate(uint64_t bytes) const {
  GpuAddress memory = 0;
  GpuCode code = functions().allocate(&memory, std::max<uint64_t>(bytes, 1));
  TONNO_TRY(check(code, "allocate " + std::to_string(bytes) + " bytes"));
  return memory;
}

void SharedGpu::release(GpuAddress memory) const {
  // A failure here is reported by the next call.
  (void)functions().free(memory);
}

Result<GpuEvent> SharedGpu::mark(GpuStream stream) const {
  constexpr unsigned withoutTime = 2; // of both vendors
  GpuEvent event = nullptr;
  TONNO_TRY(
      check(functions().eventCreate(&event, withoutTime), "create an event"));
  if (auto recorded =
          check(functions().eventRecord(event, stream), "record an event");
      !recorded) {
    (void)functions().eventDestroy(event);
    return recorded.error();
  }
  return event;
}

bool SharedGpu::isCapturing(GpuStream stream) const {
  int status = 0;
  return functions().streamIsCapturing &&
         functions().streamIsCapturing(stream, &status) == 0 && status != 0;
}

bool SharedGpu::hasPassed(GpuEvent event) const {
  // Numbers that both vendors share.
  constexpr GpuCode notReady = 600, forbiddenInCapture = 900;
  constexpr int relaxed = 2;
  // In another mode, a query invalidates the captures of the process.
  auto exchange = functions().exchangeCaptureMode;
  int mode = relaxed;
  bool hasChanged = exchange && exchange(&mode) == 0;
  GpuCode code = functions().eventQuery(event);
  if (hasChanged)
    exchange(&mode);
  if (code == notReady || code == forbiddenInCapture)
    return false;
  (void)functions().eventDestroy(event);
  return true;
}

Result<void> SharedGpu::wait(GpuStream waiting, GpuStream stream) const {
  GpuEvent event = TONNO_TRY(mark(stream));
  auto waits =
      check(functions().streamWait(waiting, event, 0), "wait for an event");
  (void)functions().eventDestroy(event); // the driver does once it has passed
  return waits;
}
