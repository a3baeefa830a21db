//===- Backend.cpp - The backends there are -----------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Backend/Backend.h"

#include "HostBackend.h"

using namespace tonno;

Backend::~Backend() = default;

Result<std::unique_ptr<Backend>> tonno::createBackend(llvm::StringRef target,
                                                      llvm::StringRef chip) {
  if (target == "host")
    return createHostBackend(chip);
  return Error{"unknown target '" + target.str() + "'; there is: host"};
}
