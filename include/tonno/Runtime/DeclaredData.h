//===- Inputs that a buffer declares --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_DECLAREDDATA_H
#define TONNO_RUNTIME_DECLAREDDATA_H

#include "tonno/Core/Result.h"
#include "tonno/Runtime/InputData.h"

#include <random>

namespace tonno {

/// The data that a signature's buffers declare (BufferSpec::input), for those
/// that the kernel reads; empty for the others. A seed gives the same on every
/// system. An Error names the buffer: its type can't hold the numbers, or its
/// file can't be read or is not of its shape.
Result<Values> drawDeclared(const Signature &signature,
                            std::mt19937_64 &generator);

/// Of declared data what exact passes keep: that of buffers of integer type,
/// which may be indices, and what is all integers. Empty for the others.
Values exactData(const Signature &signature, const Values &declared);

} // namespace tonno

#endif // TONNO_RUNTIME_DECLAREDDATA_H
