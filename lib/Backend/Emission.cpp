//===- Emission.cpp - What a tuned kernel ships as ------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Backend/Emission.h"

#include "tonno/Backend/Compile.h"

using namespace mlir;
using namespace tonno;

FailureOr<std::string> tonno::emitKernel(const Backend &backend,
                                         ModuleOp module, StringRef kernel,
                                         Emission emission) {
  FailureOr<LaunchPlan> plan = lowerKernel(backend, module, kernel);
  if (failed(plan))
    return failure();
  switch (emission) {
  case Emission::obj:
    return backend.emit(module, EmitKind::object);
  case Emission::so:
    return backend.emit(module, EmitKind::shared);
  case Emission::llvm:
    return backend.emit(module, EmitKind::llvm);
  case Emission::header:
    return cHeader(*plan, kernel);
  case Emission::plan:
    return Json(*plan).dump(2) + "\n";
  }
  llvm_unreachable("unknown emission");
}
