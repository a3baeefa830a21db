//===- Locks and checks the kernels of a module ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_LOCKMODULE_H
#define TONNO_TUNER_LOCKMODULE_H

#include "tonno/Session/LockFile.h"
#include "tonno/Timing/Regression.h"
#include "tonno/Tuner/TuneModule.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// Adds the kernels of a module to a lock, each with the binary that a build
/// would get: of the cache's latest decision, or of the configuration selected
/// in the input. Compiles each once, and stores it if there is a directory.
/// Fails, with a diagnostic for each kernel that is not decided.
mlir::LogicalResult lockModule(mlir::ModuleOp module,
                               const TunerOptions &options,
                               const std::optional<BinaryDirectory> &binaries,
                               TuneObserver &observer, LockFile &lock);

enum class CheckStatus {
  same,         ///< equal binaries
  holds,        ///< another binary that was not shown to be slower
  slower,       ///< a regression
  failed,       ///< the new binary is not right, or does not compile
  not_compared, ///< the old binary is missing, or does not run here
  error,        ///< nothing was found out; a diagnostic says why
};

EnumNames getEnumNames(CheckStatus);

/// The origin of the values of a new binary.
enum class ValuesFrom {
  cache, ///< its latest decision
  input, ///< selected there, or the defaults
  lock,
};

EnumNames getEnumNames(ValuesFrom);

/// The check of a kernel.
struct KernelCheck {
  std::string kernel, chip;
  CheckStatus status = CheckStatus::same;
  std::string reason; ///< unless the binaries were compared
  std::optional<ValuesFrom> valuesFrom = {}; ///< none without values
  std::vector<std::string> causes;           ///< findCauses
  /// Test of old against new code: its `speedup` is the slow-down.
  std::optional<Comparison> comparison = {};
};

void mapFields(JsonFields &fields, KernelCheck &check);

struct CheckOptions {
  double risk = usualRisk; ///< of a false alarm, for each kernel
  std::optional<BinaryDirectory> binaries; ///< of old binaries
};

/// Compares the binaries that a build would get with those of a lock: by their
/// hashes, else by timing both in pairs. The new binary is that of the cache's
/// latest decision, of the configuration selected in the input, or of the
/// lock's values. Calls `report` for each kernel. Fails, with a diagnostic, if
/// a kernel cannot be read.
mlir::LogicalResult
checkModule(mlir::ModuleOp module, const TunerOptions &options,
            const LockFile &lock, const CheckOptions &check,
            TuneObserver &observer,
            const std::function<void(const KernelCheck &)> &report);

} // namespace tonno

#endif // TONNO_TUNER_LOCKMODULE_H
