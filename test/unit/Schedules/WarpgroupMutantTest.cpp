//===- Mistakes in products by warpgroups, caught -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Trial.h"

#include "tonno/Core/MatrixDescriptor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace tonno;

namespace {

/// A kernel and its configuration.
struct WarpgroupKernel {
  std::string name, lhs, rhs, maps, config;
  /// Mistakes that make no difference here, and why.
  std::set<std::string> equivalent;
};

std::ostream &operator<<(std::ostream &stream, const WarpgroupKernel &subject) {
  return stream << subject.name;
}

/// A mistake. Returns false if the function has no place for it.
struct Mistake {
  std::string name;
  std::function<bool(func::FuncOp)> apply;
};

template <typename OpTy>
SmallVector<OpTy> collectSites(func::FuncOp function, bool isInLoop) {
  SmallVector<OpTy> found;
  function.walk([&](OpTy op) {
    if ((op->template getParentOfType<scf::ForOp>() != nullptr) == isInLoop)
      found.push_back(op);
  });
  return found;
}

template <typename OpTy> bool dropAll(ArrayRef<OpTy> ops) {
  for (OpTy op : ops)
    op->erase();
  return !ops.empty();
}

template <typename OpTy> bool eraseInLoop(func::FuncOp function) {
  return dropAll<OpTy>(collectSites<OpTy>(function, true));
}

/// Moves each op of a kind in front of, or behind, the first one of another
/// kind in its block.
template <typename OpTy, typename OtherOp>
bool moveTo(func::FuncOp function, bool isBefore) {
  SmallVector<OpTy> ops = collectSites<OpTy>(function, true);
  size_t count = 0;
  for (OpTy op : ops)
    for (OtherOp other : op->getBlock()->template getOps<OtherOp>()) {
      if (isBefore)
        op->moveBefore(other);
      else
        op->moveAfter(other);
      ++count;
      break;
    }
  return count > 0;
}

/// Changes the constant part of the left (0) or the right (1) descriptors.
bool changeDescriptor(func::FuncOp function, unsigned side,
                      function_ref<void(MatrixDescriptor &)> change) {
  std::set<Operation *> seen;
  function.walk([&](NVVM::WgmmaMmaAsyncOp product) {
    Value descriptor =
        side ? product.getDescriptorB() : product.getDescriptorA();
    while (auto sum = descriptor.getDefiningOp<arith::AddIOp>())
      descriptor = sum.getLhs();
    if (auto parts = descriptor.getDefiningOp<arith::OrIOp>())
      seen.insert(parts);
  });
  for (Operation *parts : seen) {
    auto constant = parts->getOperand(1).getDefiningOp<arith::ConstantOp>();
    auto number = cast<IntegerAttr>(constant.getValue());
    MatrixDescriptor descriptor =
        MatrixDescriptor::decode(uint64_t(number.getInt()), false);
    change(descriptor);
    OpBuilder builder(parts);
    parts->setOperand(
        1, arith::ConstantOp::create(
               builder, parts->getLoc(),
               builder.getI64IntegerAttr(int64_t(descriptor.encode()))));
  }
  return !seen.empty();
}

/// Adds 16-byte units to the descriptors of products from the second on.
bool shiftSteps(func::FuncOp function, unsigned side, int64_t units) {
  SmallVector<NVVM::WgmmaMmaAsyncOp> products =
      collectSites<NVVM::WgmmaMmaAsyncOp>(function, true);
  for (NVVM::WgmmaMmaAsyncOp product :
       llvm::drop_begin(products, std::min<size_t>(1, products.size()))) {
    OpBuilder builder(product);
    OpOperand &operand = product->getOpOperand(1 + side);
    Value other = arith::ConstantOp::create(builder, product.getLoc(),
                                            builder.getI64IntegerAttr(units));
    operand.set(
        arith::AddIOp::create(builder, product.getLoc(), operand.get(), other));
  }
  return products.size() > 1;
}

/// Lets the number of groups that a wait leaves be another.
template <typename OpTy>
bool changeWait(func::FuncOp function, StringRef name, bool isInLoop,
                int64_t change) {
  SmallVector<OpTy> waits = collectSites<OpTy>(function, isInLoop);
  for (OpTy wait : waits) {
    auto old = wait->template getAttrOfType<IntegerAttr>(name);
    wait->setAttr(name, IntegerAttr::get(old.getType(), old.getInt() + change));
  }
  return !waits.empty();
}

std::vector<Mistake> getMistakes() {
  using Product = NVVM::WgmmaMmaAsyncOp;
  using Fence = NVVM::FenceProxyOp;
  using Wait = NVVM::WgmmaWaitGroupSyncOp;
  using CopyWait = NVVM::CpAsyncWaitGroupOp;
  std::vector<Mistake> all = {
      {"no proxy fence", eraseInLoop<Fence>},
      {"proxy fence behind the barrier",
       [](func::FuncOp f) { return moveTo<Fence, gpu::BarrierOp>(f, false); }},
      {"proxy fence before the copies are there",
       [](func::FuncOp f) { return moveTo<Fence, CopyWait>(f, true); }},
      {"barrier before the copies are there",
       [](func::FuncOp f) {
         return moveTo<gpu::BarrierOp, CopyWait>(f, true);
       }},
      {"no barrier", eraseInLoop<gpu::BarrierOp>},
      {"no wait for copies", eraseInLoop<CopyWait>},
      {"wait for one copy less",
       [](func::FuncOp f) { return changeWait<CopyWait>(f, "n", true, 1); }},
      {"no fence of registers", eraseInLoop<NVVM::WgmmaFenceAlignedOp>},
      {"no commit", eraseInLoop<NVVM::WgmmaGroupSyncAlignedOp>},
      {"no wait in the loop", eraseInLoop<Wait>},
      {"wait for one product less",
       [](func::FuncOp f) { return changeWait<Wait>(f, "group", true, 1); }},
      {"no wait at the end",
       [](func::FuncOp f) {
         return dropAll<Wait>(collectSites<Wait>(f, false));
       }},
      {"wait at the end for one product less",
       [](func::FuncOp f) { return changeWait<Wait>(f, "group", false, 1); }},
      {"sums used before the wait",
       [](func::FuncOp f) {
         auto waits = collectSites<Wait>(f, false);
         for (Wait wait : waits)
           for (auto op : wait->getBlock()->getOps<LLVM::InlineAsmOp>()) {
             op->moveBefore(wait);
             return true;
           }
         return false;
       }},
      {"sums not taken from the wait",
       [](func::FuncOp f) {
         auto reads = collectSites<LLVM::InlineAsmOp>(f, false);
         for (LLVM::InlineAsmOp read : reads)
           for (Operation *user :
                llvm::make_early_inc_range(read->getResult(0).getUsers()))
             if (auto part = dyn_cast<LLVM::ExtractValueOp>(user))
               part.getResult().replaceAllUsesWith(
                   read.getOperand(unsigned(part.getPosition().front())));
         return !reads.empty();
       }},
      {"sums begin anew",
       [](func::FuncOp f) {
         auto products = collectSites<Product>(f, true);
         for (Product product : products)
           product.setScaleD(NVVM::WGMMAScaleOut::zero);
         return !products.empty();
       }},
      {"a product is missing",
       [](func::FuncOp f) {
         auto products = collectSites<Product>(f, true);
         if (products.empty())
           return false;
         products.back().getResult().replaceAllUsesWith(
             products.back().getInouts());
         products.back()->erase();
         return true;
       }},
      {"no first copy", [](func::FuncOp f) {
         auto copies = collectSites<nvgpu::DeviceAsyncCopyOp>(f, false);
         if (copies.empty())
           return false;
         Value token = copies.front().getAsyncToken();
         if (!token.use_empty())
           return false;
         copies.front()->erase();
         return true;
       }}};
  for (unsigned side : {0u, 1u}) {
    std::string name = side ? "right" : "left";
    auto add = [&](const std::string &what,
                   const std::function<void(MatrixDescriptor &)> &change) {
      all.push_back({name + " descriptor: " + what, [=](func::FuncOp f) {
                       return changeDescriptor(f, side, change);
                     }});
    };
    add("strides exchanged",
        [](MatrixDescriptor &one) { std::swap(one.leading, one.stride); });
    add("stride doubled", [](MatrixDescriptor &one) { one.stride *= 2; });
    add("stride halved", [](MatrixDescriptor &one) { one.stride /= 2; });
    add("leading doubled", [](MatrixDescriptor &one) { one.leading *= 2; });
    add("rows of half the bytes", [](MatrixDescriptor &one) {
      one.rowBytes = one.rowBytes == 32 ? 64 : one.rowBytes / 2;
    });
    add("base offset", [](MatrixDescriptor &one) { one.baseOffset = 1; });
    all.push_back({name + " direction flipped", [=](func::FuncOp f) {
                     auto products = collectSites<Product>(f, true);
                     for (Product product : products) {
                       auto flip = [](NVVM::MMALayout layout) {
                         return layout == NVVM::MMALayout::row
                                    ? NVVM::MMALayout::col
                                    : NVVM::MMALayout::row;
                       };
                       if (side)
                         product.setLayoutB(flip(product.getLayoutB()));
                       else
                         product.setLayoutA(flip(product.getLayoutA()));
                     }
                     return !products.empty();
                   }});
    all.push_back({name + " factor of the step along k before",
                   [=](func::FuncOp f) { return shiftSteps(f, side, -2); }});
    all.push_back({name + " factor a part further",
                   [=](func::FuncOp f) { return shiftSteps(f, side, 8); }});
  }
  return all;
}

std::string writeKernel(const WarpgroupKernel &subject) {
  std::string text = R"(
#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: tensor<)" +
                     subject.lhs + ">, %b: tensor<" + subject.rhs +
                     R"(>) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x128xf32>)
      -> tensor<128x128xf32>
  %r = linalg.matmul indexing_maps = [)" +
                     subject.maps + R"(, #mn] {tonno.lowering_config = {)" +
                     subject.config +
                     R"(}}
      ins(%a, %b : tensor<)" +
                     subject.lhs + ">, tensor<" + subject.rhs + R"(>)
      outs(%init : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}
)";
  return text;
}

