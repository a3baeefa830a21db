//===- Backend.cpp - The backends there are -------------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Backend/Backend.h"

#include "HostBackend.h"

#include "mlir/IR/Diagnostics.h"

using namespace tonno;

Backend::~Backend() = default;

static constexpr llvm::StringLiteral fromOutside = "tonno.from_outside";

void tonno::markAsFromOutside(mlir::InFlightDiagnostic &error) {
  error.getUnderlyingDiagnostic()->getMetadata().emplace_back(
      llvm::StringRef(fromOutside));
}

bool tonno::isFromOutside(mlir::Diagnostic &error) {
  using Argument = mlir::DiagnosticArgument;
  return llvm::any_of(error.getMetadata(), [](const Argument &data) {
    return data.getKind() == Argument::DiagnosticArgumentKind::String &&
           data.getAsString() == fromOutside;
  });
}

Result<std::unique_ptr<Backend>> tonno::createBackend(llvm::StringRef target,
                                                      llvm::StringRef chip) {
  if (target == "host")
    return createHostBackend(chip);
  return Error{"unknown target '" + target.str() + "'; there is: host"};
}
