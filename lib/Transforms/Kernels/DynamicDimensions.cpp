//===- Dynamic dimensions of kernels --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/DynamicDimensions.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tonno;

static ShapedType getRankedType(Value value) {
  Type type = value.getType();
  return isa<RankedTensorType, MemRefType>(type) ? cast<ShapedType>(type)
                                                 : ShapedType();
}

/// Sizes that are equal: of axes, of loops, and integers that are sizes.
class DynamicDimensions::EqualSizes {
public:
  /// Adds all that a function's ops, and those of its callees, need to be
  /// equal.
  void addFunction(func::FuncOp function) {
    if (!functions.insert(function).second)
      return;
    function.walk([&](Operation *op) { addOp(op); });
  }

  /// Joins each axis of a branch's result with those that both regions yield,
  /// if these are equal.
  void joinBranches() {
    bool isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (scf::IfOp branch : branches)
        for (OpResult result : branch.getResults())
          if (ShapedType type = getRankedType(result))
            for (int64_t axis = 0; axis < type.getRank(); ++axis)
              isChanged |= joinBranch(branch, result, axis);
    }
  }

  unsigned getAxis(Value shaped, int64_t axis) {
    return getNumber({shaped, axis});
  }
  /// Returns the leading number of an axis, if it was met.
  std::optional<unsigned> findLeader(Value shaped, int64_t axis) const {
    auto known = numbers.find({shaped, axis});
    if (known == numbers.end())
      return std::nullopt;
    return classes.findLeader(known->second);
  }
  void join(unsigned one, unsigned other) { classes.join(one, other); }
  unsigned findLeader(unsigned number) const {
    return classes.findLeader(number);
  }

  /// Calls `visit` with each axis of known size.
  void forEachKnown(function_ref<void(unsigned number, int64_t size)> visit) {
    for (auto [key, number] : numbers)
      if (key.second != wholeValue)
        if (int64_t size = getRankedType(key.first).getDimSize(key.second);
            !ShapedType::isDynamic(size))
          visit(number, size);
  }

