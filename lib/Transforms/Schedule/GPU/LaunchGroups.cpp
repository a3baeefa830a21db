//===- Groups of ops that become one launch -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/LaunchGroups.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "Schedule/GPU/LaunchBranches.h"
#include "Schedule/Tiling/LinalgForms.h"
#include "Schedule/Tiling/LoopExtents.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tonno;

bool GroupedOp::isConfigured() const {
  return anchor && anchor->hasAttr(TonnoDialect::kLoweringConfig);
}

//===----------------------------------------------------------------------===//
// Values that share memory
//===----------------------------------------------------------------------===//

Value tonno::getUnderlyingValue(Value value) {
  while (Value source = viewSource(value))
    value = source;
  return value;
}

static bool isShaped(Value value) {
  return isa<BaseMemRefType, TensorType>(value.getType());
}

/// Returns true if an op after `op` uses the value, also through views.
static bool isUsedAfter(Operation *op, Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    for (Value result : user->getResults())
      if (viewSource(result) && isUsedAfter(op, result))
        return true;
    Operation *outer = op->getBlock()->findAncestorOpInBlock(*user);
    return outer && op->isBeforeInBlock(outer);
  });
}

namespace {

/// Number of a buffer, or of a buffer to be allocated.
using BufferNumber = unsigned;

/// Maps values to the buffers they share. For tensors the mapping is a
/// prediction: a result takes its destination's buffer, unless its contents are
/// used later.
class BufferNumbering {
public:
  /// Returns the buffer of a value, and its view of that buffer, or null.
  std::pair<BufferNumber, Value> of(Value value) {
    Value whole = getUnderlyingValue(value);
    auto [found, isNew] = places.try_emplace(whole, next);
    if (isNew)
      contents[next++].push_back(whole);
    return {found->second, whole == value ? Value() : value};
  }

  /// Returns the buffer of the op's result if the op may overwrite `init`. It
  /// may not if `isReadCrosswise`: read at other points than written.
  std::optional<BufferNumber> ofResult(Operation *op, Value init,
                                       bool isReadCrosswise) {
    auto [place, view] = of(init);
    if (isa<BaseMemRefType>(init.getType()))
      return place;
    Operation *origin = contents[place].front().getDefiningOp();
    if (!origin || origin->hasTrait<OpTrait::ConstantLike>() || isReadCrosswise)
      return std::nullopt;
    bool isNeeded = llvm::any_of(contents[place], [&](Value value) {
      return !value.getDefiningOp<tensor::EmptyOp>() && isUsedAfter(op, value);
    });
    return isNeeded ? std::nullopt : std::optional(place);
  }

  void set(Value result, BufferNumber place) {
    places[result] = place;
    contents[place].push_back(result);
  }

  BufferNumber fresh() { return next++; }

private:
  DenseMap<Value, BufferNumber> places;
  DenseMap<BufferNumber, SmallVector<Value>> contents;
  BufferNumber next = 0;
};

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// An operand of an op.
struct Access {
  BufferNumber place;
  Value view;    ///< null: the buffer itself
  AffineMap map; ///< from the op's loops; in a group from its space
  ShapedType type;
  bool isOutput;
  unsigned output = 0; ///< of the op
  size_t op = 0;       ///< of the group
};

/// An op as grouping sees it.
struct Form {
  GroupedOp op;
  LaunchGroup::Kind kind = LaunchGroup::Kind::tiles;
  SmallVector<int64_t> extents;
  SmallVector<OpFoldResult> sizes; ///< null where unknown
  std::optional<unsigned> reduced; ///< loop
  SmallVector<Access> accesses;
};

} // namespace

static AffineMap remapDims(AffineMap map, ArrayRef<unsigned> dims,
                           size_t numDims) {
  SmallVector<AffineExpr> loops;
  for (unsigned dim : dims)
    loops.push_back(getAffineDimExpr(dim, map.getContext()));
  return map.replaceDimsAndSymbols(loops, {}, numDims, 0);
}

AffineMap tonno::getMapInGroupSpace(const GroupedOp &member, OpOperand &operand,
                                    size_t numDims) {
  linalg::LinalgOp op = member.op;
  return remapDims(op.getMatchingIndexingMap(&operand), member.dims, numDims);
}

/// Sets the extents to those of a tensor or buffer.
static void setExtents(Form &form, Value shaped) {
  auto type = cast<ShapedType>(shaped.getType());
  form.extents.assign(type.getShape().begin(), type.getShape().end());
  Builder builder(type.getContext());
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    form.sizes.push_back(
        findSize(builder, shaped, axis).value_or(OpFoldResult()));
}

