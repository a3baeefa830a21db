//===- The innermost loop that a kernel spends its time in ----------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/HotLoop.h"
#include "GpuModules.h"
#include "Host/HostBackend.h"

#include "llvm/ADT/StringExtras.h"

using namespace tonno;

static const Target zen4 = {"x86_64-unknown-linux-gnu", "znver4", ""};

/// Returns a function of these lines of assembly.
static std::string makeFunction(const std::string &attributes,
                                const std::vector<std::string> &lines) {
  return "define " + attributes +
         " void @k() {\n  call void asm sideeffect \"" +
         llvm::join(lines, "\\0A ") + "\", \"\"()\n  ret void\n}";
}

/// Assembles a function for a Zen 4 and finds its loop.
static Result<HotLoop> findIn(const std::vector<std::string> &lines) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  auto module =
      llvm::parseAssemblyString(makeFunction("", lines), error, context);
  auto machine = createTargetMachine(zen4);
  if (!module || !machine)
    return Error{"no module: " + error.getMessage().str()};
  setTarget(*module, *machine);
  auto object = emitCode(*module, *machine, llvm::CodeGenFileType::ObjectFile);
  if (!object)
    return object.error();
  return findHotLoop(*object, zen4);
}

static std::vector<std::string> makeLoop(const std::vector<std::string> &body,
                                         const std::string &label = "1") {
  std::vector<std::string> lines = {label + ":"};
  lines.insert(lines.end(), body.begin(), body.end());
  lines.insert(lines.end(), {"decq %rax", "jne " + label + "b"});
  return lines;
}

TEST(HotLoop, IsLimitedByAChainOfSums) {
  // Each sum waits four cycles for the one before.
  auto loop = findIn(makeLoop({"vfmadd231ps %ymm1, %ymm2, %ymm0"}));
  ASSERT_TRUE(loop) << loop.error().message;
  ASSERT_TRUE(loop->throughput) << loop->unknown;
  EXPECT_EQ(loop->throughput->limit, LoopLimit::register_chain);
  EXPECT_NEAR(loop->throughput->cycles, 4, 0.1);
  EXPECT_LT(loop->throughput->bound, 1);
  EXPECT_EQ(loop->throughput->waiting, 0u);
  EXPECT_EQ(loop->flops, 16);
  EXPECT_EQ(loop->bytes, 0);
}

TEST(HotLoop, IsLimitedByThePortsOfProducts) {
  std::vector<std::string> sums;
  for (int i = 0; i < 12; ++i)
    sums.push_back("vfmadd231ps %ymm14, %ymm15, %ymm" + std::to_string(i));
  auto loop = findIn(makeLoop(sums));
  ASSERT_TRUE(loop) << loop.error().message;
  ASSERT_TRUE(loop->throughput) << loop->unknown;
  EXPECT_EQ(loop->throughput->limit, LoopLimit::ports);
  EXPECT_EQ(loop->throughput->ports, "Zn4FP0, Zn4FP1");
  // Two ports for twelve.
  EXPECT_NEAR(loop->throughput->cycles, 6, 0.1);
  EXPECT_NEAR(loop->throughput->bound, 6, 1e-9);
}

TEST(HotLoop, IsLimitedByDispatch) {
  std::vector<std::string> mixed(8, "nop");
  for (int i = 0; i < 4; ++i) {
    std::string number = std::to_string(i);
    mixed.push_back("vpaddd %xmm14, %xmm15, %xmm" + number);
    mixed.push_back("vmovups (%rsi), %xmm" + std::to_string(i + 4));
  }
  auto loop = findIn(makeLoop(mixed));
  ASSERT_TRUE(loop) << loop.error().message;
  ASSERT_TRUE(loop->throughput) << loop->unknown;
  EXPECT_EQ(loop->throughput->limit, LoopLimit::dispatch);
  EXPECT_NEAR(loop->throughput->cycles, 3, 0.15); // 18, six a cycle
}

TEST(HotLoop, CountsWork) {
  auto loop = findIn(makeLoop({
      "vmovups (%rsi), %zmm1",                   // 64 bytes
      "vfmadd231ps (%rdi){1to16}, %zmm1, %zmm2", // 4 bytes, 32 operations
      "vaddsd 8(%rdi), %xmm3, %xmm4",            // 8 bytes, 1 operation
      "vmaxpd %ymm5, %ymm6, %ymm7",              // 4 operations
      "addl $$1, %ecx",                          // none
      "vmovss %xmm8, 16(%rdi)",                  // 4 bytes
      "vdpbf16ps %zmm9, %zmm10, %zmm11",         // 64 operations
  }));
  ASSERT_TRUE(loop) << loop.error().message;
  EXPECT_EQ(loop->flops, 32 + 1 + 4 + 64);
  EXPECT_EQ(loop->bytes, 64 + 4 + 8 + 4);
}

TEST(HotLoop, IsTheOneWithTheMostWork) {
  // A flat loop with two sums, then a nest whose inner loop has one.
  auto lines =
      makeLoop({"vaddps %zmm1, %zmm2, %zmm2", "vaddps %zmm1, %zmm3, %zmm3"});
  auto inner = makeLoop({"vaddps %zmm1, %zmm4, %zmm4"}, "3");
  lines.insert(lines.end(), {"2:", "nop"});
  lines.insert(lines.end(), inner.begin(), inner.end());
  lines.insert(lines.end(), {"decq %rcx", "jne 2b"});
  auto loop = findIn(lines);
  ASSERT_TRUE(loop) << loop.error().message;
  EXPECT_EQ(loop->depth, 2u);
  EXPECT_EQ(loop->function, "k");
  ASSERT_EQ(loop->instructions.size(), 3u);
  EXPECT_EQ(loop->instructions[0], "vaddps %zmm1, %zmm4, %zmm4");
  // The branch leads to the first instruction.
  EXPECT_EQ(loop->instructions[2],
            "jne 0x" + llvm::utohexstr(loop->address, /*LowerCase=*/true));
}

TEST(HotLoop, IsMissingInStraightCode) {
  auto loop = findIn({"nop"});
  ASSERT_FALSE(loop);
  EXPECT_EQ(loop.error().message, "the code has no loop");
}

TEST(HotLoop, NeedsAnObject) {
  EXPECT_FALSE(findHotLoop("no object", zen4));
  EXPECT_FALSE(findHotLoop("no object", {"nvptx64-nvidia-cuda", "sm_90", ""}));
  auto loop = findHotLoop("no object", {"spirv64-unknown-unknown", "", ""});
  ASSERT_FALSE(loop);
  EXPECT_EQ(loop.error().message,
            "LLVM has no disassembler for spirv64-unknown-unknown");
}

TEST(HotLoop, OfAmdHasNoModel) {
  const GpuChip &chip = chipNamed("gfx942");
  auto object =
      emitAmdObject(makeFunction("amdgpu_kernel",
                                 {"L:", "v_add_f32 v0, v0, v1",
                                  "s_sub_u32 s0, s0, 1", "s_cbranch_scc0 L"}),
                    chip);
  ASSERT_TRUE(object) << object.error().message;
  auto loop = findHotLoop(*object, gpuTarget(chip));
  ASSERT_TRUE(loop) << loop.error().message;
  EXPECT_EQ(loop->instructions.size(), 3u);
  EXPECT_FALSE(loop->throughput);
  EXPECT_EQ(loop->unknown, "llvm-mca has no model of this GPU");
}
