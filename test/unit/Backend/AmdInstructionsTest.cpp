//===- AMD's machine code, disassembled -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/CodeObject.h"
#include "GPU/MachineInstructions.h"
#include "GpuModules.h"

#include "llvm/ADT/StringExtras.h"

using namespace tonno;
using Kind = InstructionKind;

/// Assembles a kernel of these lines.
static MachineCode assemble(const std::vector<std::string> &lines,
                            const char *chipName) {
  const GpuChip &chip = chipNamed(chipName);
  std::string text = llvm::join(lines, "\\0A ");
  auto object = emitAmdObject("define amdgpu_kernel void @k() {\n"
                              "  call void asm sideeffect \"" +
                                  text +
                                  "\", \"~{v99},~{s44},~{vcc}\"()\n"
                                  "  ret void\n}",
                              chip);
  EXPECT_TRUE(object);
  auto linked = linkCodeObject(*object);
  EXPECT_TRUE(linked);
  auto usage = codeObjectUsage(*linked, chip);
  EXPECT_TRUE(usage);
  EXPECT_TRUE(usage->front().code);
  return *usage->front().code;
}

TEST(AmdInstructions, AreClassedByMnemonic) {
  struct Row {
    const char *mnemonic;
    Kind kind;
    uint32_t bytes;
    uint64_t macs;
    uint32_t cycles;
  };
  const GpuChip &chip = chipNamed("gfx942");
  for (const Row &row : std::initializer_list<Row>{
           {"v_mfma_f32_32x32x8_f16", Kind::matrix, 0, 8192, 32},
           {"v_mfma_f32_16x16x16_bf16", Kind::matrix, 0, 4096, 16},
           {"v_mfma_i32_32x32x16_i8", Kind::matrix, 0, 16384, 32},
           {"v_mfma_f32_4x4x4_16b_f16", Kind::matrix, 0, 1024, 0},
           {"v_mfma_f32_32x32x16_fp8_fp8", Kind::matrix, 0, 16384, 32},
           {"v_mfma_f32_16x16x32_bf8_bf8", Kind::matrix, 0, 8192, 16},
           {"v_fma_f32", Kind::fma, 0, 64, 4},
           {"v_pk_fma_f32", Kind::fma, 0, 128, 4},
           {"v_dot4_i32_i8", Kind::integerFma, 0, 256, 4},
           {"v_mad_u32_u24", Kind::integerFma, 0, 64, 4},
           {"v_exp_f32_e32", Kind::special, 0, 0, 16},
           {"v_cvt_f16_f32_e32", Kind::vector, 0, 0, 0},
           {"ds_read_b128", Kind::sharedLoad, 16, 0, 0},
           {"ds_read2st64_b32", Kind::sharedLoad, 8, 0, 0},
           {"ds_read_u16_d16", Kind::sharedLoad, 2, 0, 0},
           {"ds_write_b64", Kind::sharedStore, 8, 0, 0},
           {"global_load_dwordx4", Kind::globalLoad, 16, 0, 0},
           {"global_load_ushort", Kind::globalLoad, 2, 0, 0},
           {"buffer_load_ubyte", Kind::globalLoad, 1, 0, 0},
           {"global_load_lds_dword", Kind::asyncCopy, 4, 0, 0},
           {"global_store_dword", Kind::globalStore, 4, 0, 0},
           {"s_barrier", Kind::barrier, 0, 0, 0},
           {"s_cbranch_scc1", Kind::branch, 0, 0, 0},
           {"s_add_u32", Kind::scalar, 0, 0, 0},
           {"s_waitcnt", Kind::other, 0, 0, 0}}) {
    MachineInstruction one = classifyAmd(row.mnemonic, chip);
    EXPECT_EQ(one.kind, row.kind) << row.mnemonic;
    EXPECT_EQ(one.bytes, row.bytes) << row.mnemonic;
    EXPECT_EQ(one.macs, row.macs) << row.mnemonic;
    EXPECT_EQ(one.pipeCycles, row.cycles) << row.mnemonic;
  }
  // Names as gfx90a and RDNA write them.
  EXPECT_EQ(
      classifyAmd("v_mfma_f32_32x32x8bf16_1k", chipNamed("gfx90a")).pipeCycles,
      64u);
  auto scaled =
      classifyAmd("v_mfma_scale_f32_16x16x128_f8f6f4", chipNamed("gfx950"));
  EXPECT_EQ(scaled.macs, 32768u);
  EXPECT_EQ(scaled.pipeCycles, 32u);
  EXPECT_EQ(classifyAmd("v_mfma_f32_32x32x8f16", chipNamed("gfx90a")).macs,
            8192u);
  EXPECT_EQ(
      classifyAmd("v_wmma_i32_16x16x16_iu8", chipNamed("gfx1201")).pipeCycles,
      8u);
  EXPECT_EQ(classifyAmd("ds_load_2addr_b64", chipNamed("gfx1100")).bytes, 16u);
  EXPECT_EQ(classifyAmd("global_load_b128", chipNamed("gfx1100")).bytes, 16u);
}

