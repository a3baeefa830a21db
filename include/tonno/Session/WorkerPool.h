//===- Several workers as one compiler ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_WORKERPOOL_H
#define TONNO_SESSION_WORKERPOOL_H

#include "tonno/Engine/Compiler.h"
#include <deque>
#include <functional>
#include <memory>

namespace tonno {

/// Several compilers of one kernel that work at the same time. Each takes the
/// earliest submission that no other has; `next` returns results in the order
/// of submission. A compiler that is gone is left out from then on; what it had
/// is compiled by another. For one thread; compilers are called in threads of
/// their own.
class WorkerPool : public Compiler {
public:
  struct Callbacks {
    /// Gets why compilers are left out; called by `open` and `next`.
    std::function<void(const std::string &)> warn = [](const std::string &) {};
    /// Makes the calls of compilers end soon, with any result, or allows them
    /// again; called when results are no longer wanted.
    std::function<void(bool)> abandon = [](bool) {};
    /// Returns true if calls fail since the user has ended the session.
    std::function<bool()> interrupted = [] { return false; };
  };

  /// Creates a pool of at least one compiler.
  explicit WorkerPool(std::vector<std::unique_ptr<Compiler>> compilers)
      : WorkerPool(std::move(compilers), Callbacks()) {}
  WorkerPool(std::vector<std::unique_ptr<Compiler>> compilers,
             Callbacks callbacks);
  WorkerPool(WorkerPool &&other) noexcept;
  ~WorkerPool() override;

  /// Opens the kernel in all compilers, and leaves out those that can't if
  /// others can. The Error: none can, or their descriptions differ, as those of
  /// other machines may.
  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &session) override;
  Result<Problem, LocatedError> reference(ReferenceCpu cpu) override;
  void submit(const Json &values) override;
  Compilation next() override;
  std::optional<size_t> bringForward(double seconds) override;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Compiles a candidate when its result is asked for, not before: for devices
/// whose kernels run on all the cores that a compiler would take.
class OnDemandCompiler : public Compiler {
public:
  explicit OnDemandCompiler(Compiler &inner) : inner(inner) {}

  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &session) override {
    submitted.clear();
    return inner.open(session);
  }
  Result<Problem, LocatedError> reference(ReferenceCpu cpu) override {
    return inner.reference(cpu);
  }
  void submit(const Json &values) override { submitted.push_back(values); }
  Compilation next() override {
    inner.submit(submitted.front());
    submitted.pop_front();
    return inner.next();
  }

private:
  Compiler &inner;
  std::deque<Json> submitted;
};

} // namespace tonno

#endif // TONNO_SESSION_WORKERPOOL_H
