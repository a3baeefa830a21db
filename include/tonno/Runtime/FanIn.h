//===- How many inputs a result is made of ----------- --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_FANIN_H
#define TONNO_RUNTIME_FANIN_H

#include "tonno/Runtime/InputData.h"

#include <random>

namespace tonno {

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

#endif // TONNO_RUNTIME_FANIN_H
