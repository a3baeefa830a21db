//===- Shipping.cpp - From a tuned kernel to its files --------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Backend/Shipping.h"
#include "tonno/Backend/Compile.h"
#include "tonno/Backend/Provenance.h"
#include "tonno/Core/Hash.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/KernelClosure.h"

using namespace mlir;
using namespace tonno;

StringRef tonno::fileEnding(Emission emission) {
  switch (emission) {
  case Emission::obj:
    return ".o";
  case Emission::so:
    return ".so";
  case Emission::llvm:
    return ".ll";
  case Emission::ptx:
    return ".ptx";
  case Emission::cubin:
    return ".cubin";
  case Emission::hsaco:
    return ".hsaco";
  case Emission::header:
    return ".h";
  case Emission::plan:
    return ".plan.json";
  case Emission::program:
    return ".clbin";
  case Emission::options:
    return ".opts";
  }
  llvm_unreachable("unknown emission");
}

LogicalResult tonno::checkShippable(func::FuncOp kernel) {
  if (isFunctionName(kernel.getName()))
    return success();
  return kernel.emitError()
         << "kernel " << FlatSymbolRefAttr::get(kernel.getNameAttr())
         << " can't be shipped: its name is none for a function in C; rename "
            "it";
}

/// The kernel in a module of its own, each knob replaced by its value.
static FailureOr<OwningOpRef<ModuleOp>> resolvedClosure(func::FuncOp kernel) {
  OwningOpRef<ModuleOp> closure = extractClosure(kernel);
  if (failed(resolveToCurrentValues(closure->getOperation())))
    return failure();
  return closure;
}

FailureOr<std::string> tonno::shipKernel(func::FuncOp kernel,
                                         const Backend &backend,
                                         Emission emission) {
  if (failed(checkShippable(kernel)))
    return failure();
  remarkOnPrints(kernel);
  auto closure = resolvedClosure(kernel);
  if (failed(closure))
    return failure();
  auto bytes = emitKernel(backend, **closure, kernel.getName(), emission);
  bool isCode = emission != Emission::header && emission != Emission::plan;
  if (failed(bytes) || !isCode || !kernel->hasAttr(TonnoDialect::kTuned))
    return bytes;

  // What is measured is one form, whichever ships.
  if (emission == backend.forms().front()) {
    (void)isMeasuredBinary(kernel, backend, sha256(*bytes));
    return bytes;
  }
  closure = resolvedClosure(kernel);
  if (failed(closure))
    return failure();
  auto measured = compileCandidate(backend, **closure, kernel.getName());
  if (failed(measured))
    return failure();
  (void)isMeasuredBinary(kernel, backend, measured->hash());
  return bytes;
}
