//===- Register limits of GPU kernels -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/RegisterLimits.h"
#include "GpuModules.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;

namespace {

/// A compiler that obeys limits on registers, and spills below a least number.
struct FakeCompiler {
  const GpuChip &chip;
  uint64_t likes, least;
  uint64_t needs;                    ///< registers below which it fails
  std::vector<uint64_t> limits = {}; ///< by the codes that it emitted

  mlir::FailureOr<Code> operator()(llvm::Module &module) {
    KernelUsage usage;
    usage.symbol = "k";
    llvm::StringRef name = chip.vendor == GpuVendor::nvidia
                               ? "nvvm.minctasm"
                               : "amdgpu-waves-per-eu";
    uint64_t limit = 0;
    module.getFunction("k")
        ->getFnAttribute(name)
        .getValueAsString()
        .getAsInteger(10, limit);
    limits.push_back(limit);
    uint64_t most = likes;
    if (limit != 0) {
      uint64_t subgroups = chip.vendor == GpuVendor::nvidia
                               ? limit * 8
                               : limit * chip.partitions;
      most = chip.registers / chip.subgroupSize / subgroups;
      most -= most % chip.registerGranularity;
    }
    usage.registers = std::min(likes, most);
    if (*usage.registers < needs)
      return mlir::failure();
    usage.scalarRegisters = usage.sharedBytes = usage.stackBytes = 0;
    usage.spillBytes = *usage.registers < least ? 16 : 0;
    return Code{"code " + std::to_string(limit), {usage}};
  }
};

struct Emitted {
  std::string code;
  std::vector<uint64_t> limits;
  std::string attribute; ///< of the module that was given
};

} // namespace

/// Emits a kernel of 256 threads.
static Emitted emitFor(const char *name, uint64_t likes, uint64_t least,
                       const std::string &attributes = "", uint64_t needs = 0) {
  const GpuChip &chip = chipNamed(name);
  GpuModule given("define void @k() " + attributes + " { ret void }", chip);
  Launch launch;
  launch.symbol = "k";
  launch.geometry.block = {256, 1, 1};
  FakeCompiler compiler{chip, likes, least, needs};
  mlir::MLIRContext context;
  auto code = emitWithinRegisterSteps(
      *given.module, {launch}, chip, context,
      [&](llvm::Module &module) { return compiler(module); });
  llvm::StringRef attribute = chip.vendor == GpuVendor::nvidia
                                  ? "nvvm.minctasm"
                                  : "amdgpu-waves-per-eu";
  return {code->bytes, compiler.limits,
          given.module->getFunction("k")
              ->getFnAttribute(attribute)
              .getValueAsString()
              .str()};
}

TEST(RegisterLimits, KernelsOneStepAboveAreCompiledAgain) {
  // 136 registers hold 1 workgroup of 256 threads, 128 hold 2.
  Emitted emitted = emitFor("sm_90", 136, 64);
  EXPECT_THAT(emitted.limits, ElementsAre(0, 2));
  EXPECT_EQ(emitted.code, "code 2");
  EXPECT_EQ(emitted.attribute, "2");
}

TEST(RegisterLimits, KernelsFurtherAboveAreKept) {
  Emitted emitted = emitFor("sm_90", 144, 64);
  EXPECT_THAT(emitted.limits, ElementsAre(0));
  EXPECT_EQ(emitted.code, "code 0");
  EXPECT_EQ(emitted.attribute, "");
}

TEST(RegisterLimits, CodeThatSpillsIsDropped) {
  Emitted emitted = emitFor("sm_90", 136, 130);
  EXPECT_THAT(emitted.limits, ElementsAre(0, 2));
  EXPECT_EQ(emitted.code, "code 0");
  EXPECT_EQ(emitted.attribute, "");
}

TEST(RegisterLimits, LimitsThatCannotBeHadAreDropped) {
  Emitted emitted = emitFor("sm_90", 136, 64, "", /*needs=*/130);
  EXPECT_THAT(emitted.limits, ElementsAre(0, 2));
  EXPECT_EQ(emitted.code, "code 0");
  EXPECT_EQ(emitted.attribute, "");
}

TEST(RegisterLimits, LastStepThatDoesNotSpillIsKept) {
  // 56, 48 and 40 registers hold 4, 5 and 6 workgroups, 32 hold 8.
  Emitted emitted = emitFor("sm_90", 56, 40);
  EXPECT_THAT(emitted.limits, ElementsAre(0, 5, 6, 7));
  EXPECT_EQ(emitted.code, "code 6");
  EXPECT_EQ(emitted.attribute, "6");
}

TEST(RegisterLimits, AmdCountsSubgroupsOfAPartition) {
  // 136 registers hold 3 subgroups a partition, 128 hold 4.
  Emitted emitted = emitFor("gfx942", 136, 64);
  EXPECT_THAT(emitted.limits, ElementsAre(0, 4));
  EXPECT_EQ(emitted.code, "code 4");
  EXPECT_EQ(emitted.attribute, "4");
}

TEST(RegisterLimits, StatedLimitsAreKept) {
  Emitted emitted = emitFor("sm_90", 136, 64, "\"nvvm.minctasm\"=\"1\"");
  EXPECT_THAT(emitted.limits, ElementsAre(1));
  EXPECT_EQ(emitted.attribute, "1");
}
