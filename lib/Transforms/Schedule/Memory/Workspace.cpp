//===- Pass allocations as one workspace argument -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/LaunchPlan.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/KernelSizes.h"
#include "Schedule/Memory/WorkspaceLayout.h"
#include "Schedule/Threads/ShareLoops.h"
#include "Schedule/Tiling/LoopExtents.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Analysis/DataLayoutAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace tonno {
#define GEN_PASS_DEF_WORKSPACEPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns the number of elements from the first to the last of a buffer,
/// including gaps, saturating; none if its shape or strides are dynamic.
static std::optional<uint64_t> computeSpan(MemRefType type) {
  int64_t offset;
  SmallVector<int64_t> strides;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) || offset != 0 ||
      llvm::any_of(strides, [](int64_t stride) { return stride < 0; }))
    return std::nullopt;
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  uint64_t last = 0;
  for (auto [extent, stride] : llvm::zip_equal(type.getShape(), strides))
    last = llvm::SaturatingMultiplyAdd<uint64_t>(extent - 1, stride, last);
  return llvm::SaturatingAdd<uint64_t>(last, 1);
}

/// Returns the upper bound of an index; none if unknown.
static std::optional<int64_t> largest(Value index) {
  // Upstream tells of affine.min, but not of these.
  if (auto min = index.getDefiningOp<arith::MinSIOp>()) {
    auto left = largest(min.getLhs()), right = largest(min.getRhs());
    return left && right ? std::min(left, right) : left ? left : right;
  }
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, index, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  if (failed(bound))
    return std::nullopt;
  int64_t known = *bound;
  return known;
}

/// Returns the most elements that a buffer without gaps has, by the bounds of
/// `dynamicSizes`; none if one is unbounded.
static std::optional<uint64_t> computeMaxElements(MemRefType type,
                                                  ValueRange dynamicSizes) {
  if (!type.getLayout().isIdentity())
    return std::nullopt;
  uint64_t elements = 1;
  auto multiply = [&](uint64_t extent) {
    bool overflows = false;
    elements = llvm::SaturatingMultiply(elements, extent, &overflows);
    return !overflows;
  };
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) && !multiply(extent))
      return std::nullopt;
  for (Value size : dynamicSizes) {
    std::optional<int64_t> extent = largest(size);
    if (!extent || *extent < 0 || !multiply(*extent))
      return std::nullopt;
  }
  return elements;
}

namespace {

/// Temporary buffer, and its slot in the workspace.
struct WorkspaceBuffer {
  Operation *allocation;
  MemRefType type;
  /// Parallel loop around the allocation, if threads share one: each thread has
  /// a slot of its own.
  scf::ForallOp shared;
  WorkspaceSlot slot;       ///< the first thread's
  uint64_t threadBytes = 0; ///< from the slot of a thread to the next one's
  /// The bytes and the offset by the kernel's sizes, if they decide; `slot` is
  /// unused then.
  AffineExpr dynamicBytes = {}, dynamicOffset = {};
};

/// Numbers of the ops of a function, in program order.
class OpOrder {
public:
  explicit OpOrder(Operation *function) {
    SmallVector<Operation *> ops;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      numbers[op] = {ops.size(), ops.size()};
      ops.push_back(op);
    });
    for (Operation *op : llvm::reverse(ArrayRef(ops).drop_front())) {
      uint64_t &last = numbers[op->getParentOp()].second;
      last = std::max(last, numbers[op].second);
    }
  }

  uint64_t first(Operation *op) const { return numbers.lookup(op).first; }
  /// Returns the number of the last op in the regions of `op`.
  uint64_t last(Operation *op) const { return numbers.lookup(op).second; }

private:
  llvm::DenseMap<Operation *, std::pair<uint64_t, uint64_t>> numbers;
};

} // namespace

/// Returns the innermost region around `op` that runs repeatedly and through
/// which another execution of `op` can access one of `aliases`; null if there
/// is none.
static Region *
findRegionOfEscape(Operation *op,
                   const BufferViewFlowAnalysis::ValueSetT &aliases) {
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion()) {
    Operation *parent = region->getParentOp();
    auto branch = dyn_cast<RegionBranchOpInterface>(parent);
    bool repeats =
        isa<LoopLikeOpInterface>(parent) ||
        (branch && branch.isRepetitiveRegion(region->getRegionNumber()));
    bool hasBlocks = !region->hasOneBlock();
    for (Value alias : aliases) {
      auto argument = dyn_cast<BlockArgument>(alias);
      if (repeats && (alias.getDefiningOp() == parent ||
                      (argument && argument.getParentRegion() == region)))
        return region;
      if (hasBlocks && argument && argument.getParentRegion() == region)
        return region;
    }
    if (isa<FunctionOpInterface>(parent))
      break;
  }
  return nullptr;
}

