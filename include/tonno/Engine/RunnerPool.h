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

private:
  std::thread::id owner = std::this_thread::get_id();
  std::mutex mutex;
  std::vector<std::function<void()>> calls;
};

/// Equal devices that take trials at the same time, each by a runner of its
/// own. As a Runner it is the first of them, on which finals and tests are
/// made, once no other runs anything. A device that gives no answer, or is lost
/// or in use again and again, is left out from then on; what it ran is run on
/// another. For one thread; runners are called in threads of their own
/// meanwhile.
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

  /// Creates a pool of at least one device. `warn` gets why devices are left
  /// out; `calls` are made while it waits.
  explicit RunnerPool(
      std::vector<Device> devices, Warn warn = [](const std::string &) {},
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
  /// to the first, or take longer than others. Each waits for other processes
  /// for up to so many seconds.
  void enlist(const RunRequest &ofDefault, double waitSeconds);
  /// Returns true if a device that was enlisted runs nothing.
  bool hasFree() const;
  /// Starts a request on a free device.
  void start(size_t ticket, RunRequest request);
  /// Returns true if `finish` would not wait.
  bool hasFinished() const;
  /// Waits for a request that was started; there must be one. Returns none if
  /// it is to be run on another device.
  std::optional<Finished> finish();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tonno

#endif // TONNO_ENGINE_RUNNERPOOL_H
