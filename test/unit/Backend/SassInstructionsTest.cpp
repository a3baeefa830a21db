//===- NVIDIA's machine code, decoded -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks each row of the table of opcodes by the installed assembler: if two
// kernels differ in the number of one PTX instruction, their machine code
// differs in the number of one opcode by the same amount.

#include "GPU/MachineInstructions.h"
#include "GPU/PtxAssembler.h"
#include "GpuModules.h"

#include "tonno/Core/MatrixDescriptor.h"
#include "tonno/Core/MatrixInstruction.h"

#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

#include <gmock/gmock.h>
#include <map>

using namespace tonno;

namespace {

/// A PTX instruction and what ptxas makes of it.
struct Row {
  const char *mnemonic;
  const char *before, *each, *after;
  unsigned capability = 80; ///< the first with it
  unsigned last = 999;
};

} // namespace

#define LOAD_INTS                                                              \
  "ld.global.b32 %r10,[%d3]; ld.global.b32 %r11,[%d3+4]; "                     \
  "ld.global.b32 %r12,[%d3+8];"
#define LOAD_FLOATS                                                            \
  "ld.global.f32 %f0,[%d3]; ld.global.f32 %f1,[%d3+4]; "                       \
  "ld.global.f32 %f2,[%d3+8];"
#define LOAD_FRAGMENTS                                                         \
  LOAD_FLOATS LOAD_INTS "ld.global.f32 %f3,[%d3+12]; mov.b32 %r13,%r0; "       \
                        "ld.global.b32 %r14,[%d3+12]; "                        \
                        "ld.global.b32 %r15,[%d3+16];"
#define STORE_INT "st.global.b32 [%d4],%r10;"
#define STORE_FLOAT "st.global.f32 [%d4],%f0;"
#define STORE_SUMS                                                             \
  "st.global.f32 [%d4],%f0; st.global.f32 [%d4+4],%f1; "                       \
  "st.global.f32 [%d4+8],%f2; st.global.f32 [%d4+12],%f3;"

