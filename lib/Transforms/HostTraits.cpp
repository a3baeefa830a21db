//===- HostTraits.cpp - What a schedule must know of a CPU ----------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/HostTraits.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <memory>
#include <unistd.h>

using namespace llvm;
using namespace tonno;

/// The vectors that LLVM uses on such a CPU.
static void readVectors(const MCSubtargetInfo &cpu, const Triple &triple,
                        HostTraits &traits) {
  if (triple.isAArch64()) {
    traits.vectorRegisters = 32;
    return;
  }
  if (!triple.isX86())
    return;
  if (cpu.checkFeatures("+avx512f,+avx512vl")) {
    traits.vectorBytes = 64;
    traits.vectorRegisters = 32;
  } else if (cpu.checkFeatures("+avx2")) {
    traits.vectorBytes = 32;
  }
}

static void readCaches(HostTraits &traits) {
  if (long bytes = ::sysconf(_SC_LEVEL1_DCACHE_SIZE); bytes > 0)
    traits.l1Bytes = bytes;
  if (long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0)
    traits.l2Bytes = bytes;
}

Result<HostTraits> tonno::hostTraits(StringRef chip) {
  InitializeNativeTarget();
  Triple triple(sys::getProcessTriple());
  std::string error;
  const llvm::Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return Error{error};
  bool isNative = chip == "native";
  std::unique_ptr<MCSubtargetInfo> cpu(target->createMCSubtargetInfo(
      triple, isNative ? sys::getHostCPUName() : "", ""));
  if (!isNative) {
    if (!cpu->isCPUStringValid(chip))
      return Error{"unknown chip '" + chip.str() + "' for " + triple.str() +
                   "; give a CPU's name as in 'llc -mcpu=help', or 'native'"};
    cpu.reset(target->createMCSubtargetInfo(triple, chip, ""));
  }
  HostTraits traits;
  readVectors(*cpu, triple, traits);
  if (isNative)
    readCaches(traits);
  return traits;
}
