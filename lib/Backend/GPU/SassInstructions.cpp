//===- NVIDIA's machine code, decoded -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MachineInstructions.h"

#include "tonno/Core/MatrixDescriptor.h"
#include "tonno/Core/MatrixInstruction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace tonno;
using Kind = InstructionKind;

// No public document has the encoding. Each row, and the fields below, were
// found by assembling PTX with ptxas 13.0 and counting; SassInstructionsTest
// repeats that. Mnemonics are those of "CUDA Binary Utilities".

namespace {

struct SassOpcode {
  uint16_t opcode; ///< the low nine bits
  StringLiteral mnemonic;
  Kind kind;
};

/// An instruction of 16 bytes.
struct SassWord {
  uint64_t low, high;

  uint16_t opcode() const { return low & 0x1ff; }
  uint8_t result() const { return low >> 16 & 0xff; }
  /// Returns true if the predicate is not the constant true.
  bool isPredicated() const { return (low >> 12 & 0xf) != 7; }
  /// Returns true for a branch without a second predicate.
  bool isPlainBranch() const {
    return (low >> 9 & 7) == 4 && highBits(82, 9) == 0xe0;
  }
  uint64_t highBits(unsigned first, unsigned count) const {
    return high >> (first - 64) & ((1ull << count) - 1);
  }
};

} // namespace

static constexpr uint16_t opMov = 0x002, opHfma2 = 0x031, opHfma2Mma = 0x035,
                          opFfma = 0x023, opFfma2 = 0x049, opImad = 0x024,
                          opIdp = 0x026, opImma = 0x037, opLdsm = 0x03b,
                          opHmma = 0x03c, opStsm = 0x044, opNop = 0x118,
                          opBra = 0x147, opExit = 0x14d, opLdgsts = 0x1ae,
                          opHgmma = 0x1f0, opIgmma = 0x1f1, opQgmma = 0x1f3,
                          opUmov = 0x082, opUtcmma = 0x1ea;

