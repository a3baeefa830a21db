//===- The reference of a problem, and how its results move ---------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_ORACLE_REFERENCEKERNEL_H
#define TONNO_LIB_RUNTIME_ORACLE_REFERENCEKERNEL_H

#include "InputData.h"

#include <memory>
#include <random>

namespace tonno {

/// Of the outputs, in the signature's order; empty for the others.
struct ReferenceResults {
  Values values;
  /// The same, rounded once to the signature's element types: what a candidate
  /// that computes exactly would store. Integers of 64 bits are all exact here.
  BufferContents rounded;
};

/// The reference of a problem, loaded on the host. Its buffers have the
/// signature's shapes and accesses; strides and floating-point types are its
/// own.
class ReferenceKernel {
public:
  /// Fails if its buffers do not match the signature, or if elements of a
  /// buffer may share memory.
  static Result<ReferenceKernel> load(Device &host, const Artifact &artifact,
                                      const Signature &signature);

  /// Computes on these inputs. What it reads and writes begins with them, too.
  Result<ReferenceResults> run(const Values &inputs);
  /// The same, of inputs as they lie in its own buffers.
  Result<ReferenceResults> run(const BufferContents &inputs);

  /// Runs with each buffer where nothing can be accessed behind it: an index
  /// out of bounds ends the process, where otherwise the result is made of what
  /// is beside the buffer. Devices without such memory run nothing.
  Result<void> checkAccesses(const Values &inputs);

  /// The largest unit roundoff of its own floating-point buffers.
  double coarsestRoundoff() const;

private:
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

class ReferenceKernel;

/// What an input's movement is a share of.
enum class InputScale {
  buffer, ///< the root mean square of its buffer, or its own size if larger
  own,    ///< its own size
};

/// Of each element of each output: the largest change of the reference's result
/// when floating-point inputs move by up to a small share of their size, in so
/// many runs, divided by that share; at least the magnitude of the result. What
/// a candidate rounds on its way to a result is a movement of this kind, so its
/// error is in proportion: of a softmax, exp or division no bound by the
/// results' size alone is right. `results` are the reference's on `inputs`.
Result<Values> findSensitivity(ReferenceKernel &reference,
                               const Signature &signature, const Values &inputs,
                               const Values &results, InputScale scale,
                               size_t runs, std::mt19937_64 &generator);

/// The least and the largest result of each element that the reference gives
/// when floating-point inputs move by this share of their size, either way: at
/// a boundary, where a comparison or a rounding to an integer decides, all
/// between them may be right.
struct Reach {
  Values lowest, highest;
};
Result<Reach> findReach(ReferenceKernel &reference, const Signature &signature,
                        const Values &inputs, const Values &results,
                        double share, InputScale scale,
                        std::mt19937_64 &generator);

/// The same of results that depend on single elements, with all inputs of a
/// buffer moved the same way, in all combinations
/// of up to four buffers: so none at a boundary is missed.
Result<Reach> findElementwiseReach(ReferenceKernel &reference,
                                   const Signature &signature,
                                   const Values &inputs, const Values &results,
                                   double share, InputScale scale);

/// Takes other results that are right into it; NaN is left out.
void widenReach(Reach &reach, const Values &results);

/// As findSensitivity, for what is rounded on the way: widens the sensitivity
/// to how far `Problem::nudged`, run on the same inputs, is from the results,
/// divided by the share it was nudged by. What inputs don't move, as tanh(x) of
/// large x, roundings do.
void widenSensitivity(Values &sensitivity, const Values &nudged,
                      const Values &results);

class ReferenceKernel;

/// How many floating-point inputs of one buffer an element of the outputs
/// depends on, about: K of a matmul, whatever the buffers' shapes. A few inputs
/// are changed, one at a time, to another number of their buffer, which leads
/// to no index that the data doesn't; to half of it where all are equal. Each
/// changes so many results on average; a result that half of them change
/// depends on the buffer's like share. At least 64, since a kernel may round
/// what is in no buffer; at most 4096, since more terms are hardly ever added
/// one by one. Without floating-point inputs it is the elements of the largest
/// buffer, within these: others may be indices, which nobody can change.
/// `results` are the reference's on `inputs`.
Result<double> estimateFanIn(ReferenceKernel &reference,
                             const Signature &signature, const Values &inputs,
                             const Values &results, std::mt19937_64 &generator);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_ORACLE_REFERENCEKERNEL_H
