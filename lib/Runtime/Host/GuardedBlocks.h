//===- Memory with nothing beside it --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_HOST_GUARDEDBLOCKS_H
#define TONNO_LIB_RUNTIME_HOST_GUARDEDBLOCKS_H

#include <cstddef>

namespace tonno {

/// Of address space, on either side of a block: an access that far outside ends
/// the process, before it reaches what others depend on. The size of a huge
/// page, so that blocks start where they would without.
inline constexpr size_t guardBytes = size_t{2} << 20;

/// Remembers a block of this process for `sideOf`, as long as there is room
/// for it.
void addGuardedBlock(const void *block, size_t bytes);
void removeGuardedBlock(const void *block);

enum class BlockSide { none, before, inside, behind };

/// Where an address lies, of the blocks and what is beside them. For signal
/// handlers.
BlockSide sideOf(const void *address);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_HOST_GUARDEDBLOCKS_H