static constexpr SassOpcode opcodes[] = {
    {opMov, "MOV", Kind::vector},
    {0x005, "CS2R", Kind::vector},
    {0x006, "VOTE", Kind::vector},
    {0x007, "SEL", Kind::vector},
    {0x008, "FSEL", Kind::vector},
    {0x009, "FMNMX", Kind::vector},
    {0x00b, "FSETP", Kind::vector},
    {0x00c, "ISETP", Kind::vector},
    {0x010, "IADD3", Kind::vector},
    {0x011, "LEA", Kind::vector},
    {0x012, "LOP3", Kind::vector},
    {0x013, "IABS", Kind::vector},
    {0x016, "PRMT", Kind::vector},
    {0x017, "IMNMX", Kind::vector},
    {0x019, "SHF", Kind::vector},
    {0x01c, "PLOP3", Kind::vector},
    {0x020, "FMUL", Kind::fma},
    {0x021, "FADD", Kind::fma},
    {opFfma, "FFMA", Kind::fma},
    {opImad, "IMAD", Kind::integerFma},
    {0x025, "IMAD.WIDE", Kind::integerFma},
    {opIdp, "IDP", Kind::integerFma},
    {0x027, "IMAD.HI", Kind::integerFma},
    {0x028, "DMUL", Kind::vector},
    {0x029, "DADD", Kind::vector},
    {0x02a, "DSETP", Kind::vector},
    {0x02b, "DFMA", Kind::fma},
    {0x030, "HADD2", Kind::vector},
    {opHfma2, "HFMA2", Kind::fma},
    {0x032, "HMUL2", Kind::vector},
    {opHfma2Mma, "HFMA2.MMA", Kind::fma},
    {0x036, "VIADD", Kind::vector},
    {opImma, "IMMA", Kind::matrix},
    {opLdsm, "LDSM", Kind::sharedLoad},
    {opHmma, "HMMA", Kind::matrix},
    {0x03e, "F2FP", Kind::vector},
    {0x03f, "DMMA", Kind::matrix},
    {opStsm, "STSM", Kind::sharedStore},
    {0x045, "I2FP", Kind::vector},
    {0x048, "VIMNMX", Kind::vector},
    {opFfma2, "FFMA2", Kind::fma},
    {0x07a, "QMMA", Kind::matrix},
    {0x07f, "OMMA", Kind::matrix},
    {opUmov, "UMOV", Kind::scalar},
    {0x100, "FLO", Kind::vector},
    {0x101, "BREV", Kind::vector},
    {0x105, "F2I", Kind::vector},
    {0x106, "I2F", Kind::vector},
    {0x108, "MUFU", Kind::special},
    {0x109, "POPC", Kind::vector},
    {opNop, "NOP", Kind::other},
    {0x119, "S2R", Kind::vector},
    {0x11a, "DEPBAR", Kind::other},
    {0x11d, "BAR", Kind::barrier},
    {0x141, "BSYNC", Kind::other},
    {0x145, "BSSY", Kind::other},
    {opBra, "BRA", Kind::branch},
    {0x148, "WARPSYNC", Kind::other},
    {opExit, "EXIT", Kind::exit},
    {0x180, "LD", Kind::globalLoad},
    {0x181, "LDG", Kind::globalLoad},
    {0x182, "LDC", Kind::other},
    {0x183, "LDL", Kind::other},
    {0x184, "LDS", Kind::sharedLoad},
    {0x185, "ST", Kind::globalStore},
    {0x186, "STG", Kind::globalStore},
    {0x187, "STL", Kind::other},
    {0x188, "STS", Kind::sharedStore},
    {0x189, "SHFL", Kind::vector},
    {0x18e, "RED", Kind::other},
    {0x18f, "CCTL", Kind::other},
    {0x192, "MEMBAR", Kind::other},
    {0x1a8, "ATOMG", Kind::other},
    {0x1ab, "ERRBAR", Kind::other},
    {opLdgsts, "LDGSTS", Kind::asyncCopy},
    {0x1af, "LDGDEPBAR", Kind::other},
    {0x1c4, "REDUX", Kind::vector},
    {opUtcmma, "UTCMMA", Kind::matrix},
    {opHgmma, "HGMMA", Kind::matrix},
    {opIgmma, "IGMMA", Kind::matrix},
    {opQgmma, "QGMMA", Kind::matrix},
};
static_assert(std::ranges::is_sorted(opcodes, {}, &SassOpcode::opcode));

static const SassOpcode *findOpcode(uint16_t opcode) {
  const auto *found = llvm::lower_bound(
      opcodes, opcode, [](const SassOpcode &row, uint16_t wanted) {
        return row.opcode < wanted;
      });
  return found != std::end(opcodes) && found->opcode == opcode ? found
                                                               : nullptr;
}

StringRef tonno::sassMnemonic(uint64_t low) {
  const SassOpcode *row = findOpcode(SassWord{low, 0}.opcode());
  return row ? StringRef(row->mnemonic) : "";
}

/// Cycles until a result can be used, at least: below all that microbenchmarks
/// of sm_80 and sm_90 report (23 and more of shared memory, 33 of a first-level
/// cache, 17 of the smallest HMMA).
static constexpr uint32_t sharedLatency = 20, cacheLevelLatency = 30,
                          matrixLatency = 16;

static bool hasComputeCapability(const GpuChip &chip, unsigned capability) {
  unsigned number = 0;
  StringRef name(chip.name);
  return name.consume_front("sm_") && !name.consumeInteger(10, number) &&
         number >= capability;
}

/// Decodes an access size: 4, 5 and 6 are 4, 8 and 16 bytes; below 4, bit 0 is
/// the sign.
static uint32_t bytesOfSize(uint64_t size) {
  return size < 4 ? 1u << (size / 2) : 1u << (size - 2);
}

