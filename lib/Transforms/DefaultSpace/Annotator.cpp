//===- Default spaces for a target ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Annotator.h"
#include "tonno/Transforms/GpuAnnotation.h"
#include "tonno/Transforms/HostAnnotation.h"

using namespace mlir;
using namespace tonno;

static Result<Annotator> gpuAnnotator(StringRef chip, GpuVendor vendor,
                                      StringRef example) {
  Result<const GpuChip *> gpu = findGpuChip(chip);
  if (!gpu)
    return gpu.error();
  if ((*gpu)->vendor != vendor)
    return Error{"'" + chip.str() +
                 "' is another vendor's chip; give one such "
                 "as '" +
                 example.str() + "'"};
  return Annotator([gpu = *gpu](func::FuncOp function) {
    return annotateForGpu(function, *gpu);
  });
}

Result<Annotator> tonno::annotatorFor(StringRef target, StringRef chip) {
  if (target == "nvptx")
    return gpuAnnotator(chip, GpuVendor::nvidia, "sm_90");
  if (target == "amdgpu")
    return gpuAnnotator(chip, GpuVendor::amd, "gfx942");
  if (target != "host")
    return Error{"unknown target '" + target.str() +
                 "'; there are: host, nvptx, amdgpu"};
  Result<HostTraits> host = hostTraits(chip);
  if (!host)
    return host.error();
  return Annotator([host = *host](func::FuncOp function) {
    return annotateForHost(function, host);
  });
}
