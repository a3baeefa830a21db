//===- Several workers as one compiler ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/WorkerPool.h"
#include "tonno/Core/Hash.h"

using namespace tonno;

static std::string describe(const CompilerDescription &compiler) {
  return compiler.versions + " for " + compiler.chip + " (" +
         sha256(compiler.features + compiler.fingerprint).substr(0, 12) + ")";
}

Result<CompilerDescription, LocatedError>
WorkerPool::open(const CompilerSession &session) {
  submitted.clear();
  turn = 0;
  auto description = compilers.front()->open(session);
  if (!description)
    return description;
  for (size_t i = 1; i < compilers.size(); ++i) {
    auto opened = compilers[i]->open(session);
    if (!opened)
      return opened;
    if (describe(*opened) != describe(*description))
      return LocatedError{"the workers compile differently: one is " +
                          describe(*description) + ", another " +
                          describe(*opened) +
                          "; start equal versions by '--worker-command', and "
                          "name the chip by '--chip'"};
  }
  return description;
}

void WorkerPool::submit(const Json &values) {
  Compiler *compiler = compilers[turn++ % compilers.size()].get();
  compiler->submit(values);
  submitted.push_back(compiler);
}

Compilation WorkerPool::next() {
  Compiler *compiler = submitted.front();
  submitted.pop_front();
  return compiler->next();
}
