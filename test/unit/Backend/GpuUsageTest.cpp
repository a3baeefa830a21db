//===- Tests for resource usage of GPU binaries ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/CodeObject.h"
#include "GPU/PtxAssembler.h"
#include "GpuModules.h"

#include "llvm/ObjectYAML/yaml2obj.h"
#include "llvm/Support/YAMLTraits.h"
#include "llvm/Support/raw_ostream.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;
using testing::HasSubstr;

/// Outcomes of reading damaged copies of a file.
struct DamagedReads {
  size_t refused = 0, read = 0;

  /// Expects a reason, or kernels that the file has room for.
  void add(const Result<std::vector<KernelUsage>> &usage, size_t fileBytes) {
    ++(usage ? read : refused);
    if (!usage)
      EXPECT_NE(usage.error().message, "");
    for (const KernelUsage &kernel :
         usage ? *usage : std::vector<KernelUsage>()) {
      EXPECT_LE(kernel.codeBytes.value_or(0), fileBytes) << kernel.symbol;
      EXPECT_LE(kernel.instructions.value_or(0), kernel.codeBytes.value_or(0))
          << kernel.symbol;
    }
  }
};

//===----------------------------------------------------------------------===//
// NVIDIA
//===----------------------------------------------------------------------===//

static const GpuChip &anyChip() { return chipNamed("sm_90"); }

/// Returns a file like those of ptxas, made without it: two instructions and
/// padding, 40 registers, 48 bytes of stack, a kilobyte of shared memory.
static std::string madeCubin(bool reserved) {
  std::string text = R"(
--- !ELF
FileHeader: { Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_EXEC, Machine: EM_CUDA }
Sections:
  - Name: .text.k
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_EXECINSTR ]
    Content: "4d790000000000000000000000000000477900000000000000000000000000001879000000000000000000000000000018790000000000000000000000000000"
  - Name: .nv.shared.k
    Type: SHT_NOBITS
    Size: SHARED
  - Name: .nv.info
    Type: 0x70000000
    Content: "03190c00042f08000100000028000000041108000100000030000000041208000100000020000000042f08000900000007000000"
Symbols:
  - Name: k
    Type: STT_FUNC
    Section: .text.k
    Binding: STB_GLOBAL
)";
  if (reserved)
    text += "  - { Name: .nv.reservedSmem.offset0, Binding: STB_GLOBAL }\n";
  text.replace(text.find("SHARED"), 6, reserved ? "2048" : "1024");
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::yaml::Input input(text);
  bool made = llvm::yaml::convertYAML(
      input, stream, [](const llvm::Twine &m) { ADD_FAILURE() << m.str(); });
  EXPECT_TRUE(made);
  return bytes;
}

TEST(CubinUsage, ReadsRegistersStackSharedMemoryAndCode) {
  for (bool reserved : {false, true}) {
    auto usage = cubinUsage(madeCubin(reserved),
                            "Function properties for k\n 48 bytes stack frame, "
                            "44 bytes spill stores, 40 bytes spill loads\n",
                            anyChip());
    ASSERT_TRUE(usage) << usage.error().message;
    KernelUsage expected;
    expected.symbol = "k";
    expected.codeBytes = 64;
    expected.registers = 40;
    expected.spillBytes = 44;
    expected.stackBytes = 48;
    expected.sharedBytes = 1024;
    expected.instructions = 2;
    expected.code = MachineCode();
    expected.code->always.issueCycles = expected.code->always.latency = 1;
    expected.code->withMemory = expected.code->always;
    expected.code->all.issueCycles = expected.code->all.latency = 2;
    EXPECT_THAT(*usage, testing::ElementsAre(expected)) << reserved;
  }
}

TEST(CubinUsage, SpillsAreUnknownWithoutALog) {
  auto usage = cubinUsage(madeCubin(true), "", anyChip());
  ASSERT_TRUE(usage);
  ASSERT_EQ(usage->size(), 1u);
  EXPECT_FALSE(usage->front().spillBytes);
  EXPECT_EQ(usage->front().registers, 40u);
}

TEST(CubinUsage, OtherFilesAreErrors) {
  EXPECT_FALSE(cubinUsage("", "", anyChip()));
  EXPECT_FALSE(cubinUsage("no ELF file at all", "", anyChip()));
  auto object = emitAmdObject(axpy(chipNamed("gfx942")), chipNamed("gfx942"));
  ASSERT_TRUE(object);
  auto usage = cubinUsage(*object, "", anyChip());
  ASSERT_FALSE(usage);
  EXPECT_EQ(usage.error().message, "not a cubin");
}

