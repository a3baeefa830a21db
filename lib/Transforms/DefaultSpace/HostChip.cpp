//===- Host CPUs by name --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/HostChip.h"
#include "tonno/Core/GpuChip.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

#include <memory>
#include <mutex>
#include <unistd.h>

using namespace mlir;
using namespace tonno;
using namespace llvm;

const llvm::Target *tonno::findHostTarget(const Triple &triple,
                                          std::string &reason) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
  });
  return TargetRegistry::lookupTarget(triple, reason);
}

bool tonno::isForeign(const Triple &triple) {
  return triple.getArch() != Triple(sys::getProcessTriple()).getArch();
}

/// Returns true if the target uses ELF, 64-bit pointers and little-endian data.
static bool fitsFormats(const Triple &triple) {
  return triple.isOSBinFormatELF() && triple.isArch64Bit() &&
         triple.isLittleEndian();
}

Result<HostChip> tonno::findHostChip(StringRef chip) {
  HostChip found = {Triple(sys::getProcessTriple()), chip.str()};
  if (auto [triple, name] = chip.split(':'); chip.contains(':')) {
    found = {Triple(Triple::normalize(triple)), name.str()};
    if (!fitsFormats(found.triple))
      return Error{"unsupported target '" + triple.str() +
                   "': not a little-endian 64-bit architecture with ELF "
                   "objects, such as aarch64-linux-gnu"};
  }
  std::string reason;
  found.target = findHostTarget(found.triple, reason);
  if (!found.target)
    return Error{"LLVM cannot compile for chip '" + chip.str() +
                 "': " + StringRef(reason).rtrim(". ").str()};
  bool isOurs = !isForeign(found.triple);
  if (found.isNative() && isOurs)
    return found;
  std::unique_ptr<MCSubtargetInfo> generic(
      found.target->createMCSubtargetInfo(found.triple, "", ""));
  if (generic->isCPUStringValid(found.name))
    return found;
  if (auto gpu = findGpuChip(found.name))
    return Error{"'" + found.name + "' is a GPU; give '--target=" +
                 ((*gpu)->vendor == GpuVendor::nvidia ? "nvptx'" : "amdgpu'")};
  return Error{"unknown chip '" + found.name + "' for " + found.triple.str() +
               "; give a CPU's name as in 'llc -mcpu=help'" +
               (isOurs ? ", or 'native', or TRIPLE:CPU for another "
                         "architecture, as in 'aarch64-linux-gnu:neoverse-n1'"
                       : "")};
}

/// Reads the vectors that LLVM uses on such a CPU, and its instructions that
/// add pairs of products.
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
