//===- Ops that become one GPU kernel -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelGroup.h"

#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tonno;

/// The allocation or argument that a buffer is, or is a view of.
static Value baseOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// Whether the op, or one in it, has a buffer of this base for an operand.
static bool touches(Operation *op, Value base) {
  return op
      ->walk([&](Operation *nested) {
        bool hasIt = llvm::any_of(nested->getOperands(), [&](Value operand) {
          return isa<BaseMemRefType>(operand.getType()) &&
                 baseOf(operand) == base;
        });
        return hasIt ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Loads from an argument that nobody writes, wherever it stands.
static bool isScalarArgument(Operation *op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  return load && isa<BlockArgument>(load.getMemRef()) &&
         llvm::all_of(load.getMemRef().getUsers(), [](Operation *user) {
           return isa<memref::LoadOp>(user);
         });
}

/// Neither reads nor writes: it may be moved to where its result is used.
static bool isPassive(Operation *op) {
  return isMemoryEffectFree(op) || isa<memref::AllocOp, memref::DeallocOp>(op);
}

/// Whether the op is one that a group can have beside others.
static bool isStructured(linalg::LinalgOp op) {
  return op.hasPureBufferSemantics() && hasProjectedMaps(op) &&
         hasScalarPayload(op);
}

namespace {

/// Takes a function's ops in order and forms groups of them.
class Grouper {
public:
  explicit Grouper(Block &block) : block(block) {}

  std::vector<KernelPart> run();

private:
  void add(linalg::LinalgOp op);
  bool join(linalg::LinalgOp op);
  bool begin(linalg::LinalgOp op);
  std::optional<SmallVector<unsigned>> dimsFor(linalg::LinalgOp op);
  bool isCompatible(linalg::LinalgOp op, ArrayRef<unsigned> dims);
  void append(linalg::LinalgOp op, ArrayRef<unsigned> dims);
  Source sourceOf(OpOperand &operand);
  bool isInitOfNext(linalg::FillOp fill);
  bool isReadLater(Value buffer, Operation *last);
  void close();

  /// How the group has touched a buffer so far.
  struct Use {
    AffineMap map; ///< from the group's space
    bool isWritten;
    size_t op = 0;
    unsigned output = 0;
  };

  Block &block;
  std::vector<KernelPart> parts;
  std::optional<KernelGroup> group;
  llvm::DenseMap<Value, SmallVector<Use>> uses; ///< of the group
  /// The fill that gives an output its first contents.
  llvm::DenseMap<Value, linalg::FillOp> pendingFills;
};

} // namespace

/// The map of an operand with the group's dimensions for the op's loops.
static AffineMap inSpace(AffineMap map, ArrayRef<unsigned> dims,
                         size_t numDims) {
  SmallVector<AffineExpr> loops;
  for (unsigned dim : dims)
    loops.push_back(getAffineDimExpr(dim, map.getContext()));
  return map.replaceDimsAndSymbols(loops, {}, numDims, 0);
}

/// Whether the next op that touches what is filled begins with that.
bool Grouper::isInitOfNext(linalg::FillOp fill) {
  Value buffer = fill.getOutputs().front();
  Value base = baseOf(buffer);
  for (Operation *op = fill->getNextNode(); op; op = op->getNextNode()) {
    if (isPassive(op) || !touches(op, base))
      continue;
    auto next = dyn_cast<linalg::LinalgOp>(op);
    if (!next || isa<linalg::FillOp>(op))
      return false;
    auto isBase = [&](Value value) {
      return isa<BaseMemRefType>(value.getType()) && baseOf(value) == base;
    };
    return llvm::none_of(next.getDpsInputs(), isBase) &&
           llvm::count_if(next.getDpsInits(), isBase) == 1 &&
           llvm::is_contained(next.getDpsInits(), buffer);
  }
  return false;
}

std::vector<KernelPart> Grouper::run() {
  for (Operation &op : block.without_terminator()) {
    if (auto fill = dyn_cast<linalg::FillOp>(op); fill && isInitOfNext(fill)) {
      pendingFills[fill.getOutputs().front()] = fill;
      continue;
    }
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      add(linalgOp);
      continue;
    }
    if (isPassive(&op) || isScalarArgument(&op))
      continue;
    close();
    auto *others = parts.empty()
                       ? nullptr
                       : std::get_if<SmallVector<Operation *>>(&parts.back());
    if (others)
      others->push_back(&op);
    else
      parts.push_back(SmallVector<Operation *>{&op});
  }
  close();
  return std::move(parts);
}

void Grouper::add(linalg::LinalgOp op) {
  if (group && join(op))
    return;
  close();
  if (begin(op))
    return;
  // One of another form stands alone.
  group.emplace();
  group->extents = op.getStaticLoopRanges();
  append(op, llvm::to_vector(llvm::seq<unsigned>(op.getNumLoops())));
  close();
}

bool Grouper::begin(linalg::LinalgOp op) {
  if (!isStructured(op))
    return false;
  KernelGroup fresh;
  fresh.extents = op.getStaticLoopRanges();
  if (isSharedContraction(op)) {
    fresh.kind = KernelGroup::Kind::contraction;
  } else {
    auto loop = findReductionLoop(op);
    if (failed(loop))
      return false;
    fresh.kind = KernelGroup::Kind::tiles;
    fresh.reduced = *loop;
  }
  group = std::move(fresh);
  append(op, llvm::to_vector(llvm::seq<unsigned>(op.getNumLoops())));
  return true;
}

/// The dimensions of the group's space that the op's loops run over.
std::optional<SmallVector<unsigned>> Grouper::dimsFor(linalg::LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(group->extents.size()));
  if (group->kind == KernelGroup::Kind::contraction) {
    // The loops that the output has, in its order.
    linalg::LinalgOp root = group->ops.front().op;
    AffineMap output =
        inSpace(root.getMatchingIndexingMap(root.getDpsInitOperand(0)),
                group->ops.front().dims, all.size());
    all.clear();
    for (AffineExpr result : output.getResults())
      all.push_back(cast<AffineDimExpr>(result).getPosition());
  } else if (extents.size() + 1 == all.size() && group->reduced) {
    all.erase(all.begin() + *group->reduced);
  }
  if (extents.size() != all.size())
    return std::nullopt;
  for (auto [extent, dim] : llvm::zip_equal(extents, all))
    if (extent != group->extents[dim])
      return std::nullopt;
  return all;
}

/// Whether no thread of the group meets another's half-done work: a buffer that
/// the group writes is only touched at the same point of the space.
bool Grouper::isCompatible(linalg::LinalgOp op, ArrayRef<unsigned> dims) {
  size_t numDims = group->extents.size();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AffineMap map = inSpace(op.getMatchingIndexingMap(&operand), dims, numDims);
    bool isOutput = op.isDpsInit(&operand);
    Value base = baseOf(operand.get());
    // Of a row, one thread writes what others may still have to read.
    bool isRow = group->reduced && !map.isFunctionOfDim(*group->reduced);
    if (isOutput && isRow && llvm::any_of(op.getDpsInputs(), [&](Value input) {
          return isa<MemRefType>(input.getType()) && baseOf(input) == base;
        }))
      return false;
    for (auto &[buffer, touched] : uses) {
      if (baseOf(buffer) != base)
        continue;
      for (const Use &use : touched) {
        if (!isOutput && !use.isWritten)
          continue;
        if (buffer != operand.get() || use.map != map)
          return false;
        if (isRow && isOutput && !use.isWritten)
          return false;
      }
    }
  }
  return true;
}

