//===- Mistakes in products on matrix units -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixMutation.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace tonno;

namespace {

using Program = MatrixProgram;
using Apply = std::function<bool(Program &)>;
/// Gives another value than a leaf of index arithmetic.
using Other = std::function<Value(OpBuilder &, Location, Value)>;
using Accesses = ArrayRef<MatrixAccess>;

/// Collects mutations.
class List {
public:
  void add(std::string kind, std::string name, Apply apply) {
    all.push_back({std::move(kind), std::move(name), std::move(apply)});
  }
  /// Adds what must not make a difference.
  void addControl(std::string name, Apply apply) {
    all.push_back({"control", std::move(name), std::move(apply),
                   /*isEquivalent=*/true});
  }
  /// Adds one for each operand.
  void addSides(const std::string &kind, const std::string &name,
                const std::function<bool(Program &, unsigned)> &apply) {
    for (unsigned side : {0u, 1u})
      add(kind, std::string(sideNames[side]) + " " + name,
          [=](Program &p) { return apply(p, side); });
  }

  static constexpr const char *sideNames[] = {"left", "right"};
  std::vector<MatrixMutation> all;
};

} // namespace

static MatrixAccesses both(Accesses one, Accesses other) {
  MatrixAccesses all(one);
  llvm::append_range(all, other);
  return all;
}