TEST(CubinUsage, DamagedFilesDoNoHarm) {
  std::string whole = madeCubin(true);
  auto expected = cubinUsage(whole, "", anyChip());
  ASSERT_TRUE(expected);
  for (size_t size = 0; size < whole.size(); size += 3)
    EXPECT_FALSE(cubinUsage(whole.substr(0, size), "", anyChip())) << size;
  DamagedReads reads;
  for (size_t i = 0; i < whole.size(); ++i) {
    SCOPED_TRACE(i);
    std::string damaged = whole;
    damaged[i] = static_cast<char>(~damaged[i]);
    reads.add(cubinUsage(damaged, "", anyChip()), whole.size());
  }
  EXPECT_GT(reads.refused, 0u);
  EXPECT_GT(reads.read, 0u); // of what no byte of the headers is
  EXPECT_EQ(*cubinUsage(whole, "", anyChip()), *expected);
}

static void checkUsage(const PtxAssembler &assembler) {
  for (const char *name : {"sm_80", "sm_86", "sm_90", "sm_100", "sm_120"}) {
    const GpuChip &chip = chipNamed(name);
    if (!assembler.checkSupport(chip))
      continue;
    SCOPED_TRACE(name);
    auto ptx = emitPtx(axpy(chip), chip);
    ASSERT_TRUE(ptx);
    auto made = assembler.assemble(*ptx, chip);
    ASSERT_TRUE(made) << made.error().message;
    auto usage = cubinUsage(made->cubin, made->log, chip);
    ASSERT_TRUE(usage) << usage.error().message;
    ASSERT_EQ(usage->size(), 1u);
    const KernelUsage &kernel = usage->front();
    EXPECT_EQ(kernel.symbol, "axpy");
    EXPECT_EQ(kernel.sharedBytes, 1024u);
    EXPECT_EQ(kernel.spillBytes, 0u);
    EXPECT_EQ(kernel.stackBytes, 0u);
    // Compares with the assembler's own report.
    EXPECT_THAT(
        made->log,
        HasSubstr("Used " + std::to_string(*kernel.registers) + " registers"));
    EXPECT_GT(*kernel.instructions, 8u);
    EXPECT_LE(*kernel.instructions * 16, *kernel.codeBytes);
    EXPECT_EQ(*kernel.codeBytes % 128, 0u);
  }
}

TEST(CubinUsage, IsWhatNvJitLinkSays) {
  auto assembler = loadNvJitLink(CudaSearch::fromEnvironment());
  if (!assembler)
    GTEST_SKIP() << "nvJitLink is not installed";
  checkUsage(*assembler);
}

TEST(CubinUsage, IsWhatPtxasSays) {
  auto assembler = startPtxas(CudaSearch::fromEnvironment());
  if (!assembler)
    GTEST_SKIP() << "ptxas is not installed";
  checkUsage(*assembler);
}

/// Returns a kernel that loads 64 numbers before it uses the first.
static std::string manyLive(const GpuChip &chip,
                            const std::string &attributes) {
  bool nvidia = chip.vendor == GpuVendor::nvidia;
  std::string text = std::string("define ") +
                     (nvidia ? "ptx_kernel" : "amdgpu_kernel") +
                     " void @k(ptr addrspace(1) %p) " + attributes + " {\n";
  std::string id =
      nvidia ? "@llvm.nvvm.read.ptx.sreg.tid.x" : "@llvm.amdgcn.workitem.id.x";
  text = "declare i32 " + id + "()\n" + text + "%t = call i32 " + id + "()\n";
  for (int i = 0; i < 64; ++i) {
    std::string n = std::to_string(i);
    text += "%o" + n + " = add i32 %t, " + std::to_string(i * 1024) + "\n%q" +
            n + " = getelementptr float, ptr addrspace(1) %p, i32 %o" + n +
            "\n%v" + n + " = load volatile float, ptr addrspace(1) %q" + n +
            "\n";
  }
  for (int i = 63; i >= 0; --i) {
    std::string n = std::to_string(i);
    text += "store volatile float %v" + n + ", ptr addrspace(1) %p\n";
  }
  return text + "ret void\n}\n";
}