private:
  /// A value's axis, or a value that is a size.
  using Key = std::pair<Value, int64_t>;
  static constexpr int64_t wholeValue = -1;

  unsigned addNumber() {
    classes.grow(count + 1);
    return count++;
  }
  unsigned getNumber(Key key) {
    auto [known, isNew] = numbers.try_emplace(key, 0);
    if (isNew)
      known->second = addNumber();
    return known->second;
  }

  void joinSize(Value shaped, int64_t axis, Value size) {
    ShapedType type = getRankedType(shaped);
    if (type && axis >= 0 && axis < type.getRank())
      join(getAxis(shaped, axis), getNumber({size, wholeValue}));
  }

  void joinShapes(Value one, Value other) {
    ShapedType type = getRankedType(one), second = getRankedType(other);
    if (!type || !second || type.getRank() != second.getRank())
      return;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      join(getAxis(one, axis), getAxis(other, axis));
  }
  void joinAll(ValueRange some, ValueRange others) {
    for (auto [one, other] : llvm::zip(some, others))
      joinShapes(one, other);
  }

  /// Joins the dynamic axes of a new value with the integers that give them.
  void joinNew(Value shaped, ValueRange sizes) {
    ShapedType type = getRankedType(shaped);
    if (!type || static_cast<size_t>(type.getNumDynamicDims()) != sizes.size())
      return;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (type.isDynamicDim(axis)) {
        joinSize(shaped, axis, sizes.front());
        sizes = sizes.drop_front();
      }
  }

  void addLoops(linalg::LinalgOp op) {
    SmallVector<unsigned> loops;
    for (unsigned i = 0; i < op.getNumLoops(); ++i)
      loops.push_back(addNumber());
    for (OpOperand &operand : op->getOpOperands())
      if (getRankedType(operand.get()))
        for (auto [axis, index] :
             llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
          if (auto loop = dyn_cast<AffineDimExpr>(index))
            join(getAxis(operand.get(), axis), loops[loop.getPosition()]);
  }

  void addSlice(OffsetSizeAndStrideOpInterface op, Value slice) {
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    ShapedType type = getRankedType(slice);
    if (static_cast<size_t>(type.getRank()) != sizes.size())
      return; // which axes are dropped, types alone don't say
    for (auto [axis, size] : llvm::enumerate(sizes))
      if (auto value = dyn_cast<Value>(size))
        joinSize(slice, axis, value);
  }

  /// Joins the axes that a reshape leaves alone.
  void addReshape(Value flat, Value expanded,
                  ArrayRef<ReassociationIndices> groups) {
    for (auto [axis, group] : llvm::enumerate(groups))
      if (group.size() == 1)
        join(getAxis(flat, axis), getAxis(expanded, group.front()));
  }

  void addExpansion(Value flat, Value expanded, ValueRange sizes,
                    ArrayRef<ReassociationIndices> groups) {
    addReshape(flat, expanded, groups);
    joinNew(expanded, sizes);
  }

  void addCall(func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return;
    joinAll(call.getOperands(), callee.getArguments());
    addFunction(callee);
    callee.walk([&](func::ReturnOp end) {
      joinAll(call.getResults(), end.getOperands());
    });
  }

  void addLoop(LoopLikeOpInterface loop) {
    joinAll(loop.getInits(), loop.getRegionIterArgs());
    joinAll(loop.getInits(), loop.getYieldedValues());
    if (auto results = loop.getLoopResults())
      joinAll(loop.getInits(), *results);
  }

  bool joinBranch(scf::IfOp branch, OpResult result, int64_t axis) {
    unsigned number = result.getResultNumber();
    unsigned one = getAxis(branch.thenYield().getOperand(number), axis),
             other = getAxis(branch.elseYield().getOperand(number), axis),
             own = getAxis(result, axis);
    if (findLeader(one) != findLeader(other) ||
        findLeader(one) == findLeader(own))
      return false;
    join(one, own);
    return true;
  }

  void addOp(Operation *op) {
    if (auto loops = dyn_cast<linalg::LinalgOp>(op))
      addLoops(loops);
    if (auto written = dyn_cast<DestinationStyleOpInterface>(op))
      for (OpResult result : op->getResults())
        joinShapes(result, written.getTiedOpOperand(result)->get());
    if (isa<CastOpInterface>(op) && op->getNumOperands() == 1 &&
        op->getNumResults() == 1)
      joinShapes(op->getOperand(0), op->getResult(0));
    if (op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
        op->hasTrait<OpTrait::Elementwise>())
      for (Value operand : op->getOperands())
        for (Value result : op->getResults())
          joinShapes(operand, result);
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      addLoop(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      branches.push_back(branch);

    if (auto size = dyn_cast<tensor::DimOp>(op)) {
      if (auto axis = size.getConstantIndex())
        joinSize(size.getSource(), *axis, size);
    } else if (auto size = dyn_cast<memref::DimOp>(op)) {
      if (auto axis = size.getConstantIndex())
        joinSize(size.getSource(), *axis, size);
    } else if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      joinNew(empty, empty.getDynamicSizes());
    } else if (auto memory = dyn_cast<memref::AllocOp>(op)) {
      joinNew(memory, memory.getDynamicSizes());
    } else if (auto memory = dyn_cast<memref::AllocaOp>(op)) {
      joinNew(memory, memory.getDynamicSizes());
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      addSlice(slice, slice);
    } else if (auto slice = dyn_cast<memref::SubViewOp>(op)) {
      addSlice(slice, slice);
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      addExpansion(expand.getSrc(), expand, expand.getOutputShape(),
                   expand.getReassociationIndices());
    } else if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
      addExpansion(expand.getSrc(), expand, expand.getOutputShape(),
                   expand.getReassociationIndices());
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      addReshape(collapse, collapse.getSrc(),
                 collapse.getReassociationIndices());
    } else if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
      addReshape(collapse, collapse.getSrc(),
                 collapse.getReassociationIndices());
    } else if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op)) {
      joinShapes(softmax.getInput(), softmax.getOutput());
    } else if (auto read = dyn_cast<bufferization::ToTensorOp>(op)) {
      joinShapes(read.getBuffer(), read);
    } else if (auto write =
                   dyn_cast<bufferization::MaterializeInDestinationOp>(op)) {
      joinShapes(write.getSource(), write.getDest());
    } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      joinShapes(copy.getSource(), copy.getTarget());
    } else if (auto call = dyn_cast<func::CallOp>(op)) {
      addCall(call);
    }
  }

  unsigned count = 0;
  llvm::MapVector<Key, unsigned> numbers;
  llvm::IntEqClasses classes;
  llvm::DenseSet<Operation *> functions;
  SmallVector<scf::IfOp> branches;
};

