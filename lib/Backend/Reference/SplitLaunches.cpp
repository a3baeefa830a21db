//===- Splitting kernels into parallel launches ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Pipelines.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tonno {
#define GEN_PASS_DEF_SPLITLAUNCHESPASS
#include "tonno/Backend/ReferencePasses.h.inc"
} // namespace tonno

using namespace mlir;
using tonno::TonnoDialect;

namespace {

/// The work of a launch: one parallel loop, or the ops between two.
struct Work {
  bool isParallel = false;
  int64_t iterations = 1;
};

/// The launches of a function, and to which of them its ops belong; those that
/// each launch can do for itself belong to none.
struct Launches {
  SmallVector<Work> works;
  DenseMap<Operation *, unsigned> launchIndices;
};

struct SplitLaunches : tonno::impl::SplitLaunchesPassBase<SplitLaunches> {
  using SplitLaunchesPassBase::SplitLaunchesPassBase;

  void runOnOperation() override;
};

} // namespace

/// Returns true if the address leads to loads only.
static bool isOnlyLoaded(Value address) {
  return llvm::all_of(address.getUsers(), [](Operation *user) {
    return isa<LLVM::LoadOp>(user) ||
           (isa<LLVM::GEPOp>(user) && isOnlyLoaded(user->getResult(0)));
  });
}

/// Returns true if the op loads from a global that its function only loads.
static bool loadsFixedGlobal(Operation &op) {
  auto load = dyn_cast<LLVM::LoadOp>(op);
  if (!load || load.getVolatile_())
    return false;
  Value address = load.getAddr();
  while (auto element = address.getDefiningOp<LLVM::GEPOp>())
    address = element.getBase();
  auto global = address.getDefiningOp<LLVM::AddressOfOp>();
  if (!global)
    return false;
  auto uses = SymbolTable::getSymbolUses(global.getGlobalNameAttr().getAttr(),
                                         op.getParentOp());
  return uses && llvm::all_of(*uses, [](const SymbolTable::SymbolUse &use) {
           auto other = dyn_cast<LLVM::AddressOfOp>(use.getUser());
           return other && isOnlyLoaded(other);
         });
}

/// Returns true if the op has the same results at any position in the function:
/// it has no memory effects, or loads from an argument or a global that is
/// never written.
static bool isRepeatable(Operation &op) {
  if (op.getNumRegions() != 0)
    return false;
  if (isMemoryEffectFree(&op) || loadsFixedGlobal(op))
    return true;
  auto load = dyn_cast<memref::LoadOp>(op);
  return load && isa<BlockArgument>(load.getMemRef()) &&
         llvm::all_of(load.getMemRef().getUsers(), [](Operation *user) {
           return isa<memref::LoadOp>(user);
         });
}

namespace {
struct Trips {
  int64_t begin, step, count;
};
} // namespace

static std::optional<Trips> getStaticTrips(scf::ForallOp loop,
                                           unsigned dimension) {
  auto begin = getConstantIntValue(loop.getMixedLowerBound()[dimension]);
  auto end = getConstantIntValue(loop.getMixedUpperBound()[dimension]);
  auto step = getConstantIntValue(loop.getMixedStep()[dimension]);
  if (!begin || !end || !step || *step <= 0)
    return std::nullopt;
  return Trips{*begin, *step, llvm::divideCeilSigned(*end - *begin, *step)};
}

/// Returns the number of iterations of a parallel loop, if that is static and
/// threads can share them.
static std::optional<int64_t> countStaticIterations(Operation &op) {
  auto loop = dyn_cast<scf::ForallOp>(op);
  if (!loop || loop.getNumResults() != 0)
    return std::nullopt;
  int64_t iterations = 1;
  for (unsigned i = 0; i < loop.getRank(); ++i) {
    auto trips = getStaticTrips(loop, i);
    if (!trips || trips->count <= 0 || trips->count > UINT32_MAX / iterations)
      return std::nullopt;
    iterations *= trips->count;
  }
  return iterations;
}

