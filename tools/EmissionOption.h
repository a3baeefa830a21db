//===- The values of --emit -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_EMISSIONOPTION_H
#define TONNO_TOOLS_EMISSIONOPTION_H

#include "tonno/Backend/Emission.h"

#include "llvm/Support/CommandLine.h"

namespace tonno {

inline llvm::cl::ValuesClass emissionValues() {
  return llvm::cl::values(
      clEnumValN(Emission::obj, "obj", "an object (.o)"),
      clEnumValN(Emission::so, "so",
                 "a shared object: what was measured (.so)"),
      clEnumValN(Emission::llvm, "llvm", "optimised LLVM IR (.ll)"),
      clEnumValN(Emission::ptx, "ptx", "NVIDIA's assembly (.ptx)"),
      clEnumValN(Emission::cubin, "cubin",
                 "NVIDIA's machine code: what was measured (.cubin)"),
      clEnumValN(Emission::hsaco, "hsaco",
                 "AMD's machine code: what was measured (.hsaco)"),
      clEnumValN(Emission::header, "header", "a header for C (.h)"),
      clEnumValN(Emission::plan, "plan", "the launch plan (.plan.json)"),
      clEnumValN(Emission::program, "program",
                 "OpenCL's binary: what was measured (.clbin)"),
      clEnumValN(Emission::options, "options",
                 "OpenCL's build options (.opts)"));
}

/// Of --rename.
inline constexpr char renameHelp[] = "Emit the kernel under this name; by "
                                     "default its own, for @main that of its "
                                     "module, else of the file";

} // namespace tonno

#endif // TONNO_TOOLS_EMISSIONOPTION_H