/// Makes no difference to rows along k.
constexpr const char *leftLeading = "left descriptor: leading doubled",
                     *rightLeading = "right descriptor: leading doubled";

const std::vector<WarpgroupKernel> warpgroupKernels = {
    // Both factors as they are copied best; products in flight.
    {"Streamed",
     "128x256xf16",
     "256x128xf16",
     "#mk, #kn",
     R"(instruction = "wgmma_64xNx16", workgroup = [128, 128, 0],
        subgroup = [64, 128, 0], reduction = [0, 0, 32], stages = 4,
        copy = "async")",
     {leftLeading}},
    {"Transposed",
     "512x128xf16",
     "128x512xf16",
     "#km, #nk",
     R"(instruction = "wgmma_64xNx16", workgroup = [64, 64, 0],
        subgroup = [64, 32, 0], reduction = [0, 0, 128], stages = 2,
        copy = "async")",
     // Each step waits for its own products, and an instruction reads one part.
     {"no wait at the end", "wait at the end for one product less",
      "sums used before the wait", leftLeading, rightLeading}},
    {"Stored",
     "128x256xf8E4M3FN",
     "256x128xf8E4M3FN",
     "#mk, #kn",
     R"(instruction = "wgmma_64xNx32", workgroup = [128, 32, 0],
        subgroup = [64, 32, 0], reduction = [0, 0, 64], stages = 2)",
     // Factors of 8 bits have no direction.
     {leftLeading, rightLeading, "left direction flipped",
      "right direction flipped"}},
};