static SmallVector<unsigned> getAllDims(size_t count) {
  return llvm::to_vector(llvm::seq<unsigned>(count));
}

/// Returns true if the op loads from an argument that is never written.
static bool isScalarArgument(Operation *op) {
  return isa<tensor::ExtractOp, memref::LoadOp>(op) &&
         isa<BlockArgument>(op->getOperand(0)) &&
         llvm::all_of(op->getOperand(0).getUsers(),
                      llvm::IsaPred<tensor::ExtractOp, memref::LoadOp>);
}

/// Returns true if the op, or one in it, has an operand that satisfies `is`.
static bool touches(Operation *op, function_ref<bool(Value)> is) {
  return anyOp(op, [&](Operation *nested) {
    return llvm::any_of(nested->getOperands(), is);
  });
}

/// Returns true if the op may move to its use, or becomes nothing.
static bool isPassive(Operation *op) {
  if (isa<tensor::EmptyOp, tensor::DimOp, memref::AllocOp, memref::DeallocOp>(
          op) ||
      isScalarArgument(op))
    return true;
  auto isTensor = [](Value value) { return isa<TensorType>(value.getType()); };
  if (!isMemoryEffectFree(op) || isa<tensor::ExtractOp>(op) ||
      (op->getNumRegions() != 0 && touches(op, isTensor)))
    return false;
  return llvm::all_of(op->getResults(), [&](Value result) {
    return !isTensor(result) || viewSource(result) ||
           op->hasTrait<OpTrait::ConstantLike>();
  });
}

/// Returns true if a reduction that is no contraction reads the op's result.
static bool isSummedUp(linalg::LinalgOp op) {
  Value result =
      op->getNumResults() != 0 ? op->getResult(0) : op.getDpsInits().front();
  return llvm::any_of(result.getUsers(), [&](Operation *user) {
    auto reader = dyn_cast<linalg::LinalgOp>(user);
    return reader && reader != op && reader.getNumReductionLoops() != 0 &&
           !isSharedContraction(reader) &&
           llvm::is_contained(reader.getDpsInputs(), result);
  });
}

bool tonno::hasResultsAtPoints(const GroupedOp &first) {
  linalg::LinalgOp op = first.op;
  if (!op || !hasScalarPayload(op, /*allowsIndices=*/true))
    return false;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  auto isAtPoint = [&](OpOperand &init) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    return map.isProjectedPermutation() &&
           llvm::none_of(reduced, [&](unsigned loop) {
             return map.isFunctionOfDim(loop);
           });
  };
  auto isRead = [&](OpOperand &init) {
    Value buffer = getUnderlyingValue(init.get());
    return llvm::any_of(op.getDpsInputs(), [&](Value input) {
      return getUnderlyingValue(input) == buffer;
    });
  };
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return isAtPoint(init) && !isRead(init);
  });
}

/// Returns true if the op may write each element where it has read it.
static bool isElementwise(linalg::LinalgOp op, OpOperand &input,
                          OpOperand &init) {
  return op.getNumReductionLoops() == 0 &&
         op.getMatchingIndexingMap(&input) == op.getMatchingIndexingMap(&init);
}

namespace {

/// Takes a function's ops in order and forms groups of them.
class Grouper {
public:
  explicit Grouper(Block &block) : block(block) {}

  std::vector<LaunchPart> run() {
    for (Operation &op : block.without_terminator()) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        add(linalgOp);
      } else if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op)) {
        add(softmax);
      } else if (isLaunchBranch(&op)) {
        close();
        isBehindBranch = true;
      } else if (!isPassive(&op)) {
        close();
        if (parts.empty() || isBehindBranch ||
            std::holds_alternative<LaunchGroup>(parts.back()))
          parts.push_back(SmallVector<Operation *>());
        isBehindBranch = false;
        std::get<SmallVector<Operation *>>(parts.back()).push_back(&op);
      }
    }
    close();
    return std::move(parts);
  }