static uint32_t accessBytes(const SassWord &word, const GpuChip &chip) {
  switch (word.opcode()) {
  case opLdsm: // matrices of 8 x 16 bytes: 1, 2 or 4
  case opStsm:
    return 4u << word.highBits(72, 2);
  case opLdgsts: // the field moved
    return hasComputeCapability(chip, 100) ? 4u << word.highBits(74, 2)
                                           : bytesOfSize(word.highBits(73, 3));
  default:
    return bytesOfSize(word.highBits(73, 3));
  }
}

/// Returns the columns that a warpgroup multiplies by, from bit 53 on: the
/// number of 8 of them less one, of IGMMA thrice the place among all numbers
/// that it can have (8, 16, 24, 32, 48, 64, ..., 256).
static uint64_t warpgroupColumns(const SassWord &word) {
  uint64_t field = word.low >> 53 & 0x1f;
  if (word.opcode() != opIgmma)
    return 8 * (field + 1);
  uint64_t place = (word.low >> 53 & 0x3f) / 3;
  return place < 4 ? 8 * (place + 1) : 16 * (place - 1);
}

/// Decodes a subgroup's quarter of a product of 64 rows, 32 bytes deep. For
/// every type, the unit of a partition takes two columns a cycle ("NVIDIA H100
/// Tensor Core GPU Architecture", peak rates).
static void decodeWarpgroup(const SassWord &word, MachineInstruction &one) {
  bool isTf32 = word.opcode() == opHgmma && word.highBits(77, 1);
  uint64_t depth = word.opcode() != opHgmma ? 32 : isTf32 ? 8 : 16;
  one.macs = 16 * warpgroupColumns(word) * depth;
  one.pipeCycles = one.latency =
      static_cast<uint32_t>(warpgroupColumns(word) / 2);
}

/// Returns the columns that tcgen05.mma multiplies by: of the instruction
/// descriptors in the code, which are constants of the uniform data path; 0 if
/// they differ, or if there are none.
static uint32_t findTensorColumns(ArrayRef<SassWord> words) {
  uint32_t columns = 0;
  for (const SassWord &word : words) {
    auto bits = static_cast<uint32_t>(word.low >> 32);
    if (word.opcode() != opUmov)
      continue;
    InstructionDescriptor descriptor = {.columns = (bits >> 17 & 0x3f) * 8};
    constexpr uint32_t formats = 0x1fff0; // types and directions
    if ((bits & ~formats) != (descriptor.encode() & ~formats) ||
        (bits & formats) == 0 || descriptor.columns == 0)
      continue;
    if (columns != 0 && columns != descriptor.columns)
      return 0;
    columns = descriptor.columns;
  }
  return columns;
}

/// Decodes a product of 128 rows, 32 bytes deep, by all partitions.
static void decodeTensor(const SassWord &word, MachineInstruction &one,
                         uint32_t columns) {
  bool isOf16Bits = word.highBits(72, 2) == 0;
  one.isOfWorkgroup = true;
  one.macs = uint64_t(128) * columns * (isOf16Bits ? 16 : 32);
  one.pipeCycles = columns / 2;
}

static void decodeMatrix(const SassWord &word, MachineInstruction &one,
                         const GpuChip &chip, uint32_t tensorColumns) {
  one.result = word.result();
  one.latency = matrixLatency;
  if (word.opcode() == opUtcmma)
    return decodeTensor(word, one, tensorColumns);
  if (word.opcode() >= opHgmma)
    return decodeWarpgroup(word, one);
  bool isDeep = word.highBits(75, 1); // k is 16, of i8 32
  bool isInteger = word.opcode() == opImma;
  if (!isInteger && word.opcode() != opHmma)
    return;
  one.macs = (isDeep ? 2048 : 1024) * (isInteger ? 2 : 1);
  auto table =
      isInteger ? matrixInstructions(chip, ElementType::i8, ElementType::i32)
                : matrixInstructions(chip, ElementType::f16, ElementType::f32);
  auto found = llvm::find_if(table, [](const MatrixInstruction &known) {
    return known.family == MatrixFamily::mmaSync;
  });
  if (found == table.end())
    return;
  one.pipeCycles = found->cycles * one.macs / found->macs();
  // GeForce chips are twice as fast with sums in f16.
  if (!isInteger && !word.highBits(76, 1))
    one.pipeCycles /= 2;
}

