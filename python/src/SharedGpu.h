//===- A GPU that this process shares -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_SHAREDGPU_H
#define PYTHON_SRC_SHAREDGPU_H

#include "tonno/Runtime/GpuDriver.h"
#include "tonno/Runtime/GpuProgram.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace tonno::python {

/// A GPU in the context that all libraries of the process share: CUDA's primary
/// context. Lives until the process ends, like the programs that it has loaded:
/// a stream may still run them when their kernel is gone.
class SharedGpu {
public:
  /// Returns the device with this index, the same for each call. `library` is
  /// the driver's path, or empty for the system's.
  static Result<SharedGpu *> find(const GpuDriverTraits &vendor,
                                  const std::string &library, int index);

  SharedGpu(const SharedGpu &) = delete;
  SharedGpu &operator=(const SharedGpu &) = delete;

  /// Makes the device current for this thread. The destructor restores the
  /// previous device, which libraries rely on.
  class Use {
  public:
    explicit Use(const SharedGpu &gpu);
    ~Use();
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

    const Result<void> &begun() const { return state; }

  private:
    const SharedGpu &gpu;
    GpuCurrent before;
    bool hasChanged = false;
    Result<void> state;
  };

  /// A program with the memory of its launches on drivers without
  /// stream-ordered memory, where a workspace cannot be freed while launches
  /// are in flight. There is one, for good: each stream waits for its last use.
  struct Program {
    explicit Program(GpuProgram code) : code(std::move(code)) {}

    GpuProgram code;
    std::mutex lock;            ///< guards the workspace
    GpuAddress workspace = 0;   ///< 0 before the first call
    GpuEvent lastUse = nullptr; ///< behind the launches of the last call
  };

  /// Returns the program of an artifact, which is loaded once for each hash.
  /// The device must be current, as for all that follow.
  Result<Program *> load(const std::string &hash, const Artifact &artifact);

  Result<GpuAddress> allocate(uint64_t bytes) const;
  /// Waits for the device.
  void release(GpuAddress memory) const;
  /// Makes the work that `waiting` gets from now on wait for what `stream` has.
  Result<void> wait(GpuStream waiting, GpuStream stream) const;

  /// Returns an event that passes with the work of the stream.
  Result<GpuEvent> mark(GpuStream stream) const;
  /// Returns true if the work that the stream gets goes into a graph.
  bool isCapturing(GpuStream stream) const;
  /// Returns true, and destroys the event, if it has passed or the device is
  /// lost.
  bool hasPassed(GpuEvent event) const;

  const GpuFunctions &functions() const { return driver.functions(); }
  /// Fails with "cannot <doing>: ..." for what a call returned.
  Result<void> check(GpuCode code, const std::string &doing) const;

private:
  SharedGpu(const GpuDriver &driver, int index)
      : driver(driver), index(index) {}
  Result<void> start();

  GpuDriver driver;
  int index;
  GpuCurrent shared;
  GpuLimits limits;
  std::string chip;
  std::mutex programsLock;
  std::map<std::string, Program> programs;
  /// The first program of each binary, by its hash. None is unloaded.
  std::map<std::string, Program *> byBinary;
};

} // namespace tonno::python

#endif // PYTHON_SRC_SHAREDGPU_H
