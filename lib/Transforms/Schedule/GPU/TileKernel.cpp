//===- Elementwise ops and reductions on a GPU ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileKernel.h"
#include "Payload.h"

#include "tonno/Dialect/LoopRoles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tonno;

/// Elements of a row that a thread keeps in registers.
static constexpr int64_t maxKept = 64;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

bool TileKernel::isReduction(size_t op) const {
  linalg::LinalgOp linalgOp = group.ops[op].op;
  return linalgOp.getNumReductionLoops() != 0;
}

bool TileKernel::isRow(const GroupedOp &member) const {
  return group.reduced && !llvm::is_contained(member.dims, *group.reduced);
}

int64_t TileKernel::widthOf(bool ofRow) const {
  return ofRow && shape.reduced == shape.along ? 1 : shape.width;
}

int64_t TileKernel::numSteps(unsigned dim) const {
  return dim == shape.reduced && !isStreaming
             ? shape.steps[dim] * shape.numChunks()
             : shape.steps[dim];
}

SmallVector<TileKernel::Steps> TileKernel::allSteps(bool ofRow) const {
  SmallVector<Steps> all = {{}};
  for (unsigned dim = 0; dim < shape.extents.size(); ++dim) {
    int64_t count = ofRow && dim == shape.reduced ? 1 : numSteps(dim);
    SmallVector<Steps> longer;
    for (const Steps &steps : all)
      for (int64_t i = 0; i < count; ++i) {
        longer.push_back(steps);
        longer.back().push_back(i);
      }
    all = std::move(longer);
  }
  return all;
}

AffineMap TileKernel::mapOf(const GroupedOp &member, size_t operand) const {
  return mapInSpace(member, member.op->getOpOperand(operand),
                    group.extents.size());
}

Points TileKernel::pointsAt(const Steps &steps, bool ofRow) {
  ThreadCode &code = kernel->code;
  Points points;
  points.along = shape.along;
  points.width = widthOf(ofRow);
  for (unsigned dim = 0; dim < shape.extents.size(); ++dim) {
    int64_t width = dim == shape.along ? shape.width : 1;
    Value within = code.multiply(
        code.add(threads[dim], steps[dim] * shape.threads[dim]), width);
    Value start = dim == shape.reduced ? chunk : starts[dim];
    points.indices.push_back(start ? code.add(start, within) : within);
  }
  return points;
}

