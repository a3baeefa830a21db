//===- What kernels there are, and of whom --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SourceOptions.h"

using namespace tonno;
namespace cl = llvm::cl;

SourceOptions::SourceOptions(cl::OptionCategory &category,
                             cl::SubCommand &command)
    : input(cl::Positional, cl::desc("<input file>"), cl::init("-"),
            cl::sub(command), cl::cat(category)),
      target("target", cl::desc("Backend: host (default), nvptx or amdgpu"),
             cl::init("host"), cl::sub(command), cl::cat(category)),
      chip("chip",
           cl::desc("Chip to compile for, such as znver4, sm_90, gfx942; "
                    "native (default) is the device's; a CPU of another "
                    "architecture stands behind its triple: "
                    "aarch64-linux-gnu:neoverse-n1"),
           cl::init("native"), cl::sub(command), cl::cat(category)),
      kernel("kernel", cl::desc("Take only this kernel"),
             cl::value_desc("name"), cl::sub(command), cl::cat(category)),
      pipeline(
          "pipeline",
          cl::desc("Lower by these passes; @KNOB@ stands for a knob's value"),
          cl::value_desc("builtin.module(...)"), cl::sub(command),
          cl::cat(category)),
      knobs("knob",
            cl::desc("A knob of the pipeline, or a macro of OpenCL C: 'BM=[32, "
                     "64]', 'BM=pow2<16 to 256> default 32'"),
            cl::value_desc("NAME=domain"), cl::sub(command), cl::cat(category)),
      constraints(
          "constraint", cl::desc("A condition over knobs: 'BM * BN <= 4096'"),
          cl::value_desc("condition"), cl::sub(command), cl::cat(category)),
      fpContract(category, command), plugins(category, command) {}

void SourceOptions::addTo(TuneRequest &request) const {
  request.target = target;
  request.chip = chip;
  request.kernel = kernel;
  request.kernelOptions.pipeline = pipeline;
  request.kernelOptions.knobs.assign(knobs.begin(), knobs.end());
  request.kernelOptions.constraints.assign(constraints.begin(),
                                           constraints.end());
  request.kernelOptions.fpContract = fpContract.take();
  request.dialectPlugins = plugins.dialects();
  request.passPlugins = plugins.passes();
}
