//===- Errors that end tonno-tune -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ErrorExit.h"
#include "Terminal.h"

using namespace tonno;

int tonno::fail(const LocatedError &error) {
  if (error.file.empty())
    return fail(error.message +
                (error.note.empty() ? "" : "\nnote: " + error.note));
  messages() << error.file;
  if (error.line != 0)
    messages() << ":" << error.line << ":" << error.column;
  messages() << ": error: " << error.message << "\n";
  if (!error.note.empty())
    messages() << "note: " << error.note << "\n";
  return 1;
}

int tonno::fail(const std::string &message) {
  messages() << "tonno-tune: error: " << message << "\n";
  return 1;
}