// N is the number of the instruction in its kernel, 512 bytes the step.
static const Row rows[] = {
    {"FFMA", LOAD_FLOATS, "fma.rn.f32 %f0,%f0,%f1,%f2;", STORE_FLOAT},
    {"FADD", LOAD_FLOATS, "add.rn.f32 %f0,%f0,%f1;", STORE_FLOAT},
    {"FMUL", LOAD_FLOATS, "mul.rn.f32 %f0,%f0,%f1;", STORE_FLOAT},
    {"HFMA2", LOAD_INTS, "fma.rn.f16x2 %r10,%r10,%r11,%r12;", STORE_INT, 100},
    {"DFMA", "ld.global.f64 %g0,[%d3]; ld.global.f64 %g1,[%d3+8];",
     "fma.rn.f64 %g0,%g0,%g1,%g1;", "st.global.f64 [%d4],%g0;"},
    {"IMAD", LOAD_INTS, "mad.lo.s32 %r10,%r10,%r11,%r12;", STORE_INT},
    {"IDP", LOAD_INTS, "dp4a.s32.s32 %r10,%r10,%r11,%r12;", STORE_INT},
    {"FFMA2",
     "ld.global.b64 %d10,[%d3]; ld.global.b64 %d11,[%d3+8]; "
     "ld.global.b64 %d12,[%d3+16];",
     "fma.rn.f32x2 %d10,%d10,%d11,%d12;", "st.global.b64 [%d4],%d10;", 100,
     110},
    {"MUFU", LOAD_FLOATS, "ex2.approx.ftz.f32 %f0,%f0;", STORE_FLOAT},
    {"LOP3", LOAD_INTS, "lop3.b32 %r10,%r10,%r11,%r12,0x1d;", STORE_INT},
    {"PRMT", LOAD_INTS, "prmt.b32 %r10,%r10,%r11,%r12;", STORE_INT},
    {"SHF", LOAD_INTS, "shf.l.wrap.b32 %r10,%r10,%r11,%r12;", STORE_INT},
    {"POPC", LOAD_INTS, "popc.b32 %r10,%r10;", STORE_INT},
    {"FLO", LOAD_INTS, "bfind.u32 %r10,%r10;", STORE_INT},
    {"BREV", LOAD_INTS, "brev.b32 %r10,%r10; add.s32 %r10,%r10,%r0;",
     STORE_INT},
    {"SHFL", LOAD_INTS, "shfl.sync.bfly.b32 %r10,%r10,1,31,-1;", STORE_INT},
    {"REDUX", LOAD_INTS, "redux.sync.add.s32 %r10,%r10,-1;", STORE_INT},
    {"VOTE", LOAD_INTS,
     "setp.gt.s32 %p1,%r10,5; vote.sync.ballot.b32 %r10,%p1,-1;", STORE_INT},
    {"ISETP", LOAD_INTS,
     "setp.gt.s32 %p1,%r10,5; vote.sync.ballot.b32 %r10,%p1,-1;", STORE_INT},
    {"IMNMX", LOAD_INTS, "min.s32 %r10,%r10,%r11; add.s32 %r11,%r11,%r10;",
     STORE_INT, 80, 89},
    {"VIMNMX", LOAD_INTS, "min.s32 %r10,%r10,%r11; add.s32 %r11,%r11,%r10;",
     STORE_INT, 90},
    {"FMNMX", LOAD_FLOATS, "min.f32 %f0,%f0,%f1; add.f32 %f1,%f1,%f0;",
     STORE_FLOAT},
    {"FSETP", LOAD_FLOATS,
     "setp.gt.f32 %p1,%f0,%f1; selp.f32 %f2,%f0,%f1,%p1; "
     "add.f32 %f1,%f2,%f0;",
     "st.global.f32 [%d4],%f1;"},
    {"FSEL", LOAD_FLOATS,
     "setp.gt.f32 %p1,%f0,%f1; selp.f32 %f2,%f0,%f1,%p1; "
     "add.f32 %f1,%f2,%f0;",
     "st.global.f32 [%d4],%f1;"},
    {"F2FP", LOAD_FLOATS, "cvt.rn.f16x2.f32 %r10,%f0,%f1; mov.b32 %f0,%r10;",
     STORE_FLOAT},
    {"HADD2", LOAD_INTS,
     "mov.b32 {%h0,%h1},%r10; cvt.f32.f16 %f0,%h1; mov.b32 %r10,%f0;",
     STORE_INT},
    {"I2F", LOAD_INTS, "cvt.rn.f32.s32 %f0,%r10; mov.b32 %r10,%f0;", STORE_INT,
     80, 89},
    {"I2FP", LOAD_INTS, "cvt.rn.f32.s32 %f0,%r10; mov.b32 %r10,%f0;", STORE_INT,
     90},
    {"F2I", LOAD_INTS, "mov.b32 %f0,%r10; cvt.rni.s32.f32 %r10,%f0;",
     STORE_INT},
    {"LDS", "",
     "ld.volatile.shared.f32 %f0,[%r4+N]; st.volatile.global.f32 [%d4],%f0;",
     ""},
    {"STS", "", "st.volatile.shared.u32 [%r4+N],%r0;", ""},
    {"LDG", "",
     "ld.volatile.global.f32 %f0,[%d3+N]; st.volatile.global.f32 [%d4],%f0;",
     ""},
    {"STG", "", "st.volatile.global.u32 [%d4+N],%r0;", ""},
    {"LDSM", "",
     "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20,%r21,%r22,%r23},[%r4+N]; "
     "st.volatile.global.v4.u32 [%d4],{%r20,%r21,%r22,%r23};",
     ""},
    {"STSM", "",
     "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r4+N],{%r0,%r1,%r2,%r3};", "",
     90},
    {"LDGSTS", "", "cp.async.cg.shared.global [%r4+N],[%d3+N],16;",
     "cp.async.wait_all;"},
    {"LDGDEPBAR", "",
     "cp.async.ca.shared.global [%r4],[%d3],4; cp.async.commit_group;", ""},
    {"DEPBAR", "",
     "cp.async.ca.shared.global [%r4],[%d3],4; cp.async.commit_group; "
     "cp.async.wait_group 0;",
     ""},
    {"BAR", "", "bar.sync 0; st.volatile.shared.u32 [%r4+N],%r0;", ""},
    {"MEMBAR", "", "membar.gl; st.volatile.global.u32 [%d4],%r0;", "", 100},
    {"ATOMG", "",
     "atom.global.add.u32 %r20,[%d3+N],%r0; "
     "st.volatile.global.u32 [%d4],%r20;",
     ""},
    {"RED", "", "red.global.add.u32 [%d3+N],%r0;", ""},
    {"EXIT", "",
     "setp.eq.u32 %p1,%r0,N; st.volatile.global.u32 [%d4],%r0; @%p1 ret;", ""},
    {"HMMA", LOAD_FRAGMENTS,
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3},"
     "{%r10,%r11,%r12,%r13},{%r14,%r15},{%f0,%f1,%f2,%f3};",
     STORE_SUMS},
    {"IMMA",
     LOAD_FRAGMENTS "mov.b32 %r20,%r10; mov.b32 %r21,%r11; "
                    "mov.b32 %r22,%r12; mov.b32 %r23,%r14;",
     "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r20,%r21,%r22,%r23},"
     "{%r10,%r11,%r12,%r13},{%r14,%r15},{%r20,%r21,%r22,%r23};",
     "st.global.v4.b32 [%d4],{%r20,%r21,%r22,%r23};"},
    {"DMMA", "ld.global.f64 %g0,[%d3]; ld.global.f64 %g1,[%d3+8];",
     "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g0,%g1},{%g0},{%g1},"
     "{%g0,%g1};",
     "st.global.f64 [%d4],%g0; st.global.f64 [%d4+8],%g1;"},
    {"QMMA", LOAD_FRAGMENTS,
     "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f0,%f1,%f2,%f3},"
     "{%r10,%r11,%r12,%r13},{%r14,%r15},{%f0,%f1,%f2,%f3};",
     STORE_SUMS, 120},
};