bool Grouper::join(linalg::LinalgOp op) {
  if (op->hasAttr(TonnoDialect::kLoweringConfig) &&
      llvm::any_of(group->ops, [](const GroupedOp &member) {
        return member.op->hasAttr(TonnoDialect::kLoweringConfig);
      }))
    return false;
  if (!isStructured(op) || isSharedContraction(op))
    return false;
  auto loop = findReductionLoop(op);
  if (failed(loop))
    return false;
  auto dims = dimsFor(op);
  if (!dims)
    return false;
  if (group->kind == KernelGroup::Kind::contraction) {
    // What the sums' threads don't need should not wait for them.
    bool usesSums = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *in) {
      auto found = uses.find(in->get());
      return found != uses.end() &&
             llvm::any_of(found->second,
                          [](const Use &use) { return use.isWritten; });
    });
    if (*loop || !usesSums)
      return false;
  } else if (*loop) {
    unsigned reduced = (*dims)[**loop];
    if (group->reduced && *group->reduced != reduced)
      return false;
    // Until now all was elementwise; from now on rows are shared by threads.
    auto previous = std::exchange(group->reduced, reduced);
    if (isCompatible(op, *dims)) {
      append(op, *dims);
      return true;
    }
    group->reduced = previous;
    return false;
  }
  if (!isCompatible(op, *dims))
    return false;
  append(op, *dims);
  return true;
}

