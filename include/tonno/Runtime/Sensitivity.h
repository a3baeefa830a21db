//===- How far results move when inputs do --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_SENSITIVITY_H
#define TONNO_RUNTIME_SENSITIVITY_H

#include "tonno/Runtime/InputData.h"

#include <random>

namespace tonno {

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

} // namespace tonno

#endif // TONNO_RUNTIME_SENSITIVITY_H
