//===- Mistakes made on purpose -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Mutation.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

#include <set>

using namespace mlir;
using namespace tonno;

namespace {

using Matcher = bool (*)(Operation *);
using Editor = void (*)(Operation *, OpBuilder &);
/// Ops with the same key are changed together; without one, each alone.
using Key = std::optional<std::pair<int64_t, int64_t>> (*)(Operation *);
using Site = SmallVector<Operation *>;

struct Kind {
  const char *name;
  Matcher matches;
  Editor edit;
  Key key = nullptr;
};

} // namespace

static std::optional<int64_t> constantOf(Value value) {
  auto constant = value.getDefiningOp<LLVM::ConstantOp>();
  auto number =
      constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  return number ? std::optional(number.getInt()) : std::nullopt;
}

/// Replaces one op's operand, rather than a constant that other ops share.
static void setConstant(Operation *op, unsigned operand, int64_t value,
                        OpBuilder &builder) {
  Type type = op->getOperand(operand).getType();
  op->setOperand(operand,
                 LLVM::ConstantOp::create(builder, op->getLoc(), type, value));
}

static void increment(Operation *op, OpBuilder &builder) {
  setConstant(op, 1, *constantOf(op->getOperand(1)) + 1, builder);
}

template <typename... Ops> static bool hasConstant(Operation *op) {
  return isa<Ops...>(op) && constantOf(op->getOperand(1));
}

static bool isBarrier(Operation *op) {
  return isa<NVVM::Barrier0Op, NVVM::BarrierOp, ROCDL::BarrierOp,
             ROCDL::SBarrierOp>(op);
}

static bool isDifference(Operation *op) {
  return isa<LLVM::SubOp>(op) && op->getOperand(0) != op->getOperand(1);
}

/// Returns true if the op divides by a constant other than the number of
/// threads or workgroups, which would leave their indices unchanged.
static bool isDivision(Operation *op) {
  if (!hasConstant<LLVM::UDivOp, LLVM::URemOp>(op))
    return false;
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  for (const char *name : {"gpu.known_block_size", "gpu.known_grid_size"})
    if (auto sizes = function->getAttrOfType<DenseI32ArrayAttr>(name))
      if (sizes[0] == constantOf(op->getOperand(1)))
        return false;
  return true;
}

/// Returns true if the op has the constant distance of a shuffle (NVIDIA), of a
/// swizzle (AMD), or of the computed lane number.
static bool isDistance(Operation *op) {
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op))
    return constantOf(shuffle.getOffset()).has_value();
  return hasConstant<ROCDL::DsSwizzleOp, LLVM::XOrOp>(op);
}

static void doubleDistance(Operation *op, OpBuilder &builder) {
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op)) {
    unsigned operand = shuffle.getOffsetMutable().getOperandNumber();
    return setConstant(op, operand, 2 * *constantOf(shuffle.getOffset()),
                       builder);
  }
  int64_t old = *constantOf(op->getOperand(1));
  // A swizzle's pattern has the flipped bits from bit 10 on.
  bool isSwizzle = isa<ROCDL::DsSwizzleOp>(op);
  int64_t distance = isSwizzle ? old >> 10 : old;
  int64_t other = distance >= 16 ? distance / 2 : distance * 2;
  setConstant(op, 1, isSwizzle ? (old & 1023) | other << 10 : other, builder);
}

static bool isShuffle(Operation *op) {
  return isa<NVVM::ShflOp, ROCDL::DsSwizzleOp, ROCDL::DsBpermuteOp>(op);
}

static void keepOwnValue(Operation *op, OpBuilder &) {
  Value own = op->getOperand(0);
  if (auto shuffle = dyn_cast<NVVM::ShflOp>(op))
    own = shuffle.getVal();
  else if (isa<ROCDL::DsBpermuteOp>(op))
    own = op->getOperand(1);
  op->getResult(0).replaceAllUsesWith(own);
}

/// Returns true if the block is its own successor, directly or not.
static bool isInLoop(Block *block) {
  std::set<Block *> seen;
  SmallVector<Block *> open(block->getSuccessors());
  while (!open.empty()) {
    Block *next = open.pop_back_val();
    if (next == block)
      return true;
    if (seen.insert(next).second)
      llvm::append_range(open, next->getSuccessors());
  }
  return false;
}

/// Returns the step of a loop's counter, if the op compares one.
static std::optional<int64_t> stepOfLoop(Operation *op) {
  auto counter = dyn_cast<BlockArgument>(op->getOperand(0));
  if (!counter || counter.getOwner() != op->getBlock() ||
      !isInLoop(op->getBlock()))
    return std::nullopt;
  for (Operation *user : counter.getUsers()) {
    bool isNext = llvm::any_of(user->getUsers(), [&](Operation *branch) {
      return isa<LLVM::BrOp>(branch) &&
             branch->getSuccessor(0) == op->getBlock();
    });
    if (isNext && hasConstant<LLVM::AddOp>(user))
      return constantOf(user->getOperand(1));
  }
  return std::nullopt;
}

static bool isUpperBound(Operation *op) {
  if (!hasConstant<LLVM::ICmpOp>(op) || stepOfLoop(op))
    return false;
  auto predicate = cast<LLVM::ICmpOp>(op).getPredicate();
  return predicate == LLVM::ICmpPredicate::ult ||
         predicate == LLVM::ICmpPredicate::slt;
}

/// Returns true if the op selects one thread that acts for the others.
static bool isChoice(Operation *op) {
  return hasConstant<LLVM::ICmpOp>(op) &&
         cast<LLVM::ICmpOp>(op).getPredicate() == LLVM::ICmpPredicate::eq;
}

