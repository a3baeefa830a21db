//===- A thread for tasks -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_ENGINE_TASKTHREAD_H
#define TONNO_ENGINE_TASKTHREAD_H

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tonno {

/// Runs tasks one after the other in a thread. The thread lives as long as this
/// does, since a process ends with the thread that started it.
class TaskThread {
public:
  TaskThread() : thread([this] { work(); }) {}
  TaskThread(const TaskThread &) = delete;
  TaskThread &operator=(const TaskThread &) = delete;
  ~TaskThread();

  /// Starts a task once the one that runs has ended; there must be no other.
  void start(std::function<void()> task);

private:
  void work();

  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> next;
  bool isOver = false;
  std::thread thread; ///< last: it uses the others
};

} // namespace tonno

#endif // TONNO_ENGINE_TASKTHREAD_H
