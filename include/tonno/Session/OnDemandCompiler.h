//===- Compiles nothing ahead ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_ONDEMANDCOMPILER_H
#define TONNO_SESSION_ONDEMANDCOMPILER_H

#include "tonno/Session/Compiler.h"

#include <deque>

namespace tonno {

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

#endif // TONNO_SESSION_ONDEMANDCOMPILER_H