static constexpr unsigned few = 4, many = 12;

static std::string replaceAll(std::string text, const std::string &from,
                              const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Returns a kernel with `%d3`, `%d4` and `%r4` as addresses of each thread.
static std::string makeKernel(const std::string &name,
                              const std::string &body) {
  return ".visible .entry " + name + R"((.param .u64 p, .param .u64 q,
                                         .param .u32 n) {
    .reg .f32 %f<40>; .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .pred %p<4>;
    .reg .b16 %h<4>; .reg .f64 %g<4>; .shared .align 1024 .b8 sm[32768];
    ld.param.u64 %d0,[p]; ld.param.u64 %d1,[q]; ld.param.u32 %r0,[n];
    cvta.to.global.u64 %d0,%d0; cvta.to.global.u64 %d1,%d1;
    mov.u32 %r1,%tid.x; mul.wide.u32 %d2,%r1,16;
    add.u64 %d3,%d0,%d2; add.u64 %d4,%d1,%d2;
    mov.u32 %r2,sm; shl.b32 %r3,%r1,4; add.u32 %r4,%r2,%r3;
)" + body +
         "\nret; }\n";
}

static std::string makeHeader(const GpuChip &chip) {
  std::string version(chip.features.substr(4)); // "+ptx86"
  version.insert(1, ".");
  if (version < "7.8")
    version = "7.8";
  return ".version " + version + "\n.target " + std::string(chip.name) +
         "\n.address_size 64\n";
}

