//===- Products on matrix units by their ops' roles -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixProgram.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <set>

using namespace mlir;
using namespace tonno;

static bool isProduct(Operation *op) {
  return isa<amdgpu::MFMAOp, amdgpu::WMMAOp, NVVM::MmaOp>(op);
}

static bool isShared(const MatrixAccess &access) {
  auto space = dyn_cast_if_present<gpu::AddressSpaceAttr>(
      access.type().getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Workgroup;
}

static Value getRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// Checks if one of the loads is among the ops that compute a value.
static bool comesFrom(Value value, const std::set<Operation *> &loads,
                      std::set<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || !seen.insert(op).second)
    return false;
  bool found = false;
  op->walk([&](Operation *nested) {
    found |= loads.contains(nested);
    for (Value operand : nested->getOperands())
      found = found || comesFrom(operand, loads, seen);
  });
  return found;
}

MatrixProgram::MatrixProgram(func::FuncOp function, const MatrixFacts &facts)
    : facts(facts) {
  function.walk([&](gpu::LaunchOp candidate) {
    candidate.walk([&](Operation *op) {
      if (isProduct(op) && !launch)
        launch = candidate;
    });
  });
  if (launch)
    findRoles(function);
}

void MatrixProgram::findRoles(func::FuncOp function) {
  thread = launch.getThreadIds().x;
  workgroup = launch.getBlockIds().x;
  MatrixAccesses sharedStores, sharedLoads;
  auto addGlobal = [&](const MatrixAccess &access, bool isStore) {
    auto argument =
        dyn_cast<BlockArgument>(getRoot(access.op->getOperand(access.buffer)));
    unsigned number = argument ? argument.getArgNumber() : 2;
    bool isResult = number + 1 == function.getNumArguments();
    (isStore      ? stores
     : number < 2 ? loads[number]
     : isResult   ? initLoads
                  : otherLoads)
        .push_back(access);
  };
  launch.walk([&](Operation *op) {
    bool isStore = isa<memref::StoreOp, vector::StoreOp>(op);
    if (isProduct(op))
      products.push_back(op);
    else if (isa<gpu::BarrierOp>(op))
      barriers.push_back(op);
    else if (isStore || isa<memref::LoadOp, vector::LoadOp>(op)) {
      MatrixAccess access{op, isStore ? 1u : 0u};
      if (isShared(access))
        (isStore ? sharedStores : sharedLoads).push_back(access);
      else
        addGlobal(access, isStore);
    }
  });
  for (Operation *product : products)
    if (auto around = product->getParentOfType<scf::ForOp>(); around && !loop) {
      loop = around;
      step = loop.getInductionVar();
    }
  Value shared[2];
  for (unsigned side : {0, 1}) {
    std::set<Operation *> sources;
    for (const MatrixAccess &access : loads[side])
      sources.insert(access.op);
    for (const MatrixAccess &access : sharedStores) {
      std::set<Operation *> seen;
      if (!comesFrom(access.op->getOperand(0), sources, seen))
        continue;
      fills[side].push_back(access);
      shared[side] = access.op->getOperand(access.buffer);
    }
    for (const MatrixAccess &access : sharedLoads)
      if (access.op->getOperand(access.buffer) == shared[side])
        reads[side].push_back(access);
  }
}

MatrixAccesses MatrixProgram::inLoop(ArrayRef<MatrixAccess> accesses) const {
  return llvm::filter_to_vector(accesses, [&](const MatrixAccess &access) {
    return isInLoop(access.op);
  });
}

MatrixAccesses
MatrixProgram::beforeLoop(ArrayRef<MatrixAccess> accesses) const {
  return llvm::filter_to_vector(accesses, [&](const MatrixAccess &access) {
    return !isInLoop(access.op);
  });
}

OpBuilder MatrixProgram::atStart() {
  return OpBuilder::atBlockBegin(&launch.getBody().front());
}

OpBuilder MatrixProgram::atStartOfLoop() {
  return OpBuilder::atBlockBegin(loop.getBody());
}

Value MatrixProgram::recompute(OpBuilder &builder, Value value,
                               IRMapping &map) {
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || isProduct(op) || isa<LoopLikeOpInterface>(op) ||
      !launch->isProperAncestor(op))
    return value;
  // Values defined in the loop do not dominate the code before it.
  bool isChanged = loop && isInLoop(op) &&
                   !loop->isAncestor(builder.getBlock()->getParentOp());
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source ? op->isAncestor(source)
                 : op->isAncestor(operand.getParentBlock()->getParentOp()))
        continue;
      Value other = recompute(builder, operand, map);
      if (other == operand)
        continue;
      map.map(operand, other);
      isChanged = true;
    }
  });
  if (!isChanged) {
    map.map(value, value); // visit it once
    return value;
  }
  builder.clone(*op, map);
  return map.lookup(value);
}

