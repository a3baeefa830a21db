//===- Map structured ops to GPU kernels ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/MapToGPU.h"
#include "tonno/Core/Occupancy.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/GPU/LaunchBranches.h"
#include "Schedule/GPU/MatrixOps.h"
#include "Schedule/Tiling/LoopExtents.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

namespace tonno {
#define GEN_PASS_DEF_MAPTOGPUPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

static gpu::LaunchOp createLaunch(OpBuilder &builder, Location loc,
                                  OpFoldResult workgroups, int64_t threads) {
  ThreadCode host(builder, loc);
  Value one = host.index(1);
  auto launch = gpu::LaunchOp::create(builder, loc, host.index(workgroups), one,
                                      one, host.index(threads), one, one);
  builder.setInsertionPointToStart(&launch.getBody().front());
  gpu::TerminatorOp::create(builder, loc);
  builder.setInsertionPointToStart(&launch.getBody().front());
  return launch;
}

KernelLaunch::KernelLaunch(OpBuilder &builder, Location loc,
                           OpFoldResult workgroups, int64_t threads)
    : launch(createLaunch(builder, loc, workgroups, threads)),
      code(builder, loc), workgroup(launch.getBlockIds().x),
      thread(launch.getThreadIds().x) {}

void KernelLaunch::requestDynamicShared(int64_t bytes, int64_t alignment) {
  this->alignment = alignment;
  OpBuilder before(launch);
  launch.getDynamicSharedMemorySizeMutable().assign(
      arith::ConstantIntOp::create(before, launch.getLoc(), bytes, 32));
  asked = gpu::DynamicSharedMemoryOp::create(
      code.b,
      MemRefType::get({ShapedType::kDynamic}, code.b.getI8Type(),
                      MemRefLayoutAttrInterface(),
                      gpu::AddressSpaceAttr::get(
                          launch.getContext(), gpu::AddressSpace::Workgroup)));
}

Value KernelLaunch::addShared(ArrayRef<int64_t> shape, Type element) {
  auto space = gpu::AddressSpaceAttr::get(launch.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type =
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
  int64_t offset = bytes;
  bytes += type.getNumElements() * getElementBytes(element);
  // NVIDIA's matrix loads know no floats of 8 bits: `asBytes` gives a view.
  bool isViewed = isa<FloatType>(element) && getElementBytes(element) == 1;
  if (!asked && !isViewed)
    return launch.addWorkgroupAttribution(type, launch.getLoc());
  Value memory = asked;
  if (!asked) {
    memory = launch.addWorkgroupAttribution(
        MemRefType::get({type.getNumElements()}, code.b.getI8Type(),
                        MemRefLayoutAttrInterface(), space),
        launch.getLoc());
    offset = 0;
  }
  bytes = llvm::alignTo(bytes, alignment);
  return memref::ViewOp::create(code.b, type, memory, code.index(offset),
                                ValueRange());
}

Value KernelLaunch::asBytes(Value shared) {
  auto view = shared.getDefiningOp<memref::ViewOp>();
  auto type = cast<MemRefType>(shared.getType());
  if (!view || !isa<FloatType>(type.getElementType()) ||
      getElementBytes(type.getElementType()) != 1)
    return shared;
  return memref::ViewOp::create(
      code.b, cast<MemRefType>(type.clone(code.b.getI8Type())),
      view.getSource(), view.getByteShift(), ValueRange());
}

LogicalResult tonno::checkTile(linalg::LinalgOp op, StringRef key, int64_t size,
                               unsigned loop, StringRef owner, int64_t part) {
  if (size % part == 0)
    return success();
  return op.emitOpError() << "has a '" << key << "' tile of " << size
                          << " along loop " << loop
                          << "; use a multiple of the " << owner << "'s "
                          << part;
}

LogicalResult tonno::checkThreads(linalg::LinalgOp op, int64_t threads,
                                  const WorkgroupLimits &limits) {
  if (threads <= limits.threads)
    return success();
  return op.emitOpError()
         << "has tiles for " << threads
         << " threads in a workgroup, which is limited to " << limits.threads
         << "; use a larger 'subgroup' or a smaller 'workgroup' tile";
}

LogicalResult tonno::reserveShared(KernelLaunch &kernel, linalg::LinalgOp op,
                                   int64_t bytes, const WorkgroupLimits &limits,
                                   int64_t alignment) {
  if (bytes > limits.mostSharedBytes)
    return op.emitOpError()
           << "has tiles that need " << bytes
           << " bytes of shared memory, of which a workgroup has "
           << limits.mostSharedBytes
           << "; use smaller 'workgroup' or 'reduction' tiles, or fewer "
              "'stages'";
  if (bytes > limits.sharedBytes || alignment > KernelLaunch::defaultAlignment)
    kernel.requestDynamicShared(bytes, alignment);
  return success();
}

SmallVector<OpFoldResult> tonno::createExtents(OpBuilder &builder,
                                               const LaunchGroup &group) {
  linalg::LinalgOp op = group.ops.front().op;
  return llvm::map_to_vector(
      llvm::enumerate(group.sizes), [&](auto size) -> OpFoldResult {
        return size.value() ? size.value()
                            : createExtent(builder, op, size.index());
      });
}

FailureOr<TileSizes> tonno::getGroupTileSizes(const LaunchGroup &group) {
  TileSizes all;
  auto levels = {&TileSizes::workgroup, &TileSizes::reduction,
                 &TileSizes::subgroup, &TileSizes::thread};
  for (auto level : levels)
    (all.*level).assign(group.extents.size(), 0);
  for (const GroupedOp &member : group.ops) {
    auto sizes = TileSizes::get(member.op);
    if (failed(sizes))
      return failure();
    if (!*sizes)
      continue;
    for (auto level : levels)
      for (auto [dim, size] : llvm::zip_equal(member.dims, (**sizes).*level))
        (all.*level)[dim] = size;
  }
  return all;
}

namespace {

struct MapToGPU : tonno::impl::MapToGPUPassBase<MapToGPU> {
  using MapToGPUPassBase::MapToGPUPassBase;

  bool isInLaunchBlock(Operation *op) const {
    return llvm::is_contained(blocks, op->getBlock());
  }

  /// Makes loops of structured ops in loops and launches.
  LogicalResult lowerNested() {
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp op : collectOps<scf::ForallOp>(getOperation())) {
      rewriter.setInsertionPoint(op);
      if (failed(scf::forallToParallelLoop(rewriter, op)))
        return op.emitError("cannot convert scf.forall to scf.parallel");
    }
    for (auto op : collectOps<linalg::LinalgOp>(getOperation())) {
      if (isInLaunchBlock(op))
        continue;
      rewriter.setInsertionPoint(op);
      if (failed(linalg::linalgOpToLoops(rewriter, op)))
        return op.emitOpError("cannot be lowered to loops");
      rewriter.eraseOp(op);
    }
    return success();
  }

  /// Checks that every configuration is on an op whose lowering reads it.
  LogicalResult checkConfigurations() {
    if (hasOwnLowering(getOperation()))
      return success();
    if (failed(verifyKnobsResolved(getOperation())))
      return failure();
    return checkOps(getOperation(), [&](Operation *op) -> LogicalResult {
      if (!op->hasAttr(TonnoDialect::kLoweringConfig) ||
          (isa<linalg::LinalgOp>(op) && isInLaunchBlock(op)))
        return success();
      return op->emitOpError() << "has '" << TonnoDialect::kLoweringConfig
                               << "', which applies only to linalg ops in the "
                                  "kernel's entry block, or in a branch on its "
                                  "sizes";
    });
  }

  /// Returns the matrix instruction that the op's configuration names; null for
  /// none.
  FailureOr<const MatrixInstruction *> findInstruction(linalg::LinalgOp op) {
    auto name = getConfiguredText(op, lowering_config::kInstruction);
    if (failed(name))
      return failure();
    if (name->empty() || *name == "fma")
      return nullptr;
    auto known = findGpuChip(chip);
    if (!known)
      return op.emitOpError() << known.error().message;
    std::span<const MatrixInstruction> all =
        findMatrixInstructions(op, **known);
    for (const MatrixInstruction &one : all)
      if (StringRef(one.name) == *name)
        return &one;
    auto diagnostic = op.emitOpError()
                      << "has 'instruction' \"" << *name << "\", which " << chip
                      << " lacks for this op's types; use one of: ";
    for (const MatrixInstruction &one : all)
      diagnostic << StringRef(one.name) << ", ";
    return diagnostic << "fma";
  }

  WorkgroupLimits getLimits() const {
    WorkgroupLimits limits{subgroupSize, maxThreads, sharedBytes};
    if (auto known = findGpuChip(chip))
      limits.mostSharedBytes = (*known)->maxSharedBytes;
    return limits;
  }

  LogicalResult mapContraction(OpBuilder &builder, const LaunchGroup &group,
                               const WorkgroupLimits &limits) {
    auto instruction = findInstruction(group.ops.front().op);
    if (failed(instruction))
      return failure();
    return *instruction
               ? emitMatrixProduct(builder, group, limits, **instruction)
               : emitContraction(builder, group, limits);
  }

  LogicalResult map(OpBuilder &builder, const LaunchGroup &group) {
    WorkgroupLimits limits = getLimits();
    linalg::LinalgOp op = group.ops.front().op;
    switch (group.kind) {
    case LaunchGroup::Kind::contraction:
      return mapContraction(builder, group, limits);
    case LaunchGroup::Kind::tiles:
      return emitTiles(builder, group, limits);
    case LaunchGroup::Kind::points:
      if (op->hasAttr(TonnoDialect::kLoweringConfig))
        return op.emitOpError() << "has '" << TonnoDialect::kLoweringConfig
                                << "', but ops of this form get a thread for "
                                   "each point; remove the attribute";
      emitPoints(builder, group);
      return success();
    }
    llvm_unreachable("unknown kind of group");
  }

  /// Tells the compiler for how many workgroups of the launch a compute unit
  /// must have registers, as `per_unit` asks:
  ///
  ///     gpu.launch ... {nvvm.minctasm = 2 : i32}         // NVIDIA: workgroups
  ///     gpu.launch ... {rocdl.waves_per_eu = 4 : i32}    // AMD: subgroups
  LogicalResult limitRegisters(gpu::LaunchOp launch, const LaunchGroup &group) {
    int64_t perUnit = 0;
    for (const GroupedOp &member : group.ops) {
      auto configured =
          getConfigured(member.op, lowering_config::kPerUnit, perUnit);
      if (failed(configured))
        return failure();
      perUnit = *configured;
    }
    // Every chip has registers for one.
    if (perUnit <= 1)
      return success();
    linalg::LinalgOp op = group.ops.front().op;
    auto known = findGpuChip(chip);
    if (!known)
      return op.emitOpError() << known.error().message;
    const GpuChip &limits = **known;
    int64_t threads =
        *getConstantIntValue(launch.getBlockSizeOperandValues().x);
    int64_t most =
        residentWorkgroups(limits, {.threads = static_cast<uint32_t>(threads)});
    if (perUnit > most)
      return op.emitOpError()
             << "has 'per_unit' of " << perUnit << "; a compute unit of "
             << chip << " holds at most " << most << " workgroups of "
             << threads << " threads";
    Builder builder(&getContext());
    if (limits.vendor == GpuVendor::nvidia)
      launch->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      builder.getI32IntegerAttr(perUnit));
    else
      launch->setAttr(ROCDL::ROCDLDialect::WavesPerEuAttrHelper::getNameStr(),
                      builder.getI32IntegerAttr(
                          subgroupsPerPartition(limits, threads, perUnit)));
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError() << "kernel '" << function.getName()
                           << "' has branches; launches must be in one block";
      return signalPassFailure();
    }
    if (hasOwnLowering(function))
      // The configurations of its ops applied to the op's own lowering.
      function.walk([](Operation *op) {
        op->removeDiscardableAttr(TonnoDialect::kLoweringConfig);
      });
    blocks = findLaunchBlocks(function);
    if (failed(checkConfigurations()) || failed(lowerNested()))
      return signalPassFailure();
    for (Block *block : blocks)
      if (failed(mapBlock(*block)))
        return signalPassFailure();
  }

