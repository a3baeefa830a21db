//===- Register limits of GPU kernels -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegisterLimits.h"
#include "tonno/Core/Occupancy.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <map>

using namespace llvm;
using namespace tonno;

namespace {

/// The register limits of a module's kernels.
class RegisterLimits {
public:
  RegisterLimits(Module &module, const std::vector<Launch> &launches,
                 const GpuChip &chip)
      : module(module), launches(launches), chip(chip),
        name(chip.vendor == GpuVendor::nvidia ? "nvvm.minctasm"
                                              : "amdgpu-waves-per-eu") {
    for (const Launch &launch : launches)
      if (Function *function = module.getFunction(launch.symbol))
        if (!function->hasFnAttribute(name))
          current[launch.symbol] = 0;
  }

  /// Limits the kernels that use one step of registers too many. Returns false
  /// if there is none.
  bool raise(const std::vector<KernelUsage> &kernels) {
    previous = current;
    bool isChanged = false;
    for (const Launch &launch : launches) {
      auto needs = findWorkgroupNeeds(kernels, launch);
      auto limit = current.find(launch.symbol);
      if (!needs || limit == current.end() ||
          !isRegisterStepAbove(chip, *needs))
        continue;
      uint32_t wanted =
          computeLimit(*needs, residentWorkgroups(chip, *needs) + 1);
      // The compiler has not done what the limit asks for.
      if (wanted <= limit->second)
        continue;
      limit->second = wanted;
      isChanged = true;
    }
    apply();
    return isChanged;
  }

  void undo() {
    current = previous;
    apply();
  }

  /// Returns true if code with more limits spills no more, and a compute unit
  /// holds more of a kernel's workgroups.
  bool isBetter(const std::vector<KernelUsage> &limited,
                const std::vector<KernelUsage> &before) const {
    bool spillsMore = std::ranges::any_of(limited, [&](const KernelUsage &one) {
      auto same = std::ranges::find(before, one.symbol, &KernelUsage::symbol);
      return same == before.end() || one.spillBytes > same->spillBytes ||
             one.stackBytes > same->stackBytes;
    });
    return !spillsMore &&
           std::ranges::any_of(launches, [&](const Launch &launch) {
             auto now = findWorkgroupNeeds(limited, launch),
                  then = findWorkgroupNeeds(before, launch);
             return now && then &&
                    residentWorkgroups(chip, *now) >
                        residentWorkgroups(chip, *then);
           });
  }

private:
  /// Returns the attribute's value with which `workgroups` are resident.
  uint32_t computeLimit(const WorkgroupNeeds &needs,
                        uint32_t workgroups) const {
    return chip.vendor == GpuVendor::nvidia
               ? workgroups
               : subgroupsPerPartition(chip, needs.threads, workgroups);
  }

  void apply() {
    for (const auto &[symbol, limit] : current) {
      Function *function = module.getFunction(symbol);
      if (limit == 0)
        function->removeFnAttr(name);
      else
        function->addFnAttr(name, std::to_string(limit));
    }
  }

  Module &module;
  const std::vector<Launch> &launches;
  const GpuChip &chip;
  StringRef name;
  std::map<std::string, uint32_t> current, previous; ///< by symbol; 0: none
};

} // namespace

mlir::FailureOr<Code> tonno::emitWithinRegisterSteps(
    Module &module, const std::vector<Launch> &launches, const GpuChip &chip,
    mlir::MLIRContext &context,
    llvm::function_ref<mlir::FailureOr<Code>(Module &)> emit) {
  // Code generation changes the module.
  auto emitCopy = [&] { return emit(*CloneModule(module)); };
  auto code = emitCopy();
  if (failed(code))
    return mlir::failure();
  RegisterLimits limits(module, launches, chip);
  while (limits.raise(code->kernels)) {
    auto limited = [&] {
      mlir::ScopedDiagnosticHandler quiet(
          &context, [](mlir::Diagnostic &) { return mlir::success(); });
      return emitCopy();
    }();
    // An instruction may need more registers than the limit leaves.
    if (failed(limited) || !limits.isBetter(limited->kernels, code->kernels)) {
      limits.undo();
      break;
    }
    code = std::move(limited);
  }
  return code;
}
