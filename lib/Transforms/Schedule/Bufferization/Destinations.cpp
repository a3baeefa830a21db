//===- Destination buffers of tensors -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Bufferization/Destinations.h"
#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/Walks.h"
#include "Schedule/Tiling/LinalgForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tonno;

bool tonno::isDestination(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(user))
    return destinationStyle.isDpsInit(&use);
  if (auto scatter = dyn_cast<tensor::ScatterOp>(user))
    return use == scatter.getDestMutable();
  auto loop = dyn_cast<LoopLikeOpInterface>(user);
  return loop && llvm::any_of(loop.getInitsMutable(),
                              [&](OpOperand &init) { return &init == &use; });
}

OpOperand *tonno::getDestinationOperand(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return nullptr;
  Operation *op = result.getOwner();
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op))
    return destinationStyle.getTiedOpOperand(result);
  if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op))
    return &insertion.getDestMutable();
  if (auto insertion = dyn_cast<tensor::InsertOp>(op))
    return &insertion.getDestMutable();
  if (auto scatter = dyn_cast<tensor::ScatterOp>(op))
    return &scatter.getDestMutable();
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  // An scf.while may have more results than values that it begins with.
  if (!loop || result.getResultNumber() >= loop.getInits().size())
    return nullptr;
  OpOperand *init = loop.getTiedLoopInit(result);
  return init && init->get().getType() == value.getType() ? init : nullptr;
}

/// Returns the operands whose buffers may be that of `value`: its destination,
/// the source of a view, or the values yielded by branches. Empty if the buffer
/// is new.
static SmallVector<OpOperand *> getAliasingOperands(Value value) {
  if (OpOperand *destination = getDestinationOperand(value))
    return {destination};
  Operation *op = value.getDefiningOp();
  if (viewSource(value))
    return {&op->getOpOperand(0)};
  if (auto select = dyn_cast_if_present<arith::SelectOp>(op))
    return {&select.getTrueValueMutable(), &select.getFalseValueMutable()};
  if (auto loop = dyn_cast_if_present<scf::WhileOp>(op)) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    if (i < loop.getInits().size())
      return {&loop.getInitsMutable()[i]};
  }
  SmallVector<OpOperand *> yielded;
  if (isa_and_present<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op))
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (isa<scf::YieldOp>(block.getTerminator()))
          yielded.push_back(&block.getTerminator()->getOpOperand(
              cast<OpResult>(value).getResultNumber()));
  return yielded;
}

static bool isDirectAlias(Value value, Value other) {
  OpOperand *destination = getDestinationOperand(value);
  return viewSource(value) == other ||
         (destination && destination->get() == other);
}

/// Returns the operands that are overwritten, in order, until `value` is
/// computed in the buffer of `place`; none if it is computed in another buffer.
static std::optional<SmallVector<OpOperand *>> findWritesBetween(Value place,
                                                                 Value value) {
  SmallVector<OpOperand *> writes;
  while (value != place) {
    OpOperand *destination = getDestinationOperand(value);
    if (!destination)
      return std::nullopt;
    writes.push_back(destination);
    value = destination->get();
  }
  std::reverse(writes.begin(), writes.end());
  return writes;
}

/// Returns true if all other uses of the overwritten tensor are writes into
/// parts of it, also once loops are created around them.
static bool isOnlyWritten(OpOperand &written) {
  Operation *writer = written.getOwner();
  return llvm::all_of(written.get().getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return use == written || (isa<tensor::ExtractSliceOp>(user) &&
                              user->getBlock() == writer->getBlock() &&
                              llvm::all_of(user->getUses(), isDestination));
  });
}

static bool isDoneBefore(Value value, Operation *writer);

/// Returns the scf.if whose results `terminator` yields; null for other ops.
static scf::IfOp getYieldingIf(Operation *terminator) {
  return isa<scf::YieldOp>(terminator)
             ? dyn_cast<scf::IfOp>(terminator->getParentOp())
             : scf::IfOp();
}

/// Returns true if `a` and `b` are in different branches of one scf.if.
static bool areInDifferentBranches(Operation *a, Operation *b) {
  auto branch = a->getParentOfType<scf::IfOp>();
  for (; branch; branch = branch->getParentOfType<scf::IfOp>())
    if (branch->isProperAncestor(b))
      break;
  if (!branch)
    return false;
  Region &then = branch.getThenRegion();
  return then.isAncestor(a->getParentRegion()) !=
         then.isAncestor(b->getParentRegion());
}

