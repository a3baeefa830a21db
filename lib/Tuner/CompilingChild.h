//===- CompilingChild.h - Where compilers may crash ----------- -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_LIB_TUNER_COMPILINGCHILD_H
#define TONNO_LIB_TUNER_COMPILINGCHILD_H

#include "tonno/Core/Result.h"
#include "tonno/Core/Status.h"
#include "tonno/Core/Subprocess.h"
#include "tonno/Tuner/WorkerServer.h"

#include <functional>
#include <optional>

namespace tonno {

/// Answers requests in a process forked from this one, within limits. The child
/// starts from what this process holds and keeps what it adds: a fork of a
/// process as large as a compiler, and the memory it touches for the first
/// time, cost as much as a quarter of a candidate.
class CompilingChild {
public:
  /// What compiles must not speak for its parent on `parentsChannel`, which is
  /// told a sign of life now and then.
  CompilingChild(const CompileLimits &limits,
                 const ProtocolChannel &parentsChannel,
                 std::function<Json(const Json &request)> answer)
      : limits(limits), parentsChannel(parentsChannel),
        answer(std::move(answer)) {}

  /// Forks, unless there is a child. One that gives no answer is ended; the
  /// Failure says how it ended by itself, or that it took too long.
  Result<Json, Failure> ask(const Json &request);

  /// What the child at hand has answered; 0 without one.
  uint32_t answered() const { return count; }
  /// The next request begins anew from what this process holds.
  void end();
  /// The same, within other limits.
  void end(const CompileLimits &next) {
    end();
    limits = next;
  }

private:
  int serve(int channel) const;
  Result<Json, FrameFailure> receive();
  Failure failureOf(const NoAnswer &silence) const;

  CompileLimits limits;
  ProtocolChannel parentsChannel;
  std::function<Json(const Json &)> answer;
  std::optional<Subprocess> child;
  uint32_t count = 0;
};

} // namespace tonno

#endif // TONNO_LIB_TUNER_COMPILINGCHILD_H
