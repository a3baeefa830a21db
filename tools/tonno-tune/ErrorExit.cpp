//===- ErrorExit.cpp - Errors that end tonno-tune -------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ErrorExit.h"

#include "llvm/Support/raw_ostream.h"

using namespace tonno;

int tonno::fail(const LocatedError &error) {
  if (error.file.empty())
    return fail(error.message +
                (error.note.empty() ? "" : "\nnote: " + error.note));
  llvm::errs() << error.file;
  if (error.line != 0)
    llvm::errs() << ":" << error.line << ":" << error.column;
  llvm::errs() << ": error: " << error.message << "\n";
  if (!error.note.empty())
    llvm::errs() << "note: " << error.note << "\n";
  return 1;
}

int tonno::fail(const std::string &message) {
  llvm::errs() << "tonno-tune: error: " << message << "\n";
  return 1;
}
