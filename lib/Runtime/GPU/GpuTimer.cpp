//===- Times launches by a GPU's clock ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuTimer.h"

using namespace tonno;

/// A launch costs the host some 2 to 5 us: from here on it hides behind the
/// kernel before.
static constexpr double shortSeconds = 20e-6;
/// Of one executable. A rotation with more sets makes its graphs anew.
static constexpr size_t maxGraphs = 256;

static constexpr unsigned recordAsNode = 1;
static constexpr int relaxedCapture = 2;

GpuTimer::GpuTimer(GpuContext &context) : context(context) {
  const GpuFunctions &f = context.functions();
  hasGraphs = f.captureBegin && f.captureEnd && f.graphInstantiate &&
              f.graphLaunch && f.graphDestroy && f.graphExecDestroy;
  recordsInGraphs = f.eventRecordWithFlags != nullptr;
}

Result<std::unique_ptr<GpuTimer>, Failure>
GpuTimer::create(GpuContext &context) {
  std::unique_ptr<GpuTimer> timer(new GpuTimer(context));
  for (GpuEvent *event : {&timer->start, &timer->stop})
    if (auto made = context.check(context.functions().eventCreate(event, 0),
                                  Status::lost, "create an event");
        !made)
      return made.error();
  return timer;
}

GpuTimer::~GpuTimer() {
  for (GpuEvent event : {start, stop})
    if (event && !context.isLost())
      context.functions().eventDestroy(event);
}

Result<double, Failure>
GpuTimer::time(GpuExecutable &executable,
               std::span<const std::vector<DevicePointer>> batch) {
  if (hasGraphs && executable.isShort.value_or(false)) {
    auto seconds = timeGraph(executable, batch);
    if (context.isLost() || (seconds && *seconds > 0))
      return seconds;
    hasGraphs = false; // what a driver can't do once, it can't do
  }
  auto seconds = timePlainly(executable, batch);
  if (!seconds || executable.isShort)
    return seconds;
  size_t launches = batch.size() * executable.launchCount();
  bool isShort = *seconds < shortSeconds * static_cast<double>(launches);
  if (++executable.plainTimings == 2 || isShort)
    executable.isShort = isShort;
  return seconds;
}

Result<void, Failure>
GpuTimer::enqueueAll(GpuExecutable &executable,
                     std::span<const std::vector<DevicePointer>> batch) {
  for (const std::vector<DevicePointer> &buffers : batch)
    if (auto enqueued = executable.enqueue(buffers); !enqueued)
      return enqueued;
  return {};
}

Result<void, Failure> GpuTimer::record(GpuEvent event) {
  return context.check(context.functions().eventRecord(event, context.stream()),
                       Status::lost, "record an event");
}

Result<double, Failure> GpuTimer::elapsedSeconds() {
  float milliseconds = 0;
  GpuCode code = context.functions().eventElapsed(&milliseconds, start, stop);
  if (auto read = context.check(code, Status::lost, "read the device's clock");
      !read)
    return read.error();
  return static_cast<double>(milliseconds) * 1e-3;
}

Result<double, Failure>
GpuTimer::timePlainly(GpuExecutable &executable,
                      std::span<const std::vector<DevicePointer>> batch) {
  if (auto recorded = record(start); !recorded)
    return recorded.error();
  if (auto enqueued = enqueueAll(executable, batch); !enqueued)
    return enqueued.error();
  if (auto recorded = record(stop); !recorded)
    return recorded.error();
  if (auto ended = context.synchronize("run the kernel"); !ended)
    return ended.error();
  return elapsedSeconds();
}

Result<double, Failure>
GpuTimer::timeGraph(GpuExecutable &executable,
                    std::span<const std::vector<DevicePointer>> batch) {
  auto graph = graphOf(executable, batch);
  if (!graph)
    return graph.error();
  if (!recordsInGraphs)
    if (auto recorded = record(start); !recorded)
      return recorded.error();
  GpuCode code = context.functions().graphLaunch(*graph, context.stream());
  if (auto launched =
          context.check(code, Status::unlaunchable, "launch a graph");
      !launched)
    return launched.error();
  if (!recordsInGraphs)
    if (auto recorded = record(stop); !recorded)
      return recorded.error();
  if (auto ended = context.synchronize("run the kernel"); !ended)
    return ended.error();
  return elapsedSeconds();
}

Result<GpuGraphExec, Failure>
GpuTimer::graphOf(GpuExecutable &executable,
                  std::span<const std::vector<DevicePointer>> batch) {
  std::vector<GpuAddress> key;
  for (const std::vector<DevicePointer> &buffers : batch)
    for (DevicePointer buffer : buffers)
      key.push_back(addressOf(buffer));
  if (auto found = executable.graphs.find(key);
      found != executable.graphs.end())
    return found->second.get();
  auto graph = capture(executable, batch);
  if (!graph)
    return graph.error();
  auto exec = instantiate(*graph);
  if (!context.isLost())
    context.functions().graphDestroy(*graph);
  if (!exec)
    return exec.error();
  if (executable.graphs.size() >= maxGraphs)
    executable.graphs.clear();
  executable.graphs.try_emplace(std::move(key),
                                GpuGraphInstance(context, *exec));
  return *exec;
}

Result<GpuGraph, Failure>
GpuTimer::capture(GpuExecutable &executable,
                  std::span<const std::vector<DevicePointer>> batch) {
  const GpuFunctions &f = context.functions();
  auto checked = [&](GpuCode code) {
    return context.check(code, Status::unlaunchable, "make a graph");
  };
  auto recordNode = [&](GpuEvent event) -> Result<void, Failure> {
    if (!recordsInGraphs)
      return {};
    return checked(
        f.eventRecordWithFlags(event, context.stream(), recordAsNode));
  };
  if (auto begun = checked(f.captureBegin(context.stream(), relaxedCapture));
      !begun)
    return begun.error();
  auto captured = recordNode(start);
  if (captured)
    captured = enqueueAll(executable, batch);
  if (captured)
    captured = recordNode(stop);
  // Even after a failure, since it ends the stream's capturing.
  GpuGraph graph = nullptr;
  auto ended = context.isLost()
                   ? captured
                   : checked(f.captureEnd(context.stream(), &graph));
  if (captured && ended)
    return graph;
  if (graph && !context.isLost())
    f.graphDestroy(graph);
  return captured ? ended.error() : captured.error();
}

Result<GpuGraphExec, Failure> GpuTimer::instantiate(GpuGraph graph) {
  const GpuFunctions &f = context.functions();
  GpuGraphExec exec = nullptr;
  if (auto made = context.check(f.graphInstantiate(&exec, graph, 0),
                                Status::unlaunchable, "make a graph");
      !made)
    return made.error();
  // Else the first launch does it, on the clock.
  if (f.graphUpload)
    if (auto uploaded = context.check(f.graphUpload(exec, context.stream()),
                                      Status::unlaunchable, "make a graph");
        !uploaded && context.isLost())
      return uploaded.error();
  return exec;
}