size_t MatrixProgram::redirect(ArrayRef<MatrixAccess> accesses, Value leaf,
                               Value other) {
  size_t count = 0;
  for (const MatrixAccess &access : accesses) {
    // Clones conditions from the outside in, so that they dominate their uses.
    SmallVector<scf::IfOp> around;
    for (Operation *op = access.op->getParentOp(); op && op != launch;
         op = op->getParentOp())
      if (auto branch = dyn_cast<scf::IfOp>(op))
        around.push_back(branch);
    bool isChanged = false;
    auto change = [&](Operation *op, unsigned number) {
      IRMapping map;
      map.map(leaf, other);
      OpBuilder builder(op);
      Value old = op->getOperand(number);
      op->setOperand(number, recompute(builder, old, map));
      isChanged |= op->getOperand(number) != old;
    };
    for (scf::IfOp branch : llvm::reverse(around))
      change(branch, 0);
    for (unsigned i = 0; i < access.numIndices(); ++i)
      change(access.op, access.buffer + 1 + i);
    if (isChanged)
      access.dropAlignment();
    count += isChanged;
  }
  return count;
}

static void findComparisons(Value condition,
                            SmallVectorImpl<arith::CmpIOp> &found) {
  if (auto comparison = condition.getDefiningOp<arith::CmpIOp>())
    return found.push_back(comparison);
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    for (Value operand : both->getOperands())
      findComparisons(operand, found);
}

SmallVector<arith::CmpIOp>
MatrixProgram::guards(ArrayRef<MatrixAccess> accesses, int64_t bound) {
  llvm::SetVector<Operation *> found;
  for (const MatrixAccess &access : accesses)
    for (Operation *op = access.op->getParentOp(); op && op != launch;
         op = op->getParentOp()) {
      auto branch = dyn_cast<scf::IfOp>(op);
      if (!branch)
        continue;
      SmallVector<arith::CmpIOp> all;
      findComparisons(branch.getCondition(), all);
      for (arith::CmpIOp one : all)
        if (getConstantIntValue(one.getRhs()) == bound)
          found.insert(one);
    }
  return llvm::map_to_vector(
      found, [](Operation *op) { return cast<arith::CmpIOp>(op); });
}

SmallVector<scf::IfOp>
MatrixProgram::branches(ArrayRef<MatrixAccess> accesses) {
  llvm::SetVector<Operation *> found;
  for (const MatrixAccess &access : accesses)
    if (auto branch = access.op->getParentOfType<scf::IfOp>();
        branch && branch.getNumResults() > 0)
      found.insert(branch);
  return llvm::map_to_vector(found,
                             [](Operation *op) { return cast<scf::IfOp>(op); });
}

SmallVector<Value> MatrixProgram::sumsBefore(Operation *product) {
  if (auto op = dyn_cast<NVVM::MmaOp>(product))
    return SmallVector<Value>(op.getOperandC());
  return {product->getOperand(2)};
}

SmallVector<Value> MatrixProgram::sumsAfter(Operation *product) {
  auto op = dyn_cast<NVVM::MmaOp>(product);
  if (!op)
    return {product->getResult(0)};
  SmallVector<Value> sums(op.getOperandC().size());
  for (Operation *user : op->getUsers())
    if (auto element = dyn_cast<LLVM::ExtractValueOp>(user))
      sums[static_cast<size_t>(element.getPosition().front())] = element;
  return sums;
}

void MatrixProgram::setSumsBefore(Operation *product, ArrayRef<Value> sums) {
  if (auto op = dyn_cast<NVVM::MmaOp>(product))
    op.getOperandCMutable().assign(sums);
  else
    product->setOperand(2, sums.front());
}

MutableArrayRef<OpOperand> MatrixProgram::factor(Operation *product,
                                                 unsigned side) {
  auto op = dyn_cast<NVVM::MmaOp>(product);
  if (!op)
    return product->getOpOperands().slice(side, 1);
  auto left = static_cast<size_t>(op.getOperandA().size()),
       right = static_cast<size_t>(op.getOperandB().size());
  return side == 0 ? product->getOpOperands().slice(0, left)
                   : product->getOpOperands().slice(left, right);
}

Value tonno::splatOf(OpBuilder &builder, Location loc, Type type,
                     double number) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute;
  if (isa<FloatType>(element))
    attribute = builder.getFloatAttr(element, number);
  else
    attribute = builder.getIntegerAttr(element, static_cast<int64_t>(number));
  if (auto shaped = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value tonno::shuffled(OpBuilder &builder, Value vector,
                      function_ref<int64_t(int64_t)> source) {
  auto type = cast<VectorType>(vector.getType());
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    mask.push_back(source(i));
  return vector::ShuffleOp::create(builder, vector.getLoc(), vector, vector,
                                   mask);
}