static Launches findLaunches(func::FuncOp function) {
  Launches all;
  all.works.emplace_back();
  if (!function.getBody().hasOneBlock())
    return all;
  Block &body = function.getBody().front();
  Launches found;
  auto belongsToNone = [&](Operation &op) {
    return isRepeatable(op) &&
           llvm::none_of(op.getOperands(), [&](Value value) {
             return found.launchIndices.contains(value.getDefiningOp());
           });
  };
  for (Operation &op : body.without_terminator()) {
    if (belongsToNone(op))
      continue;
    auto iterations = countStaticIterations(op);
    if (found.works.empty() || iterations || found.works.back().isParallel)
      found.works.push_back({iterations.has_value(), iterations.value_or(1)});
    found.launchIndices[&op] = found.works.size() - 1;
  }
  // A value of one launch can't be used in another.
  for (auto [op, launch] : found.launchIndices)
    for (Operation *user : op->getUsers()) {
      Operation *ancestor = body.findAncestorOpInBlock(*user);
      auto other = found.launchIndices.find(ancestor);
      if (other == found.launchIndices.end() || other->second != launch)
        return all;
    }
  return found.works.empty() ? all : found;
}

/// Leaves the loop's body, for the iteration whose number is the function's
/// last argument.
static void replaceForallByIteration(func::FuncOp function,
                                     scf::ForallOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  unsigned last = function.getNumArguments();
  (void)function.insertArgument(last, builder.getIndexType(), {}, loc);
  Value number = function.getArgument(last);
  for (unsigned i = loop.getRank(); i-- > 0;) {
    Trips trips = *getStaticTrips(loop, i);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    Value count = constant(trips.count);
    Value index = arith::RemUIOp::create(builder, loc, number, count);
    number = arith::DivUIOp::create(builder, loc, number, count);
    Value scaled =
        arith::MulIOp::create(builder, loc, index, constant(trips.step));
    Value value =
        arith::AddIOp::create(builder, loc, scaled, constant(trips.begin));
    loop.getInductionVars()[i].replaceAllUsesWith(value);
  }
  loop.getBody()->getTerminator()->erase();
  loop->getBlock()->getOperations().splice(loop->getIterator(),
                                           loop.getBody()->getOperations());
  loop.erase();
}

/// Creates the function of one launch: the kernel without the other launches'
/// ops.
static func::FuncOp extract(func::FuncOp kernel, const Launches &launches,
                            unsigned launch) {
  func::FuncOp function = kernel.clone();
  SmallVector<Operation *> others;
  scf::ForallOp loop;
  if (!launches.launchIndices.empty())
    for (auto [op, copy] :
         llvm::zip_equal(kernel.getBody().front().without_terminator(),
                         function.getBody().front().without_terminator())) {
      auto known = launches.launchIndices.find(&op);
      if (known == launches.launchIndices.end())
        continue;
      if (known->second != launch)
        others.push_back(&copy);
      else if (launches.works[launch].isParallel)
        loop = cast<scf::ForallOp>(copy);
    }
  for (Operation *other : llvm::reverse(others))
    other->erase();
  if (loop)
    replaceForallByIteration(function, loop);
  return function;
}

static func::FuncOp findKernel(ModuleOp module, StringRef name) {
  if (!name.empty())
    return module.lookupSymbol<func::FuncOp>(name);
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      return function;
  return nullptr;
}

void SplitLaunches::runOnOperation() {
  ModuleOp module = getOperation();
  func::FuncOp function = findKernel(module, kernel);
  if (!function) {
    module.emitError() << "there is no function '" << kernel << "'";
    return signalPassFailure();
  }
  for (auto other : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (other != function && !other.isExternal())
      other.erase();

  Builder builder(&getContext());
  Launches launches = findLaunches(function);
  auto buffers =
      llvm::to_vector(llvm::seq<int64_t>(0, function.getNumArguments()));
  SmallVector<Attribute> listed;
  SymbolTable symbols(module);
  for (auto [i, work] : llvm::enumerate(launches.works)) {
    func::FuncOp part = extract(function, launches, i);
    if (launches.works.size() > 1)
      part.setName((function.getName() + "_" + Twine(i)).str());
    else
      symbols.remove(function);
    std::string entry = symbols.insert(part).str() + "_entry";
    listed.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("symbol", builder.getStringAttr(entry)),
         builder.getNamedAttr("buffers", builder.getI64ArrayAttr(buffers)),
         builder.getNamedAttr("grid",
                              builder.getI64ArrayAttr({work.iterations, 1, 1})),
         builder.getNamedAttr("block", builder.getI64ArrayAttr({1, 1, 1})),
         builder.getNamedAttr("shared_bytes", builder.getI64IntegerAttr(0))}));
  }
  module->setAttr(TonnoDialect::kBuffers,
                  function->getAttr(TonnoDialect::kBuffers));
  module->setAttr(TonnoDialect::kLaunches, builder.getArrayAttr(listed));
  function.erase();
}
