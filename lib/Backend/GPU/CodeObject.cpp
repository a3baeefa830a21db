//===- AMD's objects to code objects --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeObject.h"

#include "llvm/ADT/StringExtras.h"

using namespace tonno;

Result<std::string, LinkFailure> tonno::linkCodeObject(llvm::StringRef object) {
  auto missing = undefinedSymbols(object);
  if (!missing)
    return LinkFailure{missing.error().message, /*fromOutside=*/false};
  if (!missing->empty())
    return LinkFailure{"the kernel calls what no GPU has: " +
                           llvm::join(*missing, ", "),
                       /*fromOutside=*/false};
  return runLinker(object, {"--no-undefined"});
}
