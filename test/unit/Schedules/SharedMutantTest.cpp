//===- Mistakes in products from shared memory, caught --------------------===//
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
struct SharedKernel {
  std::string name, chip, lhs, rhs, maps, config;
  /// Mistakes that make no difference here, and why.
  std::set<std::string> equivalent;

  /// Returns the extents of the result: "128x128x".
  std::string result() const {
    auto extents = [](const std::string &type) {
      auto [first, others] = StringRef(type).split('x');
      return std::pair(first, others.split('x').first);
    };
    bool isTurned = StringRef(maps).contains("#km");
    auto [a, b] = extents(lhs);
    auto [c, d] = extents(rhs);
    bool isRightTurned = StringRef(maps).contains("#nk");
    return ((isTurned ? b : a) + "x" + (isRightTurned ? c : d) + "x").str();
  }
};

std::ostream &operator<<(std::ostream &stream, const SharedKernel &subject) {
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
  function.walk([&](Operation *op) {
    Value descriptor;
    if (auto product = dyn_cast<NVVM::WgmmaMmaAsyncOp>(op))
      descriptor = side ? product.getDescriptorB() : product.getDescriptorA();
    else if (auto product = dyn_cast<NVVM::Tcgen05MMAOp>(op))
      descriptor = side ? product.getMatrixB() : product.getMatrixA();
    else
      return;
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
  // Both ops have the descriptors behind their sums.
  SmallVector<Operation *> products;
  function.walk([&](Operation *op) {
    if (isa<NVVM::WgmmaMmaAsyncOp, NVVM::Tcgen05MMAOp>(op))
      products.push_back(op);
  });
  for (Operation *product :
       llvm::drop_begin(products, std::min<size_t>(1, products.size()))) {
    OpBuilder builder(product);
    OpOperand &operand = product->getOpOperand(1 + side);
    Value other = arith::ConstantOp::create(builder, product->getLoc(),
                                            builder.getI64IntegerAttr(units));
    operand.set(arith::AddIOp::create(builder, product->getLoc(), operand.get(),
                                      other));
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

/// Returns mistakes in tensor memory and its barriers.
std::vector<Mistake> getTensorMistakes() {
  using Fence = NVVM::Tcgen05FenceOp;
  using Wait = NVVM::MBarrierTryWaitParityOp;
  using Product = NVVM::Tcgen05MMAOp;
  auto changeOperand = [](Operation *op, unsigned number, int64_t change) {
    OpBuilder builder(op);
    Value old = op->getOperand(number);
    Value other = arith::ConstantOp::create(
        builder, op->getLoc(), builder.getIntegerAttr(old.getType(), change));
    op->setOperand(number,
                   arith::AddIOp::create(builder, op->getLoc(), old, other));
  };
  auto flipParities = [=](func::FuncOp f, bool isInLoop) {
    auto waits = collectSites<Wait>(f, isInLoop);
    for (Wait wait : waits) {
      OpBuilder builder(wait);
      Value one = arith::ConstantOp::create(builder, wait.getLoc(),
                                            builder.getI32IntegerAttr(1));
      wait->setOperand(1, arith::XOrIOp::create(builder, wait.getLoc(),
                                                wait.getPhase(), one));
    }
    return !waits.empty();
  };
  auto findFence = [](func::FuncOp f, NVVM::Tcgen05FenceKind kind) {
    Fence found;
    f.walk([&](Fence fence) {
      if (fence.getKind() == kind)
        found = fence;
    });
    return found;
  };
  return {
      {"wrong parity in the loop",
       [=](func::FuncOp f) { return flipParities(f, true); }},
      {"wrong parity at the end",
       [=](func::FuncOp f) { return flipParities(f, false); }},
      {"no wait for the stage", eraseInLoop<Wait>},
      {"no wait for the last products",
       [](func::FuncOp f) {
         return dropAll<Wait>(collectSites<Wait>(f, false));
       }},
      {"commit dropped", eraseInLoop<NVVM::Tcgen05CommitOp>},
      {"commit before the products",
       [](func::FuncOp f) {
         return moveTo<NVVM::Tcgen05CommitOp, Product>(f, true);
       }},
      {"commit at another stage's barrier",
       [=](func::FuncOp f) {
         auto commits = collectSites<NVVM::Tcgen05CommitOp>(f, true);
         for (auto commit : commits) {
           OpBuilder builder(commit);
           auto pointer = commit.getAddr().getDefiningOp<LLVM::IntToPtrOp>();
           changeOperand(pointer, 0, 8);
         }
         return !commits.empty();
       }},
      {"no fence of barriers",
       [](func::FuncOp f) {
         return dropAll<NVVM::FenceMbarrierInitOp>(
             collectSites<NVVM::FenceMbarrierInitOp>(f, false));
       }},
      {"barriers not initialized",
       [](func::FuncOp f) {
         return dropAll<NVVM::MBarrierInitOp>(
             collectSites<NVVM::MBarrierInitOp>(f, false));
       }},
      {"barriers wait for two",
       [=](func::FuncOp f) {
         auto barriers = collectSites<NVVM::MBarrierInitOp>(f, false);
         for (auto barrier : barriers)
           changeOperand(barrier, 1, 1);
         return !barriers.empty();
       }},
      {"tensor memory not freed",
       [](func::FuncOp f) {
         return dropAll<NVVM::Tcgen05DeallocOp>(
             collectSites<NVVM::Tcgen05DeallocOp>(f, false));
       }},
      {"tensor memory freed early",
       [=](func::FuncOp f) {
         auto frees = collectSites<NVVM::Tcgen05DeallocOp>(f, false);
         auto fence = findFence(f, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
         if (frees.empty() || !fence)
           return false;
         frees.front()->getParentOp()->moveBefore(fence);
         return true;
       }},
      {"no barrier before it is freed",
       [=](func::FuncOp f) {
         auto fence = findFence(f, NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
         if (!fence || !isa<gpu::BarrierOp>(fence->getNextNode()))
           return false;
         fence->getNextNode()->erase();
         return true;
       }},
      {"no fence before it is freed",
       [=](func::FuncOp f) {
         auto fence = findFence(f, NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
         if (fence)
           fence->erase();
         return bool(fence);
       }},
      {"tensor memory allocated by one lane",
       [](func::FuncOp f) {
         auto all = collectSites<NVVM::Tcgen05AllocOp>(f, false);
         auto branch = all.empty() ? scf::IfOp()
                                   : all.front()->getParentOfType<scf::IfOp>();
         auto launch = branch ? branch->getParentOfType<gpu::LaunchOp>()
                              : gpu::LaunchOp();
         if (!launch)
           return false;
         OpBuilder builder(branch);
         Value one =
             arith::ConstantIndexOp::create(builder, branch.getLoc(), 1);
         branch->setOperand(0, arith::CmpIOp::create(builder, branch.getLoc(),
                                                     arith::CmpIPredicate::ult,
                                                     launch.getThreadIds().x,
                                                     one));
         return true;
       }},
      {"half of tensor memory",
       [=](func::FuncOp f) {
         auto all = collectSites<NVVM::Tcgen05AllocOp>(f, false);
         for (auto one : all) {
           OpBuilder builder(one);
           one->setOperand(
               1, arith::ConstantOp::create(builder, one.getLoc(),
                                            builder.getI32IntegerAttr(32)));
         }
         return !all.empty();
       }},
      {"address of tensor memory read before the barrier",
       [](func::FuncOp f) {
         auto all = collectSites<NVVM::Tcgen05AllocOp>(f, false);
         Operation *branch = all.empty() ? nullptr : all.front()->getParentOp();
         if (!branch || !isa<gpu::BarrierOp>(branch->getNextNode()))
           return false;
         branch->getNextNode()->erase();
         return true;
       }},
      {"no fence behind the wait",
       [=](func::FuncOp f) {
         auto fence = findFence(f, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
         if (fence)
           fence->erase();
         return bool(fence);
       }},
      {"loads not awaited",
       [](func::FuncOp f) {
         return dropAll<NVVM::Tcgen05WaitOp>(
             collectSites<NVVM::Tcgen05WaitOp>(f, false));
       }},
      {"loads of the next column",
       [=](func::FuncOp f) {
         auto loads = collectSites<NVVM::Tcgen05LdOp>(f, false);
         for (auto load : loads)
           changeOperand(load.getTmemAddr().getDefiningOp(), 0, 8);
         return !loads.empty();
       }},
      {"loads of the next quarter",
       [=](func::FuncOp f) {
         auto loads = collectSites<NVVM::Tcgen05LdOp>(f, false);
         for (auto load : loads)
           changeOperand(load.getTmemAddr().getDefiningOp(), 0, 32 << 16);
         return !loads.empty();
       }},
      {"sums begin with what is there",
       [](func::FuncOp f) {
         auto products = collectSites<Product>(f, true);
         for (Product product : products) {
           OpBuilder builder(product);
           product->setOperand(
               4, arith::ConstantOp::create(builder, product.getLoc(),
                                            builder.getBoolAttr(true)));
         }
         return !products.empty();
       }},
      {"sums begin anew in each step",
       [](func::FuncOp f) {
         auto products = collectSites<Product>(f, true);
         if (products.empty())
           return false;
         OpBuilder builder(products.front());
         products.front()->setOperand(
             4, arith::ConstantOp::create(builder, products.front().getLoc(),
                                          builder.getBoolAttr(false)));
         return true;
       }},
      {"a tensor product is missing",
       [](func::FuncOp f) {
         auto products = collectSites<Product>(f, true);
         if (!products.empty())
           products.back()->erase();
         return !products.empty();
       }},
      {"instruction of fewer columns",
       [=](func::FuncOp f) {
         auto products = collectSites<Product>(f, true);
         for (Product product : products)
           changeOperand(product, 3, -(int64_t(2) << 17));
         return !products.empty();
       }},
      {"instruction of other types",
       [=](func::FuncOp f) {
         auto products = collectSites<Product>(f, true);
         for (Product product : products)
           changeOperand(product, 3, 1 << 7 | 1 << 10);
         return !products.empty();
       }},
      {"instruction with the right factor turned", [=](func::FuncOp f) {
         auto products = collectSites<Product>(f, true);
         for (Product product : products) {
           OpBuilder builder(product);
           Value bit = arith::ConstantOp::create(
               builder, product.getLoc(), builder.getI32IntegerAttr(1 << 16));
           product->setOperand(
               3, arith::XOrIOp::create(builder, product.getLoc(),
                                        product->getOperand(3), bit));
         }
         return !products.empty();
       }}};
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
  llvm::append_range(all, getTensorMistakes());
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

std::string writeKernel(const SharedKernel &subject) {
  std::string text = R"(
#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: tensor<)" +
                     subject.lhs + ">, %b: tensor<" + subject.rhs +
                     R"(>) -> tensor<RESULT> {
  %zero = arith.constant ZERO : SUM
  %empty = tensor.empty() : tensor<RESULT>
  %init = linalg.fill ins(%zero : SUM) outs(%empty : tensor<RESULT>)
      -> tensor<RESULT>
  %r = linalg.matmul indexing_maps = [)" +
                     subject.maps + R"(, #mn] {tonno.lowering_config = {)" +
                     subject.config +
                     R"(}}
      ins(%a, %b : tensor<)" +
                     subject.lhs + ">, tensor<" + subject.rhs + R"(>)
      outs(%init : tensor<RESULT>) -> tensor<RESULT>
  return %r : tensor<RESULT>
}
)";
  bool isInteger = subject.lhs.ends_with("i8");
  std::string sum = isInteger ? "i32" : "f32";
  for (const auto &[name, value] :
       {std::pair<std::string, std::string>("RESULT", subject.result() + sum),
        {"ZERO", isInteger ? "0" : "0.0"},
        {"SUM", sum}})
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
      text.replace(at, name.size(), value);
  return text;
}

/// Makes no difference to rows along k.
constexpr const char *leftLeading = "left descriptor: leading doubled",
                     *rightLeading = "right descriptor: leading doubled";

const std::vector<SharedKernel> sharedKernels = {
    // Both factors as they are copied best; products in flight.
    {"Streamed",
     "sm_90a",
     "128x256xf16",
     "256x128xf16",
     "#mk, #kn",
     R"(instruction = "wgmma_64xNx16", workgroup = [128, 128, 0],
        subgroup = [64, 128, 0], reduction = [0, 0, 32], stages = 4,
        copy = "async")",
     {leftLeading}},
    {"Transposed",
     "sm_90a",
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
     "sm_90a",
     "128x256xf8E4M3FN",
     "256x128xf8E4M3FN",
     "#mk, #kn",
     R"(instruction = "wgmma_64xNx32", workgroup = [128, 32, 0],
        subgroup = [64, 32, 0], reduction = [0, 0, 64], stages = 2)",
     // Factors of 8 bits have no direction.
     {leftLeading, rightLeading, "left direction flipped",
      "right direction flipped"}},
    {"Tensor",
     "sm_100a",
     "256x512xf16",
     "512x64xf16",
     "#mk, #kn",
     R"(instruction = "tcgen05_128xNx16", workgroup = [256, 64, 0],
        subgroup = [128, 64, 0], reduction = [0, 0, 32], stages = 3,
        copy = "async")",
     {leftLeading, rightLeading}},
    {"TensorStored",
     "sm_100a",
     "128x256xi8",
     "256x128xi8",
     "#mk, #kn",
     R"(instruction = "tcgen05_128xNx32", workgroup = [128, 64, 0],
        subgroup = [128, 32, 0], reduction = [0, 0, 64], stages = 2)",
     {leftLeading, rightLeading}},
};

class SharedMutantTest : public testing::TestWithParam<SharedKernel> {
protected:
  Workbench workbench;
  std::vector<uint64_t> seeds = {1, 2};
};

} // namespace

TEST_P(SharedMutantTest, AreCaughtWithEachSeed) {
  const SharedKernel &subject = GetParam();
  std::string text = writeKernel(subject), chip = subject.chip;
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

INSTANTIATE_TEST_SUITE_P(Subjects, SharedMutantTest,
                         testing::ValuesIn(sharedKernels),
                         [](const testing::TestParamInfo<SharedKernel> &info) {
                           return info.param.name;
                         });
