//===- Arguments of OpenCL kernels ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_OPENCLC_WORKER_OPENCLARGUMENTS_H
#define TONNO_LIB_OPENCLC_WORKER_OPENCLARGUMENTS_H

#include "tonno/Core/LaunchPlan.h"
#include "tonno/OpenClC/Worker/OpenClSource.h"
#include "tonno/Runtime/OpenClProgram.h"
#include "tonno/Space/SizeExpression.h"

#include <optional>
#include <vector>

namespace tonno {

/// Arguments of a kernel, from its driver's information and the user's, by name
/// or number:
///
///   f32[1024x1024]       a buffer; the type may be omitted if the driver
///                        reports it. Buffers that the kernel may write are
///                        read and written; const or __constant ones are read.
///                        `:in`, `:out` or `:inout` may follow
///   [BM * 16]            elements of local memory, which may depend on knobs
///   1024, 1.5, N / BM    a value; an integer may depend on knobs
///
/// If the driver reports nothing, types are needed, `local` before local
/// memory, and `i32:1024` for a value.
struct OpenClArguments {
  /// Local memory or a value that may depend on knobs.
  struct Computed {
    uint32_t position = 0;
    ElementType type = ElementType::i32;
    bool isLocal = false; ///< as many elements
    SizeExpression size;
  };

  Signature signature;              ///< the buffers
  std::vector<PlainArgument> plain; ///< the same for all configurations
  std::vector<Computed> computed;

  /// Resolves the arguments. `alignment` is that of the device's buffers.
  /// Errors say what to give, and name all arguments without information.
  static Result<OpenClArguments>
  resolve(const OpenClSource &kernel,
          const std::optional<std::vector<OpenClParameter>> &parameters,
          uint64_t alignment);

  /// Returns the arguments other than buffers for a launch of this
  /// configuration.
  Result<std::vector<PlainArgument>>
  computeNonBufferArguments(const Configuration &configuration) const;
};

} // namespace tonno

#endif // TONNO_LIB_OPENCLC_WORKER_OPENCLARGUMENTS_H
