//===- Several workers as one compiler ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/WorkerPool.h"

using namespace tonno;

Result<CompilerDescription, LocatedError>
WorkerPool::open(const CompilerSession &session) {
  submitted.clear();
  turn = 0;
  auto description = compilers.front()->open(session);
  if (!description)
    return description;
  for (size_t i = 1; i < compilers.size(); ++i)
    if (auto opened = compilers[i]->open(session); !opened)
      return opened;
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