/// Returns a step of a product with this number of fragment loads.
static std::vector<std::string> productLoop(unsigned loads) {
  std::vector<std::string> lines = {"s_mov_b32 s4, 0", "1:"};
  for (unsigned i = 0; i < loads; ++i)
    lines.push_back("ds_read_b128 v[20:23], v40 offset:" +
                    std::to_string(16 * i));
  lines.insert(lines.end(),
               {"global_load_dwordx4 v[24:27], v[42:43], off",
                "v_mfma_f32_32x32x8_f16 v[0:15], v[20:21], v[22:23], v[0:15]",
                "v_mfma_f32_32x32x8_f16 v[0:15], v[20:21], v[22:23], v[0:15]",
                "s_cbranch_vccz 2f", "ds_write_b128 v40, v[24:27]",
                "2:", "s_barrier", "s_add_u32 s4, s4, 1", "s_cmp_lg_u32 s4, s5",
                "s_cbranch_scc1 1b"});
  return lines;
}

TEST(AmdInstructions, LoopsAreFoundAndCounted) {
  MachineCode code = assemble(productLoop(3), "gfx942");
  ASSERT_EQ(code.loops.size(), 1u);
  const InstructionCounts &loop = code.loops[0].always;
  EXPECT_EQ(loop.matrix, 2u);
  EXPECT_EQ(loop.matrixMacs, 16384u);
  EXPECT_EQ(loop.matrixCycles, 64u);
  EXPECT_EQ(loop.sharedLoadBytes, 48u);
  EXPECT_EQ(loop.globalLoadBytes, 16u);
  EXPECT_EQ(loop.barriers, 1u);
  EXPECT_EQ(loop.issueCycles, 8u);
  EXPECT_EQ(loop.sharedStores, 0u); // may be skipped
  EXPECT_EQ(code.loops[0].all.sharedStores, 1u);
}

TEST(AmdInstructions, MaskedLanesMoveNothing) {
  MachineCode code =
      assemble({"s_and_saveexec_b64 s[6:7], vcc", "ds_write_b128 v40, v[24:27]",
                "s_or_b64 exec, exec, s[6:7]", "ds_write_b64 v40, v[24:25]"},
               "gfx942");
  EXPECT_EQ(code.always.sharedStoreBytes, 8u);
  EXPECT_EQ(code.all.sharedStoreBytes, 24u);
}

/// A mutant of the loop with twice the loads has a lower share of the peak.
TEST(AmdInstructions, MoreLoadsLowerTheBound) {
  auto bound = [](unsigned loads) {
    KernelUsage kernel;
    kernel.symbol = "k";
    kernel.code = assemble(productLoop(loads), "gfx942");
    Launch launch{.symbol = "k",
                  .buffers = {},
                  .geometry = {{304, 1, 1}, {1024, 1, 1}, 0}};
    KernelWork work{.macs = uint64_t(1) << 36,
                    .operand = ElementType::f16,
                    .sum = ElementType::f32};
    return *boundTime({kernel}, {{}, {launch}}, work, chipNamed("gfx942"));
  };
  TimeBound once = bound(4), twice = bound(8);
  EXPECT_EQ(twice.limit, "LDS");
  EXPECT_LT(twice.share, 0.6 * once.share);
}
