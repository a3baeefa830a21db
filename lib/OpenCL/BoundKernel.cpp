//===- A kernel with arguments --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BoundKernel.h"
#include "Failures.h"

#include <algorithm>

using namespace tonno;

BoundKernel BoundKernel::asSet(const KernelInfo &place) {
  return BoundKernel(place);
}

Result<void> BoundKernel::createOwnKernel() {
  cl_int code = CL_SUCCESS;
  own.reset(clCreateKernel(place.program, place.name.c_str(), &code));
  return checkCall("clCreateKernel", code);
}

Result<void> BoundKernel::set(const std::vector<KernelArgument> &arguments) {
  cl_uint count = 0;
  TONNO_TRY(checkCall("clGetKernelInfo",
                      clGetKernelInfo(own.get(), CL_KERNEL_NUM_ARGS,
                                      sizeof count, &count, nullptr)));
  if (arguments.size() != count)
    return Error{"'" + place.name + "' has " + std::to_string(count) +
                 " arguments, not the " + std::to_string(arguments.size()) +
                 " that are given"};
  for (cl_uint i = 0; i != arguments.size(); ++i)
    if (auto set = checkCall("clSetKernelArg",
                             clSetKernelArg(own.get(), i, arguments[i].size(),
                                            arguments[i].data()));
        !set)
      return set.error().prefixed("argument " + std::to_string(i) + " of '" +
                                  place.name + "'");
  return {};
}

Result<bool> BoundKernel::save(cl_mem buffer, const CommandWait &wait) {
  auto isSame = [&](const Saved &each) { return each.original == buffer; };
  if (std::ranges::any_of(saved, isSame))
    return true;
  auto info = TONNO_TRY(describeMemory(buffer));
  if (info.isReadOnly)
    return true;
  if (!info.isBuffer)
    return false;
  cl_int code = CL_SUCCESS;
  MemoryHandle copy(clCreateBuffer(place.context, CL_MEM_READ_WRITE, info.bytes,
                                   nullptr, &code));
  cl_event event = nullptr;
  if (code == CL_SUCCESS)
    code = clEnqueueCopyBuffer(place.queue, buffer, copy.get(), 0, 0,
                               info.bytes, 0, nullptr, &event);
  EventHandle copying(event);
  std::string what = "copying a buffer of " + std::to_string(info.bytes) +
                     " bytes, so that it can be restored,";
  if (code != CL_SUCCESS)
    return makeCallError(what, code);
  TONNO_TRY(wait.until(copying, what));
  saved.push_back({buffer, std::move(copy), info.bytes});
  return true;
}

Result<void> BoundKernel::restore(const CommandWait &wait) const {
  std::vector<EventHandle> copies;
  for (const Saved &each : saved) {
    cl_event event = nullptr;
    TONNO_TRY(checkCall("clEnqueueCopyBuffer",
                        clEnqueueCopyBuffer(place.queue, each.copy.get(),
                                            each.original, 0, 0, each.bytes, 0,
                                            nullptr, &event)));
    copies.emplace_back(event);
  }
  for (const EventHandle &copy : copies)
    TONNO_TRY(wait.until(copy, "copying it back"));
  return {};
}

Result<BoundKernel>
BoundKernel::with(const KernelInfo &place,
                  const std::vector<KernelArgument> &arguments, bool restores,
                  const CommandWait &wait) {
  BoundKernel bound(place);
  TONNO_TRY(bound.createOwnKernel());
  TONNO_TRY(bound.set(arguments));
  // An out-of-order queue would copy before earlier commands have ended.
  TONNO_TRY(wait.drain());
  // An argument without information may be written.
  auto known = getKernelArguments(place);
  for (size_t i = 0; restores && i != arguments.size(); ++i) {
    bool isRead = known && i < known->size() &&
                  ((*known)[i].isConst ||
                   (*known)[i].space == ArgumentInfo::Space::constant);
    if (!arguments[i].buffer() || isRead)
      continue;
    auto kept = TONNO_TRY(bound.save(arguments[i].buffer(), wait));
    if (!kept)
      bound.unrestored.push_back(
          "argument " + std::to_string(i) + " of '" + place.name +
          "' is not a buffer, so writes of launches to it are not undone");
  }
  return bound;
}

Result<BoundKernel> BoundKernel::bindNewBuffers(const KernelInfo &place,
                                                const WorkSize &globalSize,
                                                const CommandWait &wait) {
  auto known = getKernelArguments(place);
  if (!known)
    return Error{"the arguments of '" + place.name +
                 "' are neither set nor known (" + known.error().message +
                 "); set them, give them as args, or build the program with "
                 "-cl-kernel-arg-info"};
  auto plan = TONNO_TRY(planBuffers(place.name, *known, globalSize));
  BoundKernel bound(place);
  TONNO_TRY(bound.createOwnKernel());
  std::vector<KernelArgument> arguments;
  for (const MadeBuffer &each : plan) {
    cl_int code = CL_SUCCESS;
    bound.made.emplace_back(clCreateBuffer(place.context, CL_MEM_READ_WRITE,
                                           each.bytes, nullptr, &code));
    cl_mem buffer = bound.made.back().get();
    cl_event event = nullptr;
    if (code == CL_SUCCESS)
      code = clEnqueueFillBuffer(place.queue, buffer, each.pattern.data(),
                                 each.pattern.size(), 0, each.bytes, 0, nullptr,
                                 &event);
    EventHandle filling(event);
    std::string what = "making a buffer of " + std::to_string(each.bytes) +
                       " bytes for argument " +
                       std::to_string(arguments.size()) + " of '" + place.name +
                       "'";
    if (code != CL_SUCCESS)
      return makeCallError(what, code);
    // The queue need not keep the order.
    TONNO_TRY(wait.until(filling, what));
    arguments.emplace_back(buffer);
    if (!each.isWritten)
      continue;
    TONNO_TRY(bound.save(buffer, wait));
  }
  TONNO_TRY(bound.set(arguments));
  return bound;
}