static unsigned capabilityOf(const GpuChip &chip) {
  unsigned number = 0;
  llvm::StringRef name(chip.name);
  name.consume_front("sm_");
  name.consumeInteger(10, number);
  return number;
}

/// Returns the machine code of each kernel of a module.
static std::map<std::string, std::vector<uint8_t>>
assembleKernels(const std::string &ptx, const GpuChip &chip) {
  auto assembler = findPtxAssembler(CudaSearch::fromEnvironment(), chip);
  std::map<std::string, std::vector<uint8_t>> kernels;
  auto made = assembler->assemble(ptx, chip);
  if (!made) {
    ADD_FAILURE() << made.error().message;
    return kernels;
  }
  auto file = llvm::object::ELFFile<llvm::object::ELF64LE>::create(made->cubin);
  auto sections = file->sections();
  for (const auto &section : *sections) {
    llvm::StringRef name = *file->getSectionName(section);
    if (name.consume_front(".text."))
      kernels[name.str()] = *file->getSectionContents(section);
  }
  return kernels;
}

static unsigned countMnemonic(const std::vector<uint8_t> &code,
                              llvm::StringRef mnemonic) {
  unsigned count = 0;
  for (size_t i = 0; i + 16 <= code.size(); i += 16)
    count +=
        sassMnemonic(llvm::support::endian::read64le(&code[i])) == mnemonic;
  return count;
}

/// Returns the chips that an installed assembler supports.
static std::vector<const GpuChip *> findAssembledChips() {
  std::vector<const GpuChip *> chips;
  for (const char *name : {"sm_80", "sm_90", "sm_100", "sm_120a"}) {
    const GpuChip &chip = chipNamed(name);
    auto assembler = findPtxAssembler(CudaSearch::fromEnvironment(), chip);
    if (assembler && assembler->checkSupport(chip))
      chips.push_back(&chip);
  }
  return chips;
}

TEST(SassInstructions, AreWhatTheAssemblerMakes) {
  auto chips = findAssembledChips();
  if (chips.empty())
    GTEST_SKIP() << "neither nvJitLink nor ptxas is installed";
  for (const GpuChip *chip : chips) {
    unsigned capability = capabilityOf(*chip);
    std::string ptx = makeHeader(*chip);
    for (const Row &row : rows)
      for (unsigned times : {few, many}) {
        std::string body = row.before;
        for (unsigned i = 0; i < times; ++i)
          body += replaceAll(row.each, "N", std::to_string(i * 512));
        if (row.capability <= capability && capability <= row.last)
          ptx += makeKernel(row.mnemonic + std::to_string(times),
                            body + row.after);
      }
    auto kernels = assembleKernels(ptx, *chip);
    for (const Row &row : rows) {
      if (capability < row.capability || row.last < capability)
        continue;
      SCOPED_TRACE(std::string(chip->name) + " " + row.mnemonic);
      std::string name = row.mnemonic;
      EXPECT_EQ(countMnemonic(kernels[name + std::to_string(many)], name),
                countMnemonic(kernels[name + std::to_string(few)], name) +
                    many - few);
    }
  }
}

static MachineCode analyze(const std::string &body, const GpuChip &chip) {
  auto kernels =
      assembleKernels(makeHeader(chip) + makeKernel("k", body), chip);
  return analyzeMachineCode(decodeSass(kernels["k"], chip));
}

