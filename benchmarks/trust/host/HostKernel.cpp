//===- Distinct binaries of equal work ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostKernel.h"

#include "tonno/Core/File.h"
#include "tonno/Runtime/HostDevice.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sched.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;
using namespace tonno::trust;

std::vector<std::string> HostKernel::names() { return {"matmul", "stream"}; }

static LaunchPlan planOf(const std::string &name, ElementType type) {
  std::vector<std::vector<int64_t>> shapes = {
      {100, 256}, {256, 256}, {100, 256}};
  if (name == "stream")
    shapes.assign(3, {100, 13 << 10});
  LaunchPlan plan;
  plan.buffers = {{"arg0", type, shapes[0], Access::read, 64},
                  {"arg1", type, shapes[1], Access::read, 64},
                  {"result0", type, shapes[2], Access::write, 64}};
  plan.launches = {{"work_entry", {0, 1, 2}, {}}};
  return plan;
}

static Result<Artifact> loadBinary(const std::string &name, ElementType type) {
  auto bytes = TONNO_TRY(
      readFile(std::string(KERNEL_DIRECTORY) + "/tonno-trust-" + name +
               (type == ElementType::f64 ? "-reference.so" : ".so")));
  Artifact artifact;
  artifact.target = "host";
  artifact.binary.assign(bytes.begin(), bytes.end());
  artifact.plan = planOf(name, type);
  return artifact;
}

Result<HostKernel> HostKernel::load(const std::string &name) {
  auto binary = loadBinary(name, ElementType::f32);
  auto reference = loadBinary(name, ElementType::f64);
  for (const auto &each : {&binary, &reference})
    if (!*each)
      return each->error();
  HostKernel kernel;
  kernel.binary = std::move(*binary);
  kernel.reference.reference = std::move(*reference);
  kernel.reference.reductionLength = name == "matmul" ? 256 : 2;
  kernel.reference.exact = true;
  kernel.reference.sumsOfProducts = true;
  return kernel;
}

Artifact HostKernel::candidate(unsigned number, unsigned percent) const {
  Artifact artifact = binary;
  constexpr std::string_view mark("tonno candidate\0", 16);
  auto at = std::search(artifact.binary.begin(), artifact.binary.end(),
                        mark.begin(), mark.end());
  unsigned values[] = {number, percent};
  std::memcpy(&*(at + mark.size()), values, sizeof values);
  return artifact;
}

/// Launches the artifact once between two stops, in a traced process.
[[noreturn]] static void launchTraced(const Artifact &artifact) {
  auto device = HostDevice::create();
  auto executable = (*device)->load(artifact);
  if (!executable)
    ::_exit(1);
  std::vector<std::vector<std::byte>> memory;
  std::vector<DevicePointer> buffers;
  for (const BufferSpec &buffer : artifact.plan.buffers)
    memory.emplace_back(buffer.bytes());
  for (std::vector<std::byte> &each : memory)
    buffers.push_back({each.data(), 0});
  ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  ::raise(SIGSTOP);
  (void)(*device)->launch(**executable, buffers).ok();
  ::raise(SIGSTOP);
  ::_exit(0);
}

Result<uint64_t> trust::countInstructions(const Artifact &artifact) {
  pid_t child = ::fork();
  if (child < 0)
    return Error{std::string("cannot fork: ") + std::strerror(errno)};
  if (child == 0)
    launchTraced(artifact);
  int status = 0;
  auto stoppedBy = [&](int signal) {
    return ::waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
           WSTOPSIG(status) == signal;
  };
  uint64_t count = 0;
  bool isAlive = stoppedBy(SIGSTOP);
  while (isAlive && ::ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) == 0 &&
         stoppedBy(SIGTRAP))
    ++count;
  bool hasEnded = isAlive && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  if (!hasEnded)
    return Error{"the launch can't be traced"};
  return count;
}

Neighbour::Neighbour(std::optional<unsigned> core) : process(::fork()) {
  if (process != 0)
    return;
  if (core) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(*core, &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<double> memory(1 << 23); // 64 MiB
  for (double factor = 1;; factor += 1)
    for (double &each : memory)
      *const_cast<volatile double *>(&each) = each * 0.5 + factor;
}

Neighbour::~Neighbour() {
  if (process <= 0)
    return;
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
}