Value TileKernel::isInside(const Steps &steps, bool ofRow) {
  Value &condition = known.conditions[{steps, ofRow}];
  if (condition)
    return condition;
  Points points = pointsAt(steps, ofRow);
  for (unsigned dim = 0; dim < shape.extents.size(); ++dim) {
    bool isGuarded = shape.isGuarded(dim);
    if (dim == shape.reduced) {
      if (ofRow)
        continue;
      if (!isStreaming) {
        int64_t width = dim == shape.along ? shape.width : 1;
        isGuarded =
            (steps[dim] + 1) * shape.threads[dim] * width > shape.extents[dim];
      }
    }
    if (isGuarded)
      condition = kernel->code.both(
          condition,
          kernel->code.isBelow(points.indices[dim], shape.extents[dim]));
  }
  return condition;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value TileKernel::loadOf(const GroupedOp &member, size_t operand,
                         const Steps &steps) {
  Value buffer = member.op->getOperand(operand);
  AffineMap map = mapOf(member, operand);
  bool ofRow = group.reduced && !map.isFunctionOfDim(*group.reduced);
  Steps place = steps;
  if (ofRow)
    place[*group.reduced] = 0;
  for (auto &[source, sourceMap, at, value] : known.loads)
    if (source == buffer && sourceMap == map && at == place)
      return value;
  ThreadCode &code = kernel->code;
  Points points = pointsAt(place, ofRow);
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value value;
  if (const Staged *tile = findStaged(buffer, map)) {
    for (unsigned dim = 0; dim < shape.extents.size(); ++dim)
      points.indices[dim] =
          code.multiply(code.add(threads[dim], place[dim] * shape.threads[dim]),
                        dim == shape.along ? shape.width : 1);
    value = loadAt(code, tile->shared, tile->local, points);
  } else {
    value = code.valueIf(isInside(place, ofRow),
                         code.valueType(element, points.width),
                         [&] { return loadAt(code, buffer, map, points); });
  }
  known.loads.push_back({buffer, map, place, value});
  return value;
}

Value TileKernel::valueAt(const GroupedOp &member, size_t operand,
                          const Steps &steps) {
  size_t numInputs = member.inputs.size();
  const Source &source = operand < numInputs
                             ? member.inputs[operand]
                             : member.inits[operand - numInputs];
  int64_t width = widthOf(isRow(member));
  auto widened = [&](Value value) {
    return isa<VectorType>(value.getType()) ? value
                                            : kernel->code.splat(value, width);
  };
  switch (source.kind) {
  case Source::Kind::constant:
    return widened(source.value);
  case Source::Kind::result:
    return widened(resultAt(source.op, source.output, steps));
  case Source::Kind::memory:
    return widened(loadOf(member, operand, steps));
  }
  llvm_unreachable("unknown kind of source");
}

SmallVector<Value> TileKernel::elementsOf(size_t op, const Steps &steps) {
  const GroupedOp &member = group.ops[op];
  linalg::LinalgOp linalgOp = member.op;
  SmallVector<Value> elements;
  for (OpOperand &operand : linalgOp->getOpOperands()) {
    bool isSum = isReduction(op) && linalgOp.isDpsInit(&operand);
    bool isUsed = linalgOp.payloadUsesValueFromOperand(&operand);
    elements.push_back(
        isSum || !isUsed ? Value()
                         : valueAt(member, operand.getOperandNumber(), steps));
  }
  return elements;
}

Value TileKernel::resultAt(size_t op, unsigned output, const Steps &steps) {
  Steps place = steps;
  if (isReduction(op) || isRow(group.ops[op]))
    place[*group.reduced] = 0;
  if (auto found = known.results.find({op, output, place});
      found != known.results.end())
    return found->second;
  SmallVector<Value> values =
      emitPayload(kernel->code, group.ops[op].op, elementsOf(op, place),
                  widthOf(isRow(group.ops[op])));
  for (auto [i, value] : llvm::enumerate(values))
    known.results[{op, i, place}] = value;
  return values[output];
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Loads what is surely wanted before anything waits for it.
void TileKernel::loadAhead() {
  for (const GroupedOp &member : group.ops) {
    linalg::LinalgOp op = member.op;
    for (auto [i, input] : llvm::enumerate(member.inputs))
      if (input.kind == Source::Kind::memory &&
          op.payloadUsesValueFromOperand(&op->getOpOperand(i)))
        for (const Steps &steps : allSteps(isRow(member)))
          loadOf(member, i, steps);
  }
}

/// Of the results of rows, or of the others.
void TileKernel::storeResults(bool ofRows) {
  struct Stored {
    size_t op;
    unsigned output;
    Steps steps;
    Value value;
  };
  SmallVector<Stored> all;
  for (auto [op, member] : llvm::enumerate(group.ops)) {
    bool isOfRow = isReduction(op) || isRow(member);
    if (isOfRow != ofRows)
      continue;
    for (auto [output, isStored] : llvm::enumerate(member.isStored))
      if (isStored)
        for (const Steps &steps : allSteps(isOfRow))
          all.push_back(
              {op, unsigned(output), steps, resultAt(op, output, steps)});
  }
  for (const Stored &one : all) {
    const GroupedOp &member = group.ops[one.op];
    Value condition = isInside(one.steps, ofRows);
    if (ofRows && shape.threads[*group.reduced] > 1)
      condition = kernel->code.both(
          condition, kernel->code.isEqual(threads[*group.reduced], 0));
    Points points = pointsAt(one.steps, ofRows);
    size_t operand = member.inputs.size() + one.output;
    kernel->code.doIf(condition, [&] {
      storeAt(kernel->code, one.value, member.op->getOperand(operand),
              mapOf(member, operand), points);
    });
  }
}

void TileKernel::begin() {
  ThreadCode &code = kernel->code;
  SmallVector<int64_t> grid, perDim;
  SmallVector<unsigned> order = shape.threadOrder();
  for (unsigned dim = 0; dim < shape.extents.size(); ++dim)
    grid.push_back(dim == shape.reduced ? 1 : shape.numBlocks(dim));
  for (unsigned dim : order)
    perDim.push_back(shape.threads[dim]);
  SmallVector<Value> block = code.delinearize(kernel->workgroup, grid);
  for (unsigned dim = 0; dim < shape.extents.size(); ++dim)
    starts.push_back(code.multiply(block[dim], shape.block(dim)));
  threads.resize(order.size());
  for (auto [dim, coordinate] :
       llvm::zip_equal(order, code.delinearize(kernel->thread, perDim)))
    threads[dim] = coordinate;
}

LogicalResult TileKernel::emit(OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  int64_t workgroups = 1;
  int64_t kept = shape.width;
  for (unsigned dim = 0; dim < shape.extents.size(); ++dim) {
    workgroups *= dim == shape.reduced ? 1 : shape.numBlocks(dim);
    kept *= shape.steps[dim];
  }
  isStreaming = shape.numChunks() > 1 && kept * shape.numChunks() > maxKept;
  linalg::LinalgOp op = group.ops.front().op;
  KernelLaunch launch(builder, op.getLoc(), workgroups, shape.numThreads());
  kernel = &launch;
  begin();
  stageCrosswise();
  if (!isStreaming)
    loadAhead();
  for (size_t i = 0; i < group.ops.size(); ++i)
    if (isReduction(i))
      reduce(i);
  if (group.reduced)
    storeResults(/*ofRows=*/true);
  if (isStreaming)
    forChunks({}, [&](ValueRange) {
      storeResults(/*ofRows=*/false);
      return SmallVector<Value>();
    });
  else
    storeResults(/*ofRows=*/false);
  if (launch.sharedBytes() > limits.sharedBytes)
    return op.emitOpError() << "has tiles that take " << launch.sharedBytes()
                            << " bytes of a workgroup's memory; there are "
                            << limits.sharedBytes;
  return success();
}

LogicalResult tonno::emitTiles(OpBuilder &builder, const KernelGroup &group,
                               const WorkgroupLimits &limits) {
  auto shape = TileShape::find(group, limits);
  if (failed(shape))
    return failure();
  return TileKernel(group, *shape, limits).emit(builder);
}
