//===- AMD's machine code, disassembled -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuBackend.h"
#include "MachineInstructions.h"

#include "tonno/Core/MatrixInstruction.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"

using namespace llvm;
using namespace tonno;

/// Cycles of an access that hits the nearest memory, at least. Published
/// measurements are 115 and more for the first-level cache and 55 for the LDS.
static constexpr uint32_t cacheLatency = 100, ldsLatency = 32;

/// Takes "32x32x8" off a name.
static bool consumeShape(StringRef &name, uint64_t (&shape)[3]) {
  for (unsigned i = 0; i < 3; ++i)
    if ((i > 0 && !name.consume_front("x")) ||
        name.consumeInteger(10, shape[i]))
      return false;
  return true;
}

/// Returns the instruction of the chip's table.
static const MatrixInstruction *findMatrix(StringRef sum, StringRef operand,
                                           const uint64_t (&shape)[3],
                                           const GpuChip &chip) {
  operand.consume_front("iu"); // i8 as RDNA has it
  operand.consume_front("i");
  bool hasFnuz = chip.name == "gfx942";
  std::optional<ElementType> type =
      StringSwitch<std::optional<ElementType>>(operand)
          .Case("f16", ElementType::f16)
          .StartsWith("bf16", ElementType::bf16) // bf16_1k of gfx90a
          .Case("8", ElementType::i8)
          .Case("fp8_fp8",
                hasFnuz ? ElementType::f8E4M3FNUZ : ElementType::f8E4M3FN)
          .Case("bf8_bf8",
                hasFnuz ? ElementType::f8E5M2FNUZ : ElementType::f8E5M2)
          .Case("f8f6f4", ElementType::f8E4M3FN) // the slowest of its formats
          .Default(std::nullopt);
  if (!type || (sum != "f32" && sum != "i32"))
    return nullptr;
  ElementType sums = sum == "f32" ? ElementType::f32 : ElementType::i32;
  for (const MatrixInstruction &one : matrixInstructions(chip, *type, sums))
    if (one.m == shape[0] && one.n == shape[1] && one.k == shape[2])
      return &one;
  return nullptr;
}

/// Classifies a matrix instruction: "v_mfma_f32_32x32x8_f16", or on gfx90a
/// "v_mfma_f32_32x32x8f16".
static void classifyMatrix(StringRef name, MachineInstruction &one,
                           const GpuChip &chip) {
  one.kind = InstructionKind::matrix;
  name.consume_front("scale_");
  auto [sum, rest] = name.split('_');
  uint64_t shape[3] = {};
  if (!consumeShape(rest, shape))
    return;
  one.macs = shape[0] * shape[1] * shape[2];
  rest.consume_front("_");
  uint64_t blocks = 1; // "v_mfma_f32_4x4x4_16b_f16"
  StringRef behind = rest;
  if (!behind.consumeInteger(10, blocks) && behind.consume_front("b_"))
    one.macs *= blocks;
  else
    behind = rest;
  if (const MatrixInstruction *known = findMatrix(sum, behind, shape, chip))
    one.pipeCycles = one.latency = known->cycles;
}

/// Returns the multiply-adds of a lane; 0 if the instruction is none.
static unsigned multiplyAdds(StringRef name) {
  return StringSwitch<unsigned>(name)
      .StartsWith("v_dual_fmac", 2)
      .StartsWith("v_dual_fma", 2)
      .StartsWith("v_pk_fma", 2)
      .StartsWith("v_fma", 1)
      .StartsWith("v_mad_f", 1)
      .StartsWith("v_mac_f", 1)
      .StartsWith("v_mad_mix", 1)
      .StartsWith("v_dot2", 2)
      .StartsWith("v_mad_", 1)
      .StartsWith("v_pk_mad", 2)
      .StartsWith("v_dot4", 4)
      .StartsWith("v_dot8", 8)
      .Default(0);
}

static bool isIntegerFma(StringRef name) {
  return (name.starts_with("v_mad_") && !name.starts_with("v_mad_f") &&
          !name.starts_with("v_mad_mix")) ||
         name.starts_with("v_pk_mad") || name.starts_with("v_dot4_i") ||
         name.starts_with("v_dot4_u") || name.starts_with("v_dot4c_i") ||
         name.starts_with("v_dot8") || name.starts_with("v_dot2_i") ||
         name.starts_with("v_dot2_u");
}

