//===- Kernels in MLIR with their mutants ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_GATE_MUTANTFILE_H
#define BENCHMARKS_GATE_MUTANTFILE_H

#include "tonno/Runtime/RunnerProcess.h"

#include <string>
#include <vector>

namespace tonno::gate {

/// File of `mutants`: the function @kernel defines the right results, each
/// @right_* is a legitimate variant of it and each @wrong_* a mutant.
struct MutantFile {
  struct Variant {
    std::string name;
    bool isRight;
    Artifact artifact;
  };

  std::string name; ///< of the file, without extension
  Problem problem;
  Signature signature;
  /// The functions without a schedule. The first one is @kernel as tonno lowers
  /// it by default.
  std::vector<Variant> variants;

  /// Returns the first word of the name, such as "range".
  std::string family() const { return name.substr(0, name.find('-')); }

  /// Compiles all functions for this machine.
  static Result<MutantFile> load(const std::string &path);
};

/// Returns the paths of all mutant files, sorted.
std::vector<std::string> mutantFiles();

/// Returns the gate's verdict on each variant, as before a candidate may win,
/// by a runner opened with this seed.
Result<std::vector<RunResult>> judge(const MutantFile &file, Runner &runner,
                                     uint64_t seed);

/// Returns true if a mutant is not always caught according to the table in
/// docs/results/trust.md.
bool mayEscape(const std::string &file, const std::string &mutant);

} // namespace tonno::gate

#endif // BENCHMARKS_GATE_MUTANTFILE_H
