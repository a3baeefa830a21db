//===- Tunes a kernel in OpenCL C -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_OPENCLC_TUNEOPENCL_H
#define TONNO_OPENCLC_TUNEOPENCL_H

#include "tonno/OpenClC/OpenClFile.h"
#include "tonno/Tuner/TuneModule.h"

#include <optional>

namespace tonno {

/// The outcome of tuning the kernel.
struct OpenClOutcome {
  KernelOutcome kernel;
  OpenClSource source;            ///< what was tuned
  std::optional<Artifact> winner; ///< if it was asked for
};

/// Tunes a kernel in OpenCL C, as `tuneModule` does those of a module: with the
/// cache, the journal and the files of failures that the options say. The
/// device's driver compiles, beside the process that runs candidates. An Error
/// has a place in the file where there is one.
Result<OpenClOutcome, LocatedError> tuneOpenCl(OpenClFile file,
                                               const TunerOptions &options,
                                               bool wantsWinner,
                                               TuneObserver &observer);

/// Checks that no option was given that is for MLIR kernels only; the Error
/// says why it cannot apply to OpenCL's.
Result<void> checkOpenClOptions(const TunerOptions &options);

} // namespace tonno

#endif // TONNO_OPENCLC_TUNEOPENCL_H
