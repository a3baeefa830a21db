//===- A thread for tasks -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/TaskThread.h"

#include <utility>

using namespace tonno;

TaskThread::~TaskThread() {
  {
    std::lock_guard lock(mutex);
    isOver = true;
  }
  changed.notify_one();
  thread.join();
}

void TaskThread::start(std::function<void()> task) {
  {
    std::lock_guard lock(mutex);
    next = std::move(task);
  }
  changed.notify_one();
}

void TaskThread::work() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return isOver || next; });
    if (!next)
      return;
    std::function<void()> task = std::exchange(next, nullptr);
    lock.unlock();
    task();
    lock.lock();
  }
}
