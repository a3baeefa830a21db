//===- This process's hold on a GPU ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuContext.h"

#include <algorithm>

using namespace tonno;

namespace {
/// What follows from a code.
struct Consequence {
  std::optional<Status> status; ///< none: what the caller says
  bool losesDevice;
};
} // namespace

static Consequence consequenceOf(GpuTrouble trouble) {
  switch (trouble) {
  case GpuTrouble::request:
    return {std::nullopt, false};
  case GpuTrouble::memory:
    return {Status::out_of_memory, false};
  case GpuTrouble::binary:
    return {Status::load_error, false};
  case GpuTrouble::resources:
    return {Status::unlaunchable, false};
  case GpuTrouble::fault:
    return {Status::fault, true};
  case GpuTrouble::hang:
    return {Status::hang, true};
  case GpuTrouble::device:
    return {Status::lost, true};
  case GpuTrouble::unknown:
    break; // perhaps a new way to crash: a fresh process is the safe answer
  }
  return {std::nullopt, true};
}

Result<std::unique_ptr<GpuContext>> GpuContext::create(const GpuDriver &driver,
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
  if (auto read = context->readLimits(); !read)
    return read.error();
  return context;
}

GpuContext::~GpuContext() {
  // A driver in a broken state may not come back from a call.
  if (loss)
    return;
  if (itsStream)
    functions().streamDestroy(itsStream);
  vendor().leave(functions(), device);
}

Result<void> GpuContext::readLimits() {
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
    return Error{"cannot read the device's limits: " + driver.errorText(code)};
  // Not every driver knows what it calls opting in.
  if (int bytes = 0; read(attributes.sharedBytesOptIn, bytes) == 0)
    itsLimits.sharedBytes = std::max(itsLimits.sharedBytes, bytes);
  return {};
}

std::string GpuContext::busId() const {
  char text[64] = {};
  if (!functions().deviceBusId ||
      functions().deviceBusId(text, sizeof text - 1, device) != 0)
    return "";
  return text;
}

Result<void, Failure> GpuContext::check(GpuCode code, Status refused,
                                        const std::string &doing) {
  if (code == 0)
    return {};
  auto [status, losesDevice] = consequenceOf(troubleOf(vendor(), code));
  Failure failure = {status.value_or(refused),
                     "cannot " + doing + ": " + driver.errorText(code)};
  if (losesDevice && !loss)
    loss = failure.message;
  return failure;
}

Result<void, Failure> GpuContext::synchronize(const std::string &doing) {
  return check(functions().streamSynchronize(itsStream), Status::fault, doing);
}

Result<void, Failure> GpuContext::alive() const {
  if (loss)
    return Failure{Status::lost, "the device was lost before: " + *loss};
  return {};
}
