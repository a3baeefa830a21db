//===- PTX to machine code ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PtxAssembler.h"

using namespace tonno;

PtxAssembler::~PtxAssembler() = default;

Result<void, AssemblyFailure>
PtxAssembler::checkSupport(const GpuChip &chip) const {
  if (version() >= chip.cuda)
    return {};
  return AssemblyFailure{AssemblyFailure::Kind::unsupported,
                         std::string(chip.name) + " needs CUDA " +
                             chip.cuda.toString() + " or newer; this is " +
                             version().toString()};
}

std::unique_ptr<PtxAssembler> tonno::findPtxAssembler(const CudaSearch &search,
                                                      const GpuChip &chip) {
  std::unique_ptr<PtxAssembler> library = loadNvJitLink(search);
  if (library && library->checkSupport(chip))
    return library;
  std::unique_ptr<PtxAssembler> program = startPtxas(search);
  if (program && (!library || program->checkSupport(chip)))
    return program;
  return library;
}
