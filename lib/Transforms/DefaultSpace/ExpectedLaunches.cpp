//===- The launches of a kernel -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExpectedLaunches.h"
#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "BufferPlaces.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tonno;

namespace {

/// An operand of an op, as grouping sees it.
struct Access {
  Place place;
  Value view;    ///< null: the buffer itself
  AffineMap map; ///< from the op's loops; later from the group's space
  ShapedType type;
  bool isOutput;
};

/// An op, as grouping sees it.
struct Form {
  LaunchedOp op;
  ExpectedLaunch::Kind kind = ExpectedLaunch::Kind::tiles;
  SmallVector<int64_t> extents;
  std::optional<unsigned> reduced; ///< loop
  SmallVector<Access> accesses;
};

/// Takes a function's ops in order and forms groups of them.
class Expectation {
public:
  explicit Expectation(Block &block) : block(block) {}

  std::vector<ExpectedLaunch> run();

private:
  void add(linalg::LinalgOp op);
  void add(linalg::SoftmaxOp op);
  void add(const Form &form);
  Place resultPlace(Operation *op, OpOperand &init, bool isReadCrosswise,
                    bool isCopied);
  bool isInitOfNext(linalg::FillOp fill);
  bool join(const Form &form);
  std::optional<SmallVector<unsigned>> dimsFor(const Form &form);
  bool isCompatible(const Form &form, ArrayRef<unsigned> dims);
  bool usesResults(const Form &form);
  void append(const Form &form, ArrayRef<unsigned> dims);
  void close();

  Block &block;
  BufferPlaces places;
  std::vector<ExpectedLaunch> launches;
  std::optional<ExpectedLaunch> group;
  SmallVector<Access> uses; ///< of the group, from its space
};

} // namespace

static AffineMap inSpace(AffineMap map, ArrayRef<unsigned> dims,
                         size_t numDims) {
  SmallVector<AffineExpr> loops;
  for (unsigned dim : dims)
    loops.push_back(getAffineDimExpr(dim, map.getContext()));
  return map.replaceDimsAndSymbols(loops, {}, numDims, 0);
}

static SmallVector<unsigned> everyDim(size_t count) {
  return llvm::to_vector(llvm::seq<unsigned>(count));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Where the op's result will be. What it must not overwrite is copied first,
/// if it reads it or it is an argument.
Place Expectation::resultPlace(Operation *op, OpOperand &init,
                               bool isReadCrosswise, bool isCopied) {
  Value value = init.get();
  if (auto place = places.ofResult(op, value, isReadCrosswise))
    return *place;
  Place fresh = places.fresh();
  auto type = cast<ShapedType>(value.getType());
  if (!isCopied && !isa<BlockArgument>(value))
    return fresh;
  auto [place, view] = places.of(value);
  Form copy;
  copy.extents.assign(type.getShape().begin(), type.getShape().end());
  copy.op.dims = everyDim(copy.extents.size());
  AffineMap map =
      AffineMap::getMultiDimIdentityMap(copy.extents.size(), op->getContext());
  copy.accesses = {{place, view, map, type, false},
                   {fresh, Value(), map, type, true}};
  if (!copy.extents.empty())
    add(copy);
  return fresh;
}

/// Whether the op may write each element where it has read it.
static bool isElementwise(linalg::LinalgOp op, OpOperand &input,
                          OpOperand &init) {
  return op.getNumReductionLoops() == 0 &&
         op.getMatchingIndexingMap(&input) == op.getMatchingIndexingMap(&init);
}

/// Loads from an argument that nobody writes, wherever it stands.
static bool isScalarArgument(Operation *op) {
  return isa<tensor::ExtractOp, memref::LoadOp>(op) &&
         isa<BlockArgument>(op->getOperand(0)) &&
         llvm::all_of(op->getOperand(0).getUsers(),
                      llvm::IsaPred<tensor::ExtractOp, memref::LoadOp>);
}

/// Whether it becomes nothing, or something that may be moved to where its
/// result is used.
static bool isPassive(Operation *op) {
  if (isa<tensor::EmptyOp, tensor::DimOp, memref::AllocOp, memref::DeallocOp>(
          op) ||
      isScalarArgument(op))
    return true;
  if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
      isa<tensor::ExtractOp>(op))
    return false;
  return llvm::all_of(op->getResults(), [&](Value result) {
    return !isa<TensorType>(result.getType()) || BufferPlaces::viewed(result) ||
           op->hasTrait<OpTrait::ConstantLike>();
  });
}