TEST(SassInstructions, KnowSizes) {
  for (const GpuChip *chip : findAssembledChips()) {
    SCOPED_TRACE(std::string(chip->name));
    InstructionCounts counts =
        analyze("ld.volatile.global.u8 %r10,[%d3];"
                "ld.volatile.global.u16 %r11,[%d3+2];"
                "ld.volatile.global.v2.f32 {%f0,%f1},[%d3+8];"
                "st.volatile.global.v4.u32 [%d4],{%r0,%r1,%r0,%r1};"
                "ld.volatile.shared.v4.f32 {%f4,%f5,%f6,%f7},[%r4];"
                "st.volatile.shared.u8 [%r4],%r0;"
                "cp.async.cg.shared.global [%r4],[%d3],16;"
                "cp.async.ca.shared.global [%r4+16],[%d3],8;"
                "cp.async.ca.shared.global [%r4+32],[%d3],4;",
                *chip)
            .always;
    EXPECT_EQ(counts.globalLoadBytes, 1u + 2 + 8);
    EXPECT_EQ(counts.globalStoreBytes, 16u);
    EXPECT_EQ(counts.sharedLoadBytes, 16u);
    EXPECT_EQ(counts.sharedStoreBytes, 1u);
    EXPECT_EQ(counts.asyncBytes, 28u);
  }
}

TEST(SassInstructions, KnowWhatMatricesMultiply) {
  for (const GpuChip *chip : findAssembledChips()) {
    SCOPED_TRACE(std::string(chip->name));
    const MatrixInstruction *instruction = findMatrixInstruction(
        *chip, ElementType::f16, ElementType::f32, "mma_16x8x16");
    ASSERT_NE(instruction, nullptr);
    uint64_t cycles = instruction->cycles;
    auto count = [&](const std::string &each) {
      return analyze(LOAD_FRAGMENTS + each + STORE_SUMS, *chip).always;
    };
    InstructionCounts deep =
        count("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
              "{%f0,%f1,%f2,%f3},{%r10,%r11,%r12,%r13},{%r14,%r15},"
              "{%f0,%f1,%f2,%f3};");
    EXPECT_EQ(deep.matrixMacs, 16u * 8 * 16);
    EXPECT_EQ(deep.matrixCycles, cycles);
    InstructionCounts flat =
        count("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
              "{%f0,%f1,%f2,%f3},{%r10,%r11},{%r14},{%f0,%f1,%f2,%f3};");
    EXPECT_EQ(flat.matrixMacs, 16u * 8 * 8);
    EXPECT_EQ(flat.matrixCycles, cycles / 2);
  }
}

/// Returns a kernel of three equal wgmma with these sums.
static std::string makeWarpgroupProduct(const std::string &type,
                                        const std::string &depth,
                                        unsigned columns,
                                        const std::string &last) {
  bool isInteger = type == "s8";
  std::string sums, body, stores;
  for (unsigned i = 0; i < columns / 2; ++i) {
    std::string name = (isInteger ? "%q" : "%w") + std::to_string(i);
    sums += (i ? "," : "") + name;
    body += "mov.b32 " + name + ",%r0;";
    stores += "st.global.b32 [%d4+" + std::to_string(4 * i) + "]," + name + ";";
  }
  std::string sum = isInteger ? "s32" : "f32";
  std::string shape = "m64n" + std::to_string(columns) + "k" + depth;
  std::string one = "wgmma.mma_async.sync.aligned." + shape + "." + sum + "." +
                    type + "." + type + " {" + sums + "},%d0,%d1,%p1" + last +
                    ";";
  return ".reg .f32 %w<128>; .reg .b32 %q<128>;" + body +
         "setp.ne.b32 %p1,%r0,0; wgmma.fence.sync.aligned;" + one + one + one +
         "wgmma.commit_group.sync.aligned; "
         "wgmma.wait_group.sync.aligned 0;" +
         stores;
}