/// Returns true if `user`, and every reader of the result that `user` leaves in
/// the buffer of `value`, runs before `writer`.
static bool isDoneBefore(Operation *user, Value value, Operation *writer) {
  if (areInDifferentBranches(user, writer))
    return true;
  // Loop-carried values are written by ops in the loop's body and in its
  // branches.
  Operation *beside = nullptr, *around = writer;
  while (around && !(beside = around->getBlock()->findAncestorOpInBlock(*user)))
    around = dyn_cast<scf::IfOp>(around->getParentOp());
  if (!beside || !beside->isBeforeInBlock(around))
    return false;
  if (scf::IfOp branch = getYieldingIf(user))
    return llvm::all_of(user->getOpOperands(), [&](OpOperand &yielded) {
      return yielded.get() != value ||
             isDoneBefore(branch.getResult(yielded.getOperandNumber()), writer);
    });
  return llvm::all_of(user->getResults(), [&](Value result) {
    return !isDirectAlias(result, value) || isDoneBefore(result, writer);
  });
}

/// Returns true if all users of `value` are done before `writer`; a slice
/// computed in the buffer may be inserted by `writer` itself.
static bool isDoneBefore(Value value, Operation *writer) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == writer ? isa<tensor::InsertSliceOp>(user) &&
                                getDestinationOperand(value)
                          : isDoneBefore(user, value, writer);
  });
}

/// Returns true if no op but the writer itself, element by element, reads the
/// overwritten contents once the writer has begun.
static bool isOverwritten(OpOperand &written) {
  Operation *writer = written.getOwner();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(writer);
  bool isElementwise = linalgOp && linalgOp.getNumReductionLoops() == 0;
  return llvm::all_of(written.get().getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == writer)
      return use == written ||
             (isElementwise &&
              linalgOp.getMatchingIndexingMap(&use).isIdentity() &&
              linalgOp.getMatchingIndexingMap(&written).isIdentity());
    if (auto kept = dyn_cast<bufferization::MaterializeInDestinationOp>(user))
      return use == kept.getDestMutable();
    return isDoneBefore(user, use.get(), writer);
  });
}

static bool isLoop(OpOperand *written) {
  return isa<LoopLikeOpInterface>(written->getOwner());
}

Value tonno::copyTensor(OpBuilder &builder, Location loc, Value value) {
  return bufferization::AllocTensorOp::create(
      builder, loc, cast<RankedTensorType>(value.getType()), ValueRange(),
      value);
}

Value tonno::writeInto(OpBuilder &builder, Location loc, Value value,
                       Value place) {
  return bufferization::MaterializeInDestinationOp::create(builder, loc, value,
                                                           place)
      .getResult();
}

void tonno::forEachForwardingTerminator(
    Operation *op, function_ref<void(Block::BlockArgListType,
                                     MutableArrayRef<OpOperand>, Operation *)>
                       visit) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Operation *yield = loop.getBody()->getTerminator();
    visit(loop.getRegionIterArgs(), yield->getOpOperands(), yield);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    scf::ConditionOp condition = loop.getConditionOp();
    visit(loop.getBeforeArguments(), condition->getOpOperands().drop_front(),
          condition);
    visit(loop.getAfterArguments(), loop.getYieldOp()->getOpOperands(),
          loop.getYieldOp());
  }
}

/// Copies what a loop is the first to write over although it is read later,
/// which bufferisation refuses. It makes copies before other ops itself.
static void copyBeforeLoop(ArrayRef<OpOperand *> writes) {
  for (OpOperand *written : writes) {
    if (isOverwritten(*written))
      continue;
    if (isLoop(written)) {
      OpBuilder builder(written->getOwner());
      written->set(
          copyTensor(builder, written->getOwner()->getLoc(), written->get()));
    }
    return;
  }
}