/// Whether the next op that touches what is filled begins with that.
bool Expectation::isInitOfNext(linalg::FillOp fill) {
  bool isTensor = fill->getNumResults() == 1;
  Value filled = isTensor ? fill->getResult(0) : fill.getOutputs().front();
  if (isTensor && !filled.hasOneUse())
    return false;
  auto isThere = [&](Value value) {
    return value == filled ||
           (!isTensor && isa<BaseMemRefType>(value.getType()) &&
            places.of(value).first == places.of(filled).first);
  };
  for (Operation *op = fill->getNextNode(); op; op = op->getNextNode()) {
    bool touches = op->walk([&](Operation *nested) {
                       return llvm::any_of(nested->getOperands(), isThere)
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     }).wasInterrupted();
    if (!touches || isPassive(op))
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

void Expectation::add(linalg::LinalgOp op) {
  Form form;
  form.op.op = op;
  form.op.dims = everyDim(op.getNumLoops());
  form.extents = op.getStaticLoopRanges();
  auto loop = findReductionLoop(op);
  if (!hasProjectedMaps(op) || !hasScalarPayload(op))
    form.kind = ExpectedLaunch::Kind::points;
  else if (isSharedContraction(op))
    form.kind = ExpectedLaunch::Kind::contraction;
  else if (failed(loop))
    form.kind = ExpectedLaunch::Kind::points;
  else
    form.reduced = *loop;
  form.op.numReductions = form.reduced ? 1 : 0;

  SmallVector<std::pair<Value, Place>> results;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type)
      continue;
    auto [place, view] = places.of(operand.get());
    bool isOutput = op.isDpsInit(&operand);
    if (isOutput) {
      bool isCrosswise =
          llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
            return isa<ShapedType>(input->get().getType()) &&
                   places.of(input->get()).first == place &&
                   !isElementwise(op, *input, operand);
          });
      place = resultPlace(op, operand, isCrosswise, readsElements(op, operand));
      if (op->getNumResults() != 0)
        results.push_back({op.getTiedOpResult(&operand), place});
    }
    form.accesses.push_back(
        {place, view, op.getMatchingIndexingMap(&operand), type, isOutput});
  }
  for (auto [result, place] : results)
    places.set(result, place);
  auto fill = dyn_cast<linalg::FillOp>(op.getOperation());
  if (!fill || !isInitOfNext(fill))
    add(form);
}

/// Of the ops that it becomes, all have its loops or those of rows alone.
void Expectation::add(linalg::SoftmaxOp op) {
  Form form;
  form.op.op = op;
  auto type = cast<ShapedType>(op.getInput().getType());
  form.extents.assign(type.getShape().begin(), type.getShape().end());
  form.op.dims = everyDim(form.extents.size());
  form.reduced = op.getDimension();
  form.op.numReductions = 2; // the maximum and the sum
  AffineMap map =
      AffineMap::getMultiDimIdentityMap(form.extents.size(), op.getContext());
  auto [place, view] = places.of(op.getInput());
  form.accesses.push_back({place, view, map, type, false});
  Place output = resultPlace(op, op.getOutputMutable(),
                             /*isReadCrosswise=*/false, /*isCopied=*/false);
  form.accesses.push_back(
      {output, Value(), map, cast<ShapedType>(op.getOutput().getType()), true});
  if (op->getNumResults() != 0)
    places.set(op->getResult(0), output);
  add(form);
}

std::vector<ExpectedLaunch> Expectation::run() {
  for (Operation &op : block.without_terminator()) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      add(linalgOp);
    else if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
      add(softmax);
    else if (!isPassive(&op))
      close();
  }
  close();
  return std::move(launches);
}

//===----------------------------------------------------------------------===//
// Groups: see KernelGroup.cpp, which has the reasons
//===----------------------------------------------------------------------===//

