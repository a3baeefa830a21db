//===- What a schedule must know of a CPU ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/HostTraits.h"
#include "tonno/Transforms/HostChip.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"

#include <memory>
#include <unistd.h>

using namespace llvm;
using namespace tonno;

/// The vectors that LLVM uses on such a CPU, and how it adds them up.
static void readVectors(const MCSubtargetInfo &cpu, const Triple &triple,
                        HostTraits &traits) {
  if (triple.isAArch64()) {
    traits.vectorRegisters = 32;
    return;
  }
  if (!triple.isX86())
    return;
  traits.addsPairsOfI16 = true;
  traits.addsPairsOfBf16 = cpu.checkFeatures("+avx512bf16,+avx512vl");
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
  Result<HostChip> found = findHostChip(chip);
  if (!found)
    return found.error();
  std::unique_ptr<MCSubtargetInfo> cpu(found->target->createMCSubtargetInfo(
      found->triple,
      found->isNative() ? sys::getHostCPUName() : StringRef(found->name), ""));
  HostTraits traits;
  readVectors(*cpu, found->triple, traits);
  if (found->isNative())
    readCaches(traits);
  return traits;
}
