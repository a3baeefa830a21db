//===- A kernel with its right variants and mutants -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GateKernel.h"
#include "Kernels.h"

#include <cmath>

using namespace tonno;
using namespace tonno::gate;

std::string Cell::types() const {
  std::string text(toString(input));
  return output == input ? text
                         : text + ", " + std::string(toString(output)) + " out";
}

std::vector<Cell> tonno::gate::cellsOf(int64_t k) {
  using enum ElementType;
  return {{f64, f64, f64, k}, {f32, f32, f32, k},  {f16, f32, f32, k},
          {f16, f32, f16, k}, {bf16, f32, f32, k}, {bf16, f32, bf16, k}};
}

LaunchPlan tonno::gate::widened(LaunchPlan plan) {
  for (BufferSpec &buffer : plan.buffers)
    buffer.elementType = ElementType::f64;
  return plan;
}

template <typename T>
static std::vector<GateKernel> kernelsIn(const Cell &cell) {
  std::vector<GateKernel> kernels = matmuls<T>(cell);
  for (auto make : {rowSum<T>, softmax<T>, layernorm<T>, variance<T>, gelu<T>})
    kernels.push_back(make(cell));
  if (cell.output == ElementType::f16 || cell.output == ElementType::bf16)
    kernels.push_back(roundedExp<T>(cell));
  return kernels;
}

std::vector<GateKernel> tonno::gate::kernelsOf(const Cell &cell) {
  return cell.sums == ElementType::f64 ? kernelsIn<double>(cell)
                                       : kernelsIn<float>(cell);
}

Result<OpenedKernel> OpenedKernel::open(const GateKernel &kernel,
                                        uint64_t seed) {
  auto device = std::make_unique<FakeDevice>();
  device->kernels = {{"reference", kernel.reference},
                     {"nudged", kernel.nudged}};
  LaunchPlan wide = widened(kernel.plan);
  Problem problem{FakeDevice::artifactOf("reference", wide),
                  kernel.reductionLength, kernel.isExact, kernel.sums,
                  kernel.isSumOfProducts};
  if (kernel.nudged)
    problem.nudged = FakeDevice::artifactOf("nudged", wide);
  auto oracle = TONNO_TRY(
      Oracle::create(problem, kernel.plan.signature(), seed, *device));
  return OpenedKernel(kernel, std::move(device), std::move(oracle));
}

Result<void, Failure> OpenedKernel::judge(const Candidate &candidate) {
  FakeExecutable executable(candidate.kernel);
  TONNO_TRY(oracle.verify(*device, executable, kernel.plan));
  return {};
}

static double worstError(const Signature &signature, const OraclePass &pass,
                         const BufferContents &found, double roundoff) {
  double worst = 0;
  for (size_t i = 0; i < signature.size(); ++i) {
    if (pass.exact || !isOutput(signature[i]))
      continue;
    auto numbers = decode(signature[i].elementType, found[i]);
    auto rounded = decode(signature[i].elementType, pass.rounded[i]);
    for (size_t e = 0; e < numbers.size(); ++e) {
      double error = std::fabs(numbers[e] - pass.expected[i][e]);
      if (numbers[e] != rounded[e] && std::isfinite(error))
        worst = std::max(worst, error / pass.allowed(i, e, roundoff));
    }
  }
  return worst;
}

Result<OpenedKernel::PassOutcome, Failure>
OpenedKernel::judge(const Candidate &candidate, const OraclePass &pass) {
  auto block = TONNO_TRY(
      DeviceBlock::allocate(*device, BufferSet::bytesFor(kernel.plan.buffers)));
  std::mt19937_64 layout(0);
  auto set = TONNO_TRY(
      BufferSet::place(*device, kernel.plan.buffers, block.start(), layout));
  TONNO_TRY(set.fill(pass.inputs));
  FakeExecutable executable(candidate.kernel);
  TONNO_TRY(device->launch(executable, set.pointers()));
  auto found = TONNO_TRY(set.download());
  double roundoff = pass.exact ? 0 : unitRoundoff(kernel.sums);
  Signature signature = kernel.plan.signature();
  return PassOutcome{pass.check(signature, found, roundoff).ok(),
                     worstError(signature, pass, found, roundoff)};
}