void Expectation::add(const Form &form) {
  if (group && join(form))
    return;
  close();
  group.emplace();
  group->kind = form.kind;
  group->extents = form.extents;
  group->reduced = form.reduced;
  append(form, everyDim(form.extents.size()));
  if (form.kind == ExpectedLaunch::Kind::points)
    close();
}

std::optional<SmallVector<unsigned>> Expectation::dimsFor(const Form &form) {
  SmallVector<unsigned> all = everyDim(group->extents.size());
  if (group->kind == ExpectedLaunch::Kind::contraction) {
    all.clear();
    auto root = cast<linalg::LinalgOp>(group->ops.front().op);
    for (AffineExpr result :
         root.getMatchingIndexingMap(root.getDpsInitOperand(0)).getResults())
      all.push_back(cast<AffineDimExpr>(result).getPosition());
  } else if (form.extents.size() + 1 == all.size() && group->reduced) {
    all.erase(all.begin() + *group->reduced);
  }
  if (form.extents.size() != all.size())
    return std::nullopt;
  for (auto [extent, dim] : llvm::zip_equal(form.extents, all))
    if (extent != group->extents[dim])
      return std::nullopt;
  return all;
}

bool Expectation::isCompatible(const Form &form, ArrayRef<unsigned> dims) {
  for (const Access &access : form.accesses) {
    AffineMap map = inSpace(access.map, dims, group->extents.size());
    bool isRow = group->reduced && !map.isFunctionOfDim(*group->reduced);
    if (access.isOutput && isRow &&
        llvm::any_of(form.accesses, [&](const Access &other) {
          return !other.isOutput && other.place == access.place;
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

/// Whether it reads what the group has computed.
bool Expectation::usesResults(const Form &form) {
  return llvm::any_of(form.accesses, [&](const Access &access) {
    return !access.isOutput && llvm::any_of(uses, [&](const Access &use) {
      return use.isOutput && use.place == access.place;
    });
  });
}

bool Expectation::join(const Form &form) {
  auto isConfigured = [](const LaunchedOp &member) {
    return member.op && member.op->hasAttr(TonnoDialect::kLoweringConfig);
  };
  if (form.kind != ExpectedLaunch::Kind::tiles ||
      (isConfigured(form.op) && llvm::any_of(group->ops, isConfigured)))
    return false;
  auto dims = dimsFor(form);
  if (!dims)
    return false;
  if (group->kind == ExpectedLaunch::Kind::contraction &&
      (form.reduced || !usesResults(form)))
    return false;
  auto previous = group->reduced;
  if (form.reduced) {
    unsigned reduced = (*dims)[*form.reduced];
    if (previous && *previous != reduced)
      return false;
    group->reduced = reduced;
  }
  if (isCompatible(form, *dims)) {
    append(form, *dims);
    return true;
  }
  group->reduced = previous;
  return false;
}

void Expectation::append(const Form &form, ArrayRef<unsigned> dims) {
  SmallVector<Access> added;
  for (Access access : form.accesses) {
    access.map = inSpace(access.map, dims, group->extents.size());
    group->accesses.push_back({access.map, access.type, access.isOutput});
    auto isSame = [&](const Access &use) { return use.place == access.place; };
    if (access.isOutput) {
      added.push_back(access);
      continue;
    }
    // What the group has computed stays in registers, and so does what it has
    // read.
    if (llvm::any_of(uses, [&](const Access &use) {
          return isSame(use) && (use.isOutput || (use.view == access.view &&
                                                  use.map == access.map));
        }))
      continue;
    added.push_back(access);
    group->loads.push_back({access.map, access.type, false});
  }
  llvm::append_range(uses, added);
  LaunchedOp member = form.op;
  member.dims.assign(dims.begin(), dims.end());
  group->ops.push_back(std::move(member));
}

void Expectation::close() {
  if (group)
    launches.push_back(std::move(*group));
  group.reset();
  uses.clear();
}

std::vector<ExpectedLaunch> tonno::expectLaunches(func::FuncOp function) {
  return Expectation(function.getBody().front()).run();
}
