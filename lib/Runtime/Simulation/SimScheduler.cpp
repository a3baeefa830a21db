//===- Runs a GPU's threads on the CPU ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/SimScheduler.h"

#include "SimSharedMemory.h"
#include "SimWorkgroup.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

using namespace tonno;

static constexpr uint64_t mostThreads = 1024;

/// Stacks are the costly part of a launch.
struct SimScheduler::State {
  std::unique_ptr<SimStacks> stacks;
};

SimScheduler::SimScheduler() : state(std::make_unique<State>()) {}
SimScheduler::~SimScheduler() = default;

static uint64_t product(const std::array<uint32_t, 3> &sizes) {
  return uint64_t(sizes[0]) * sizes[1] * sizes[2];
}

static Result<void, Failure> checkGeometry(const SimObject &object,
                                           const LaunchGeometry &geometry) {
  auto refuse = [](const std::string &why) {
    return Failure{Status::unlaunchable, why};
  };
  // Sizes beyond 16 bits first: their product might have no 64 bits.
  bool tooWide = std::ranges::any_of(
      geometry.block, [](uint32_t size) { return size > mostThreads; });
  if (tooWide || product(geometry.block) > mostThreads)
    return refuse("a simulated workgroup has at most " +
                  std::to_string(mostThreads) + " threads");
  if (!product(geometry.block) || std::ranges::count(geometry.grid, 0u))
    return refuse("the launch has no threads");
  if (geometry.grid[2] > UINT64_MAX / geometry.grid[0] / geometry.grid[1])
    return refuse("the launch has more workgroups than 64 bits count");
  if (object.dynamic.start && geometry.sharedBytes > object.dynamic.bytes)
    return refuse("the launch asks for " +
                  std::to_string(geometry.sharedBytes) +
                  " bytes of shared memory, its object has " +
                  std::to_string(object.dynamic.bytes));
  return {};
}

namespace {

/// What the kernel sees, and behind it what serves the kernel.
struct ServedRuntime : SimRuntime {
  SimWorkgroup *workgroup = nullptr;
  std::string firstStray; ///< empty: there was none
};

} // namespace

static void serveMeeting(SimRuntime *runtime, const char *where,
                         SimCollective kind, uint64_t lanes,
                         const uint64_t *operands, uint64_t *results) {
  static_cast<ServedRuntime *>(runtime)->workgroup->meet(where, kind, lanes,
                                                         operands, results);
}

static void serveStray(SimRuntime *runtime, uint32_t pointer, int64_t offset,
                       uint64_t bytes, uint32_t isWrite) {
  std::string &first = static_cast<ServedRuntime *>(runtime)->firstStray;
  if (first.empty())
    first = std::to_string(bytes) + " bytes at byte " + std::to_string(offset) +
            " of argument " + std::to_string(pointer) + " were " +
            (isWrite ? "written" : "read") + "; it has " +
            std::to_string(runtime->bufferBytes[pointer]);
}

template <typename T>
static void store(uint8_t *memory, size_t offset, uint32_t value) {
  T narrow = static_cast<T>(value);
  std::memcpy(memory + offset, &narrow, sizeof narrow);
}

/// What AMD's kernels read of the launch: the `hidden_*` arguments of code
/// object version 5 and the packet that launched them.
static void fillForAMD(SimRuntime &runtime) {
  for (size_t axis = 0; axis < 3; ++axis) {
    uint32_t blocks = runtime.gridSize[axis], threads = runtime.blockSize[axis];
    store<uint32_t>(runtime.implicitArguments, 4 * axis, blocks);
    store<uint16_t>(runtime.implicitArguments, 12 + 2 * axis, threads);
    store<uint16_t>(runtime.dispatchPacket, 4 + 2 * axis, threads);
    store<uint32_t>(runtime.dispatchPacket, 12 + 4 * axis, blocks * threads);
  }
  store<uint16_t>(runtime.implicitArguments, 64, 3); // hidden_grid_dims
}

static ServedRuntime makeRuntime(const LaunchGeometry &geometry,
                                 const uint64_t *bufferBytes) {
  ServedRuntime runtime = {};
  std::ranges::copy(geometry.block, runtime.blockSize);
  std::ranges::copy(geometry.grid, runtime.gridSize);
  runtime.meet = serveMeeting;
  runtime.bufferBytes = bufferBytes;
  runtime.stray = serveStray;
  fillForAMD(runtime);
  return runtime;
}

namespace {

/// The numbers below `count`, each once, in an order of a seed's.
class Permutation {
public:
  Permutation(uint64_t count, uint64_t seed) : count(count) {
    std::mt19937_64 random(seed);
    at = random() % count;
    do
      step = 1 + random() % count;
    while (std::gcd(step, count) != 1);
  }
  uint64_t next() {
    at = static_cast<uint64_t>((static_cast<unsigned __int128>(at) + step) %
                               count);
    return at;
  }

private:
  uint64_t count, at, step;
};

} // namespace

static Failure describe(Status status, const SimRuntime &runtime,
                        const std::string &what) {
  std::string text = "workgroup (";
  for (int axis = 0; axis < 3; ++axis)
    text += (axis ? ", " : "") + std::to_string(runtime.blockId[axis]);
  return {status, text + "): " + what};
}

Result<void, Failure> SimScheduler::run(const SimKernel &kernel,
                                        const LaunchGeometry &geometry,
                                        uint64_t seed) {
  SimObject &object = kernel.object;
  if (auto checked = checkGeometry(object, geometry); !checked)
    return checked.error();
  if (size_t count = product(geometry.block);
      !state->stacks || state->stacks->size() < count) {
    auto stacks = SimStacks::create(count);
    if (!stacks)
      return stacks.error();
    state->stacks = std::move(*stacks);
  }
  ServedRuntime runtime = makeRuntime(geometry, kernel.bufferBytes);
  SimWorkgroup workgroup(runtime, object.subgroupSize, *state->stacks, seed);
  runtime.workgroup = &workgroup;
  object.runtime = &runtime;
  SimSharedMemory shared(object, geometry.sharedBytes);
  uint64_t blocks = product(geometry.grid);
  Permutation order(blocks, seed);
  for (uint64_t done = 0; done < blocks; ++done) {
    uint64_t block = order.next();
    runtime.blockId[0] = static_cast<uint32_t>(block % geometry.grid[0]);
    block /= geometry.grid[0];
    runtime.blockId[1] = static_cast<uint32_t>(block % geometry.grid[1]);
    runtime.blockId[2] = static_cast<uint32_t>(block / geometry.grid[1]);
    shared.poison();
    if (auto ran = workgroup.run({kernel.entry, kernel.pointers}); !ran)
      return describe(Status::fault, runtime, ran.error().message);
    if (!runtime.firstStray.empty())
      return describe(Status::out_of_bounds, runtime, runtime.firstStray);
    if (auto stray = shared.findStrayWrite())
      return describe(Status::out_of_bounds, runtime, *stray);
  }
  return {};
}