/// Returns true if `user` may let the address escape from alias analysis.
static bool mayEscapeThrough(Operation *user, Value alias) {
  if (auto store = dyn_cast<memref::StoreOp>(user))
    return store.getValueToStore() == alias;
  return isa<memref::ExtractAlignedPointerAsIndexOp, UnrealizedConversionCastOp,
             CallOpInterface>(user);
}

/// Returns true if the op runs the ops of its regions one after the other.
static bool isSequential(Operation *op) {
  return isa<RegionBranchOpInterface>(op) &&
         !op->hasTrait<OpTrait::HasParallelRegion>();
}

/// Returns the innermost region around the allocation whose ops run in program
/// order between the first and the last use of the memory; null if its address
/// may escape, or if the region is the function's with several blocks.
///
/// An allocation in a loop has new contents in each iteration. Therefore its
/// uses begin and end in the loop's body:
///
///     scf.for ... {
///       %x = memref.alloc()
///       linalg.exp ... outs(%x)   // first
///       linalg.exp ins(%x) ...    // last
///     }
static Region *
findRegionOfUses(const WorkspaceBuffer &buffer,
                 const BufferViewFlowAnalysis::ValueSetT &aliases) {
  Region *region = buffer.allocation->getParentRegion();
  for (Value alias : aliases)
    for (Operation *user : alias.getUsers()) {
      if (mayEscapeThrough(user, alias))
        return nullptr;
      while (!region->findAncestorOpInRegion(*user))
        region = region->getParentRegion();
    }
  Region *found = region;
  for (; region; region = region->getParentRegion()) {
    Operation *parent = region->getParentOp();
    if (isa<FunctionOpInterface>(parent))
      return found->hasOneBlock() ? found : nullptr;
    // Iterations of a shared loop have slots of their own.
    bool isOrdered = isSequential(parent) || parent == buffer.shared;
    if (!isOrdered || !found->hasOneBlock())
      found = region->getParentRegion();
  }
  return nullptr;
}

static void setLifetime(WorkspaceBuffer &buffer, const OpOrder &order,
                        const BufferViewFlowAnalysis::ValueSetT &aliases) {
  WorkspaceSlot &slot = buffer.slot;
  slot.first = 0;
  slot.last = UINT64_MAX;
  Region *region = findRegionOfUses(buffer, aliases);
  if (!region)
    return;
  uint64_t first = UINT64_MAX, last = 0;
  for (Value alias : aliases)
    for (Operation *user : alias.getUsers()) {
      if (isa<memref::DeallocOp>(user))
        continue;
      Operation *ancestor = region->findAncestorOpInRegion(*user);
      first = std::min(first, order.first(ancestor));
      last = std::max(last, order.last(ancestor));
    }
  slot.first = std::min(first, last);
  slot.last = last;
}

static LogicalResult refuse(Operation *allocation, Type type,
                            const Twine &reason) {
  return allocation->emitError()
         << "cannot allocate workspace of type " << type << reason.str();
}

static ValueRange getDynamicSizes(Operation *allocation) {
  if (auto alloca = dyn_cast<memref::AllocaOp>(allocation))
    return alloca.getDynamicSizes();
  return cast<memref::AllocOp>(allocation).getDynamicSizes();
}

/// Cores that write neighbouring lines stall each other if lines come in pairs.
static constexpr uint64_t threadAlignment = 128;

/// Assigns slots: those of a thread in a shared loop follow each other, and are
/// one slot among those of other buffers. Returns the slots of the workspace.
static SmallVector<WorkspaceSlot>
assignSlots(MutableArrayRef<WorkspaceBuffer> buffers, const OpOrder &order) {
  SmallVector<WorkspaceBuffer *> serial;
  llvm::MapVector<Operation *, SmallVector<WorkspaceBuffer *>> loops;
  SmallVector<WorkspaceSlot> slots;
  for (WorkspaceBuffer &buffer : buffers) {
    if (buffer.shared) {
      loops[buffer.shared].push_back(&buffer);
      continue;
    }
    serial.push_back(&buffer);
    slots.push_back(buffer.slot);
  }

  for (auto &[loop, members] : loops) {
    WorkspaceSlot all{0, bufferAlignment, order.first(loop), order.last(loop)};
    SmallVector<WorkspaceSlot> own;
    for (WorkspaceBuffer *member : members) {
      own.push_back(member->slot);
      all.alignment = std::max(all.alignment, member->slot.alignment);
      all.first = std::min(all.first, member->slot.first);
      all.last = std::max(all.last, member->slot.last);
    }
    uint64_t threadBytes = llvm::alignTo(
        assignOffsets(own), std::max(all.alignment, threadAlignment));
    for (auto [member, slot] : llvm::zip_equal(members, own)) {
      member->slot = slot;
      member->threadBytes = threadBytes;
    }
    all.bytes = threadBytes * getNumThreads(cast<scf::ForallOp>(loop));
    slots.push_back(all);
  }

  assignOffsets(slots);
  for (auto [buffer, slot] : llvm::zip(serial, slots))
    buffer->slot = slot;
  ArrayRef<WorkspaceSlot> ofLoops = ArrayRef(slots).drop_front(serial.size());
  for (auto [loop, slot] : llvm::zip_equal(loops, ofLoops))
    for (WorkspaceBuffer *member : loop.second)
      member->slot.offset += slot.offset;
  return slots;
}