private:
  void add(linalg::LinalgOp op) {
    Form form;
    form.op.op = op;
    form.op.anchor = op;
    form.extents = op.getStaticLoopRanges();
    for (unsigned i = 0; i < op.getNumLoops(); ++i)
      form.sizes.push_back(findExtent(op, i).value_or(OpFoldResult()));
    auto loop = findReductionLoop(op);
    if (!hasProjectedMaps(op) || !hasScalarPayload(op, /*allowsIndices=*/true))
      form.kind = LaunchGroup::Kind::points;
    else if (isSharedContraction(op))
      form.kind = LaunchGroup::Kind::contraction;
    else if (failed(loop))
      form.kind = LaunchGroup::Kind::points;
    else
      form.reduced = *loop;
    form.op.numReductions = form.reduced ? 1 : 0;

    SmallVector<std::pair<Value, BufferNumber>> results;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isShaped(operand.get()))
        continue;
      auto [place, view] = places.of(operand.get());
      bool isOutput = op.isDpsInit(&operand);
      unsigned output = 0;
      if (isOutput) {
        bool isCrosswise =
            llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
              return isShaped(input->get()) &&
                     places.of(input->get()).first == place &&
                     !isElementwise(op, *input, operand);
            });
        place = getResultBuffer(op, operand, isCrosswise,
                                readsElements(op, operand));
        if (op->getNumResults() != 0)
          results.push_back({op.getTiedOpResult(&operand), place});
        output = operand.getOperandNumber() - op.getNumDpsInputs();
      }
      form.accesses.push_back({place, view, op.getMatchingIndexingMap(&operand),
                               cast<ShapedType>(operand.get().getType()),
                               isOutput, output});
    }
    for (auto [result, place] : results)
      places.set(result, place);
    auto fill = dyn_cast<linalg::FillOp>(op.getOperation());
    if (fill && isInitOfNext(fill))
      pendingFills[results.empty() ? fill.getOutputs().front()
                                   : results.front().first] = fill;
    else
      add(form);
  }

  /// Adds a softmax. Each op of its decomposition has the softmax's loops, or
  /// those of rows only.
  void add(linalg::SoftmaxOp op) {
    Form form;
    form.op.anchor = op;
    auto type = cast<ShapedType>(op.getInput().getType());
    setExtents(form, op.getInput());
    form.reduced = op.getDimension();
    form.op.numReductions = 2; // the maximum and the sum
    AffineMap map =
        AffineMap::getMultiDimIdentityMap(form.extents.size(), op.getContext());
    auto [place, view] = places.of(op.getInput());
    form.accesses.push_back({place, view, map, type, false});
    BufferNumber output =
        getResultBuffer(op, op.getOutputMutable(),
                        /*isReadCrosswise=*/false, /*isCopied=*/false);
    form.accesses.push_back({output, Value(), map,
                             cast<ShapedType>(op.getOutput().getType()), true});
    if (op->getNumResults() != 0)
      places.set(op->getResult(0), output);
    add(form);
  }

  void add(const Form &form) {
    if (group && join(form))
      return;
    close();
    group.emplace();
    group->kind = form.kind;
    group->followsBranch = std::exchange(isBehindBranch, false);
    group->extents = form.extents;
    group->sizes = form.sizes;
    group->reduced = form.reduced;
    append(form, getAllDims(form.extents.size()));
    if (form.kind == LaunchGroup::Kind::points && !hasResultsAtPoints(form.op))
      close();
  }

  /// Returns the buffer of the op's result. If the op reads an init that it
  /// must not overwrite, or if that init is an argument, adds a copy.
  BufferNumber getResultBuffer(Operation *op, OpOperand &init,
                               bool isReadCrosswise, bool isCopied) {
    Value value = init.get();
    if (auto place = places.ofResult(op, value, isReadCrosswise))
      return *place;
    BufferNumber fresh = places.fresh();
    auto type = cast<ShapedType>(value.getType());
    if (!isCopied && !isa<BlockArgument>(value))
      return fresh;
    auto [place, view] = places.of(value);
    Form copy;
    setExtents(copy, value);
    AffineMap map = AffineMap::getMultiDimIdentityMap(copy.extents.size(),
                                                      op->getContext());
    copy.accesses = {{place, view, map, type, false},
                     {fresh, Value(), map, type, true}};
    if (!copy.extents.empty())
      add(copy);
    return fresh;
  }

  /// Returns true if the fill is the init of the next op that uses its tensor.
  bool isInitOfNext(linalg::FillOp fill) {
    bool isTensor = fill->getNumResults() == 1;
    Value filled = isTensor ? fill->getResult(0) : fill.getOutputs().front();
    if (isTensor && !filled.hasOneUse())
      return false;
    auto isThere = [&](Value value) {
      return value == filled ||
             (!isTensor && isa<BaseMemRefType>(value.getType()) &&
              getUnderlyingValue(value) == getUnderlyingValue(filled));
    };
    for (Operation *op = fill->getNextNode(); op; op = op->getNextNode()) {
      if (!touches(op, isThere) || isPassive(op))
        continue;
      auto next = dyn_cast<linalg::LinalgOp>(op);
      return isa<linalg::SoftmaxOp>(op) ||
             (next && !isa<linalg::FillOp>(op) &&
              llvm::none_of(next.getDpsInputs(), isThere) &&
              llvm::count_if(next.getDpsInits(), isThere) == 1 &&
              llvm::is_contained(next.getDpsInits(), filled));
    }
    return false;
  }

  bool join(const Form &form) {
    if (form.kind != LaunchGroup::Kind::tiles ||
        (form.op.isConfigured() &&
         llvm::any_of(group->ops, std::mem_fn(&GroupedOp::isConfigured))))
      return false;
    auto dims = getGroupDims(form);
    if (!dims)
      return false;
    // Ops that do not use the sums should not wait for the threads that compute
    // them.
    if (group->kind != LaunchGroup::Kind::tiles &&
        (form.reduced || !usesResults(form)))
      return false;
    // Sums over what was widened read it narrow.
    if (group->kind != LaunchGroup::Kind::tiles && form.op.op &&
        isWidening(form.op.op) && isSummedUp(form.op.op))
      return false;
    // Points have no tiles.
    if (group->kind == LaunchGroup::Kind::points && form.op.isConfigured())
      return false;
    auto previous = group->reduced;
    if (form.reduced) {
      unsigned reduced = (*dims)[*form.reduced];
      if (previous && *previous != reduced)
        return false;
      // Until now all was elementwise; from now on rows are shared by threads.
      group->reduced = reduced;
    }
    if (isCompatible(form, *dims)) {
      append(form, *dims);
      return true;
    }
    group->reduced = previous;
    return false;
  }

  /// Returns the dimensions of the group's space that the op's loops run over.
  std::optional<SmallVector<unsigned>> getGroupDims(const Form &form) {
    SmallVector<unsigned> all = getAllDims(group->extents.size());
    if (group->kind != LaunchGroup::Kind::tiles) {
      auto found = findReadDims(form);
      if (!found)
        return std::nullopt;
      all = std::move(*found);
    } else if (form.extents.size() + 1 == all.size() && group->reduced) {
      all.erase(all.begin() + *group->reduced);
    }
    if (form.extents.size() != all.size())
      return std::nullopt;
    for (auto [size, dim] : llvm::zip_equal(form.sizes, all))
      if (!size || size != group->sizes[dim])
        return std::nullopt;
    return all;
  }

  /// Returns the dimensions of the results that the op reads, for each of its
  /// loops; nothing if it does not read a result at each point.
  std::optional<SmallVector<unsigned>> findReadDims(const Form &form) {
    for (const Access &access : form.accesses)
      for (const Access &use : uses) {
        if (access.isOutput || !use.isOutput || use.place != access.place ||
            use.view != access.view || !access.map.isPermutation())
          continue;
        SmallVector<unsigned> dims(form.extents.size());
        for (auto [loop, dim] :
             llvm::zip_equal(access.map.getResults(), use.map.getResults()))
          dims[cast<AffineDimExpr>(loop).getPosition()] =
              cast<AffineDimExpr>(dim).getPosition();
        return dims;
      }
    return std::nullopt;
  }

  /// Returns true if an op of the group has computed what is read.
  bool isResult(const Access &read, ArrayRef<unsigned> dims) {
    AffineMap map = remapDims(read.map, dims, group->extents.size());
    return llvm::any_of(uses, [&](const Access &use) {
      return use.isOutput && use.place == read.place && use.view == read.view &&
             use.map == map;
    });
  }

  /// Returns true if threads access elements written by other ops of the group
  /// only at the same point of the space.
  bool isCompatible(const Form &form, ArrayRef<unsigned> dims) {
    for (const Access &access : form.accesses) {
      AffineMap map = remapDims(access.map, dims, group->extents.size());
      // One thread would write a row's element before other threads have read
      // it, unless each has it in registers.
      bool isRow = group->reduced && !map.isFunctionOfDim(*group->reduced);
      if (access.isOutput && isRow &&
          llvm::any_of(form.accesses, [&](const Access &other) {
            return !other.isOutput && other.place == access.place &&
                   !isResult(other, dims);
          }))
        return false;
      for (const Access &use : uses) {
        if (use.place != access.place || (!access.isOutput && !use.isOutput))
          continue;
        if (use.view != access.view || use.map != map)
          return false;
        if (isRow && access.isOutput && !use.isOutput)
          return false;
      }
    }
    return true;
  }

  /// Returns true if the op reads results of the group.
  bool usesResults(const Form &form) {
    return llvm::any_of(form.accesses, [&](const Access &access) {
      return !access.isOutput && llvm::any_of(uses, [&](const Access &use) {
        return use.isOutput && use.place == access.place;
      });
    });
  }

  void append(const Form &form, ArrayRef<unsigned> dims) {
    GroupedOp member = form.op;
    member.dims.assign(dims.begin(), dims.end());
    if (member.op) {
      for (OpOperand *input : member.op.getDpsInputOperands())
        member.inputs.push_back(resolveSource(*input));
      for (OpOperand &init : member.op.getDpsInitsMutable())
        member.inits.push_back(resolveInit(init));
    }
    SmallVector<Access> added;
    for (Access access : form.accesses) {
      access.op = group->ops.size();
      access.map = remapDims(access.map, dims, group->extents.size());
      SpaceAccess inGroup{access.map, access.type, access.isOutput};
      group->accesses.push_back(inGroup);
      // Values that the group has computed or read stay in registers.
      if (!access.isOutput) {
        if (llvm::any_of(uses, [&](const Access &use) {
              return use.place == access.place &&
                     (use.isOutput ||
                      (use.view == access.view && use.map == access.map));
            }))
          continue;
        group->loads.push_back(inGroup);
      }
      added.push_back(access);
    }
    llvm::append_range(uses, added);
    group->ops.push_back(std::move(member));
  }

  Source resolveSource(OpOperand &operand) {
    Value value = operand.get();
    if (!isShaped(value))
      return {Source::Kind::constant, value};
    auto [place, view] = places.of(value);
    for (const Access &use : llvm::reverse(uses))
      if (use.isOutput && use.place == place && use.view == view)
        return {Source::Kind::result, value, use.op, use.output};
    return {Source::Kind::memory, value};
  }

  Source resolveInit(OpOperand &init) {
    auto fill = pendingFills.find(init.get());
    if (fill == pendingFills.end())
      return resolveSource(init);
    Source constant{Source::Kind::constant, fill->second.getInputs().front()};
    group->absorbed.push_back(fill->second);
    pendingFills.erase(fill);
    return constant;
  }

  /// Returns true if the caller, or an op after `last`, may read the buffer.
  bool isReadLater(Value buffer, Operation *last) {
    Value base = getUnderlyingValue(buffer);
    auto allocation = base.getDefiningOp<memref::AllocOp>();
    if (!allocation || allocation->getBlock() != last->getBlock())
      return true;
    auto isBase = [&](Value value) {
      return isa<BaseMemRefType>(value.getType()) &&
             getUnderlyingValue(value) == base;
    };
    for (Operation *op = last->getNextNode(); op; op = op->getNextNode())
      if (!isPassive(op) && touches(op, isBase))
        return true;
    return false;
  }

  void close() {
    if (!group)
      return;
    Operation *last = group->ops.back().anchor;
    for (auto [i, member] : llvm::enumerate(group->ops)) {
      if (!member.op)
        continue;
      for (Value init : member.op.getDpsInits()) {
        auto [place, view] = places.of(init);
        // Only the last value of a buffer is visible outside.
        bool isLast = llvm::none_of(
            uses, [&, place = place, view = view, i = i](const Access &use) {
              return use.isOutput && use.place == place && use.view == view &&
                     use.op > i;
            });
        member.isStored.push_back(isLast && isReadLater(init, last));
      }
    }
    parts.push_back(std::move(*group));
    group.reset();
    uses.clear();
  }

  Block &block;
  bool isBehindBranch = false; ///< the next part is behind a launch branch
  BufferNumbering places;
  std::vector<LaunchPart> parts;
  std::optional<LaunchGroup> group;
  SmallVector<Access> uses; ///< of the group, from its space
  /// The fill that gives an output its first contents.
  DenseMap<Value, linalg::FillOp> pendingFills;
};

} // namespace

std::vector<LaunchPart> tonno::findParts(Block &block) {
  return Grouper(block).run();
}