static Value index(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

template <typename OpTy>
static Value compute(OpBuilder &builder, Location loc, Value value,
                     int64_t constant) {
  return OpTy::create(builder, loc, value, index(builder, loc, constant));
}

/// Returns `leaf <op> constant`.
template <typename OpTy> static Other with(int64_t constant) {
  return [=](OpBuilder &builder, Location loc, Value leaf) {
    return compute<OpTy>(builder, loc, leaf, constant);
  };
}

static Other always(int64_t constant) {
  return [=](OpBuilder &builder, Location loc, Value) {
    return index(builder, loc, constant);
  };
}

/// Lets accesses be by another thread.
static bool byThread(Program &p, Accesses accesses, const Other &other) {
  OpBuilder builder = p.atStart();
  return p.redirect(accesses, p.thread,
                    other(builder, p.launch.getLoc(), p.thread)) > 0;
}

/// Lets accesses be of another workgroup.
static bool byWorkgroup(Program &p, Accesses accesses, const Other &other) {
  OpBuilder builder = p.atStart();
  return p.redirect(accesses, p.workgroup,
                    other(builder, p.launch.getLoc(), p.workgroup)) > 0;
}

/// Lets accesses in the loop be of another step.
static bool byStep(Program &p, Accesses accesses, const Other &other) {
  if (!p.loop)
    return false;
  OpBuilder builder = p.atStartOfLoop();
  return p.redirect(p.inLoop(accesses), p.step,
                    other(builder, p.loop.getLoc(), p.step)) > 0;
}

/// Changes an index of each access.
static bool changeIndex(
    Accesses accesses, unsigned i,
    function_ref<Value(OpBuilder &, Location, const MatrixAccess &)> change) {
  for (const MatrixAccess &access : accesses) {
    OpBuilder builder(access.op);
    access.setIndex(i, change(builder, access.op->getLoc(), access));
  }
  return !accesses.empty();
}

static int64_t lengthOfAccess(const MatrixAccess &access) {
  Type type = access.buffer == 0 ? access.op->getResult(0).getType()
                                 : access.op->getOperand(0).getType();
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

/// Erases stores; false if there are none.
static bool eraseAll(Accesses accesses) {
  for (const MatrixAccess &access : accesses)
    access.op->erase();
  return !accesses.empty();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Returns the last shared store before an op in its block, looking into
/// branches; null if a barrier comes first.
static Operation *findFillBefore(Program &p, Operation *barrier, bool isFirst) {
  Operation *found = nullptr;
  for (Operation *op = barrier->getPrevNode(); op; op = op->getPrevNode()) {
    if (isa<gpu::BarrierOp>(op))
      break;
    bool hasFill = false;
    for (const MatrixAccess &access : both(p.fills[0], p.fills[1]))
      hasFill |= op->isAncestor(access.op);
    if (hasFill && (isFirst || !found))
      found = op;
  }
  return found;
}

static void addBarriers(List &list) {
  // Order of the barriers: after the first tiles; in the loop, with one stage,
  // after the reads; after the loop's fills.
  for (size_t i = 0; i < 3; ++i) {
    std::string which = "barrier " + std::to_string(i);
    list.add("barrier", which + " dropped", [=](Program &p) {
      if (i >= p.barriers.size())
        return false;
      p.barriers[i]->erase();
      return true;
    });
    for (bool isFirst : {true, false})
      list.add("barrier",
               which + " in front of the " + (isFirst ? "fills" : "last fill"),
               [=](Program &p) {
                 if (i >= p.barriers.size())
                   return false;
                 Operation *fill = findFillBefore(p, p.barriers[i], isFirst);
                 if (fill)
                   p.barriers[i]->moveBefore(fill);
                 return fill != nullptr;
               });
    list.add("barrier", which + " for half of the threads", [=](Program &p) {
      if (i >= p.barriers.size())
        return false;
      OpBuilder builder(p.barriers[i]);
      Location loc = p.launch.getLoc();
      Value half = compute<arith::RemUIOp>(builder, loc, p.thread, 2);
      Value condition = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, half, index(builder, loc, 0));
      auto branch = scf::IfOp::create(builder, loc, condition, false);
      p.barriers[i]->moveBefore(branch.thenBlock()->getTerminator());
      return true;
    });
  }
  list.add("barrier", "barrier behind the reads in front of them",
           [](Program &p) {
             for (Operation *barrier : p.barriers) {
               if (!p.loop || barrier->getParentOp() != p.loop)
                 continue;
               Operation *read = nullptr;
               for (Operation *op = barrier->getPrevNode(); op;
                    op = op->getPrevNode()) {
                 for (const MatrixAccess &access : both(p.fills[0], p.fills[1]))
                   if (op->isAncestor(access.op))
                     read = nullptr;
                 for (const MatrixAccess &access : both(p.reads[0], p.reads[1]))
                   if (op == access.op)
                     read = op;
               }
               bool isBehindFills = findFillBefore(p, barrier, true) != nullptr;
               if (!read || isBehindFills)
                 continue;
               barrier->moveBefore(read);
               return true;
             }
             return false;
           });
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static void addStages(List &list) {
  auto fills = [](Program &p) { return both(p.fills[0], p.fills[1]); };
  auto reads = [](Program &p) { return both(p.reads[0], p.reads[1]); };
  list.add("stage", "filled a step late", [=](Program &p) {
    return byStep(p, fills(p), with<arith::AddIOp>(1));
  });
  list.add("stage", "read a step early", [=](Program &p) {
    return byStep(p, reads(p), with<arith::AddIOp>(1));
  });
  list.addSides("stage", "filled a step late", [](Program &p, unsigned side) {
    return byStep(p, p.fills[side], with<arith::AddIOp>(1));
  });
  list.addSides("stage", "read a step early", [](Program &p, unsigned side) {
    return byStep(p, p.reads[side], with<arith::AddIOp>(1));
  });
  list.add("stage", "0 is always read",
           [=](Program &p) { return byStep(p, reads(p), always(0)); });
  list.add("stage", "0 is always filled", [=](Program &p) {
    return byStep(p, fills(p), always(p.facts.stages - 1));
  });
  list.add("stage", "0 is the only one", [=](Program &p) {
    bool areFilled = byStep(p, fills(p), always(p.facts.stages - 1));
    return byStep(p, reads(p), always(0)) && areFilled;
  });
  auto moveTo = [](Accesses from, Accesses to) {
    if (from.empty() || to.empty() || from[0].type() != to[0].type())
      return false;
    for (const MatrixAccess &access : from)
      access.op->setOperand(access.buffer, to[0].op->getOperand(to[0].buffer));
    return true;
  };
  list.addSides("stage", "is read from the other's buffer",
                [=](Program &p, unsigned side) {
                  return moveTo(p.reads[side], p.reads[1 - side]);
                });
  list.addSides("stage", "goes into the other's buffer",
                [=](Program &p, unsigned side) {
                  return moveTo(p.fills[side], p.fills[1 - side]);
                });
  list.addSides("stage", "first fill missing", [](Program &p, unsigned side) {
    return p.loop && eraseAll(p.beforeLoop(p.fills[side]));
  });
  list.addSides("stage", "later fills missing", [](Program &p, unsigned side) {
    return p.loop && eraseAll(p.inLoop(p.fills[side]));
  });
  list.addSides("stage", "tiles a step late", [](Program &p, unsigned side) {
    return byStep(p, p.loads[side], with<arith::AddIOp>(-1));
  });
  list.add("stage", "tiles a step late", [](Program &p) {
    return byStep(p, both(p.loads[0], p.loads[1]), with<arith::AddIOp>(-1));
  });
  list.add("stage", "tiles a step early", [](Program &p) {
    return byStep(p, both(p.loads[0], p.loads[1]), with<arith::AddIOp>(1));
  });
  list.add("stage", "the second tiles come first", [](Program &p) {
    if (!p.loop)
      return false;
    size_t count = 0;
    for (unsigned side : {0, 1}) {
      MatrixAccesses first = p.beforeLoop(p.fills[side]),
                     later = p.inLoop(p.fills[side]);
      if (first.size() != later.size())
        return false;
      for (auto [to, from] : llvm::zip(first, later)) {
        OpBuilder builder(to.op);
        IRMapping map;
        map.map(p.step, index(builder, p.loop.getLoc(), 0));
        Value old = from.op->getOperand(0);
        Value other = p.recompute(builder, old, map);
        count += other != old;
        if (other != old)
          to.op->setOperand(0, other);
      }
    }
    return count > 0;
  });
}

//===----------------------------------------------------------------------===//
// The loop over k
//===----------------------------------------------------------------------===//

static void setBound(Program &p, unsigned operand, int64_t change) {
  OpBuilder builder(p.loop);
  Value old = p.loop->getOperand(operand);
  p.loop->setOperand(
      operand, compute<arith::AddIOp>(builder, p.loop.getLoc(), old, change));
}

static void addSteps(List &list) {
  list.add("step", "last one skipped", [](Program &p) {
    if (!p.loop)
      return false;
    setBound(p, 1, -1);
    return true;
  });
  list.add("step", "first one skipped", [](Program &p) {
    if (!p.loop)
      return false;
    setBound(p, 0, 1);
    return true;
  });
  list.add("step", "every other one skipped", [](Program &p) {
    if (!p.loop)
      return false;
    setBound(p, 2, 1);
    return true;
  });
  list.add("step", "last one twice", [](Program &p) {
    // With one stage, the last tiles have been overwritten with zeros by then.
    if (!p.loop || p.facts.stages < 2)
      return false;
    Value steps = p.loop.getUpperBound();
    setBound(p, 1, 1);
    OpBuilder builder = p.atStartOfLoop();
    Location loc = p.loop.getLoc();
    Value last = compute<arith::AddIOp>(builder, loc, steps, -1);
    Value other = arith::MinUIOp::create(builder, loc, p.step, last);
    p.step.replaceAllUsesExcept(other, other.getDefiningOp());
    return true;
  });
  list.add("step", "sums start anew in each", [](Program &p) {
    if (!p.loop)
      return false;
    for (auto [inside, init] :
         llvm::zip(p.loop.getRegionIterArgs(), p.loop.getInitArgs()))
      inside.replaceAllUsesWith(init);
    return p.loop.getNumRegionIterArgs() > 0;
  });
  list.add("step", "sums of two tiles change places", [](Program &p) {
    auto yield = p.loop ? cast<scf::YieldOp>(p.loop.getBody()->getTerminator())
                        : nullptr;
    if (!yield || yield.getNumOperands() < 2 ||
        yield.getOperand(0).getType() != yield.getOperand(1).getType())
      return false;
    Value first = yield.getOperand(0);
    yield->setOperand(0, yield.getOperand(1));
    yield->setOperand(1, first);
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Rows in shared memory
//===----------------------------------------------------------------------===//

/// Addresses rows as if they had no padding.
static bool dropPadding(Accesses accesses) {
  for (const MatrixAccess &access : accesses) {
    if (access.numIndices() != 2)
      return false;
    OpBuilder builder(access.op);
    Location loc = access.op->getLoc();
    int64_t pitch = access.type().getDimSize(1);
    int64_t depth = pitch - 128 / access.elementType().getIntOrFloatBitWidth();
    Value linear = arith::AddIOp::create(
        builder, loc,
        compute<arith::MulIOp>(builder, loc, access.index(0), depth),
        access.index(1));
    access.setIndex(0, compute<arith::DivUIOp>(builder, loc, linear, pitch));
    access.setIndex(1, compute<arith::RemUIOp>(builder, loc, linear, pitch));
  }
  return !accesses.empty();
}

/// Exchanges adjacent 16 bytes in every other row.
static bool swizzle(Accesses accesses) {
  return changeIndex(
      accesses, 1,
      [](OpBuilder &builder, Location loc, const MatrixAccess &access) {
        int64_t chunk = 128 / access.elementType().getIntOrFloatBitWidth();
        Value odd = compute<arith::RemUIOp>(builder, loc, access.index(0), 2);
        Value flip = compute<arith::MulIOp>(builder, loc, odd, chunk);
        return arith::XOrIOp::create(builder, loc, access.index(1), flip);
      });
}

/// Returns the row beside the access's.
static Value neighbourRow(OpBuilder &builder, Location loc,
                          const MatrixAccess &access) {
  return compute<arith::XOrIOp>(builder, loc, access.index(0), 1);
}

static void addLayouts(List &list) {
  using Part = MatrixAccesses(MatrixProgram::*)[2];
  static constexpr std::pair<Part, const char *> parts[] = {
      {&MatrixProgram::fills, "written"}, {&MatrixProgram::reads, "read"}};
  for (auto [part, verb] : parts) {
    std::string name(verb);
    list.addSides("layout", name + " without padding",
                  [=](Program &p, unsigned side) {
                    return dropPadding((p.*part)[side]);
                  });
    list.addSides(
        "layout", name + " with a swizzle",
        [=](Program &p, unsigned side) { return swizzle((p.*part)[side]); });
    list.addSides("layout", name + " in adjacent rows exchanged",
                  [=](Program &p, unsigned side) {
                    return changeIndex((p.*part)[side], 0, neighbourRow);
                  });
    list.addSides("layout", name + " by the neighbour thread",
                  [=](Program &p, unsigned side) {
                    return byThread(p, (p.*part)[side], with<arith::XOrIOp>(1));
                  });
  }
  auto everywhere = [](Program &p, bool (*edit)(Accesses)) {
    bool areFilled = edit(both(p.fills[0], p.fills[1]));
    return edit(both(p.reads[0], p.reads[1])) && areFilled;
  };
  list.addControl("no padding",
                  [=](Program &p) { return everywhere(p, dropPadding); });
  list.addControl("swizzle on both sides",
                  [=](Program &p) { return everywhere(p, swizzle); });
  list.addSides("layout", "two pieces of a fill exchanged",
                [](Program &p, unsigned side) {
                  Accesses fills = p.fills[side];
                  bool isChanged = false;
                  for (size_t i = 0; i + 1 < fills.size(); i += 2) {
                    Operation *one = fills[i].op, *other = fills[i + 1].op;
                    Value mine = one->getOperand(0);
                    Value theirs = other->getOperand(0);
                    if (mine.getType() != theirs.getType() ||
                        one->getBlock() != other->getBlock())
                      continue;
                    // The values of both are known before the first one.
                    Operation *source = theirs.getDefiningOp();
                    if (source && source->getBlock() == one->getBlock() &&
                        one->isBeforeInBlock(source))
                      one->moveAfter(source);
                    one->setOperand(0, theirs);
                    other->setOperand(0, mine);
                    isChanged = true;
                  }
                  return isChanged;
                });
}

//===----------------------------------------------------------------------===//
// Dynamic shared memory
//===----------------------------------------------------------------------===//

/// Returns the buffers in it.
static SmallVector<memref::ViewOp> findViews(Program &p) {
  SmallVector<memref::ViewOp> views;
  p.launch.walk([&](memref::ViewOp view) {
    if (view.getSource().getDefiningOp<gpu::DynamicSharedMemoryOp>())
      views.push_back(view);
  });
  return views;
}

static int64_t rowBytes(MemRefType type) {
  return type.getShape().back() * type.getElementTypeBitWidth() / 8;
}

static void addMemory(List &list) {
  list.add("memory", "buffers at the same offset", [](Program &p) {
    auto views = findViews(p);
    if (views.size() < 2)
      return false;
    OpBuilder builder(views[1]);
    auto offset = getConstantIntValue(views[0].getByteShift());
    views[1].getByteShiftMutable().assign(
        index(builder, views[1].getLoc(), *offset));
    return true;
  });
  list.add("memory", "buffers overlap by a row", [](Program &p) {
    auto views = findViews(p);
    if (views.size() < 2)
      return false;
    OpBuilder builder(views[1]);
    views[1].getByteShiftMutable().assign(compute<arith::AddIOp>(
        builder, views[1].getLoc(), views[1].getByteShift(),
        -rowBytes(views[1].getType())));
    return true;
  });
  list.add("memory", "a row less than the buffers have", [](Program &p) {
    auto views = findViews(p);
    auto bytes = getConstantIntValue(p.launch.getDynamicSharedMemorySize());
    if (views.empty() || !bytes)
      return false;
    OpBuilder builder(p.launch);
    p.launch.getDynamicSharedMemorySizeMutable().assign(
        arith::ConstantIntOp::create(
            builder, p.launch.getLoc(), builder.getI32Type(),
            *bytes - rowBytes(views.back().getType())));
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Replaces a value, computed at once from it, everywhere else.
static void wrap(Value value, function_ref<Value(OpBuilder &, Value)> change) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Value other = change(builder, value);
  value.replaceAllUsesExcept(other, other.getDefiningOp());
}

/// Permutes the elements that each read gives.
static bool permuteReads(Accesses reads,
                         function_ref<int64_t(int64_t, int64_t)> source) {
  bool isChanged = false;
  for (const MatrixAccess &access : reads) {
    int64_t length = lengthOfAccess(access);
    if (length < 2)
      continue;
    wrap(access.op->getResult(0), [&](OpBuilder &builder, Value value) {
      return shuffled(builder, value,
                      [&](int64_t i) { return source(i, length); });
    });
    isChanged = true;
  }
  return isChanged;
}

static int64_t fromBack(int64_t i, int64_t length) { return length - 1 - i; }
static int64_t fromHalf(int64_t i, int64_t length) {
  return (i + length / 2) % length;
}

/// Checks that two values are the same, or made of the same in the same way.
static bool isSame(Value one, Value other) {
  Operation *mine = one.getDefiningOp(), *theirs = other.getDefiningOp();
  return one == other ||
         (mine && theirs &&
          OperationEquivalence::isEquivalentTo(
              mine, theirs, OperationEquivalence::IgnoreLocations));
}

/// Exchanges the operands of products.
static void exchange(OpOperand &one, OpOperand &other) {
  Value value = one.get();
  one.set(other.get());
  other.set(value);
}

static void addFragments(List &list) {
  list.add("fragment", "factors exchanged", [](Program &p) {
    for (Operation *product : p.products) {
      auto left = Program::factor(product, 0),
           right = Program::factor(product, 1);
      if (left.size() != right.size() ||
          left[0].get().getType() != right[0].get().getType())
        return false;
      for (auto [one, other] : llvm::zip(left, right))
        exchange(one, other);
    }
    return !p.products.empty();
  });
  list.addSides("fragment", "k backwards", [](Program &p, unsigned side) {
    return permuteReads(p.reads[side], fromBack);
  });
  list.addSides("fragment", "halves of k exchanged",
                [](Program &p, unsigned side) {
                  return permuteReads(p.reads[side], fromHalf);
                });
  list.addControl("k backwards in both operands", [](Program &p) {
    return permuteReads(both(p.reads[0], p.reads[1]), fromBack);
  });
  list.addSides("fragment", "of the neighbour lane",
                [](Program &p, unsigned side) {
                  return byThread(p, p.reads[side], with<arith::XOrIOp>(1));
                });
  list.addSides(
      "fragment", "of the other half of lanes", [](Program &p, unsigned side) {
        return byThread(p, p.reads[side],
                        with<arith::XOrIOp>(p.facts.subgroupSize / 2));
      });
  list.addSides("fragment", "of the first subgroup",
                [](Program &p, unsigned side) {
                  return byThread(p, p.reads[side],
                                  with<arith::RemUIOp>(p.facts.subgroupSize));
                });
  list.add("fragment", "of another subgroup", [](Program &p) {
    return byThread(p, both(p.reads[0], p.reads[1]),
                    with<arith::XOrIOp>(p.facts.subgroupSize));
  });
  list.addSides("fragment", "of another tile", [](Program &p, unsigned side) {
    auto first = Program::factor(p.products.front(), side);
    for (Operation *product : p.products) {
      auto other = Program::factor(product, side);
      if (isSame(other[0].get(), first[0].get()) ||
          other[0].get().getParentBlock() != first[0].get().getParentBlock())
        continue;
      for (auto [to, from] : llvm::zip(other, first))
        to.set(from.get());
      return true;
    }
    return false;
  });
  list.addSides("fragment", "registers exchanged",
                [](Program &p, unsigned side) {
                  bool isChanged = false;
                  for (Operation *product : p.products) {
                    auto registers = Program::factor(product, side);
                    if (registers.size() < 2)
                      return false;
                    size_t middle = registers.size() / 2;
                    exchange(registers[middle - 1], registers[middle]);
                    isChanged = true;
                  }
                  return isChanged;
                });
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

static double garbageOf(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type)) ? std::nan("") : 85;
}

/// Replaces the sums that the loop begins with.
static bool beginWith(Program &p, function_ref<double(Type)> number) {
  if (!p.loop)
    return false;
  OpBuilder builder(p.loop);
  for (OpOperand &init : p.loop.getInitArgsMutable())
    init.set(splatOf(builder, p.loop.getLoc(), init.get().getType(),
                     number(init.get().getType())));
  return p.loop.getNumRegionIterArgs() > 0;
}

static bool permuteSums(Program &p,
                        function_ref<int64_t(int64_t, int64_t)> source) {
  if (!p.loop)
    return false;
  bool isChanged = false;
  for (Value sum : p.loop.getResults())
    if (auto type = dyn_cast<VectorType>(sum.getType())) {
      wrap(sum, [&](OpBuilder &builder, Value value) {
        return shuffled(builder, value, [&](int64_t i) {
          return source(i, type.getNumElements());
        });
      });
      isChanged = true;
    }
  return isChanged;
}

/// Runs a product once more on its sums.
static void repeat(Operation *product) {
  SmallVector<Value> sums = Program::sumsAfter(product);
  OpBuilder builder(product->getContext());
  builder.setInsertionPointAfterValue(sums.back());
  for (Value sum : sums)
    if (builder.getInsertionPoint()->isBeforeInBlock(sum.getDefiningOp()) ||
        &*builder.getInsertionPoint() == sum.getDefiningOp())
      builder.setInsertionPointAfterValue(sum);
  Operation *again = builder.clone(*product);
  SmallVector<Value> results;
  for (Value sum : sums) {
    if (sum.getDefiningOp() == product) {
      results.push_back(again->getResult(0));
      continue;
    }
    IRMapping map;
    map.map(product->getResult(0), again->getResult(0));
    results.push_back(builder.clone(*sum.getDefiningOp(), map)->getResult(0));
  }
  for (auto [sum, result] : llvm::zip(sums, results))
    sum.replaceAllUsesWith(result);
  Program::setSumsBefore(again, sums);
}

static bool dropProduct(Operation *product) {
  for (auto [before, after] :
       llvm::zip(Program::sumsBefore(product), Program::sumsAfter(product)))
    after.replaceAllUsesWith(before);
  return true;
}

static void addSums(List &list) {
  list.add("sums", "not initialised",
           [](Program &p) { return beginWith(p, garbageOf); });
  list.add("sums", "begin as ones",
           [](Program &p) { return beginWith(p, [](Type) { return 1.0; }); });
  list.add("sums", "init operand ignored", [](Program &p) {
    return !p.initLoads.empty() && beginWith(p, [](Type) { return 0.0; });
  });
  list.add("sums", "init operand of the neighbour thread", [](Program &p) {
    return byThread(p, p.initLoads, with<arith::XOrIOp>(1));
  });
  list.add("sums", "first product dropped",
           [](Program &p) { return dropProduct(p.products.front()); });
  list.add("sums", "last product dropped",
           [](Program &p) { return dropProduct(p.products.back()); });
  list.add("sums", "first product twice", [](Program &p) {
    repeat(p.products.front());
    return true;
  });
  list.add("sums", "last product twice", [](Program &p) {
    repeat(p.products.back());
    return true;
  });
  list.add("sums", "last product begins anew", [](Program &p) {
    Operation *product = p.products.back();
    OpBuilder builder(product);
    auto zeros =
        llvm::map_to_vector(Program::sumsBefore(product), [&](Value sum) {
          return splatOf(builder, product->getLoc(), sum.getType(), 0);
        });
    Program::setSumsBefore(product, zeros);
    return true;
  });
  list.add("sums", "products add to each other's", [](Program &p) {
    if (p.products.size() < 2)
      return false;
    Operation *one = p.products[0], *other = p.products[1];
    SmallVector<Value> mine = Program::sumsBefore(one),
                       theirs = Program::sumsBefore(other);
    // The sums of the first product do not dominate it.
    for (Value sum : theirs)
      if (Operation *source = sum.getDefiningOp();
          source && !source->isBeforeInBlock(one))
        return false;
    Program::setSumsBefore(one, theirs);
    Program::setSumsBefore(other, mine);
    return true;
  });
  list.add("sums", "elements backwards",
           [](Program &p) { return permuteSums(p, fromBack); });
  list.add("sums", "adjacent elements exchanged", [](Program &p) {
    return permuteSums(p, [](int64_t i, int64_t) { return i ^ 1; });
  });
  list.add("sums", "halves exchanged",
           [](Program &p) { return permuteSums(p, fromHalf); });
  list.add("sums", "registers exchanged", [](Program &p) {
    bool isChanged = false;
    for (Operation *product : p.products) {
      SmallVector<Value> sums = Program::sumsAfter(product);
      if (sums.size() < 3)
        return false;
      auto one = sums[1].getDefiningOp<LLVM::ExtractValueOp>(),
           other = sums[2].getDefiningOp<LLVM::ExtractValueOp>();
      DenseI64ArrayAttr position = one.getPositionAttr();
      one.setPositionAttr(other.getPositionAttr());
      other.setPositionAttr(position);
      isChanged = true;
    }
    return isChanged;
  });
  list.add("sums", "first tile's sums are all tiles'", [](Program &p) {
    if (!p.loop || p.loop.getNumResults() < 2)
      return false;
    for (Value sum : p.loop.getResults().drop_front())
      if (sum.getType() == p.loop.getResult(0).getType())
        sum.replaceAllUsesWith(p.loop.getResult(0));
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Tails
//===----------------------------------------------------------------------===//

static bool dropGuards(Program &p, Accesses accesses, int64_t bound) {
  auto guards = p.guards(accesses, bound);
  for (arith::CmpIOp guard : guards) {
    OpBuilder builder(guard);
    guard.getResult().replaceAllUsesWith(arith::ConstantIntOp::create(
        builder, guard.getLoc(), builder.getI1Type(), 1));
  }
  return !guards.empty();
}

static bool moveGuards(Program &p, Accesses accesses, int64_t bound,
                       int64_t change) {
  auto guards = p.guards(accesses, bound);
  // The indices are those of vectors.
  int64_t width = 1;
  for (const MatrixAccess &access : accesses)
    width = std::max(width, lengthOfAccess(access));
  for (arith::CmpIOp guard : guards) {
    OpBuilder builder(guard);
    guard->setOperand(1,
                      index(builder, guard.getLoc(), bound + change * width));
  }
  return !guards.empty();
}

/// Fills elements beyond the buffer with other values.
static bool fillTails(Program &p, Accesses accesses,
                      function_ref<double(Type)> number) {
  auto branches = p.branches(accesses);
  for (scf::IfOp branch : branches) {
    Operation *yield = branch.elseBlock()->getTerminator();
    OpBuilder builder(yield);
    Type type = yield->getOperand(0).getType();
    yield->setOperand(0, splatOf(builder, branch.getLoc(), type, number(type)));
  }
  return !branches.empty();
}

/// Returns the number of blocks of a tile that threads share; 0 if each thread
/// has as many.
static int64_t countBlocks(Program &p, unsigned side) {
  for (const MatrixAccess &fill : p.fills[side])
    if (auto branch = fill.op->getParentOfType<scf::IfOp>())
      if (auto guard = branch.getCondition().getDefiningOp<arith::CmpIOp>())
        return getConstantIntValue(guard.getRhs()).value_or(0);
  return 0;
}

static void addTails(List &list) {
  struct Tail {
    std::string name;
    std::function<MatrixAccesses(Program &)> accesses;
    int64_t MatrixFacts::*bound;
  };
  auto loads = [](unsigned side) {
    return [=](Program &p) { return p.loads[side]; };
  };
  auto stores = [](Program &p) { return p.stores; };
  const Tail tails[] = {{"left rows", loads(0), &MatrixFacts::rows},
                        {"left k", loads(0), &MatrixFacts::depth},
                        {"right columns", loads(1), &MatrixFacts::columns},
                        {"right k", loads(1), &MatrixFacts::depth},
                        {"result rows", stores, &MatrixFacts::rows},
                        {"result columns", stores, &MatrixFacts::columns}};
  for (const Tail &tail : tails) {
    list.add("tail", tail.name + " without a bound", [=](Program &p) {
      return dropGuards(p, tail.accesses(p), p.facts.*tail.bound);
    });
    list.add("tail", tail.name + " a vector too far", [=](Program &p) {
      return moveGuards(p, tail.accesses(p), p.facts.*tail.bound, 1);
    });
    list.add("tail", tail.name + " end early", [=](Program &p) {
      return moveGuards(p, tail.accesses(p), p.facts.*tail.bound, -1);
    });
  }
  // Rows and columns beyond the result are not stored, and tiles beyond the
  // last step are not multiplied, so their contents do not matter.
  auto hasTailOfK = [](Program &p, unsigned side) {
    return !p.guards(p.loads[side], p.facts.depth).empty();
  };
  list.addSides("tail", "not zeroed", [=](Program &p, unsigned side) {
    // Garbage times the other's zeros is zero, but for NaN.
    return hasTailOfK(p, side) &&
           isa<FloatType>(p.loads[side].front().elementType()) &&
           fillTails(p, p.loads[side], garbageOf);
  });
  list.add("tail", "ones in both operands", [=](Program &p) {
    return hasTailOfK(p, 0) &&
           fillTails(p, both(p.loads[0], p.loads[1]), [](Type) { return 1.0; });
  });
  list.addSides("tail", "loaded ahead beyond the last step",
                [=](Program &p, unsigned side) {
                  // Otherwise the bound of k says it as well.
                  if (!p.loop || hasTailOfK(p, side))
                    return false;
                  auto steps = getConstantIntValue(p.loop.getUpperBound());
                  return steps &&
                         dropGuards(p, p.inLoop(p.loads[side]), *steps);
                });
  list.addSides(
      "tail", "filled by too many threads", [](Program &p, unsigned side) {
        int64_t count = countBlocks(p, side);
        return count > 0 &&
               dropGuards(p, both(p.fills[side], p.loads[side]), count);
      });
  list.addSides("tail", "last block not filled", [](Program &p, unsigned side) {
    int64_t count = countBlocks(p, side);
    return count > 0 &&
           moveGuards(p, both(p.fills[side], p.loads[side]), count, -1);
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Returns the ops of a kind outside of the loop.
template <typename OpTy> static SmallVector<OpTy> findAll(Program &p) {
  SmallVector<OpTy> found;
  p.launch.walk([&](OpTy op) {
    if (!p.loop || !p.isInLoop(op))
      found.push_back(op);
  });
  return found;
}

static void addResults(List &list) {
  list.add("epilogue", "bias by row", [](Program &p) {
    bool isChanged = false;
    for (const MatrixAccess &access : p.otherLoads) {
      if (access.numIndices() != 1 || p.stores.empty() ||
          p.stores[0].numIndices() != 2)
        continue;
      // Uses the row of the store that follows.
      for (const MatrixAccess &store : p.stores)
        if (store.op->getBlock() == access.op->getBlock() &&
            access.op->isBeforeInBlock(store.op)) {
          access.setIndex(0, store.index(0));
          isChanged = true;
          break;
        }
    }
    return isChanged;
  });
  list.add("epilogue", "bias of the next workgroup", [](Program &p) {
    return byWorkgroup(p, p.otherLoads, with<arith::XOrIOp>(1));
  });
  list.add("epilogue", "bias of the other half of lanes", [](Program &p) {
    return byThread(p, p.otherLoads,
                    with<arith::XOrIOp>(p.facts.subgroupSize / 2));
  });
  list.add("epilogue", "maximum in front of the bias", [](Program &p) {
    bool isChanged = false;
    for (auto maximum : findAll<arith::MaximumFOp>(p)) {
      auto sum = maximum.getLhs().getDefiningOp<arith::AddFOp>();
      if (!sum)
        continue;
      OpBuilder builder(maximum);
      Value clamped = arith::MaximumFOp::create(builder, maximum.getLoc(),
                                                sum.getLhs(), maximum.getRhs());
      maximum.getResult().replaceAllUsesWith(arith::AddFOp::create(
          builder, maximum.getLoc(), clamped, sum.getRhs()));
      isChanged = true;
    }
    return isChanged;
  });
  list.add("epilogue", "in each step", [](Program &p) {
    if (!p.loop || findAll<arith::MaximumFOp>(p).empty())
      return false;
    Operation *yield = p.loop.getBody()->getTerminator();
    OpBuilder builder(yield);
    for (OpOperand &sum : yield->getOpOperands())
      sum.set(arith::MaximumFOp::create(
          builder, p.loop.getLoc(), sum.get(),
          splatOf(builder, p.loop.getLoc(), sum.get().getType(), 0)));
    return true;
  });
  list.add("epilogue", "skipped", [](Program &p) {
    // The sums are stored as they are.
    bool isChanged = false;
    for (auto maximum : findAll<arith::MaximumFOp>(p))
      if (auto sum = maximum.getLhs().getDefiningOp<arith::AddFOp>()) {
        maximum.getResult().replaceAllUsesWith(sum.getLhs());
        isChanged = true;
      }
    return isChanged;
  });
  list.add("result", "first store dropped", [](Program &p) {
    p.stores.front().op->erase();
    return true;
  });
  list.add("result", "last store dropped", [](Program &p) {
    p.stores.back().op->erase();
    return true;
  });
  list.add("result", "of the neighbour lane", [](Program &p) {
    return byThread(p, p.stores, with<arith::XOrIOp>(1));
  });
  list.add("result", "of the other half of lanes", [](Program &p) {
    return byThread(p, p.stores, with<arith::XOrIOp>(p.facts.subgroupSize / 2));
  });
  list.add("result", "of another subgroup", [](Program &p) {
    return byThread(p, p.stores, with<arith::XOrIOp>(p.facts.subgroupSize));
  });
  list.add("result", "transposed", [](Program &p) {
    for (const MatrixAccess &access : p.stores) {
      if (access.numIndices() != 2)
        return false;
      Value first = access.index(0);
      access.setIndex(0, access.index(1));
      access.setIndex(1, first);
    }
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Tiles of workgroups, batches, transposed operands
//===----------------------------------------------------------------------===//

static bool everywhereByWorkgroup(Program &p, const Other &other) {
  OpBuilder builder = p.atStart();
  Value replacement = other(builder, p.launch.getLoc(), p.workgroup);
  SmallVector<Operation *> chain;
  for (Operation *op = replacement.getDefiningOp(); op;) {
    chain.push_back(op);
    Operation *next = nullptr;
    for (Value operand : op->getOperands())
      if (operand.getDefiningOp() && operand.getType().isIndex() &&
          !operand.getDefiningOp<arith::ConstantOp>())
        next = operand.getDefiningOp();
    op = next;
  }
  p.workgroup.replaceUsesWithIf(replacement, [&](OpOperand &use) {
    return !llvm::is_contained(chain, use.getOwner());
  });
  return true;
}

static void addPlaces(List &list) {
  list.add("order", "a tile repeated, another skipped", [](Program &p) {
    return everywhereByWorkgroup(p, [](OpBuilder &b, Location loc, Value leaf) {
      return compute<arith::MulIOp>(
          b, loc, compute<arith::DivUIOp>(b, loc, leaf, 2), 2);
    });
  });
  list.addSides("order", "of the next workgroup",
                [](Program &p, unsigned side) {
                  return byWorkgroup(p, p.loads[side], with<arith::AddIOp>(1));
                });
  list.addSides("order", "of the first workgroup",
                [](Program &p, unsigned side) {
                  return byWorkgroup(p, p.loads[side], always(0));
                });
  list.add("order", "results of the next workgroup", [](Program &p) {
    return byWorkgroup(p, p.stores, with<arith::XOrIOp>(1));
  });
  list.addControl("workgroups exchanged", [](Program &p) {
    auto blocks = getConstantIntValue(p.launch.getGridSizeX());
    return blocks && *blocks % 2 == 0 &&
           everywhereByWorkgroup(p, with<arith::XOrIOp>(1));
  });
  auto toFirst = [](Accesses accesses) {
    return !accesses.empty() && accesses[0].numIndices() == 3 &&
           changeIndex(
               accesses, 0,
               [](OpBuilder &builder, Location loc, const MatrixAccess &) {
                 return index(builder, loc, 0);
               });
  };
  auto toNext = [](Accesses accesses) {
    return !accesses.empty() && accesses[0].numIndices() == 3 &&
           changeIndex(
               accesses, 0,
               [](OpBuilder &builder, Location loc,
                  const MatrixAccess &access) -> Value {
                 int64_t count = access.type().getDimSize(0);
                 return compute<arith::RemUIOp>(
                     builder, loc,
                     compute<arith::AddIOp>(builder, loc, access.index(0), 1),
                     count);
               });
  };
  list.addSides("batch", "of the first matrix", [=](Program &p, unsigned side) {
    return p.stores[0].numIndices() == 3 && toFirst(p.loads[side]);
  });
  list.addSides("batch", "of the next matrix", [=](Program &p, unsigned side) {
    return p.stores[0].numIndices() == 3 && toNext(p.loads[side]);
  });
  list.add("batch", "result into the first matrix",
           [=](Program &p) { return toFirst(p.stores); });
  list.add("batch", "result into the next matrix",
           [=](Program &p) { return toNext(p.stores); });
  // A second reduced loop.
  auto outer = [](Program &p, unsigned side, unsigned dim) {
    MatrixAccesses loads = p.inLoop(p.loads[side]);
    return p.stores[0].numIndices() == 2 && !loads.empty() &&
           loads[0].numIndices() == 3 &&
           changeIndex(
               loads, dim,
               [](OpBuilder &builder, Location loc, const MatrixAccess &) {
                 return index(builder, loc, 0);
               });
  };
  list.add("outer loop", "left stays at the first step",
           [=](Program &p) { return outer(p, 0, 1); });
  list.add("outer loop", "right stays at the first step",
           [=](Program &p) { return outer(p, 1, 0); });
  list.addSides("transposed", "read untransposed",
                [](Program &p, unsigned side) {
                  for (const MatrixAccess &access : p.loads[side]) {
                    if (access.numIndices() != 2)
                      return false;
                    Value first = access.index(0);
                    access.setIndex(0, access.index(1));
                    access.setIndex(1, first);
                  }
                  return true;
                });
  list.add("transposed", "blocks not transposed in registers", [](Program &p) {
    // The i-th piece of a fill gathers the j-th elements of vectors.
    bool isChanged = false;
    for (unsigned side : {0, 1})
      for (const MatrixAccess &access : p.fills[side]) {
        auto gather =
            access.op->getOperand(0).getDefiningOp<vector::FromElementsOp>();
        if (!gather)
          continue;
        for (OpOperand &element : gather->getOpOperands()) {
          auto extract = element.get().getDefiningOp<vector::ExtractOp>();
          auto first = gather->getOperand(0).getDefiningOp<vector::ExtractOp>();
          if (!extract || !first)
            continue;
          auto type = cast<VectorType>(first.getSource().getType());
          OpBuilder builder(gather);
          int64_t j = int64_t(element.getOperandNumber());
          if (j == 0 || j >= type.getNumElements())
            continue;
          element.set(vector::ExtractOp::create(builder, gather.getLoc(),
                                                first.getSource(), j));
          isChanged = true;
        }
      }
    return isChanged;
  });
}

//===----------------------------------------------------------------------===//
// Asynchronous copies, and loads of whole matrices
//===----------------------------------------------------------------------===//

template <typename OpTy> static SmallVector<OpTy> findOps(Program &p) {
  SmallVector<OpTy> found;
  p.launch.walk([&](OpTy op) { found.push_back(op); });
  return found;
}

/// Returns the copies of an operand, with the indices in the destination or in
/// the source.
static MatrixAccesses copiesOf(Program &p, unsigned side, bool isSource) {
  MatrixAccesses found;
  for (auto copy : findOps<nvgpu::DeviceAsyncCopyOp>(p)) {
    auto argument = dyn_cast<BlockArgument>(copy.getSrc());
    if (!argument || argument.getArgNumber() != side)
      continue;
    auto rank = static_cast<unsigned>(copy.getDstIndices().size());
    found.push_back({copy, isSource ? rank + 1 : 0});
  }
  return found;
}

static MatrixAccesses matrixLoads(Program &p) {
  return llvm::map_to_vector(findOps<nvgpu::LdMatrixOp>(p),
                             [](Operation *op) { return MatrixAccess{op, 0}; });
}

/// Leaves chunks where they would be without an exchange.
static bool dropExchange(Accesses accesses) {
  bool isChanged = false;
  for (const MatrixAccess &access : accesses) {
    Value column = access.index(access.numIndices() - 1);
    auto exchange = column.getDefiningOp<arith::XOrIOp>();
    if (!exchange)
      continue;
    // The exchange of a constant chunk may be folded into another xor.
    Value plain = exchange.getLhs();
    if (auto inner = plain.getDefiningOp<arith::XOrIOp>()) {
      OpBuilder builder(access.op);
      plain = arith::XOrIOp::create(builder, access.op->getLoc(),
                                    inner.getLhs(), exchange.getRhs());
    }
    access.setIndex(access.numIndices() - 1, plain);
    isChanged = true;
  }
  return isChanged;
}

static void addCopies(List &list) {
  list.add("copy", "waits dropped", [](Program &p) {
    auto waits = findOps<NVVM::CpAsyncWaitGroupOp>(p);
    for (Operation *wait : waits)
      wait->erase();
    return !waits.empty();
  });
  list.add("copy", "waits for a group less", [](Program &p) {
    auto waits = findOps<NVVM::CpAsyncWaitGroupOp>(p);
    for (NVVM::CpAsyncWaitGroupOp wait : waits)
      wait.setN(wait.getN() + 1);
    return !waits.empty();
  });
  list.add("copy", "waits behind the barrier", [](Program &p) {
    auto waits = findOps<NVVM::CpAsyncWaitGroupOp>(p);
    for (Operation *wait : waits)
      wait->moveAfter(wait->getNextNode());
    return !waits.empty();
  });
  for (bool isInLoop : {false, true})
    list.add("copy",
             std::string("groups ") + (isInLoop ? "in" : "before") +
                 " the loop dropped",
             [=](Program &p) {
               bool isChanged = false;
               for (Operation *group : findOps<NVVM::CpAsyncCommitGroupOp>(p))
                 if (p.isInLoop(group) == isInLoop) {
                   group->erase();
                   isChanged = true;
                 }
               return isChanged;
             });
  list.add("copy", "barrier behind the multiplication", [](Program &p) {
    if (findOps<NVVM::CpAsyncWaitGroupOp>(p).empty() || p.products.empty())
      return false;
    p.barriers.front()->moveAfter(p.products.back());
    return true;
  });
  list.add("copy", "in front of the barrier", [](Program &p) {
    if (p.barriers.empty())
      return false;
    Operation *barrier = p.barriers.front();
    for (Operation *op = barrier->getNextNode(); op; op = op->getNextNode()) {
      bool hasCopy = false;
      op->walk([&](nvgpu::DeviceAsyncCopyOp) { hasCopy = true; });
      if (!hasCopy)
        continue;
      barrier->moveAfter(op);
      return true;
    }
    return false;
  });
  list.addSides("copy", "into the next stage", [](Program &p, unsigned side) {
    return byStep(p, copiesOf(p, side, false), with<arith::AddIOp>(1));
  });
  list.addSides("copy", "of the next step", [](Program &p, unsigned side) {
    return byStep(p, copiesOf(p, side, true), with<arith::AddIOp>(1));
  });
  list.addSides("copy", "missing before the loop",
                [](Program &p, unsigned side) {
                  return eraseAll(p.beforeLoop(copiesOf(p, side, false)));
                });
  list.addSides(
      "copy", "by the neighbour thread", [](Program &p, unsigned side) {
        return byThread(p, copiesOf(p, side, false), with<arith::XOrIOp>(1));
      });
  list.addSides("copy", "reads all", [](Program &p, unsigned side) {
    bool isChanged = false;
    for (const MatrixAccess &access : copiesOf(p, side, true)) {
      auto copy = cast<nvgpu::DeviceAsyncCopyOp>(access.op);
      isChanged |= copy.getSrcElements() != nullptr;
      copy.getSrcElementsMutable().clear();
    }
    return isChanged;
  });
  list.addSides("copy", "without exchanged chunks",
                [](Program &p, unsigned side) {
                  return dropExchange(copiesOf(p, side, false));
                });
  list.add("matrix load", "without exchanged chunks",
           [](Program &p) { return dropExchange(matrixLoads(p)); });
  list.add("matrix load", "transposed otherwise", [](Program &p) {
    auto loads = findOps<nvgpu::LdMatrixOp>(p);
    for (nvgpu::LdMatrixOp load : loads)
      load.setTranspose(!load.getTranspose());
    return !loads.empty();
  });
  list.add("matrix load", "of the neighbour row", [](Program &p) {
    return byThread(p, matrixLoads(p), with<arith::XOrIOp>(1));
  });
  list.add("matrix load", "of the neighbour matrix", [](Program &p) {
    return byThread(p, matrixLoads(p), with<arith::XOrIOp>(8));
  });
  list.add("matrix load", "a step early", [](Program &p) {
    return byStep(p, matrixLoads(p), with<arith::AddIOp>(1));
  });
  list.add("matrix load", "stage 0 is always read",
           [](Program &p) { return byStep(p, matrixLoads(p), always(0)); });
}

std::vector<MatrixMutation> tonno::matrixMutations() {
  List list;
  addBarriers(list);
  addStages(list);
  addSteps(list);
  addLayouts(list);
  addMemory(list);
  addFragments(list);
  addSums(list);
  addTails(list);
  addResults(list);
  addPlaces(list);
  addCopies(list);
  return std::move(list.all);
}