/// Computes the offset of this thread's allocation in the workspace.
static Value createWorkspaceOffset(ImplicitLocOpBuilder &builder,
                                   const WorkspaceBuffer &buffer,
                                   const KernelSizes &sizes) {
  Value first =
      buffer.dynamicBytes
          ? sizes.evaluate(builder, buffer.dynamicOffset)
          : arith::ConstantIndexOp::create(builder, buffer.slot.offset)
                .getResult();
  scf::ForallOp shared = buffer.shared;
  if (!shared)
    return first;
  Value thread = createIterationOrdinal(builder, shared,
                                        shared.getInductionVars().front());
  Value bytes =
      buffer.dynamicBytes
          ? sizes.evaluate(builder, buffer.dynamicBytes)
          : arith::ConstantIndexOp::create(builder, buffer.threadBytes)
                .getResult();
  Value distance = arith::MulIOp::create(builder, thread, bytes);
  return arith::AddIOp::create(builder, first, distance);
}

/// Emits a remark with the size of the workspace, and what it is made of.
static void report(func::FuncOp function, ArrayRef<WorkspaceSlot> slots,
                   uint64_t numBuffers, uint64_t bytes) {
  uint64_t sum = 0;
  for (const WorkspaceSlot &slot : slots)
    sum += slot.bytes;
  using remark::metric;
  remark::analysis(function.getLoc(), remark::RemarkOpts::name("Workspace")
                                          .category("tonno-workspace")
                                          .function(function.getName()))
      << metric("Bytes", bytes) << metric("PeakBytes", computePeakBytes(slots))
      << metric("SumOfBytes", sum) << metric("Buffers", numBuffers);
}

namespace {

struct Workspace : tonno::impl::WorkspacePassBase<Workspace> {
  using WorkspacePassBase::WorkspacePassBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    IRRewriter rewriter(&getContext());
    resolveSizes(rewriter, getOperation());
    OpOrder order(getOperation());
    KernelSizes sizes(getOperation());
    SmallVector<WorkspaceBuffer> heap, stack, dynamic;
    if (failed(collect(heap, stack, dynamic, order, sizes)))
      return signalPassFailure();
    uint64_t stackBytes = 0;
    for (const WorkspaceBuffer &buffer : stack)
      stackBytes += buffer.slot.bytes *
                    (buffer.shared ? getNumThreads(buffer.shared) : 1);
    if (stackBytes > stackLimit)
      heap.append(std::exchange(stack, {}));
    getOperation().walk([](memref::DeallocOp op) { op.erase(); });
    moveToEntry(stack);
    if (!heap.empty() || !dynamic.empty())
      moveToArgument(heap, dynamic, order, sizes);
  }

private:
  LogicalResult collect(SmallVectorImpl<WorkspaceBuffer> &heap,
                        SmallVectorImpl<WorkspaceBuffer> &stack,
                        SmallVectorImpl<WorkspaceBuffer> &dynamic,
                        const OpOrder &order, const KernelSizes &sizes) {
    func::FuncOp function = getOperation();
    BufferViewFlowAnalysis flow(function);
    const DataLayout &layout =
        getAnalysis<DataLayoutAnalysis>().getAtOrAbove(function);
    return checkOps(function, [&](Operation *op) -> LogicalResult {
      if (!isa<memref::AllocOp, memref::AllocaOp>(op))
        return success();
      Value memory = op->getResult(0);
      auto type = cast<MemRefType>(memory.getType());
      bool isStatic = type.hasStaticShape();
      auto elements = isStatic ? computeSpan(type)
                               : computeMaxElements(type, getDynamicSizes(op));
      AffineExpr dynamicBytes =
          elements ? AffineExpr()
                   : sizes.computeBytes(type, getDynamicSizes(op), layout);
      if (!elements && !dynamicBytes)
        return refuse(op, type,
                      ", whose size is unknown at compile time; tile or pad to "
                      "a static shape, or bound the size by affine.min");
      if (type.getMemorySpace())
        return refuse(op, type, ": the host has no such memory space");
      auto aliases = flow.resolve(memory);
      if (Region *region = findRegionOfEscape(op, aliases)) {
        InFlightDiagnostic error =
            op->emitError()
            << "cannot reuse the workspace of type " << type
            << " in each iteration, since the previous one is still in use; "
               "write into the buffer of the iter_arg";
        error.attachNote(region->getParentOp()->getLoc())
            << "an iteration of this loop yields the buffer";
        return error;
      }
      uint64_t alignment = bufferAlignment;
      if (auto wanted = op->getAttrOfType<IntegerAttr>("alignment"))
        alignment = std::max(alignment, wanted.getValue().getZExtValue());
      scf::ForallOp shared = getEnclosingSharedLoop(op);
      if (dynamicBytes) {
        WorkspaceBuffer &buffer = dynamic.emplace_back();
        buffer.allocation = op;
        buffer.type = type;
        buffer.shared = shared;
        buffer.dynamicBytes = dynamicBytes;
        return success();
      }
      uint64_t bytes = llvm::SaturatingMultiply(
          *elements, getBytesInMemory(type.getElementType(), layout));
      if (bytes > mostBufferBytes)
        return refuse(op, type,
                      ", which is more than " + Twine(mostBufferBytes >> 40) +
                          " TiB");
      bytes = llvm::alignTo(std::max<uint64_t>(bytes, 1), bufferAlignment);
      WorkspaceBuffer buffer{op, type, shared, {bytes, alignment, 0, 0}};
      setLifetime(buffer, order, aliases);
      // Allocations that move to the entry block must have static sizes.
      bool isOnStack = isa<memref::AllocaOp>(op) && isStatic;
      (isOnStack ? stack : heap).push_back(buffer);
      return success();
    });
  }

