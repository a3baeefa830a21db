//===- Several devices that take trials at the same time ------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_ENGINE_RUNNERPOOL_H
#define TONNO_ENGINE_RUNNERPOOL_H

#include "tonno/Engine/Runner.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tonno {

/// Function calls that any thread may ask for, and one makes: at once if it
/// asks itself, else when it calls `run`.
class CallQueue {
public:
  void call(std::function<void()> function);
  /// Makes the calls of other threads. For the thread that made the queue.
  void run();
  /// Forgets the calls of other threads.
  void clear();

private:
  std::thread::id owner = std::this_thread::get_id();
  std::mutex mutex;
  std::vector<std::function<void()>> calls;
};

/// Equal devices that take trials at the same time, each by a runner of its
/// own. As a Runner it is the first of them, on which finals and tests are
/// made. A device that ends, or fails again and again, is left out from then
/// on; what it ran is run on another. For one thread; runners are called in
/// threads of their own meanwhile.
class RunnerPool : public Runner {
public:
  struct Device {
    std::unique_ptr<Runner> runner;
    std::string name; ///< for users: "cuda:1"
  };
  struct Finished {
    size_t ticket;
    std::string device;
    RunResult result;
  };
  using Warn = std::function<void(const std::string &)>;

  /// Creates a pool of at least one device. `calls` are made while it waits.
  explicit RunnerPool(
      std::vector<Device> devices,
      std::function<bool()> interrupted = [] { return false; },
      std::shared_ptr<CallQueue> calls = std::make_shared<CallQueue>());
  RunnerPool(RunnerPool &&other) noexcept;
  ~RunnerPool() override;

  Result<DeviceDescription> device() override;
  /// Opens the first device; the others are as if closed.
  Result<void> open(const RunnerSession &session) override;
  RunResult run(const RunRequest &request) override;

  /// Returns the number of devices that were not left out.
  size_t size() const;

  /// Opens the other devices for the session of the first, and times the
  /// default on all at the same time. Leaves out those that fail, are not equal
  /// to the first, or take longer than others.
  void enlist(const RunnerSession &session, const RunRequest &ofDefault,
              const Warn &warn);
  /// Returns true if a device that was enlisted runs nothing.
  bool hasFree() const;
  /// Starts a request on a free device.
  void start(size_t ticket, RunRequest request);
  /// Returns true if `finish` would not wait.
  bool hasFinished() const;
  /// Waits for a request that was started; there must be one. Returns none if
  /// it is to be run on another device.
  std::optional<Finished> finish(const Warn &warn);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tonno

#endif // TONNO_ENGINE_RUNNERPOOL_H