TEST(CubinUsage, CountsSpills) {
  auto assembler = loadNvJitLink(CudaSearch::fromEnvironment());
  if (!assembler)
    GTEST_SKIP() << "nvJitLink is not installed";
  const GpuChip &chip = chipNamed("sm_90");
  auto ptx = emitPtx(manyLive(chip, "\"nvvm.maxntid\"=\"256\" "
                                    "\"nvvm.maxnreg\"=\"24\""),
                     chip);
  ASSERT_TRUE(ptx);
  auto made = assembler->assemble(*ptx, chip);
  ASSERT_TRUE(made) << made.error().message;
  auto usage = cubinUsage(made->cubin, made->log, chip);
  ASSERT_TRUE(usage);
  const KernelUsage &kernel = usage->front();
  EXPECT_EQ(kernel.registers, 24u);
  EXPECT_GT(*kernel.spillBytes, 100u);
  EXPECT_GE(*kernel.stackBytes, 100u);
  EXPECT_THAT(
      made->log,
      HasSubstr(std::to_string(*kernel.stackBytes) + " bytes stack frame, " +
                std::to_string(*kernel.spillBytes) + " bytes spill stores"));
}

/// The worker forks for each candidate.
TEST(NvJitLink, WorksInAForkedChild) {
  auto assembler = loadNvJitLink(CudaSearch::fromEnvironment());
  if (!assembler)
    GTEST_SKIP() << "nvJitLink is not installed";
  const GpuChip &chip = chipNamed("sm_90");
  auto ptx = emitPtx(axpy(chip), chip);
  ASSERT_TRUE(ptx);
  auto before = assembler->assemble(*ptx, chip);
  ASSERT_TRUE(before);
  pid_t child = ::fork();
  if (child == 0) {
    auto made = assembler->assemble(*ptx, chip);
    ::_exit(made && made->cubin == before->cubin ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

//===----------------------------------------------------------------------===//
// AMD
//===----------------------------------------------------------------------===//

static Result<std::string> linked(const std::string &text,
                                  const GpuChip &chip) {
  auto object = emitAmdObject(text, chip);
  if (!object)
    return object.error();
  auto made = linkCodeObject(*object);
  if (!made)
    return Error{made.error().message};
  return *made;
}

TEST(CodeObject, IsLinkedForEachChip) {
  for (const GpuChip &chip : gpuChips()) {
    if (chip.vendor != GpuVendor::amd)
      continue;
    SCOPED_TRACE(std::string(chip.name));
    auto made =
        linked(axpy(chip, "\"amdgpu-flat-work-group-size\"=\"1,256\""), chip);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(*made, *linked(axpy(chip, "\"amdgpu-flat-work-group-size\"="
                                        "\"1,256\""),
                             chip));
    auto usage = codeObjectUsage(*made, chip);
    ASSERT_TRUE(usage) << usage.error().message;
    ASSERT_EQ(usage->size(), 1u);
    const KernelUsage &kernel = usage->front();
    EXPECT_EQ(kernel.symbol, "axpy");
    EXPECT_EQ(kernel.sharedBytes, 1024u);
    EXPECT_EQ(kernel.spillBytes, 0u);
    EXPECT_EQ(kernel.stackBytes, 0u);
    EXPECT_GT(*kernel.registers, 2u);
    EXPECT_GT(*kernel.scalarRegisters, 4u);
    EXPECT_GT(*kernel.instructions, 10u);
    // Each takes 4, 8 or 12 bytes.
    EXPECT_LE(*kernel.instructions * 4, *kernel.codeBytes);
    EXPECT_GE(*kernel.instructions * 12, *kernel.codeBytes);
  }
}

TEST(CodeObject, HoldsNoDynamicSharedMemory) {
  const GpuChip &chip = chipNamed("gfx942");
  std::string text = axpy(chip);
  std::string fixed = "internal addrspace(3) global [256 x float] poison";
  text.replace(text.find(fixed), fixed.size(),
               "external addrspace(3) global [0 x float]");
  auto made = linked(text, chip);
  ASSERT_TRUE(made) << made.error().message;
  auto usage = codeObjectUsage(*made, chip);
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->front().sharedBytes, 0u);
}

TEST(CodeObject, WhatIsDefinedNowhereIsNamed) {
  const GpuChip &chip = chipNamed("gfx942");
  auto made = linked("declare void @malloc(i64)\ndeclare void @__ocml_x()\n"
                     "define amdgpu_kernel void @k() {\n"
                     "  call void @malloc(i64 4)\n  call void @__ocml_x()\n"
                     "  ret void\n}",
                     chip);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message,
            "the kernel calls functions that no GPU has: __ocml_x, malloc");
  EXPECT_FALSE(linkCodeObject("no object"));
}

TEST(CodeObjectUsage, CountsInstructionsAsTheyStand) {
  const GpuChip &chip = chipNamed("gfx942");
  auto made = linked("define amdgpu_kernel void @k() {\n"
                     "  call void asm sideeffect \"s_nop 0\\0A v_add_f32 v0, "
                     "v1, v2\\0A s_mov_b32 s4, 0x12345678\\0A\", "
                     "\"~{v0},~{v7},~{s4}\"()\n"
                     "  ret void\n}",
                     chip);
  ASSERT_TRUE(made) << made.error().message;
  auto usage = codeObjectUsage(*made, chip);
  ASSERT_TRUE(usage) << usage.error().message;
  EXPECT_EQ(usage->front().instructions, 4u); // with s_endpgm
  EXPECT_EQ(usage->front().codeBytes, 20u);
  EXPECT_EQ(usage->front().registers, 8u);
}

TEST(CodeObjectUsage, CountsSpillsAndAccumulationRegisters) {
  const GpuChip &chip = chipNamed("gfx942");
  auto made = linked(manyLive(chip, "\"amdgpu-flat-work-group-size\"=\"1024,"
                                    "1024\" \"amdgpu-num-vgpr\"=\"16\" "
                                    "\"amdgpu-agpr-alloc\"=\"0\""),
                     chip);
  ASSERT_TRUE(made) << made.error().message;
  auto usage = codeObjectUsage(*made, chip);
  ASSERT_TRUE(usage) << usage.error().message;
  EXPECT_GT(*usage->front().spillBytes, 0u);
  EXPECT_EQ(*usage->front().spillBytes % 4, 0u);
  EXPECT_GE(*usage->front().stackBytes, *usage->front().spillBytes);

  made = linked("define amdgpu_kernel void @k() "
                "\"amdgpu-flat-work-group-size\"=\"256,256\" {\n"
                "  call void asm sideeffect \"\", \"~{v95},~{a33}\"()\n"
                "  ret void\n}",
                chip);
  ASSERT_TRUE(made) << made.error().message;
  usage = codeObjectUsage(*made, chip);
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->front().registers, 96u + 34u);
}

