//===- OpenBLAS, found at run time ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_HOST_BLAS_H
#define BENCHMARKS_HOST_BLAS_H

#include "tonno/Core/Result.h"

#include <string>

namespace tonno {

/// OpenBLAS, loaded for the whole process, so that opponents find its functions
/// there. It reads the core type that it is to use from OPENBLAS_CORETYPE,
/// once.
class Blas {
public:
  static Result<Blas> load(const std::string &library);

  /// Returns the core type that the library has chosen, such as Haswell.
  std::string core() const;
  /// Returns the version and build options.
  std::string configuration() const;
  /// Measures GFLOP/s of f32 products of 256^3 and 1024^3: the mean of both,
  /// each the fastest of several runs.
  double speed() const;

private:
  explicit Blas(void *library) : library(library) {}

  void *library; ///< never unloaded: its threads and memory stay
};

} // namespace tonno

#endif // BENCHMARKS_HOST_BLAS_H