DynamicDimensions::DynamicDimensions(std::unique_ptr<EqualSizes> sizes)
    : sizes(std::move(sizes)) {}
DynamicDimensions::DynamicDimensions(DynamicDimensions &&) noexcept = default;
DynamicDimensions &
DynamicDimensions::operator=(DynamicDimensions &&) noexcept = default;
DynamicDimensions::~DynamicDimensions() = default;

std::optional<unsigned> DynamicDimensions::lookup(Value value,
                                                  int64_t axis) const {
  ShapedType type = getRankedType(value);
  auto leader = type && type.isDynamicDim(axis) ? sizes->findLeader(value, axis)
                                                : std::nullopt;
  auto position = leader ? positions.find(*leader) : positions.end();
  if (position == positions.end())
    return std::nullopt;
  return position->second;
}

bool tonno::isDynamic(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return false;
  auto memory = dyn_cast<MemRefType>(type);
  int64_t offset = 0;
  SmallVector<int64_t> strides;
  bool hasStrides =
      memory && succeeded(memory.getStridesAndOffset(strides, offset));
  return !shaped.hasStaticShape() ||
         (hasStrides && (ShapedType::isDynamic(offset) ||
                         llvm::any_of(strides, ShapedType::isDynamic)));
}

FailureOr<DynamicDimensions> DynamicDimensions::find(func::FuncOp kernel) {
  DynamicDimensions found(std::make_unique<EqualSizes>());
  EqualSizes &sizes = *found.sizes;
  if (llvm::none_of(kernel.getArgumentTypes(), isDynamic))
    return found;
  sizes.addFunction(kernel);
  llvm::StringMap<unsigned> named;
  for (BlockArgument argument : kernel.getArguments())
    if (auto names = kernel.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                        TonnoDialect::kDims))
      for (auto [axis, name] :
           llvm::enumerate(names.getAsValueRange<StringAttr>())) {
        unsigned number = sizes.getAxis(argument, axis);
        sizes.join(named.try_emplace(name, number).first->second, number);
      }

  sizes.joinBranches();

  llvm::DenseMap<unsigned, int64_t> known;
  std::optional<std::pair<int64_t, int64_t>> conflict;
  sizes.forEachKnown([&](unsigned number, int64_t size) {
    auto [first, isNew] = known.try_emplace(sizes.findLeader(number), size);
    if (first->second != size)
      conflict = {first->second, size};
  });
  if (conflict)
    return kernel.emitError()
           << "the kernel needs axes of sizes " << conflict->first << " and "
           << conflict->second << " to be equal; make their sizes the same";

  SmallVector<DynamicDimension> &dimensions = found.dimensions;
  for (BlockArgument argument : kernel.getArguments()) {
    ShapedType type = getRankedType(argument);
    unsigned number = argument.getArgNumber();
    auto names =
        kernel.getArgAttrOfType<ArrayAttr>(number, TonnoDialect::kDims);
    for (int64_t axis = 0; type && axis < type.getRank(); ++axis) {
      if (!type.isDynamicDim(axis))
        continue;
      unsigned leader = sizes.findLeader(sizes.getAxis(argument, axis));
      auto [position, isNew] =
          found.positions.try_emplace(leader, dimensions.size());
      if (isNew) {
        dimensions.emplace_back();
        if (auto size = known.find(leader); size != known.end())
          dimensions.back().size = size->second;
      }
      DynamicDimension &dimension = dimensions[position->second];
      std::string name = names ? cast<StringAttr>(names[axis]).str() : "";
      if (!name.empty() && !llvm::is_contained(dimension.names, name))
        dimension.names.push_back(std::move(name));
    }
  }
  for (auto [position, dimension] : llvm::enumerate(dimensions)) {
    dimension.isNamed = !dimension.names.empty();
    if (dimension.isNamed)
      continue;
    std::string name = "d" + std::to_string(position);
    while (named.contains(name))
      name += "_";
    dimension.names.push_back(std::move(name));
  }
  return found;
}