TEST(CodeObjectUsage, OtherFilesAndChipsAreErrors) {
  const GpuChip &chip = chipNamed("gfx942");
  EXPECT_FALSE(codeObjectUsage("", chip));
  EXPECT_FALSE(codeObjectUsage("no ELF file at all", chip));
  auto made = linked(axpy(chip), chip);
  ASSERT_TRUE(made);
  auto usage = codeObjectUsage(*made, chipNamed("gfx950"));
  ASSERT_FALSE(usage);
  EXPECT_EQ(usage.error().message, "not a code object for gfx950");
  usage = codeObjectUsage(madeCubin(true), chip);
  ASSERT_FALSE(usage);
  EXPECT_THAT(usage.error().message, HasSubstr("no metadata"));
}

TEST(CodeObjectUsage, DamagedFilesDoNoHarm) {
  const GpuChip &chip = chipNamed("gfx942");
  auto whole = linked(axpy(chip), chip);
  ASSERT_TRUE(whole);
  auto expected = codeObjectUsage(*whole, chip);
  ASSERT_TRUE(expected);
  for (size_t size = 0; size < whole->size(); size += 61)
    EXPECT_FALSE(codeObjectUsage(whole->substr(0, size), chip)) << size;
  DamagedReads reads;
  for (size_t i = 0; i < whole->size(); i += 3) {
    SCOPED_TRACE(i);
    std::string damaged = *whole;
    damaged[i] = static_cast<char>(~damaged[i]);
    reads.add(codeObjectUsage(damaged, chip), whole->size());
  }
  EXPECT_GT(reads.refused, 0u);
  EXPECT_GT(reads.read, 0u); // of what no byte of the headers is
  EXPECT_EQ(*codeObjectUsage(*whole, chip), *expected);
}