/// Returns the first of `carried` in whose memory `value` may lie, if any.
static std::optional<size_t>
findAliasingArgument(Value value, ArrayRef<BlockArgument> carried) {
  if (auto it = llvm::find(carried, value); it != carried.end())
    return it - carried.begin();
  std::optional<size_t> first;
  for (OpOperand *operand : getAliasingOperands(value))
    if (auto place = findAliasingArgument(operand->get(), carried))
      first = std::min(*place, first.value_or(*place));
  return first;
}

namespace {

/// Yielded value, and the block argument that receives it.
struct ForwardedOperand {
  BlockArgument place;
  OpOperand *value;

  bool shouldWriteBack() const {
    return isa<RankedTensorType>(place.getType()) &&
           place.getType() == value->get().getType() && value->get() != place;
  }
};

} // namespace

static void writeBackForwarded(ArrayRef<ForwardedOperand> forwarded,
                               Operation *terminator);

/// Moves the write-backs of values that an scf.if yields into its branches, so
/// that a branch without changes writes nothing, unless the buffer is read
/// later. Returns the other values.
static SmallVector<ForwardedOperand>
writeBackInBranches(ArrayRef<ForwardedOperand> forwarded) {
  llvm::MapVector<Operation *, SmallVector<ForwardedOperand>> branches;
  SmallVector<ForwardedOperand> others;
  for (const ForwardedOperand &one : forwarded) {
    if (!one.shouldWriteBack())
      continue;
    auto branch = one.value->get().getDefiningOp<scf::IfOp>();
    bool isDone =
        branch && llvm::all_of(one.place.getUsers(), [&](Operation *user) {
          return branch->isProperAncestor(user) ||
                 isDoneBefore(user, one.place, branch);
        });
    if (isDone &&
        llvm::none_of(branches[branch], [&](const ForwardedOperand &other) {
          return other.value->get() == one.value->get();
        }))
      branches[branch].push_back(one);
    else
      others.push_back(one);
  }
  for (auto &[op, handed] : branches)
    for (scf::YieldOp yield :
         {cast<scf::IfOp>(op).thenYield(), cast<scf::IfOp>(op).elseYield()}) {
      SmallVector<ForwardedOperand> inBranch;
      for (const ForwardedOperand &one : handed) {
        auto result = cast<OpResult>(one.value->get());
        inBranch.push_back(
            {one.place, &yield->getOpOperand(result.getResultNumber())});
      }
      writeBackForwarded(inBranch, yield);
    }
  return others;
}

/// Writes what `terminator` yields into the block argument it becomes.
static void writeBackForwarded(ArrayRef<ForwardedOperand> forwarded,
                               Operation *terminator) {
  OpBuilder builder(terminator);
  Location loc = terminator->getLoc();
  SmallVector<BlockArgument> places;
  for (const ForwardedOperand &one : forwarded)
    places.push_back(one.place);
  SmallVector<ForwardedOperand> kept = writeBackInBranches(forwarded);
  // A value yielded to several arguments is read from the first one.
  SmallVector<Value> values = llvm::map_to_vector(
      kept, [](const ForwardedOperand &one) { return one.value->get(); });
  // A value in the buffer of another argument is lost once that buffer is
  // written.
  llvm::SmallPtrSet<Value, 4> seen;
  for (const ForwardedOperand &one : kept) {
    Value value = one.value->get();
    std::optional<size_t> from = findAliasingArgument(value, places);
    if (seen.insert(value).second && from && places[*from] != one.place &&
        llvm::is_contained(ArrayRef(places).drop_front(*from), one.place))
      one.value->set(copyTensor(builder, loc, value));
  }
  llvm::DenseMap<Value, Value> first;
  for (auto [one, value] : llvm::zip_equal(kept, values)) {
    if (Value before = first.lookup(value))
      one.value->set(before);
    auto writes = findWritesBetween(one.place, one.value->get());
    // Passes make no loops around loops, so what reads before one stays there.
    bool isThere = writes && llvm::all_of(*writes, [](OpOperand *written) {
                     return isOnlyWritten(*written) ||
                            (isLoop(written) && isOverwritten(*written));
                   });
    if (!isThere) {
      if (writes)
        copyBeforeLoop(*writes);
      one.value->set(writeInto(builder, loc, one.value->get(), one.place));
    }
    first.try_emplace(value, one.value->get());
  }
}

