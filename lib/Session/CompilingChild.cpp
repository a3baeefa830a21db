//===- A process that compiles, and its limits ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/CompilingChild.h"
#include "tonno/Process/ProcessEnd.h"
#include "tonno/Process/ProcessTable.h"
#include "tonno/Process/ProgramStart.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

using namespace tonno;

/// The number of compilations after which the limit follows from their times.
static constexpr uint32_t enough = 5;
static constexpr double timesSlowest = 20;

double CompileLimit::seconds() const {
  if (stated || count < enough)
    return mostSeconds();
  return std::clamp(timesSlowest * slowest, std::min(least, most), most);
}

std::string CompileLimit::remedy() {
  return "; raise the limit by '--compile-seconds=<s>'";
}

std::string CompileLimit::explanation() const {
  if (seconds() >= mostSeconds())
    return remedy();
  return ", while the slowest of " + std::to_string(count) +
         " other candidates took " + formatLimit(slowest) + remedy();
}

/// Limits the memory that this process may allocate beyond its present size.
static void limitMemory(uint64_t bytes) {
  // RLIMIT_DATA would not count mapped files.
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit;
  if (::getrlimit(RLIMIT_AS, &limit) != 0)
    return;
  uint64_t held = pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  bytes = std::min(bytes, std::numeric_limits<rlim_t>::max() - held);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, held + bytes);
  ::setrlimit(RLIMIT_AS, &limit);
}

int CompilingChild::serve(int channel) const {
  ::close(parentsChannel.input);
  ::close(parentsChannel.output);
  // Compilers allocate what they have just freed again and again.
  keepFreedMemory(256 << 20);
  adoptStrayProcesses();
  const pid_t process = ::getpid();
  std::set_new_handler([] { ::_exit(outOfMemoryExit); });
  prepare();
  for (;;) {
    auto request = readFrame(channel);
    if (!request)
      return request.error() == FrameFailure::closed ? 0 : 1;
    limitMemory(bytes);
    Json reply = answer(*request);
    if (::getpid() != process)
      return 1; // a copy, which a compiler has forked and let go
    // The parent's end is this process's, not that of what it has started.
    endStrayProcesses();
    if (!writeFrame(channel, reply))
      return 1;
  }
}

Failure CompilingChild::classifyFailure(const NoAnswer &silence,
                                        double seconds) const {
  using Cause = NoAnswer::Cause;
  switch (silence.cause) {
  case Cause::crashed:
    return {Status::compile_crash, "the compiler crashed: " + silence.end.text};
  case Cause::out_of_memory:
    return {Status::out_of_memory, "the compiler needs more than " +
                                       std::to_string(bytes >> 20) +
                                       " MiB of memory"};
  case Cause::killed:
    return {Status::out_of_memory,
            "the compiler was killed, perhaps for lack of memory"};
  case Cause::ended:
  case Cause::cancelled: // cannot happen here
    return {Status::lost, "the compiler was ended: " + silence.end.text};
  case Cause::closed:
    return {Status::compile_crash, "the compiler closed its worker's channel"};
  case Cause::timed_out:
    return {Status::compile_timeout,
            "did not compile within " + formatLimit(seconds)};
  case Cause::garbled:
    return {Status::compile_crash,
            "the compiler wrote into its worker's frames"};
  }
  std::abort(); // all causes return
}

void CompilingChild::end() {
  child.reset();
  count = 0;
}

Result<Json, FrameFailure> CompilingChild::receive(double seconds) {
  Deadline nextSign = inSeconds(aliveSeconds);
  return child->receiveWithin(seconds, [&] {
    if (Clock::now() >= nextSign) {
      nextSign = inSeconds(aliveSeconds);
      // A peer that has gone is noticed when the answer is sent.
      (void)writeFrame(parentsChannel.output, {{"alive", true}}).ok();
    }
    return false; // waits are never cancelled here
  });
}

Result<Json, Failure> CompilingChild::ask(const Json &request, double seconds) {
  bool wasEnded = false;
  auto message = askOnce(request, seconds, wasEnded);
  if (!wasEnded)
    return message;
  message = askOnce(request, seconds, wasEnded);
  if (wasEnded)
    return Failure{Status::compile_crash, message.error().message + ", twice"};
  return message;
}

Result<Json, Failure> CompilingChild::askOnce(const Json &request,
                                              double seconds, bool &wasEnded) {
  wasEnded = false;
  if (!child) {
    auto forked =
        Subprocess::fork([this](int channel) { return serve(channel); });
    if (!forked)
      return Failure{Status::lost, forked.error().message};
    child = std::move(*forked);
  }
  // One that has ended since its last answer says so below.
  (void)child->send(request);
  auto message = receive(seconds);
  if (message) {
    ++count;
    return std::move(*message);
  }
  NoAnswer silence = child->terminate(message.error());
  wasEnded = silence.cause == NoAnswer::Cause::ended;
  end();
  return classifyFailure(silence, seconds);
}
