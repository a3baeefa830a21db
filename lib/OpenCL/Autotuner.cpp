//===- Tunes kernels one by one -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/OpenCL/Autotuner.h"
#include "tonno/Core/Json.h"

using namespace tonno;

std::string Autotuner::makeCacheKey(const KernelSpec &spec,
                                    const WorkSize &globalSize,
                                    const TuneOptions &options) {
  return printed(Json{spec.name, spec.source, spec.buildOptions,
                      Json(globalSize), Json(options.candidates),
                      options.runs});
}
