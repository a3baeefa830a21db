//===- Tests for nvdisasm -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/Nvdisasm.h"
#include "GPU/PtxAssembler.h"
#include "GpuModules.h"
#include "TemporaryDirectory.h"

#include "tonno/Backend/HotLoop.h"

#include <gmock/gmock.h>

#include <fstream>

using namespace tonno;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// Has an installation of CUDA whose nvdisasm prints a text.
class NvdisasmTest : public testing::Test {
protected:
  void install(const std::string &script) {
    std::filesystem::path path = directory / "bin/nvdisasm";
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  Result<SassText> print() const { return printSass("cubin", search); }

  std::string refuse() const {
    auto printed = print();
    return printed ? "" : printed.error().message;
  }

  TemporaryDirectory directory;
  CudaSearch search = {{directory.path().string()}, false};
};

} // namespace

TEST_F(NvdisasmTest, PrintsTheInstructionsOfEachFunction) {
  install(R"(echo '[{"SM": {}}, [
    {"function-name": "f", "start": 0, "sass-instructions": [
      {"opcode": "LDC", "operands": "R1,c[0x0][0x28]"},
      {"predicate": "@!P0", "opcode": "BRA", "operands": "0x10",
       "other-attributes": {"control-flow": "True"}}]},
    {"function-name": "g", "sass-instructions": [{"opcode": "EXIT"}]}]]')");
  auto text = print();
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT((*text)["f"],
              ElementsAre("LDC R1,c[0x0][0x28]", "@!P0 BRA 0x10"));
  EXPECT_THAT((*text)["g"], ElementsAre("EXIT"));
}

TEST_F(NvdisasmTest, ReadsTheCubin) {
  install(R"(echo '[0, [{"function-name": "'$(cat "$2")'",
    "sass-instructions": [{"opcode": "'$1'"}]}]]')");
  auto text = print();
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT((*text)["cubin"], ElementsAre("--emit-json"));
}

TEST_F(NvdisasmTest, IsMissing) {
  EXPECT_THAT(refuse(),
              AllOf(StartsWith("nvdisasm, which disassembles NVIDIA's machine "
                               "code, was not found; install CUDA's"),
                    HasSubstr("'pip install nvidia-cuda-nvdisasm'"),
                    HasSubstr("$CUDA_PATH")));
}

TEST_F(NvdisasmTest, KnowsNoJson) {
  install("echo \"nvdisasm fatal   : Unknown option 'emit-json'\"; exit 1");
  EXPECT_THAT(refuse(), HasSubstr("bin/nvdisasm' wrote no JSON (exit status 1: "
                                  "nvdisasm fatal   : Unknown option "
                                  "'emit-json'); give a newer CUDA by"));
  for (const char *other : {"{}", "[]", "[0, 1]", "[0, [{}]]", "[0, [", ""}) {
    install("echo '" + std::string(other) + "'");
    EXPECT_THAT(refuse(), HasSubstr("wrote no JSON (exit status 0)")) << other;
  }
}

/// Uses what is installed.
TEST(Nvdisasm, PrintsTheHotLoopOfACubin) {
  CudaSearch search = CudaSearch::fromEnvironment();
  const GpuChip &chip = chipNamed("sm_90");
  auto assembler = findPtxAssembler(search, chip);
  if (!assembler || !findNvdisasm(search))
    GTEST_SKIP() << "no assembler, or no nvdisasm";
  auto made = assembler->assemble(R"(.version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n) {
  .reg .f32 %f<3>; .reg .u64 %d<2>; .reg .u32 %r<2>; .reg .pred %p;
  ld.param.u64 %d0, [p]; ld.param.u32 %r0, [n];
  mov.f32 %f0, 0f00000000;
L:
  ld.volatile.global.f32 %f1, [%d0];
  fma.rn.f32 %f0, %f1, %f1, %f0;
  sub.u32 %r0, %r0, 1;
  setp.ne.u32 %p, %r0, 0;
  @%p bra L;
  st.global.f32 [%d0], %f0;
  ret;
})",
                                  chip);
  ASSERT_TRUE(made) << made.error().message;
  auto loop = findHotLoop(made->cubin, gpuTarget(chip));
  ASSERT_TRUE(loop) << loop.error().message;
  EXPECT_EQ(loop->function, "k");
  EXPECT_THAT(loop->instructions, testing::Contains(StartsWith("FFMA ")));
  EXPECT_THAT(loop->instructions.back(), HasSubstr("BRA "));
  EXPECT_FALSE(loop->throughput);
  EXPECT_EQ(loop->unknown, "llvm-mca has no model of this GPU");
}