/// Decodes a fused multiply-add. Throughput: "CUDA C++ Programming Guide",
/// arithmetic instructions.
static void decodeFma(const SassWord &word, MachineInstruction &one,
                      const GpuChip &chip) {
  unsigned lanes = chip.subgroupSize;
  one.pipeCycles = 1;
  switch (word.opcode()) {
  case opFfma:
    one.macs = lanes;
    break;
  case opFfma2:
    one.pipeCycles = 2;
    one.macs = 2 * lanes;
    break;
  case opHfma2:
  case opHfma2Mma:
    one.macs = 2 * lanes;
    return;
  case opImad:
    one.macs = lanes;
    return;
  case opIdp:
    one.macs = 4 * lanes;
    return;
  default:
    break;
  }
  if (one.kind == Kind::fma && chip.name == "sm_80")
    one.pipeCycles = 2; // 16 lanes a partition
}

/// Returns a branch's target, encoded relative to the next instruction: in
/// bytes from bit 32 on; since sm_90 in words, whose low byte is at bit 16.
static uint64_t branchTarget(const SassWord &word, uint64_t next,
                             const GpuChip &chip) {
  uint64_t upper = word.low >> 34 | word.highBits(64, 18) << 30;
  auto words = static_cast<int64_t>(upper << 16) >> 16;
  if (hasComputeCapability(chip, 90))
    words = static_cast<int64_t>(static_cast<uint64_t>(words) << 8 |
                                 (word.low >> 16 & 0xff));
  return next + static_cast<uint64_t>(words) * 4;
}

std::vector<MachineInstruction> tonno::decodeSass(ArrayRef<uint8_t> code,
                                                  const GpuChip &chip) {
  constexpr size_t size = 16;
  auto wordAt = [&](size_t index) {
    const uint8_t *at = code.data() + index * size;
    return SassWord{support::endian::read64le(at),
                    support::endian::read64le(at + 8)};
  };
  size_t count = code.size() / size;
  while (count > 0 && wordAt(count - 1).opcode() == opNop)
    --count;
  std::vector<SassWord> words;
  for (size_t i = 0; i < count; ++i)
    words.push_back(wordAt(i));
  uint32_t tensorColumns = findTensorColumns(words);
  std::vector<MachineInstruction> found;
  for (size_t i = 0; i < count; ++i) {
    SassWord word = words[i];
    MachineInstruction one;
    one.address = i * size;
    one.issueCycles = 1;
    one.isPredicated = word.isPredicated();
    if (const SassOpcode *row = findOpcode(word.opcode()))
      one.kind = row->kind;
    switch (one.kind) {
    case Kind::matrix:
      decodeMatrix(word, one, chip, tensorColumns);
      break;
    case Kind::fma:
    case Kind::integerFma:
      decodeFma(word, one, chip);
      break;
    case Kind::special:
      one.pipeCycles = 8; // 16 lanes a multiprocessor
      break;
    case Kind::sharedLoad:
      one.latency = sharedLatency;
      one.bytes = accessBytes(word, chip);
      break;
    case Kind::globalLoad:
      one.latency = cacheLevelLatency;
      one.bytes = accessBytes(word, chip);
      break;
    case Kind::sharedStore:
    case Kind::globalStore:
    case Kind::asyncCopy:
      one.bytes = accessBytes(word, chip);
      break;
    case Kind::branch:
      one.target = branchTarget(word, one.address + size, chip);
      one.isPredicated |= !word.isPlainBranch();
      break;
    default:
      break;
    }
    found.push_back(one);
  }
  return found;
}
