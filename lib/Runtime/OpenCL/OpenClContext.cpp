//===- A context of one OpenCL device -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/OpenClNames.h"
#include "tonno/Runtime/OpenClProgram.h"

using namespace tonno;

Result<std::unique_ptr<OpenClContext>>
OpenClContext::create(const OpenClDriver &driver, const OpenClPlace &place) {
  const OpenClFunctions &f = driver.functions();
  std::unique_ptr<OpenClContext> made(new OpenClContext(f, place));
  auto failed = [&](OpenClCode code) {
    return Error{"cannot use the OpenCL device '" + place.about.name +
                 "': " + openClErrorText(code)};
  };
  const intptr_t properties[] = {opencl::platformProperty,
                                 reinterpret_cast<intptr_t>(place.platform), 0};
  OpenClCode code = 0;
  made->context =
      f.createContext(properties, 1, &place.device, nullptr, nullptr, &code);
  if (code != 0)
    return failed(code);
  made->itsQueue =
      f.createQueue(made->context, place.device, opencl::profilingQueue, &code);
  if (code != 0)
    return failed(code);
  if ((code = f.deviceInfo(place.device, opencl::deviceLocalBytes,
                           sizeof made->itsLocalBytes, &made->itsLocalBytes,
                           nullptr)) != 0)
    return failed(code);
  return made;
}

OpenClContext::~OpenClContext() {
  // A driver in a broken state may not come back from a call.
  if (loss)
    return;
  if (itsQueue)
    table.releaseQueue(itsQueue);
  if (context)
    table.releaseContext(context);
}

Result<void, Failure> OpenClContext::check(OpenClCode code, Status refused,
                                           const std::string &doing) {
  if (code == 0)
    return {};
  Failure failure = {refused, "cannot " + doing + ": " + openClErrorText(code)};
  switch (code) {
  case opencl::memoryAllocationFailure:
  case opencl::outOfHostMemory:
    failure.status = Status::out_of_memory;
    break;
  case opencl::deviceNotAvailable:
    failure.status = Status::lost;
    loss = failure.message;
    break;
  case opencl::execStatusError:
  case opencl::invalidQueue: // as a kernel that crashed leaves it
    failure.status = Status::fault;
    loss = failure.message;
    break;
  default:
    break;
  }
  return failure;
}

Result<void, Failure> OpenClContext::checkRun(OpenClCode code,
                                              const std::string &doing) {
  auto ended = check(code, Status::fault, doing);
  // What has crashed may have taken anything along.
  if (!ended && ended.error().status == Status::fault && !loss)
    loss = ended.error().message;
  return ended;
}

Result<void, Failure> OpenClContext::alive() const {
  if (loss)
    return Failure{Status::lost, "the device was lost before: " + *loss};
  return {};
}
