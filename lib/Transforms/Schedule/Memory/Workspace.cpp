//===- Pass allocations as one workspace argument -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/LaunchPlan.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/Threads/ShareLoops.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Analysis/DataLayoutAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
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

/// Temporary buffer, and its offset in the workspace.
struct WorkspaceBuffer {
  Operation *allocation;
  MemRefType type;
  uint64_t bytes, alignment; ///< bytes of all threads
  /// Parallel loop around the allocation, if threads share one: each thread has
  /// a copy of the buffer.
  scf::ForallOp shared;
  uint64_t placeBytes; ///< of one thread
  /// The first and the last op of the function's body that may use it.
  uint64_t first, last;
  uint64_t offset = 0;

  bool hasOverlappingLifetime(const WorkspaceBuffer &other) const {
    return first <= other.last && other.first <= last;
  }
  bool overlaps(const WorkspaceBuffer &other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
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

/// Sets from where to where in the function's only block the memory is used.
static void setLifetime(WorkspaceBuffer &scratch, Region &body,
                        const llvm::DenseMap<Operation *, uint64_t> &positions,
                        const BufferViewFlowAnalysis::ValueSetT &aliases) {
  scratch.first = 0;
  scratch.last = UINT64_MAX;
  if (!body.hasOneBlock())
    return;
  uint64_t first = UINT64_MAX, last = 0;
  for (Value alias : aliases)
    for (Operation *user : alias.getUsers()) {
      if (isa<memref::DeallocOp>(user))
        continue;
      if (mayEscapeThrough(user, alias))
        return;
      uint64_t position = positions.at(body.findAncestorOpInRegion(*user));
      first = std::min(first, position);
      last = std::max(last, position);
    }
  scratch.first = std::min(first, last);
  scratch.last = last;
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

static uint64_t sizeInMemory(Type element, const DataLayout &layout) {
  return llvm::alignTo(layout.getTypeSize(element).getFixedValue(),
                       layout.getTypeABIAlignment(element));
}

/// Cores that write neighbouring lines stall each other if lines come in pairs.
static constexpr uint64_t threadAlignment = 128;

/// Assigns offsets: large buffers first, each at the lowest offset that no
/// buffer with an overlapping lifetime occupies. Returns the total size in
/// bytes.
static uint64_t place(MutableArrayRef<WorkspaceBuffer> scratch) {
  SmallVector<WorkspaceBuffer *> order;
  for (WorkspaceBuffer &one : scratch)
    order.push_back(&one);
  llvm::sort(order, [](WorkspaceBuffer *a, WorkspaceBuffer *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });
  uint64_t end = 0;
  for (auto [i, one] : llvm::enumerate(order)) {
    auto placed = ArrayRef(order).take_front(i);
    auto isInWay = [&, one = one](WorkspaceBuffer *other) {
      return one->hasOverlappingLifetime(*other) && one->overlaps(*other);
    };
    for (auto other = llvm::find_if(placed, isInWay); other != placed.end();
         other = llvm::find_if(placed, isInWay))
      one->offset =
          llvm::alignTo((*other)->offset + (*other)->bytes, one->alignment);
    end = std::max(end, one->offset + one->bytes);
  }
  return end;
}

/// Computes the offset of this thread's allocation in the workspace.
static Value createWorkspaceOffset(ImplicitLocOpBuilder &builder,
                                   const WorkspaceBuffer &scratch) {
  Value first = arith::ConstantIndexOp::create(builder, scratch.offset);
  scf::ForallOp shared = scratch.shared;
  if (!shared)
    return first;
  Value thread = createIterationOrdinal(builder, shared,
                                        shared.getInductionVars().front());
  Value place = arith::ConstantIndexOp::create(builder, scratch.placeBytes);
  Value distance = arith::MulIOp::create(builder, thread, place);
  return arith::AddIOp::create(builder, first, distance);
}

namespace {

struct Workspace : tonno::impl::WorkspacePassBase<Workspace> {
  using WorkspacePassBase::WorkspacePassBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    SmallVector<WorkspaceBuffer> heap, stack;
    if (failed(collect(heap, stack)))
      return signalPassFailure();
    uint64_t stackBytes = 0;
    for (const WorkspaceBuffer &scratch : stack)
      stackBytes += scratch.bytes;
    if (stackBytes > stackLimit)
      heap.append(std::exchange(stack, {}));
    getOperation().walk([](memref::DeallocOp op) { op.erase(); });
    moveToEntry(stack);
    if (!heap.empty())
      moveToArgument(heap);
  }

private:
  LogicalResult collect(SmallVectorImpl<WorkspaceBuffer> &heap,
                        SmallVectorImpl<WorkspaceBuffer> &stack) {
    func::FuncOp function = getOperation();
    BufferViewFlowAnalysis flow(function);
    const DataLayout &layout =
        getAnalysis<DataLayoutAnalysis>().getAtOrAbove(function);
    llvm::DenseMap<Operation *, uint64_t> positions;
    for (Operation &op : function.getBody().front())
      positions[&op] = positions.size();

    return checkOps(function, [&](Operation *op) -> LogicalResult {
      if (!isa<memref::AllocOp, memref::AllocaOp>(op))
        return success();
      Value memory = op->getResult(0);
      auto type = cast<MemRefType>(memory.getType());
      bool isStatic = type.hasStaticShape();
      auto elements = isStatic ? computeSpan(type)
                               : computeMaxElements(type, getDynamicSizes(op));
      if (!elements)
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
      uint64_t bytes = llvm::SaturatingMultiply(
          *elements, sizeInMemory(type.getElementType(), layout));
      if (bytes > mostBufferBytes)
        return refuse(op, type,
                      ", which is more than " + Twine(mostBufferBytes >> 40) +
                          " TiB");
      uint64_t place = llvm::alignTo(std::max<uint64_t>(bytes, 1), 64);
      scf::ForallOp shared = getEnclosingSharedLoop(op);
      if (shared)
        place = llvm::alignTo(place, std::max(alignment, threadAlignment));
      uint64_t threads = shared ? getNumThreads(shared) : 1;
      WorkspaceBuffer scratch{
          op, type, place * threads, alignment, shared, place, 0, 0};
      setLifetime(scratch, function.getBody(), positions, aliases);
      // Allocations that move to the entry block must have static sizes.
      bool isOnStack = isa<memref::AllocaOp>(op) && isStatic;
      (isOnStack ? stack : heap).push_back(scratch);
      return success();
    });
  }

  /// Moves stack allocations to the entry block, as the stack would grow in
  /// each iteration of a loop. An allocation in a parallel loop moves to the
  /// start of that loop's body, so that each thread has its own.
  void moveToEntry(ArrayRef<WorkspaceBuffer> stack) {
    Block &entry = getOperation().getBody().front();
    for (const WorkspaceBuffer &scratch : llvm::reverse(stack)) {
      scf::ForallOp shared = scratch.shared;
      Block &block = shared ? *shared.getBody() : entry;
      scratch.allocation->moveBefore(&block, block.begin());
    }
  }

  void moveToArgument(MutableArrayRef<WorkspaceBuffer> heap) {
    func::FuncOp function = getOperation();
    uint64_t bytes = place(heap), alignment = bufferAlignment;
    for (const WorkspaceBuffer &scratch : heap)
      alignment = std::max(alignment, scratch.alignment);
    auto type =
        MemRefType::get(int64_t(bytes), IntegerType::get(&getContext(), 8));
    (void)function.insertArgument(function.getNumArguments(), type, {},
                                  function.getLoc());
    Value workspace = function.getArguments().back();
    if (auto buffers = getKernelBuffers(function)) {
      buffers->push_back({type, alignment});
      setKernelBuffers(function, *buffers);
    }

    for (const WorkspaceBuffer &scratch : heap) {
      ImplicitLocOpBuilder builder(scratch.allocation->getLoc(),
                                   scratch.allocation);
      Value offset = createWorkspaceOffset(builder, scratch);
      bool isDense = scratch.type.getLayout().isIdentity();
      auto viewType = isDense
                          ? scratch.type
                          : MemRefType::get(int64_t(*computeSpan(scratch.type)),
                                            scratch.type.getElementType());
      Value view = memref::ViewOp::create(builder, viewType, workspace, offset,
                                          getDynamicSizes(scratch.allocation));
      if (!isDense) {
        int64_t start;
        SmallVector<int64_t> strides;
        (void)scratch.type.getStridesAndOffset(strides, start);
        view = memref::ReinterpretCastOp::create(builder, scratch.type, view,
                                                 start, scratch.type.getShape(),
                                                 strides);
      }
      scratch.allocation->getResult(0).replaceAllUsesWith(view);
      scratch.allocation->erase();
    }
  }
};

} // namespace