void tonno::writeBackIterArgs(func::FuncOp kernel) {
  kernel.walk([](Operation *op) {
    // An scf.while is bufferized in place if each argument is forwarded in its
    // own position.
    forEachForwardingTerminator(
        op, [](auto places, auto forwarded, Operation *terminator) {
          SmallVector<ForwardedOperand> pairs;
          for (auto [place, value] : llvm::zip(places, forwarded))
            pairs.push_back({place, &value});
          writeBackForwarded(pairs, terminator);
        });
  });
}

void tonno::removeRedundantWriteBacks(func::FuncOp kernel) {
  kernel.walk([](bufferization::MaterializeInDestinationOp kept) {
    if (kept->getNumResults() == 0)
      return;
    auto writes = findWritesBetween(kept.getDest(), kept.getSource());
    if (!writes)
      return;
    if (!llvm::all_of(*writes,
                      [](OpOperand *write) { return isOverwritten(*write); }))
      return copyBeforeLoop(*writes);
    kept.getResult().replaceAllUsesWith(kept.getSource());
    kept.erase();
  });
}

/// Returns the tensor.empty of a value, also behind a fill; null for others.
static Operation *findEmptyTensor(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto fill = dyn_cast_if_present<linalg::FillOp>(op))
    op = fill.getOutputs().front().getDefiningOp();
  return dyn_cast_if_present<tensor::EmptyOp>(op);
}

/// Clones `empty`, with its fill if there is one, as the operand of `use`.
static void cloneEmptyTensor(OpBuilder &builder, OpOperand &use,
                             Operation *empty) {
  builder.setInsertionPoint(use.getOwner());
  IRMapping mapping;
  builder.clone(*empty, mapping);
  if (Operation *begun = use.get().getDefiningOp(); begun != empty)
    builder.clone(*begun, mapping);
  use.set(mapping.lookup(use.get()));
}

void tonno::cloneSharedInits(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  kernel.walk([&](DestinationStyleOpInterface op) {
    llvm::SmallPtrSet<Operation *, 4> taken;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Operation *empty = findEmptyTensor(init.get());
      if (empty && !taken.insert(empty).second)
        cloneEmptyTensor(builder, init, empty);
    }
  });
}

/// Returns true if the elements of the operand are copied to another tensor, or
/// written over.
static bool isCopied(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto insertion = dyn_cast<tensor::InsertOp>(user))
    return use == insertion.getDestMutable();
  return isDestination(use) || user->hasTrait<OpTrait::ReturnLike>() ||
         isa<tensor::ConcatOp, tensor::InsertSliceOp,
             tensor::ParallelInsertSliceOp>(user);
}

void tonno::fillConstantDestinations(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  kernel.walk([&](arith::ConstantOp constant) {
    auto numbers = dyn_cast<SplatElementsAttr>(constant.getValue());
    auto type = dyn_cast<RankedTensorType>(constant.getType());
    if (!numbers || !type || type.getRank() == 0)
      return;
    auto number = dyn_cast<TypedAttr>(numbers.getSplatValue<Attribute>());
    if (!number) // complex
      return;
    for (OpOperand &use : llvm::make_early_inc_range(constant->getUses())) {
      if (!isCopied(use))
        continue;
      builder.setInsertionPoint(use.getOwner());
      Location loc = constant.getLoc();
      Value empty =
          tensor::EmptyOp::create(builder, loc, type.getShape(),
                                  type.getElementType(), type.getEncoding());
      Value value = arith::ConstantOp::create(builder, loc, number);
      auto fill = linalg::FillOp::create(builder, loc, value, empty);
      use.set(fill.getResult(0));
    }
    if (constant->use_empty())
      constant.erase();
  });
}

void tonno::cloneSharedDestinations(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  kernel.walk([&](bufferization::MaterializeInDestinationOp copy) {
    auto empty = copy.getDest().getDefiningOp<tensor::EmptyOp>();
    if (empty && !empty->hasOneUse())
      cloneEmptyTensor(builder, copy.getDestMutable(), empty);
  });
}

/// Returns true if the value is never written, so that its writers get copies.
static bool isConstant(Value value) {
  return isa_and_present<arith::ConstantOp, bufferization::ToTensorOp>(
      value.getDefiningOp());
}

