//===- Several workers as one compiler ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_WORKERPOOL_H
#define TONNO_SESSION_WORKERPOOL_H

#include "tonno/Engine/Compiler.h"
#include <deque>
#include <memory>

namespace tonno {

/// Several compilers of one kernel that work at the same time. Submissions go
/// to each in turn, and come back in the order in which they were made.
class WorkerPool : public Compiler {
public:
  /// Creates a pool of at least one compiler.
  explicit WorkerPool(std::vector<std::unique_ptr<Compiler>> compilers)
      : compilers(std::move(compilers)) {}

  /// Opens the kernel in all compilers. The Error: their descriptions differ,
  /// as those of other machines may.
  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &session) override;
  Result<Problem, LocatedError> reference(ReferenceCpu cpu) override {
    return compilers.front()->reference(cpu);
  }
  void submit(const Json &values) override;
  Compilation next() override;

private:
  std::vector<std::unique_ptr<Compiler>> compilers;
  size_t turn = 0;
  std::deque<Compiler *> submitted; ///< whose answers are still open
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