class WarpgroupMutantTest : public testing::TestWithParam<WarpgroupKernel> {
protected:
  Workbench workbench;
  std::vector<uint64_t> seeds = {1, 2};
};

} // namespace

TEST_P(WarpgroupMutantTest, AreCaughtWithEachSeed) {
  const WarpgroupKernel &subject = GetParam();
  std::string text = writeKernel(subject), chip = "sm_90a";
  // Compiles before the forks, so that the mutants' processes inherit open
  // files.
  auto artifact = workbench.compile(text, chip);
  ASSERT_TRUE(artifact.ok()) << artifact.error().message;
  auto verified = workbench.verify(text, *artifact, seeds);
  ASSERT_TRUE(verified.ok()) << verified.error().message;
  size_t count = 0;
  for (const Mistake &mistake : getMistakes()) {
    bool isPossible = false;
    auto lowered = workbench.lower(text, chip, [&](func::FuncOp function) {
      isPossible = mistake.apply(function);
    });
    if (!isPossible)
      continue;
    ++count;
    auto statuses = tryEdit(
        workbench, text, chip,
        [&](func::FuncOp function) { mistake.apply(function); }, seeds);
    auto caught = static_cast<size_t>(std::ranges::count_if(
        statuses, [](const std::string &status) { return status != "ok"; }));
    std::string all = llvm::join(statuses, ", ");
    std::printf("[ %s ] %s, %s: %s\n",
                caught == statuses.size() ? "caught  "
                : caught == 0             ? "survived"
                                          : "by luck ",
                subject.name.c_str(), mistake.name.c_str(), all.c_str());
    EXPECT_EQ(caught,
              subject.equivalent.contains(mistake.name) ? 0 : statuses.size())
        << mistake.name << ": " << all;
  }
  EXPECT_GE(count, 20u);
}

INSTANTIATE_TEST_SUITE_P(
    Subjects, WarpgroupMutantTest, testing::ValuesIn(warpgroupKernels),
    [](const testing::TestParamInfo<WarpgroupKernel> &info) {
      return info.param.name;
    });