/// Copies the operand into an empty tensor at the insertion point.
static void copyIntoEmptyHere(OpBuilder &builder, OpOperand &use) {
  Value value = use.get();
  Location loc = value.getLoc();
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, value),
      getElementTypeOrSelf(value));
  use.set(writeInto(builder, loc, value, empty));
}

/// Replaces the operand by a copy in a buffer that is not shared.
static void copyToUnsharedBuffer(OpBuilder &builder, OpOperand &use) {
  Value value = use.get();
  // A returned value is copied at its definition, as its buffer may be
  // overwritten later.
  if (isa<func::ReturnOp>(use.getOwner())) {
    builder.setInsertionPointAfterValue(value);
    return copyIntoEmptyHere(builder, use);
  }
  builder.setInsertionPoint(use.getOwner());
  use.set(copyTensor(builder, value.getLoc(), value));
}

void tonno::copyIntoEmpty(OpBuilder &builder, OpOperand &use) {
  builder.setInsertionPoint(use.getOwner());
  copyIntoEmptyHere(builder, use);
}

namespace {

/// The memory of a kernel's results. Bufferisation may take one result's buffer
/// for what another is computed over, and doesn't see that this is gone.
class ResultMemory {
public:
  explicit ResultMemory(MLIRContext *context) : builder(context) {}

  /// Makes the memory of `result`, which is returned, its own.
  void separate(OpOperand &result) {
    own.clear();
    // The same result twice is copied when it is written.
    if (!results.insert(result.get()).second)
      return;
    follow(result);
    others.insert(own.begin(), own.end());
  }

private:
  llvm::DenseSet<Value> results, own, others;
  OpBuilder builder;

  void follow(OpOperand &use) {
    Value value = use.get();
    if (isConstant(value))
      return;
    if (others.contains(value)) {
      if (Operation *empty = findEmptyTensor(value))
        return cloneEmptyTensor(builder, use, empty);
      if (isDestination(use))
        return copyIntoEmpty(builder, use);
      return copyToUnsharedBuffer(builder, use);
    }
    if (!own.insert(value).second)
      return;
    for (OpOperand *place : getAliasingOperands(value)) {
      bool isView = viewSource(value) == place->get();
      // A part is copied rather than the whole.
      if (isView && others.contains(place->get()))
        return copyToUnsharedBuffer(builder, use);
      follow(*place);
    }
  }
};

/// The tensors in whose memory values may lie.
struct Roots {
  llvm::SmallSetVector<Value, 4> all;

  void add(Value value) {
    SmallVector<OpOperand *> places = getAliasingOperands(value);
    if (places.empty())
      all.insert(value);
    for (OpOperand *place : places)
      add(place->get());
  }

  bool hasOutside(Operation *op) const {
    return llvm::any_of(all, [&](Value root) {
      return !op->isAncestor(root.getParentRegion()->getParentOp());
    });
  }

  bool areConstant() const { return llvm::all_of(all, isConstant); }
};

} // namespace

void tonno::copyYieldedOuterTensors(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  kernel.walk([&](Operation *op) {
    if (!isa<scf::IfOp, scf::IndexSwitchOp>(op))
      return;
    for (OpResult result : op->getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      Roots roots;
      roots.add(result);
      if (roots.all.size() < 2 || roots.areConstant())
        continue;
      for (OpOperand *yielded : getAliasingOperands(result)) {
        Roots own;
        own.add(yielded->get());
        if (own.hasOutside(op))
          copyToUnsharedBuffer(builder, *yielded);
      }
    }
  });
}

void tonno::separateResultBuffers(func::FuncOp kernel) {
  ResultMemory memory(kernel.getContext());
  // Starts with the results defined first, over which later ones may be
  // computed.
  SmallVector<OpOperand *> results;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &use : op->getUses())
      if (isa<func::ReturnOp>(use.getOwner()) &&
          isa<RankedTensorType>(use.get().getType()))
        results.push_back(&use);
  });
  for (OpOperand *result : results)
    memory.separate(*result);
}

LogicalResult tonno::generalizeReadingMaps(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  for (auto map : collectOps<linalg::MapOp>(function))
    if (readsElements(map, *map.getDpsInitOperand(0)) &&
        failed(makeGeneric(rewriter, map)))
      return map.emitOpError() << "cannot be generalized to linalg.generic";
  return success();
}
