//===- Elements in strided memory -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_LAYOUT_H
#define TONNO_RUNTIME_LAYOUT_H

#include "tonno/Core/LaunchPlan.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tonno {

/// Puts a buffer's elements, which come in row-major order, where they lie in
/// its memory. Bytes that belong to no element are `gap`. Of a dense buffer the
/// elements are its memory.
std::vector<std::byte> scatter(const BufferSpec &buffer,
                               std::span<const std::byte> elements,
                               std::byte gap);

/// The other way round.
std::vector<std::byte> gather(const BufferSpec &buffer,
                              std::span<const std::byte> memory);

} // namespace tonno

#endif // TONNO_RUNTIME_LAYOUT_H