  /// Fails if an op of the group is not decomposed.
  static LogicalResult checkDecomposed(const LaunchGroup &group) {
    for (const GroupedOp &member : group.ops)
      if (!member.op)
        return member.anchor->emitOpError()
               << "is not decomposed; run 'tonno-decompose' first";
    return success();
  }

  /// Limits the registers of the first launch after an op.
  LogicalResult limitNext(Operation *op, const LaunchGroup &group) {
    while (!isa<gpu::LaunchOp>(op))
      op = op->getNextNode();
    return limitRegisters(cast<gpu::LaunchOp>(op), group);
  }

  /// Returns the attention that ends with the product, if its configuration
  /// asks for one. Warns if it isn't one.
  FailureOr<std::optional<Attention>>
  findConfiguredAttention(ArrayRef<LaunchPart> before,
                          const LaunchGroup &product) {
    linalg::LinalgOp op = product.ops.front().op;
    auto softmax = getConfiguredText(op, lowering_config::kSoftmax);
    if (failed(softmax))
      return failure();
    if (softmax->empty())
      return std::optional<Attention>();
    if (*softmax != lowering_config::kOnline)
      return op.emitOpError()
             << "has 'softmax' of \"" << *softmax << "\"; use \""
             << lowering_config::kOnline << "\", or remove the key";
    const LaunchGroup *scores = nullptr, *rows = nullptr;
    if (before.size() >= 2) {
      scores = std::get_if<LaunchGroup>(&before[before.size() - 2]);
      rows = std::get_if<LaunchGroup>(&before[before.size() - 1]);
    }
    auto attention = scores && rows
                         ? findAttention(*scores, *rows, product)
                         : Error{"a product and a softmax must precede it"};
    if (!attention) {
      // Buffers may be shared otherwise than the default space assumed.
      op.emitWarning() << "'softmax' has no effect, and scores are in memory: "
                       << attention.error().message;
      return std::optional<Attention>();
    }
    return std::optional(std::move(*attention));
  }