Source Grouper::sourceOf(OpOperand &operand) {
  Value value = operand.get();
  if (!isa<MemRefType>(value.getType()))
    return {Source::Kind::constant, value};
  auto found = uses.find(value);
  if (found != uses.end())
    for (const Use &use : llvm::reverse(found->second))
      if (use.isWritten)
        return {Source::Kind::result, value, use.op, use.output};
  return {Source::Kind::memory, value};
}

void Grouper::append(linalg::LinalgOp op, ArrayRef<unsigned> dims) {
  GroupedOp member;
  member.op = op;
  member.dims.assign(dims.begin(), dims.end());
  llvm::SmallDenseSet<OpOperand *> fromMemory;
  for (OpOperand *input : op.getDpsInputOperands()) {
    member.inputs.push_back(sourceOf(*input));
    if (member.inputs.back().kind == Source::Kind::memory)
      fromMemory.insert(input);
  }
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto fill = pendingFills.find(init.get());
    if (fill == pendingFills.end()) {
      member.inits.push_back(sourceOf(init));
      continue;
    }
    member.inits.push_back(
        {Source::Kind::constant, fill->second.getInputs().front()});
    group->absorbed.push_back(fill->second);
    pendingFills.erase(fill);
  }
  size_t position = group->ops.size(), numDims = group->extents.size();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AffineMap map = inSpace(op.getMatchingIndexingMap(&operand), dims, numDims);
    unsigned output = 0;
    bool isOutput = op.isDpsInit(&operand);
    if (!isOutput && !fromMemory.contains(&operand))
      continue; // it stays in registers
    if (isOutput)
      output = operand.getOperandNumber() -
               op.getDpsInitOperand(0)->getOperandNumber();
    uses[operand.get()].push_back({map, isOutput, position, output});
  }
  group->ops.push_back(std::move(member));
}

/// Whether anything behind `last` reads the buffer, or its caller may.
bool Grouper::isReadLater(Value buffer, Operation *last) {
  Value base = baseOf(buffer);
  if (!base.getDefiningOp<memref::AllocOp>())
    return true;
  for (Operation *op = last->getNextNode(); op; op = op->getNextNode())
    if (!isPassive(op) && touches(op, base))
      return true;
  return false;
}

void Grouper::close() {
  if (!group)
    return;
  Operation *last = group->ops.back().op;
  for (auto [i, member] : llvm::enumerate(group->ops))
    for (OpOperand &init : member.op.getDpsInitsMutable()) {
      // Only the last value of a buffer is seen from outside.
      bool isLast = llvm::all_of(uses[init.get()], [&](const Use &use) {
        return !use.isWritten || use.op <= i;
      });
      member.isStored.push_back(isLast && isReadLater(init.get(), last));
    }
  parts.push_back(std::move(*group));
  group.reset();
  uses.clear();
}

std::vector<KernelPart> tonno::findParts(func::FuncOp function) {
  return Grouper(function.getBody().front()).run();
}
