//===- GPUs to compile for ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuModules.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;
using testing::Not;

TEST(GpuTarget, EachChipMakesCode) {
  for (const GpuChip &chip : gpuChips()) {
    SCOPED_TRACE(std::string(chip.name));
    auto machine = createTargetMachine(chip, chip.features);
    ASSERT_TRUE(machine);
    EXPECT_EQ(machine->getTargetCPU(), llvm::StringRef(chip.name));
    Target target = gpuTarget(chip);
    EXPECT_EQ(target.chip, chip.name);
    EXPECT_EQ(target.triple, chip.triple);
    auto text =
        GpuModule(axpy(chip), chip).emit(llvm::CodeGenFileType::AssemblyFile);
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_THAT(*text, HasSubstr(std::string(chip.name)));
  }
}

TEST(GpuTarget, PtxIsOfTheChipsOwnVersion) {
  for (auto [name, version] : {std::pair{"sm_80", ".version 7.0"},
                               {"sm_86", ".version 7.1"},
                               {"sm_90", ".version 7.8"},
                               {"sm_100", ".version 8.6"},
                               {"sm_103a", ".version 8.8"},
                               {"sm_120a", ".version 8.7"}}) {
    auto ptx = emitPtx(axpy(chipNamed(name)), chipNamed(name));
    ASSERT_TRUE(ptx);
    EXPECT_THAT(*ptx, HasSubstr(version));
    EXPECT_THAT(*ptx, HasSubstr(std::string(".target ") + name));
  }
}

static Result<std::string> emitAxpy(const char *name, bool contracts) {
  const GpuChip &chip = chipNamed(name);
  std::string text = axpy(chip);
  if (contracts)
    for (const char *op : {"fmul ", "fadd "})
      text.insert(text.find(op) + 5, "contract ");
  return GpuModule(text, chip).emit(llvm::CodeGenFileType::AssemblyFile);
}

// The driver's compiler would fuse operations without a rounding mode.
TEST(GpuTarget, ProductsAndSumsBecomeOneOperationWhereTheyMay) {
  auto ptx = emitAxpy("sm_90", /*contracts=*/true);
  ASSERT_TRUE(ptx);
  EXPECT_THAT(*ptx, HasSubstr("fma.rn.f32"));
  EXPECT_THAT(*ptx, Not(HasSubstr("mul.rn.f32")));
  ptx = emitAxpy("sm_90", /*contracts=*/false);
  ASSERT_TRUE(ptx);
  EXPECT_THAT(*ptx, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(*ptx, HasSubstr("add.rn.f32"));
  const char *fused = "v_(fma|fmac)_f32";
  auto assembly = emitAxpy("gfx942", /*contracts=*/true);
  ASSERT_TRUE(assembly);
  EXPECT_THAT(*assembly, testing::ContainsRegex(fused));
  assembly = emitAxpy("gfx942", /*contracts=*/false);
  ASSERT_TRUE(assembly);
  EXPECT_THAT(*assembly, Not(testing::ContainsRegex(fused)));
}

TEST(GpuTarget, EqualModulesGiveEqualCode) {
  for (const char *name : {"sm_90", "gfx942", "gfx1100"}) {
    const GpuChip &chip = chipNamed(name);
    auto emit = [&] {
      return *GpuModule(axpy(chip), chip)
                  .emit(llvm::CodeGenFileType::AssemblyFile);
    };
    EXPECT_EQ(emit(), emit());
  }
}

// Left to itself, LLVM prints these and ends the process.
TEST(EmitCode, WhatTheTargetCanNotDoIsAnError) {
  std::string large = axpy(chipNamed("gfx942"));
  large.replace(large.find("[256 x float]"), 13, "[99999 x float]");
  auto object = emitAmdObject(large, chipNamed("gfx942"));
  ASSERT_FALSE(object);
  EXPECT_THAT(object.error().message, HasSubstr("local memory"));
  EXPECT_THAT(object.error().message, HasSubstr("exceeds limit"));

  object =
      emitAmdObject("define amdgpu_kernel void @k() {\n"
                    "  call void asm sideeffect \"no_such_thing\", \"\"()\n"
                    "  ret void\n}",
                    chipNamed("gfx942"));
  ASSERT_FALSE(object);
  EXPECT_THAT(object.error().message, HasSubstr("invalid instruction"));
}

TEST(EmitCode, ObjectsOfPtxThereAreNone) {
  auto object = GpuModule(axpy(chipNamed("sm_90")), chipNamed("sm_90"))
                    .emit(llvm::CodeGenFileType::ObjectFile);
  ASSERT_FALSE(object);
  EXPECT_THAT(object.error().message, HasSubstr("nvptx64-nvidia-cuda"));
}

TEST(SetTarget, StatesTheVersionOfCodeObjectsOnce) {
  const GpuChip &chip = chipNamed("gfx942");
  GpuModule kernel(axpy(chip), chip);
  setTarget(*kernel.module, *kernel.machine);
  EXPECT_THAT(printLLVM(*kernel.module),
              HasSubstr("\"amdhsa_code_object_version\", i32 500"));
  GpuModule other(axpy(chip) + "\n!llvm.module.flags = !{!0}\n"
                               "!0 = !{i32 1, !\"amdhsa_code_object_version\", "
                               "i32 600}\n",
                  chip);
  EXPECT_THAT(printLLVM(*other.module), Not(HasSubstr("i32 500")));
}