  LogicalResult mapAttention(OpBuilder &builder, const Attention &attention) {
    linalg::LinalgOp op = attention.product.ops.front().op,
                     scores = attention.scores.ops.front().op;
    auto instruction = findInstruction(op);
    if (failed(instruction))
      return failure();
    if (!*instruction)
      return op.emitOpError()
             << "has 'softmax', which only matrix units have; name an "
                "'instruction'";
    auto known = findGpuChip(chip);
    std::span<const MatrixInstruction> ofScores =
        findMatrixInstructions(scores, **known);
    auto isSame = [&](const MatrixInstruction &one) {
      return &one == *instruction;
    };
    if (llvm::none_of(ofScores, isSame))
      return op.emitOpError()
             << "has 'softmax', but the scores have factors or sums of another "
                "type; remove the key";
    return emitAttention(builder, attention, getLimits(), **instruction);
  }

  LogicalResult mapBlock(Block &block) {
    OpBuilder builder(&getContext());
    std::vector<LaunchPart> parts = findParts(block);
    // The number of launches before each product of an attention.
    std::map<size_t, Attention> attentions;
    for (auto [i, part] : llvm::enumerate(parts)) {
      const auto *group = std::get_if<LaunchGroup>(&part);
      if (!group || !group->ops.front().op)
        continue;
      // Launches belong to one attention.
      size_t first =
          attentions.empty() ? 0 : std::prev(attentions.end())->first + 1;
      auto attention = findConfiguredAttention(
          ArrayRef(parts).slice(first, i - first), *group);
      if (failed(attention))
        return failure();
      if (*attention)
        attentions[i] = std::move(**attention);
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      SmallVector<Operation *> done;
      if (attentions.contains(i + 1) || attentions.contains(i + 2))
        continue;
      if (auto found = attentions.find(i); found != attentions.end()) {
        const Attention &attention = found->second;
        if (failed(checkDecomposed(attention.scores)))
          return failure();
        done = attention.getOps();
        Operation *last = attention.product.ops.back().op;
        builder.setInsertionPointAfter(last);
        if (failed(mapAttention(builder, attention)) ||
            failed(limitNext(last, attention.product)))
          return failure();
      } else if (const auto *group = std::get_if<LaunchGroup>(&parts[i])) {
        if (failed(checkDecomposed(*group)))
          return failure();
        for (const GroupedOp &member : group->ops)
          done.push_back(member.op);
        builder.setInsertionPointAfter(done.back());
        if (failed(map(builder, *group)) ||
            failed(limitNext(done.back(), *group)))
          return failure();
        llvm::append_range(done, group->absorbed);
      } else {
        done = std::get<SmallVector<Operation *>>(parts[i]);
        builder.setInsertionPointAfter(done.back());
        if (failed(emitOthers(builder, done)))
          return failure();
      }
      for (Operation *op : llvm::reverse(done))
        op->erase();
    }
    return success();
  }

  SmallVector<Block *> blocks; ///< with launches
};

} // namespace
