//===- Mistakes in attention, caught --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AttentionKernels.h"
#include "Trial.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>

using namespace mlir;
using namespace tonno;

namespace {

/// Returns the ops where a mistake of each kind can be made.
std::map<std::string, SmallVector<Operation *>>
collectSites(func::FuncOp function) {
  std::map<std::string, SmallVector<Operation *>> sites;
  function.walk([&](gpu::LaunchOp launch) {
    bool hasProducts = false;
    launch.walk([&](Operation *op) {
      hasProducts |= isa<amdgpu::MFMAOp, NVVM::MmaOp>(op);
    });
    if (!hasProducts)
      return;
    launch.walk([&](Operation *op) {
      bool isFloat =
          op->getNumResults() == 1 &&
          isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
      if (isa<gpu::BarrierOp>(op))
        sites["no barrier"].push_back(op);
      if (isa<amdgpu::MFMAOp>(op))
        sites["no product"].push_back(op);
      if (!isFloat)
        return;
      std::string name = op->getName().stripDialect().str();
      if (isa<arith::SelectOp>(op)) {
        sites["always selected"].push_back(op);
        sites["never selected"].push_back(op);
      } else if (isa<arith::SubFOp, arith::MulFOp, math::Exp2Op>(op)) {
        sites["no " + name].push_back(op);
      } else if (isa<arith::AddFOp, arith::MaxNumFOp, arith::MaximumFOp,
                     arith::DivFOp>(op)) {
        sites["left of " + name].push_back(op);
        sites["right of " + name].push_back(op);
      }
    });
    launch.walk([&](gpu::ShuffleOp op) { sites["no exchange"].push_back(op); });
  });
  return sites;
}

/// Drops a barrier, or replaces a result by an operand.
void replace(Operation *op, const std::string &kind) {
  if (kind == "no barrier")
    return op->erase();
  unsigned operand = 0;
  if (kind == "no product" || kind == "never selected")
    operand = 2;
  else if (kind == "always selected" || kind.starts_with("right"))
    operand = 1;
  op->getResult(0).replaceAllUsesWith(op->getOperand(operand));
}

/// Largest number of sites of a kind, spread over all.
constexpr size_t mostSites = 3;

struct Way {
  std::string name, chip, config;
};

std::ostream &operator<<(std::ostream &stream, const Way &way) {
  return stream << way.name;
}

const std::vector<Way> ways = {
    {"mfma", "gfx942",
     R"(instruction = "mfma_16x16x16", subgroup = [0, 0, 16, 0, 0],
        workgroup = [0, 0, 32, 0, 0], reduction = [0, 0, 0, 0, 32],
        stages = 2, softmax = "online")"},
    {"mma", "sm_90",
     R"(instruction = "mma_16x8x16", subgroup = [0, 0, 16, 0, 0],
        workgroup = [0, 0, 32, 0, 0], reduction = [0, 0, 0, 0, 16],
        stages = 2, softmax = "online")"},
};

class AttentionMutantTest : public testing::TestWithParam<Way> {
protected:
  Workbench workbench;
  std::vector<uint64_t> seeds = {1};
};

} // namespace

/// With scores of small and of large magnitude: a wrong maximum makes no
/// difference until powers overflow, and large ones hide the others' share.
TEST_P(AttentionMutantTest, AreCaught) {
  const Way &way = GetParam();
  std::vector<std::string> texts;
  for (const char *scale : {"0.3", "40.0"})
    texts.push_back(
        AttentionKernel{.name = "Masked",
                        .heads = 1,
                        .queries = 36,
                        .keys = 70,
                        .scale = scale,
                        .softmax = AttentionKernel::Softmax::generics,
                        .mask = AttentionKernel::Mask::later}
            .write(way.config));
  std::map<std::string, size_t> numSites;
  for (const std::string &text : texts) {
    // Compiles before the forks, so that the mutants' processes inherit open
    // files.
    auto artifact = workbench.compile(text, way.chip);
    ASSERT_TRUE(artifact.ok()) << artifact.error().message;
    auto verified = workbench.verify(text, *artifact, seeds);
    ASSERT_TRUE(verified.ok()) << verified.error().message;
  }
  auto lowered =
      workbench.lower(texts.front(), way.chip, [&](func::FuncOp function) {
        for (const auto &[kind, sites] : collectSites(function))
          numSites[kind] = sites.size();
      });
  ASSERT_TRUE(lowered.ok()) << lowered.error().message;
  size_t caught = 0, all = 0;
  for (const auto &[kind, count] : numSites) {
    size_t tried = std::min(count, mostSites);
    for (size_t i = 0; i < tried; ++i) {
      size_t site = i * count / tried;
      bool isCaught = false;
      std::string statuses;
      for (const std::string &text : texts) {
        if (isCaught)
          break;
        auto of = tryEdit(
            workbench, text, way.chip,
            [&, kind = kind](func::FuncOp function) {
              replace(collectSites(function)[kind][site], kind);
            },
            seeds);
        isCaught = of != std::vector<std::string>{"ok"};
        statuses += (statuses.empty() ? "" : ", ") + of.front();
      }
      std::printf("[ %s ] %s: %s %zu of %zu: %s\n",
                  isCaught ? "caught  " : "survived", way.name.c_str(),
                  kind.c_str(), site, count, statuses.c_str());
      caught += isCaught;
      ++all;
    }
  }
  EXPECT_GE(numSites.size(), 10u);
  // Surviving mutants are equivalent: beyond the last key the mask says no, as
  // the bound does, and some tiles have no key before the query.
  EXPECT_GE(caught * 100, all * 90) << caught << " of " << all;
}

INSTANTIATE_TEST_SUITE_P(Ways, AttentionMutantTest, testing::ValuesIn(ways),
                         [](const testing::TestParamInfo<Way> &info) {
                           return info.param.name;
                         });
