//===- A kernel with its right variants and mutants -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_GATE_GATEKERNEL_H
#define BENCHMARKS_GATE_GATEKERNEL_H

#include "Oracle/Oracle.h"

#include "Runtime/FakeDevice.h"

namespace tonno::gate {

/// Types of a kernel in memory and of its sums, and how long these are.
struct Cell {
  ElementType input, sums, output;
  int64_t k;

  /// Returns the types as text, "bf16, f32 out".
  std::string types() const;
};

/// Returns the cells of this length: f64; f32; f16 and bf16 with sums in f32
/// and outputs in either.
std::vector<Cell> cellsOf(int64_t k);

struct Candidate {
  std::string name;
  FakeKernel kernel;
};

struct GateKernel {
  std::string name;
  LaunchPlan plan;
  uint64_t reductionLength = 1;
  bool isExact = false;
  bool isSumOfProducts = false;
  ElementType sums = ElementType::f32;
  FakeKernel reference; ///< in f64
  FakeKernel nudged;    ///< as Problem::nudged; empty where there is none
  std::vector<Candidate> right;
  std::vector<Candidate> mutants;
};

/// Returns the kernels of a cell.
std::vector<GateKernel> kernelsOf(const Cell &cell);

/// Kernel whose reference was run on the inputs of one seed.
class OpenedKernel {
public:
  /// Runs the kernel's reference. `kernel` must outlive the result.
  static Result<OpenedKernel> open(const GateKernel &kernel, uint64_t seed);

  std::span<const OraclePass> passes() const { return oracle.allPasses(); }

  /// Returns the verdict of the gate.
  Result<void, Failure> judge(const Candidate &candidate);

  struct PassOutcome {
    bool isRight;
    /// The largest error over its bound, where the pass is not exact and all
    /// is finite; else 0.
    double worst;
  };

  /// Returns the verdict of this pass alone.
  Result<PassOutcome, Failure> judge(const Candidate &candidate,
                                     const OraclePass &pass);

private:
  OpenedKernel(const GateKernel &kernel, std::unique_ptr<FakeDevice> device,
               Oracle oracle)
      : kernel(kernel), device(std::move(device)), oracle(std::move(oracle)) {}

  const GateKernel &kernel;
  std::unique_ptr<FakeDevice> device;
  Oracle oracle;
};

} // namespace tonno::gate

#endif // BENCHMARKS_GATE_GATEKERNEL_H
