//===- Specification of a comparison --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_HOST_SPECIFICATION_H
#define BENCHMARKS_HOST_SPECIFICATION_H

#include "tonno/Core/Json.h"
#include "tonno/Timing/Protocol.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tonno {

/// A shared object that computes a case's kernel.
struct SideSpec {
  std::string name;
  std::filesystem::path library;
};

/// Kernel with its shapes. All sides are called with the same buffers.
struct CaseSpec {
  std::string name;
  /// Emitted binary, with its launch plan beside it as <stem>.plan.json.
  std::filesystem::path tuned;
  /// The same of the default configuration; empty: it is not compared.
  std::filesystem::path standard;
  /// Each is shipped as the tuned one is, or exports `void entry(void
  /// **buffers)`, with the buffers in the order of the kernel's signature.
  std::vector<SideSpec> opponents;
};

/// Cases whose geometric mean is one figure.
struct RowSpec {
  std::string name;
  std::vector<CaseSpec> cases;
};

struct Specification {
  CacheState cacheState = CacheState::cold;
  size_t passes = 6;          ///< over all cases; each has other memory
  size_t rounds = 8;          ///< of a case in a pass
  double passSeconds = 2;     ///< of a case: then three rounds must do
  double screenFactor = 1.25; ///< an opponent this much slower than the best
                              ///< one in the first pass is out
  uint64_t seed = 0;          ///< of data, order and layouts
  std::string blas;           ///< a library to load for all; none if empty
  std::vector<RowSpec> rows;
};

/// Reads the specification. An Error names a member that is missing or of
/// another type.
Result<Specification> readSpecification(const std::filesystem::path &path);

} // namespace tonno

#endif // BENCHMARKS_HOST_SPECIFICATION_H
