//===- Waits for commands of a queue --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandWait.h"
#include "Failures.h"

#include <algorithm>
#include <sstream>
#include <thread>

using namespace tonno;

static constexpr Seconds longestPause(0.01);

std::string tonno::describe(Seconds limit) {
  std::ostringstream text;
  text << limit.count();
  return text.str();
}

bool CommandWait::ends(cl_event event) const {
  (void)clFlush(queue); // waiting for the event says what fails
  auto begin = std::chrono::steady_clock::now();
  cl_int status = CL_QUEUED;
  while (clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                        &status, nullptr) == CL_SUCCESS &&
         status > CL_COMPLETE) {
    Seconds waited = std::chrono::steady_clock::now() - begin;
    if (waited > limit)
      return false;
    std::this_thread::sleep_for(std::min(waited / 10, longestPause));
  }
  return true;
}

Result<void> CommandWait::until(const EventHandle &event,
                                const std::string &what) const {
  if (!ends(event.get()))
    return Error{what + " has not ended in " + describe(limit) +
                 " s: the queue is busy or hangs; use a queue of its own, or "
                 "raise 'timeoutSeconds'"};
  cl_event ended = event.get();
  return checkCall("clWaitForEvents", clWaitForEvents(1, &ended));
}

Result<void> CommandWait::drain() const {
  cl_event event = nullptr;
  cl_int code = clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event);
  EventHandle marker(event);
  if (code != CL_SUCCESS)
    return makeCallError("clEnqueueMarkerWithWaitList", code);
  return until(marker, "what was on the queue before");
}
