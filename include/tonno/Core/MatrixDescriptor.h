//===- Descriptors of tiles in shared memory ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_MATRIXDESCRIPTOR_H
#define TONNO_CORE_MATRIXDESCRIPTOR_H

#include "tonno/Core/LaunchPlan.h"

#include <cstdint>

namespace tonno {

/// Where wgmma and tcgen05 find a factor: "PTX ISA", sections "Matrix
/// Descriptor Format" and "Shared memory descriptor". Rows of 32, 64 or 128
/// bytes, in groups of 8, are swizzled: 16 bytes of each change places. All
/// numbers are bytes.
struct MatrixDescriptor {
  uint64_t start = 0;   ///< in shared memory, a multiple of 16
  uint64_t leading = 0; ///< between parts of rows that run along the side
  uint64_t stride = 0;  ///< between groups of 8 rows
  uint64_t rowBytes = 128;
  /// True if rows run along m or n, not along k. Instructions say so.
  bool runsAlongSide = false;
  uint64_t baseOffset = 0; ///< a field of the format
  uint64_t version = 0;    ///< a field of the format: of tcgen05 1

  static constexpr uint64_t chunkBytes = 16;

  /// Returns the 64 bits that instructions take.
  constexpr uint64_t encode() const {
    uint64_t swizzle = rowBytes == 128 ? 1 : rowBytes == 64 ? 2 : 3;
    return start / 16 | leading / 16 << 16 | stride / 16 << 32 | version << 46 |
           baseOffset << 49 | swizzle << 62;
  }

  /// Returns what these bits describe; `rowBytes` is 256 if rows are not
  /// swizzled.
  static constexpr MatrixDescriptor decode(uint64_t bits, bool runsAlongSide) {
    auto field = [&](unsigned first, unsigned count) {
      return bits >> first & ((uint64_t(1) << count) - 1);
    };
    return {.start = field(0, 14) * 16,
            .leading = field(16, 14) * 16,
            .stride = field(32, 14) * 16,
            .rowBytes = uint64_t(256) >> field(62, 2),
            .runsAlongSide = runsAlongSide,
            .baseOffset = field(49, 3),
            .version = field(46, 2)};
  }

  /// Returns the address of 16 bytes: the `chunk`-th along a row, over all its
  /// parts. CuTe, cute/atom/mma_traits_sm90_gmma.hpp: ((8,m),(T,2)) :
  /// ((8T,stride),(1,T)) for rows along k, ((T,8,m),(8,k)) :
  /// ((1,T,leading),(8T,stride)) for rows along the side, of 128 bytes.
  constexpr uint64_t address(uint64_t chunk, uint64_t row) const {
    uint64_t along = chunk * chunkBytes;
    uint64_t plain = start + along % rowBytes +
                     along / rowBytes * (runsAlongSide ? leading : 0) +
                     row % 8 * rowBytes + row / 8 * stride;
    return plain ^ (plain >> 3 & (rowBytes - chunkBytes));
  }
};

/// The types and extents of a tcgen05.mma: "PTX ISA", section "Instruction
/// descriptor".
struct InstructionDescriptor {
  ElementType operand = ElementType::f16;
  ElementType sum = ElementType::f32;
  uint32_t rows = 128, columns = 8;
  /// True if the factor's rows run along m or n, not along k.
  bool leftAlongSide = false, rightAlongSide = false;

  /// Returns the 32 bits that instructions take.
  constexpr uint32_t encode() const {
    uint32_t sumFormat = sum == ElementType::i32 ? 2 : 1;
    uint32_t format = operand == ElementType::bf16 ||
                              operand == ElementType::f8E5M2 ||
                              operand == ElementType::i8
                          ? 1
                          : 0;
    return sumFormat << 4 | format << 7 | format << 10 |
           uint32_t(leftAlongSide) << 15 | uint32_t(rightAlongSide) << 16 |
           columns / 8 << 17 | rows / 16 << 24;
  }

  /// Returns the kind of the types, as LLVM's intrinsics number them: f16,
  /// tf32, f8f6f4, i8.
  constexpr uint32_t kind() const {
    if (operand == ElementType::i8)
      return 3;
    return operand == ElementType::f16 || operand == ElementType::bf16 ? 0 : 2;
  }
};

} // namespace tonno

#endif // TONNO_CORE_MATRIXDESCRIPTOR_H