  /// Moves stack allocations to the entry block, as the stack would grow in
  /// each iteration of a loop. An allocation in a parallel loop moves to the
  /// start of that loop's body, so that each thread has its own.
  void moveToEntry(ArrayRef<WorkspaceBuffer> stack) {
    Block &entry = getOperation().getBody().front();
    for (const WorkspaceBuffer &buffer : llvm::reverse(stack)) {
      scf::ForallOp shared = buffer.shared;
      Block &block = shared ? *shared.getBody() : entry;
      buffer.allocation->moveBefore(&block, block.begin());
    }
  }

  /// Buffers of dynamic sizes follow the others, and share no memory.
  void moveToArgument(SmallVectorImpl<WorkspaceBuffer> &heap,
                      MutableArrayRef<WorkspaceBuffer> dynamic,
                      const OpOrder &order, const KernelSizes &sizes) {
    func::FuncOp function = getOperation();
    SmallVector<WorkspaceSlot> slots = assignSlots(heap, order);
    uint64_t bytes = 0, alignment = bufferAlignment;
    for (const WorkspaceSlot &slot : slots) {
      bytes = std::max(bytes, slot.offset + slot.bytes);
      alignment = std::max(alignment, slot.alignment);
    }
    report(function, slots, heap.size(), bytes);
    AffineExpr all = getAffineConstantExpr(
        int64_t(llvm::alignTo(bytes, bufferAlignment)), &getContext());
    for (WorkspaceBuffer &buffer : dynamic) {
      buffer.dynamicOffset = all;
      all = all + buffer.dynamicBytes *
                      (buffer.shared ? getNumThreads(buffer.shared) : 1);
    }
    auto type = MemRefType::get(dynamic.empty() ? int64_t(bytes) : 1,
                                IntegerType::get(&getContext(), 8));
    (void)function.insertArgument(function.getNumArguments(), type, {},
                                  function.getLoc());
    Value workspace = function.getArguments().back();
    if (auto buffers = getKernelBuffers(function)) {
      buffers->push_back({type, alignment});
      if (!dynamic.empty())
        buffers->back().bytes = sizes.createMap(all);
      setKernelBuffers(function, *buffers);
    }

    heap.append(dynamic.begin(), dynamic.end());
    for (const WorkspaceBuffer &buffer : heap) {
      ImplicitLocOpBuilder builder(buffer.allocation->getLoc(),
                                   buffer.allocation);
      Value offset = createWorkspaceOffset(builder, buffer, sizes);
      bool isDense = buffer.type.getLayout().isIdentity();
      auto viewType = isDense
                          ? buffer.type
                          : MemRefType::get(int64_t(*computeSpan(buffer.type)),
                                            buffer.type.getElementType());
      Value view = memref::ViewOp::create(builder, viewType, workspace, offset,
                                          getDynamicSizes(buffer.allocation));
      if (!isDense) {
        int64_t start;
        SmallVector<int64_t> strides;
        (void)buffer.type.getStridesAndOffset(strides, start);
        view = memref::ReinterpretCastOp::create(
            builder, buffer.type, view, start, buffer.type.getShape(), strides);
      }
      buffer.allocation->getResult(0).replaceAllUsesWith(view);
      buffer.allocation->erase();
    }
  }
};

} // namespace