TEST(SassInstructions, KnowWhatWarpgroupsMultiply) {
  const GpuChip &chip = chipNamed("sm_90a");
  auto assembler = findPtxAssembler(CudaSearch::fromEnvironment(), chip);
  if (!assembler || !assembler->checkSupport(chip))
    GTEST_SKIP() << "no assembler of sm_90a is installed";
  for (unsigned columns : {8u, 16u, 24u, 32u, 48u, 64u, 96u, 128u, 256u}) {
    SCOPED_TRACE(columns);
    auto expect = [&](const char *type, const char *depth, const char *last) {
      SCOPED_TRACE(type);
      InstructionCounts counts =
          analyze(makeWarpgroupProduct(type, depth, columns, last), chip).all;
      // A warp has a quarter of the rows.
      EXPECT_EQ(counts.matrixMacs, counts.matrix * 16 * columns *
                                       std::strtoull(depth, nullptr, 10));
      EXPECT_EQ(counts.matrixCycles, counts.matrix * columns / 2);
      EXPECT_GT(counts.matrix, 0u);
    };
    expect("f16", "16", ",1,1,0,0");
    expect("bf16", "16", ",1,1,0,0");
    expect("tf32", "8", ",1,1");
    expect("e4m3", "32", ",1,1");
    expect("s8", "32", "");
  }
}

TEST(SassInstructions, KnowWhatTensorMemoryGets) {
  using enum ElementType;
  const GpuChip &chip = chipNamed("sm_100a");
  auto assembler = findPtxAssembler(CudaSearch::fromEnvironment(), chip);
  if (!assembler || !assembler->checkSupport(chip))
    GTEST_SKIP() << "no assembler of sm_100a is installed";
  for (uint32_t columns : {16u, 64u, 256u})
    for (auto [type, kind, depth] : {std::tuple(f16, "f16", 16),
                                     {bf16, "f16", 16},
                                     {f8E5M2, "f8f6f4", 32},
                                     {i8, "i8", 32}}) {
      SCOPED_TRACE(std::string(kind) + " " + std::to_string(columns));
      InstructionDescriptor descriptor = {
          .operand = type, .sum = type == i8 ? i32 : f32, .columns = columns};
      std::string one = std::string("tcgen05.mma.cta_group::1.kind::") + kind +
                        " [%r0],%d0,%d1,%r10,%p1;";
      std::string body = "setp.ne.b32 %p1,%r0,0; mov.b32 %r10," +
                         std::to_string(descriptor.encode()) + ";" + one + one;
      // The assembler issues each in a loop over threads, for want of a branch.
      uint64_t macs = 0, cycles = 0;
      for (const CodeLoop &loop : analyze(body, chip).loops) {
        EXPECT_EQ(loop.always.workgroupMacs, loop.all.workgroupMacs);
        EXPECT_EQ(loop.all.matrixMacs, 0u);
        macs += loop.all.workgroupMacs;
        cycles += loop.all.workgroupCycles;
      }
      EXPECT_EQ(macs, uint64_t(2) * 128 * columns * depth);
      EXPECT_EQ(cycles, columns);
    }
}

TEST(SassInstructions, BranchesMakeLoops) {
  for (const GpuChip *chip : findAssembledChips()) {
    SCOPED_TRACE(std::string(chip->name));
    // More than 256 words, and a branch over stores in it.
    std::string body = "mov.u32 %r10,0; LOOP:";
    for (unsigned i = 0; i < 100; ++i)
      body += "st.volatile.global.u32 [%d4+" + std::to_string(4 * i) + "],%r0;";
    body += "ld.volatile.global.u32 %r12,[%d3]; setp.eq.u32 %p2,%r12,0; "
            "@%p2 bra OVER;";
    for (unsigned i = 0; i < 40; ++i)
      body += "st.volatile.global.u32 [%d3+" + std::to_string(4 * i) + "],%r0;";
    body += "OVER: bar.sync 0; add.u32 %r10,%r10,1; setp.lt.u32 %p1,%r10,%r0; "
            "@%p1 bra LOOP;";
    MachineCode code = analyze(body, *chip);
    ASSERT_EQ(code.loops.size(), 1u);
    EXPECT_EQ(code.loops[0].all.globalStores, 140u);
    EXPECT_EQ(code.loops[0].always.globalStores, 100u);
    EXPECT_EQ(code.loops[0].always.barriers, 1u);
    EXPECT_EQ(code.all.globalStores, 0u);
  }
}
