//===- A process that compiles, and its limits ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_COMPILINGCHILD_H
#define TONNO_SESSION_COMPILINGCHILD_H

#include "tonno/Core/Result.h"
#include "tonno/Core/Status.h"
#include "tonno/Process/Subprocess.h"
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tonno {

/// The time limit of a compilation, derived from the kernel's earlier
/// compilations, so that an endless one is stopped soon. Until enough have been
/// compiled, the limit is the maximum.
class CompileLimit {
public:
  /// Creates a limit between `least` and `most` seconds.
  CompileLimit(double most, double least) : most(most), least(least) {}

  /// Starts anew for another kernel; `stated`, if given, is the limit
  /// regardless of earlier compilations.
  void restart(std::optional<double> stated) {
    this->stated = stated;
    slowest = 0;
    count = 0;
  }
  /// Adds the time of a successful compilation.
  void add(double seconds) {
    slowest = std::max(slowest, seconds);
    ++count;
  }

  double seconds() const;
  /// Returns the maximum, regardless of earlier compilations.
  double mostSeconds() const { return stated.value_or(most); }
  /// Returns the text that follows "did not compile within 10 s", for a
  /// candidate, or for a compilation that always has the maximum.
  std::string explanation() const;
  static std::string remedy();

private:
  double most, least;
  std::optional<double> stated;
  double slowest = 0;
  uint32_t count = 0;
};

/// Answers requests in a process forked from this one, within limits. The child
/// starts from this process's memory and keeps its own additions: forking a
/// process as large as a compiler, with the page faults that follow, would cost
/// up to a quarter of a candidate's compilation.
class CompilingChild {
public:
  /// Creates a compiler that forks on the first request. Each child may
  /// allocate `bytes` beyond this process's memory. Compilations must not write
  /// to `parentsChannel`, which gets a sign of life every `aliveSeconds`. Calls
  /// `prepare` once in each child.
  CompilingChild(
      uint64_t bytes, const FrameChannel &parentsChannel,
      std::function<Json(const Json &request)> answer,
      std::function<void()> prepare = [] {},
      double aliveSeconds = defaultAliveSeconds)
      : bytes(bytes), parentsChannel(parentsChannel), answer(std::move(answer)),
        prepare(std::move(prepare)), aliveSeconds(aliveSeconds) {}

  /// Often enough for any limit, seldom enough to fill no buffer.
  static constexpr double defaultAliveSeconds = 1;

  /// Answers a request in the child, which is forked first if there is none.
  /// Ends a child that gives no answer; the Failure says how it ended, or that
  /// it took too long. Waiting for a processor does not count (Subprocess.h).
  /// If signals end two children in a row during one request, the compiler has
  /// crashed.
  Result<Json, Failure> ask(const Json &request, double seconds);

  /// Returns the number of requests that the current child has answered; 0
  /// without a child.
  uint32_t answered() const { return count; }
  /// Ends the child; the next request starts from this process's memory.
  void end();

private:
  int serve(int channel) const;
  Result<Json, FrameFailure> receive(double seconds);
  Result<Json, Failure> askOnce(const Json &request, double seconds,
                                bool &wasEnded);
  Failure classifyFailure(const NoAnswer &silence, double seconds) const;

  uint64_t bytes;
  FrameChannel parentsChannel;
  std::function<Json(const Json &)> answer;
  std::function<void()> prepare;
  double aliveSeconds;
  std::optional<Subprocess> child;
  uint32_t count = 0;
};

} // namespace tonno

#endif // TONNO_SESSION_COMPILINGCHILD_H