static void alwaysTrue(Operation *op, OpBuilder &builder) {
  op->getResult(0).replaceAllUsesWith(LLVM::ConstantOp::create(
      builder, op->getLoc(), op->getResult(0).getType(), 1));
}

/// Returns the predicate and the extent of a comparison. All comparisons with
/// one extent are mutated together, as a faulty schedule would omit all of
/// them. A single one hardly matters: the elements read there are multiplied by
/// the other operand's zeros, or are not stored.
static std::optional<std::pair<int64_t, int64_t>> extentOf(Operation *op) {
  return std::pair(int64_t(cast<LLVM::ICmpOp>(op).getPredicate()),
                   *constantOf(op->getOperand(1)));
}

static bool isLoopBound(Operation *op) {
  return hasConstant<LLVM::ICmpOp>(op) && stepOfLoop(op);
}

static bool isStore(Operation *op) {
  auto store = dyn_cast<LLVM::StoreOp>(op);
  return store && store.getAddr().getDefiningOp<LLVM::GEPOp>();
}

static void storeBeside(Operation *op, OpBuilder &builder) {
  auto store = cast<LLVM::StoreOp>(op);
  Value address = store.getAddr();
  auto vector = dyn_cast<VectorType>(store.getValue().getType());
  Type element = vector ? vector.getElementType() : store.getValue().getType();
  Value beside =
      LLVM::GEPOp::create(builder, op->getLoc(), address.getType(), element,
                          address, ArrayRef<LLVM::GEPArg>{1});
  store.getAddrMutable().assign(beside);
  // An alignment that does not hold would be undefined behaviour.
  store.setAlignment(std::nullopt);
  if (vector)
    store.setAlignment(1);
}

static const Kind kinds[] = {
    {"drop barrier", isBarrier,
     [](Operation *op, OpBuilder &) { op->erase(); }},
    {"shift index", hasConstant<LLVM::AddOp>, increment},
    {"scale index", hasConstant<LLVM::MulOp>, increment},
    {"divide otherwise", isDivision, increment},
    {"swap difference", isDifference,
     [](Operation *op, OpBuilder &) {
       Value left = op->getOperand(0);
       op->setOperand(0, op->getOperand(1));
       op->setOperand(1, left);
     }},
    {"shuffle from afar", isDistance, doubleDistance},
    {"no shuffle", isShuffle, keepOwnValue},
    {"loosen bound", isUpperBound, increment, extentOf},
    {"drop bound", isUpperBound, alwaysTrue, extentOf},
    {"all for one", isChoice, alwaysTrue, extentOf},
    {"shorten loop", isLoopBound,
     [](Operation *op, OpBuilder &builder) {
       setConstant(op, 1, *constantOf(op->getOperand(1)) - *stepOfLoop(op),
                   builder);
     }},
    {"store beside", isStore, storeBeside},
};

static std::vector<Site> sitesOf(ModuleOp module, const Kind &kind) {
  std::vector<Site> sites;
  std::map<std::tuple<Operation *, int64_t, int64_t>, size_t> known;
  module.walk([&](Operation *op) {
    if (!kind.matches(op))
      return;
    auto key = kind.key ? kind.key(op) : std::nullopt;
    if (key) {
      auto [found, isNew] = known.try_emplace(
          {op->getParentOp(), key->first, key->second}, sites.size());
      if (!isNew)
        return sites[found->second].push_back(op);
    }
    sites.push_back({op});
  });
  return sites;
}

static std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().skipRegions().useLocalScope());
  return text;
}

static void addPlanMutations(const LaunchPlan &plan,
                             std::vector<Mutation> &all) {
  auto add = [&](const char *kind, size_t launch, auto edit) {
    all.push_back({kind, launch, plan.launches[launch].symbol,
                   [=](Workbench::Lowered &lowered) {
                     edit(lowered.plan.launches, launch);
                   }});
  };
  using Launches = std::vector<Launch>;
  for (size_t i = 0; i < plan.launches.size(); ++i) {
    if (plan.launches[i].geometry.grid[0] > 1)
      add("fewer workgroups", i, [](Launches &launches, size_t launch) {
        --launches[launch].geometry.grid[0];
      });
    if (plan.launches[i].buffers.size() > 1)
      add("swap buffers", i, [](Launches &launches, size_t launch) {
        std::vector<uint32_t> &buffers = launches[launch].buffers;
        std::swap(buffers.front(), buffers.back());
      });
    if (plan.launches.size() == 1)
      continue;
    add("drop launch", i, [](Launches &launches, size_t launch) {
      launches.erase(launches.begin() + static_cast<ptrdiff_t>(launch));
    });
    if (i > 0)
      add("swap launches", i, [](Launches &launches, size_t launch) {
        std::swap(launches[launch - 1], launches[launch]);
      });
  }
}

std::vector<Mutation> tonno::mutationsOf(const Workbench::Lowered &lowered) {
  std::vector<Mutation> all;
  for (const Kind &kind : kinds)
    for (auto [number, site] : llvm::enumerate(sitesOf(*lowered.module, kind)))
      all.push_back({kind.name, number, print(site.front()),
                     [&kind, number = number](Workbench::Lowered &mutant) {
                       std::vector<Site> sites = sitesOf(*mutant.module, kind);
                       for (Operation *op : sites[number]) {
                         OpBuilder builder(op);
                         kind.edit(op, builder);
                       }
                     }});
  addPlanMutations(lowered.plan, all);
  return all;
}
