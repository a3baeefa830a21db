//===- Machine code of winners and defaults -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_EXPLAINASSEMBLY_H
#define TONNO_TUNER_EXPLAINASSEMBLY_H

#include "tonno/Backend/HotLoop.h"
#include "tonno/Tuner/TuneModule.h"

#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// The code of a configuration.
struct ConfigurationCode {
  Json values;
  /// Seconds of a launch in the decision's test; none if it was not timed.
  std::optional<double> seconds = {};
  std::optional<HotLoop> loop = {};
  std::string unknown = {}; ///< the reason if there is no loop
};

void mapFields(JsonFields &fields, ConfigurationCode &code);

/// The code of a decided kernel.
struct KernelAssembly {
  std::string kernel, chip;
  ConfigurationCode baseline;
  std::optional<ConfigurationCode> winner; ///< none if the default stayed
};

void mapFields(JsonFields &fields, KernelAssembly &assembly);

/// Compiles the winner of the cache's latest decision and the default of each
/// kernel, and finds their hot loops. Measures nothing. Fails, with a
/// diagnostic, for a kernel that the cache has no decision for.
mlir::FailureOr<std::vector<KernelAssembly>>
explainAssembly(mlir::ModuleOp module, const TunerOptions &options,
                TuneObserver &observer);

} // namespace tonno

#endif // TONNO_TUNER_EXPLAINASSEMBLY_H