static bool isSpecial(StringRef name) {
  for (StringRef prefix :
       {"v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

static void classifyVector(StringRef name, MachineInstruction &one,
                           const GpuChip &chip) {
  // CDNA: SIMDs of 16 lanes take four cycles; RDNA's have 32.
  bool isCdna = chip.name.starts_with("gfx9");
  one.issueCycles = isCdna ? 4 : 1;
  one.kind = InstructionKind::vector;
  StringRef matrix = name;
  if (matrix.consume_front("v_mfma_") || matrix.consume_front("v_wmma_") ||
      matrix.consume_front("v_smfmac_") || matrix.consume_front("v_swmmac_")) {
    classifyMatrix(matrix, one, chip);
  } else if (isSpecial(name)) {
    one.kind = InstructionKind::special;
    one.pipeCycles = isCdna ? 16 : 4; // a quarter of the rate
    if (isCdna)
      one.issueCycles = 16;
  } else if (unsigned macs = multiplyAdds(name)) {
    one.kind =
        isIntegerFma(name) ? InstructionKind::integerFma : InstructionKind::fma;
    one.macs = macs * chip.subgroupSize;
    one.pipeCycles = one.issueCycles;
  }
}

/// Returns the bytes of a lane: "ds_read2_b64", "global_load_dwordx4".
static uint32_t accessBytes(StringRef name) {
  if (name.contains("dwordx4"))
    return 16;
  if (name.contains("dwordx3"))
    return 12;
  if (name.contains("dwordx2"))
    return 8;
  if (name.contains("dword"))
    return 4;
  if (name.contains("short"))
    return 2;
  if (name.contains("byte"))
    return 1;
  bool isTwice = name.contains("read2") || name.contains("write2") ||
                 name.contains("2addr");
  for (size_t i = name.find('_'); i != StringRef::npos;
       i = name.find('_', i + 1)) {
    StringRef width = name.drop_front(i + 1);
    uint32_t bits = 0;
    if (!width.empty() && StringRef("bui").contains(width.front()) &&
        !width.drop_front().consumeInteger(10, bits))
      return bits / 8 * (isTwice ? 2 : 1);
  }
  return 0;
}

static void classifyMemory(StringRef name, MachineInstruction &one) {
  one.bytes = accessBytes(name);
  if (name.starts_with("ds_")) {
    if (name.starts_with("ds_read") || name.starts_with("ds_load")) {
      one.kind = InstructionKind::sharedLoad;
      one.latency = ldsLatency;
    } else if (name.starts_with("ds_write") || name.starts_with("ds_store")) {
      one.kind = InstructionKind::sharedStore;
    }
    return;
  }
  if (name.contains("_lds_")) {
    one.kind = InstructionKind::asyncCopy;
  } else if (name.contains("_load_")) {
    one.kind = InstructionKind::globalLoad;
    one.latency = cacheLatency;
  } else if (name.contains("_store_")) {
    one.kind = InstructionKind::globalStore;
  }
}

MachineInstruction tonno::classifyAmd(StringRef name, const GpuChip &chip) {
  MachineInstruction one;
  if (name.starts_with("v_"))
    classifyVector(name, one, chip);
  else if (name.starts_with("ds_") || name.starts_with("global_") ||
           name.starts_with("buffer_") || name.starts_with("flat_"))
    classifyMemory(name, one);
  else if (name.starts_with("s_cbranch") || name.starts_with("s_branch"))
    one.kind = InstructionKind::branch;
  else if (name == "s_barrier" || name == "s_barrier_wait")
    one.kind = InstructionKind::barrier;
  else if (name.starts_with("s_endpgm") || name.starts_with("s_setpc"))
    one.kind = InstructionKind::exit;
  else if (name.starts_with("s_") && !name.starts_with("s_wait") &&
           !name.starts_with("s_nop"))
    one.kind = InstructionKind::scalar;
  return one;
}

namespace {

/// Finds stretches in which some lanes may be off: from "s_and_saveexec" to the
/// write of exec that undoes it.
class LaneMask {
public:
  explicit LaneMask(const MCRegisterInfo &registers) : registers(registers) {}

  bool step(StringRef name, const MCInst &instruction) {
    if (name.contains("saveexec"))
      ++depth;
    else if (name.starts_with("s_or_b") && depth > 0 && writesExec(instruction))
      --depth;
    return depth > 0;
  }

private:
  bool writesExec(const MCInst &instruction) const {
    if (instruction.getNumOperands() == 0 ||
        !instruction.getOperand(0).isReg() ||
        !instruction.getOperand(0).getReg())
      return false;
    return StringRef(registers.getName(instruction.getOperand(0).getReg()))
        .starts_with("EXEC");
  }

  const MCRegisterInfo &registers;
  unsigned depth = 0;
};

} // namespace

std::optional<std::vector<MachineInstruction>>
tonno::disassembleAmd(ArrayRef<uint8_t> code, const GpuChip &chip) {
  const llvm::Target *target = lookupGpuTarget(chip);
  if (!target || code.empty())
    return std::nullopt;
  Triple triple{StringRef(chip.triple)};
  std::unique_ptr<MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<MCAsmInfo> assembly(
      target->createMCAsmInfo(*registers, triple, MCTargetOptions()));
  std::unique_ptr<MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(
      triple, StringRef(chip.name), StringRef(chip.features)));
  std::unique_ptr<MCInstrInfo> instructions(target->createMCInstrInfo());
  MCContext context(triple, assembly.get(), registers.get(), subtarget.get());
  std::unique_ptr<MCDisassembler> disassembler(
      target->createMCDisassembler(*subtarget, context));
  std::unique_ptr<MCInstPrinter> printer(
      target->createMCInstPrinter(triple, assembly->getAssemblerDialect(),
                                  *assembly, *instructions, *registers));
  if (!disassembler || !printer)
    return std::nullopt;
  LaneMask mask(*registers);
  std::vector<MachineInstruction> found;
  for (uint64_t address = 0; !code.empty();) {
    MCInst instruction;
    uint64_t size = 0;
    if (disassembler->getInstruction(instruction, size, code, address,
                                     nulls()) != MCDisassembler::Success ||
        size == 0 || size > code.size())
      return std::nullopt;
    const char *text = printer->getMnemonic(instruction).first;
    StringRef name = StringRef(text ? text : "").trim();
    MachineInstruction one = classifyAmd(name, chip);
    one.address = address;
    one.isPredicated = mask.step(name, instruction);
    if (one.kind == InstructionKind::branch ||
        one.kind == InstructionKind::exit)
      one.isPredicated = name.starts_with("s_cbranch");
    if (one.kind == InstructionKind::branch &&
        instruction.getNumOperands() > 0 && instruction.getOperand(0).isImm()) {
      auto words = static_cast<int16_t>(instruction.getOperand(0).getImm());
      one.target = address + size + int64_t(words) * 4;
    }
    if (one.kind == InstructionKind::matrix &&
        instruction.getNumOperands() > 0 && instruction.getOperand(0).isReg())
      one.result = instruction.getOperand(0).getReg().id();
    found.push_back(one);
    code = code.drop_front(size);
    address += size;
  }
  return found;
}
