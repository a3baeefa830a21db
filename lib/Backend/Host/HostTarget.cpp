//===- The CPU to compile for ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/HostChip.h"
#include "HostBackend.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <map>
#include <mutex>

using namespace llvm;
using namespace tonno;

/// Returns the differences between the machine's features and those of its
/// CPU's name: hypervisors hide some.
static std::string nativeFeatures(const llvm::Target &target,
                                  const Triple &triple, StringRef cpu) {
  std::unique_ptr<MCSubtargetInfo> named(
      target.createMCSubtargetInfo(triple, cpu, ""));
  std::map<std::string, bool> sorted;
  for (const auto &feature : sys::getHostCPUFeatures())
    sorted[feature.getKey().str()] = feature.getValue();
  std::string features;
  for (const auto &[name, present] : sorted)
    if (named->checkFeatures("+" + name) != present)
      features += (features.empty() ? "" : ",") +
                  std::string(present ? "+" : "-") + name;
  return features;
}

Result<tonno::Target> tonno::hostTarget(StringRef chip) {
  Result<HostChip> found = findHostChip(chip);
  if (!found)
    return found.error();
  std::string triple = found->triple.str();
  if (!found->isNative())
    return tonno::Target{triple, found->name, ""};
  std::string cpu = sys::getHostCPUName().str();
  return tonno::Target{triple, cpu,
                       nativeFeatures(*found->target, found->triple, cpu)};
}

bool tonno::hasFeature(const tonno::Target &target, StringRef feature) {
  std::unique_ptr<TargetMachine> machine = createTargetMachine(target);
  return machine &&
         llvm::any_of(
             machine->getMCSubtargetInfo()->getEnabledProcessorFeatures(),
             [&](const SubtargetFeatureKV &one) {
               return StringRef(one.Key) == feature;
             });
}

std::unique_ptr<TargetMachine>
tonno::createTargetMachine(const tonno::Target &target, bool fuses) {
  Triple triple(target.triple);
  std::string error;
  const llvm::Target *found = findHostTarget(triple, error);
  if (!found)
    return nullptr;
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    InitializeAllAsmPrinters();
    InitializeAllAsmParsers(); // for inline assembly
  });
  TargetOptions options;
  // a * b + c may become one operation where both ops are marked so, or by
  // `vector.fma`, which Strict would take apart.
  options.AllowFPOpFusion = fuses ? FPOpFusion::Standard : FPOpFusion::Strict;
  // Linkers and loaders of today know no `.dtors`.
  options.UseInitArray = true;
  return std::unique_ptr<TargetMachine>(found->createTargetMachine(
      triple, target.chip, target.features, options, Reloc::PIC_, std::nullopt,
      CodeGenOptLevel::Default));
}
