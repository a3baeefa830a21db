//===- Reference of a problem and its sensitivity -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_ORACLE_REFERENCEKERNEL_H
#define TONNO_LIB_RUNTIME_ORACLE_REFERENCEKERNEL_H

#include "InputData.h"

#include <memory>
#include <random>

namespace tonno {

/// Results of the outputs, in the signature's order; empty for other buffers.
struct ReferenceResults {
  Values values;
  /// Rounded once to the signature's types, as a candidate that computes
  /// exactly would store. Holds all integers of 64 bits exactly.
  BufferContents rounded;
};

/// Magnitude that changes of an input are relative to.
enum class InputScale {
  buffer, ///< the root mean square of its buffer, or its own size if larger
  own,    ///< its own size
};

/// The least and the largest result of each element. At a boundary, where a
/// comparison or a rounding to an integer decides, all between may be right.
struct ResultRange {
  Values lowest, highest;
};

/// The reference of a problem, loaded. Its buffers have the signature's shapes
/// and accesses; strides and floating-point types are its own.
class ReferenceKernel {
public:
  /// Fails if its buffers do not match, or if elements may share memory.
  static Result<ReferenceKernel> load(Device &host, const Artifact &artifact,
                                      const Signature &signature);

  /// Computes on these inputs, which are also the initial contents of buffers
  /// that the kernel reads and writes.
  Result<ReferenceResults> run(const Values &inputs);
  /// Computes on inputs in the layout of the reference's own buffers.
  Result<ReferenceResults> run(const BufferContents &inputs);

  /// Runs with inaccessible memory after each buffer, if the device supports
  /// this: an index out of bounds ends the process instead of reading a
  /// neighbour.
  Result<void> checkAccesses(const Values &inputs);

  /// Returns the largest change of each result when floating-point inputs move
  /// by up to a small share of their size, in n runs, divided by the share; at
  /// least the result's magnitude. Candidates' roundings are such movements, so
  /// their error is in proportion, which no bound by the results' size is for
  /// softmax, exp or division.
  Result<Values> findSensitivity(const Values &inputs, const Values &results,
                                 InputScale scale, size_t runs,
                                 std::mt19937_64 &generator);

  /// Returns the least and the largest of each result when floating-point
  /// inputs move by this share of their size. Each has its own sign: all
  /// together would move sums by more than roundings do. Elementwise, all
  /// inputs of a buffer move alike, in all combinations of up to four buffers,
  /// so that none at a boundary is missed.
  Result<ResultRange> computeResultRange(const Values &inputs,
                                         const Values &results, double share,
                                         InputScale scale, bool isElementwise,
                                         std::mt19937_64 &generator);

  /// Estimates how many floating-point inputs of one buffer an output depends
  /// on: K of a matmul. A few inputs are changed, one at a time, to another
  /// number of their buffer, which leads to no new index; to half of it where
  /// all are equal. The share of results that change, or a result that changes
  /// half of the time, gives the estimate. At least 64, since a kernel may
  /// round what is in no buffer; at most 4096, since more terms are hardly
  /// added one by one. Without floating-point inputs it is the elements of the
  /// largest buffer, within these.
  Result<double> estimateFanIn(const Values &inputs, const Values &results,
                               std::mt19937_64 &generator);

private:
  Result<ReferenceResults> run(const BufferViews &inputs);
  /// Returns for each buffer the least magnitude that changes are relative to.
  std::vector<double> findSizes(const Values &inputs, InputScale scale) const;
  /// Returns inputs moved by a share of their size times draw(buffer).
  template <typename Draw>
  Values move(const Values &inputs, double share, std::span<const double> sizes,
              Draw draw) const;
  /// Estimates the fan-in from the inputs of one buffer.
  Result<double> estimateFanIn(size_t buffer, const Values &inputs,
                               const Values &results,
                               std::mt19937_64 &generator);

  ReferenceKernel(Device &host, const Artifact &artifact,
                  const Signature &signature,
                  std::unique_ptr<Executable> executable, DeviceBlock block,
                  BufferSet set)
      : host(host), plan(artifact.plan), signature(signature),
        executable(std::move(executable)), block(std::move(block)),
        set(std::move(set)) {}

  Device &host;
  LaunchPlan plan;
  Signature signature;
  std::unique_ptr<Executable> executable;
  DeviceBlock block;
  BufferSet set;
};

/// Takes other results that are right into it; NaN is left out.
void widenResultRange(ResultRange &reach, const Values &results);

/// Widens the sensitivity to how far `Problem::nudged` on the same inputs is
/// from the results, divided by its share. What inputs don't move, as tanh(x)
/// of large x, roundings do.
void widenSensitivity(Values &sensitivity, const Values &nudged,
                      const Values &results);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_ORACLE_REFERENCEKERNEL_H
