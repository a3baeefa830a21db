//===- Groups of ops that form kernels ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/KernelGroups.h"
#include "tonno/Core/InputSpec.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "DefaultSpace/DefaultSpaces.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tonno;

/// Returns true for fills with a constant, and for generic ops whose inputs
/// are constants.
static bool readsConstants(linalg::LinalgOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::all_of(
             op.getDpsInputs(),
             [](Value input) { return matchPattern(input, m_Constant()); }) &&
         llvm::all_of(captured, [](Value value) {
           return matchPattern(value, m_Constant());
         });
}

/// Returns true if the op copies the elements of a smaller tensor or a scalar
/// to several places, or only adds dimensions of extent 1.
static bool isBroadcast(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.hasDynamicShape())
    return false;
  Block &body = op->getRegion(0).front();
  if (body.getTerminator()->getOperand(0) != body.getArgument(0))
    return false;
  auto read = dyn_cast<ShapedType>(op.getDpsInputs().front().getType());
  auto written = cast<ShapedType>(op.getDpsInits().front().getType());
  return !read || read.getNumElements() < written.getNumElements() ||
         read.getRank() < written.getRank();
}

/// Returns true for loops and branches around linalg ops, which have kernels of
/// their own.
static bool containsLinalgOps(Operation *op) {
  return op
      ->walk([&](linalg::LinalgOp nested) {
        return nested == op ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Returns true if the op is cloned into each kernel that uses it: reading
/// its result from memory would cost more than computing it.
static bool isRepeated(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
    return true;
  auto generic = dyn_cast<linalg::LinalgOp>(op);
  if (!generic || generic.getNumReductionLoops() != 0 ||
      generic.getNumDpsInits() != 1 ||
      !generic.getDpsInits().front().getDefiningOp<tensor::EmptyOp>())
    return false;
  return readsConstants(generic) || isBroadcast(generic);
}

/// Returns true if the result is a part of a tensor, or one of another shape.
static bool isView(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::CastOp>(op);
}

namespace {

/// A value as a view of another.
struct View {
  Value source;
  bool isReshaped = false;
  bool isPart = false;    ///< has some of the source's elements
  bool hasOffset = false; ///< begins behind the source's first element
};

} // namespace

/// Returns the value as a view of what reshapes, casts and slices begin with.
static View findViewed(Value value) {
  View view = {value};
  while (Operation *op = view.source.getDefiningOp()) {
    if (!isView(op))
      break;
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      view.isPart = true;
      view.hasOffset |= !llvm::all_of(slice.getMixedOffsets(), isZeroInteger);
    } else {
      view.isReshaped = true;
    }
    view.source = op->getOperand(0);
  }
  return view;
}

/// The last op of a kernel, which identifies the kernel.
using Root = Operation *;

namespace {

/// Assigns the ops of a block to kernels.
class Grouping {
public:
  /// `groups` has the ops that the schedule computes, and their groups' roots.
  Grouping(const OpGroups &groups, const DefaultSchedule &schedule)
      : roots(groups.lastOps), absorbed(groups.absorbed) {
    for (auto [op, root] : roots) {
      members[root].push_back(op);
      int64_t &most = work[root];
      most = std::max(most, schedule.countWork(op));
    }
  }

  /// Returns the ops of each kernel, in the block's order.
  llvm::MapVector<Root, SmallVector<Operation *>> group(Block &block) {
    for (Operation &op : llvm::reverse(block))
      assign(&op);
    llvm::MapVector<Root, SmallVector<Operation *>> groups;
    for (Operation &op : block)
      if (llvm::equal(kernels.lookup(&op), ArrayRef<Root>(&op)))
        groups[&op];
    for (Operation &op : block)
      for (Root root : kernels.lookup(&op))
        groups[root].push_back(&op);
    return groups;
  }

private:
  const llvm::DenseMap<Operation *, Root> &roots;
  const llvm::DenseSet<Operation *> &absorbed;
  /// The kernels of each op that is in one. Only ops that are repeated in each
  /// of their users, such as constants, are in several.
  llvm::DenseMap<Operation *, SmallVector<Root>> kernels;
  /// The ops with each root.
  llvm::DenseMap<Root, SmallVector<Operation *>> members;
  /// Work of the longest op with each root.
  llvm::DenseMap<Root, int64_t> work;

  /// Returns the kernels that use the op's results, other than in the group of
  /// `ignored`; null among them stands for a user in no kernel.
  llvm::SetVector<Root> findUsers(Operation *op, Root ignored = nullptr) const {
    llvm::SetVector<Root> users;
    for (Operation *user : op->getUsers()) {
      Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
      if (ignored && roots.lookup(inBlock) == ignored)
        continue;
      auto found = kernels.find(inBlock);
      if (found == kernels.end())
        users.insert(nullptr);
      else
        users.insert_range(found->second);
    }
    return users;
  }

  /// Returns true if the kernel reads several slices of the slice's source, as
  /// stencils do: the offsets are then part of the kernel.
  bool isOneOfSeveral(tensor::ExtractSliceOp slice, Root kernel) const {
    return llvm::any_of(slice.getSource().getUsers(), [&](Operation *other) {
      return other != slice && isa<tensor::ExtractSliceOp>(other) &&
             other->getBlock() == slice->getBlock() &&
             llvm::is_contained(findUsers(other), kernel);
    });
  }

  /// Returns those of the kernels that use the view which compute its source,
  /// too: a part of the view is between their ops.
  SmallVector<Root>
  findKernelsAround(Operation *view, const llvm::SetVector<Root> &users) const {
    Value source = findViewed(view->getResult(0)).source;
    Root root = roots.lookup(source.getDefiningOp());
    return llvm::filter_to_vector(kernels.lookup(root), [&](Root kernel) {
      return users.contains(kernel);
    });
  }

  void assign(Operation *op) {
    if (!isMemoryEffectFree(op) || op->getNumResults() == 0 ||
        op->hasTrait<OpTrait::IsTerminator>() || containsLinalgOps(op))
      return;
    llvm::SetVector<Root> users = findUsers(op);
    Root root = roots.lookup(op);
    bool isOwnKernel =
        root && (root != op || members.find(root)->second.size() > 1 ||
                 users.contains(nullptr));
    if (absorbed.contains(op) || (isRepeated(op) && !isOwnKernel)) {
      users.remove(nullptr);
      if (!users.empty())
        kernels[op] = users.takeVector();
      return;
    }
    if (root == op) {
      kernels[op] = {findKernelOfRoot(root)};
      return;
    }
    if (root) {
      // The root precedes the ops that are fused into it in this order. It is
      // in no kernel if it has side effects.
      if (auto found = kernels.find(root); found != kernels.end())
        kernels[op] = SmallVector<Root>(found->second);
      return;
    }
    if (isView(op))
      if (auto inside = findKernelsAround(op, users); !inside.empty()) {
        kernels[op] = std::move(inside);
        return;
      }
    if (users.size() != 1 || !users.front())
      return;
    // Views stay outside: equal kernels are called with different ones.
    auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
    if ((!isView(op) && !isPaddedInPlace(op)) ||
        (slice && isOneOfSeveral(slice, users.front())))
      kernels[op] = users.takeVector();
  }

  /// Returns true if a kernel of the model writes its result where the op pads
  /// it. The op then costs nothing; in another kernel, it would be a copy.
  bool isPaddedInPlace(Operation *op) const {
    auto pad = dyn_cast<tensor::PadOp>(op);
    return pad && pad.getSource().hasOneUse() &&
           roots.contains(pad.getSource().getDefiningOp());
  }

  /// Returns the kernel of the only user of the root's group if the group is
  /// cheap beside it, else the root.
  Root findKernelOfRoot(Root root) const {
    llvm::SetVector<Root> users;
    for (Operation *op : members.find(root)->second)
      users.insert_range(findUsers(op, /*ignored=*/root));
    if (users.size() != 1 || !users.front())
      return root;
    int64_t own = work.lookup(root);
    bool isCheap =
        own > 0 && own <= work.lookup(users.front()) / cheapKernelRatio;
    return isCheap ? users.front() : root;
  }
};

} // namespace

/// Returns the values defined outside of the ops that they use, in order of
/// use.
SmallVector<Value> tonno::findKernelInputs(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  llvm::SetVector<Value> inputs;
  for (Operation *op : ops) {
    inputs.insert_range(op->getOperands());
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    inputs.insert_range(captured);
  }
  return llvm::filter_to_vector(inputs, [&](Value value) {
    return !inside.contains(value.getDefiningOp());
  });
}

/// Returns the ops of a group in the order of a walk from `root` to its
/// operands, so that equal groups have one order whatever stands between their
/// ops. Those that the root does not use precede it. Adds the repeated ops of
/// surrounding blocks that they use.
static SmallVector<Operation *> sortByUse(Root root,
                                          ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  llvm::SetVector<Operation *> sorted;
  auto visitOperands = [&](auto &&visit, Operation *op) -> void {
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used)
      if (Operation *producer = value.getDefiningOp())
        visit(visit, producer);
  };
  auto visit = [&](auto &&self, Operation *op) -> void {
    bool isAround = op->getBlock() != root->getBlock() && isRepeated(op);
    if (sorted.contains(op) || !(inside.contains(op) || isAround))
      return;
    visitOperands(self, op);
    sorted.insert(op);
  };
  visitOperands(visit, root);
  for (Operation *op : ops)
    visit(visit, op);
  return sorted.takeVector();
}

/// Returns the groups of ops that the schedule computes together.
static OpGroups findGroups(func::FuncOp function,
                           const DefaultSchedule &schedule, Configs configs) {
  IRMapping copies;
  OwningOpRef<func::FuncOp> configured =
      cast<func::FuncOp>(function->clone(copies));
  if (configs == Configs::drop)
    dropDefaultSpace(*configured);
  SymbolTable(function->getParentOp()).insert(*configured);
  schedule.annotate(*configured);
  OpGroups found = schedule.findGroups(*configured);
  llvm::DenseMap<Operation *, Operation *> originals;
  function.walk([&](Operation *op) {
    if (Operation *copy = copies.lookupOrNull(op))
      originals[copy] = op;
  });
  OpGroups groups;
  for (auto [op, last] : found.lastOps)
    groups.lastOps[originals.lookup(op)] = originals.lookup(last);
  for (Operation *op : found.absorbed)
    groups.absorbed.insert(originals.lookup(op));
  configured->getOperation()->remove();
  return groups;
}

/// Returns true if an op outside of the kernel uses the op's results, also
/// through views, which stay for it.
static bool isUsedOutside(Operation *op, ArrayRef<Operation *> ops) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
    return !llvm::is_contained(ops, inBlock) ||
           (isView(inBlock) && isUsedOutside(inBlock, ops));
  });
}

/// Returns the results of a kernel's root, and those of its other ops that have
/// users elsewhere. Ops that are in several kernels are not `computed`.
static SmallVector<Value> findResults(Root root, ArrayRef<Operation *> ops,
                                      const OpGroups &computed) {
  SmallVector<Value> results(root->getResults());
  for (Operation *op : ops) {
    if (op == root || !computed.lastOps.contains(op) || isRepeated(op))
      continue;
    if (isUsedOutside(op, ops))
      llvm::append_range(results, op->getResults());
  }
  return results;
}

void tonno::dropDefaultSpace(func::FuncOp function) {
  function->removeAttr(TonnoDialect::kConstraints);
  function.walk([](Operation *op) {
    op->removeDiscardableAttr(TonnoDialect::kLoweringConfig);
  });
}

SmallVector<KernelGroup>
tonno::findKernelGroups(func::FuncOp function, const DefaultSchedule &schedule,
                        Configs configs) {
  OpGroups computed = findGroups(function, schedule, configs);
  bool hasSeveral = llvm::any_of(computed.lastOps, [&](const auto &entry) {
    return entry.second != computed.lastOps.begin()->second;
  });
  if (!hasSeveral)
    return {};
  Grouping grouping(computed, schedule);
  SmallVector<KernelGroup> groups;
  function.walk([&](Block *block) {
    if (isa<linalg::LinalgOp>(block->getParentOp()))
      return;
    for (auto &[root, ops] : grouping.group(*block)) {
      SmallVector<Operation *> sorted = sortByUse(root, ops);
      SmallVector<Value> results = findResults(root, sorted, computed);
      groups.push_back({root, std::move(sorted), std::move(results)});
    }
  });
  return groups;
}

/// Returns the name that the op's location states; empty if there is none.
static StringRef findSourceName(Operation *op) {
  auto name = op->getLoc()->findInstanceOf<NameLoc>();
  return name ? name.getName().getValue() : StringRef();
}

StringRef tonno::findSourceName(const KernelGroup &group) {
  for (Operation *op : llvm::reverse(group.ops))
    if (StringRef name = ::findSourceName(op); name.contains('.'))
      return name;
  return ::findSourceName(group.root);
}

/// Returns true if the data that is declared for a source describes the view,
/// too. The array of a file has the source's shape, and a part of a permutation
/// is none.
static bool describes(InputAttr data, const View &view) {
  auto input = InputSpec::parse(data.getText().str());
  if (!input || input->kind == InputSpec::Kind::npy)
    return !view.isPart && !view.isReshaped;
  return !view.isPart || input->kind != InputSpec::Kind::permutation;
}

/// Copies to a kernel the attributes of the function that its compilation and
/// the measurement of its candidates read.
static void copyAttributes(func::FuncOp function, func::FuncOp kernel,
                           ArrayRef<Value> inputs) {
  if (Attribute contract = function->getAttr(TonnoDialect::kFpContract))
    kernel->setAttr(TonnoDialect::kFpContract, contract);
  for (auto [i, input] : llvm::enumerate(inputs)) {
    View view = findViewed(input);
    auto argument = dyn_cast<BlockArgument>(view.source);
    if (!argument || argument.getOwner() != &function.getBody().front())
      continue;
    unsigned number = argument.getArgNumber();
    if (auto data =
            function.getArgAttrOfType<InputAttr>(number, TonnoDialect::kInput);
        data && describes(data, view))
      kernel.setArgAttr(i, TonnoDialect::kInput, data);
    if (Attribute constant =
            function.getArgAttr(number, TonnoDialect::kConstant))
      kernel.setArgAttr(i, TonnoDialect::kConstant, constant);
    if (Attribute alignment =
            function.getArgAttr(number, TonnoDialect::kAlignment);
        alignment && !view.hasOffset)
      kernel.setArgAttr(i, TonnoDialect::kAlignment, alignment);
  }
}

/// Removes from a kernel the promises about its arguments, of alignment and of
/// constant contents, that do not hold for an equal one.
static void weakenPromises(func::FuncOp kernel, func::FuncOp other) {
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    if (!other.getArgAttr(i, TonnoDialect::kConstant))
      kernel.removeArgAttr(i, TonnoDialect::kConstant);
    if (getArgumentAlignment(kernel, i) <= getArgumentAlignment(other, i))
      continue;
    if (Attribute weaker = other.getArgAttr(i, TonnoDialect::kAlignment))
      kernel.setArgAttr(i, TonnoDialect::kAlignment, weaker);
    else
      kernel.removeArgAttr(i, TonnoDialect::kAlignment);
  }
}

/// Adds to a kernel the contents of arguments that are known for an equal one.
static void adoptInputs(func::FuncOp kernel, func::FuncOp other) {
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (Attribute contents = other.getArgAttr(i, TonnoDialect::kInput);
        contents && !kernel.getArgAttr(i, TonnoDialect::kInput))
      kernel.setArgAttr(i, TonnoDialect::kInput, contents);
}

static OwningOpRef<func::FuncOp>
makeKernel(func::FuncOp function, const KernelGroup &group, StringRef name) {
  SmallVector<Value> inputs = findKernelInputs(group.ops);
  OpBuilder builder(function->getContext());
  Location location = group.root->getLoc();
  auto type = builder.getFunctionType(ValueRange(inputs).getTypes(),
                                      ValueRange(group.results).getTypes());
  auto kernel = func::FuncOp::create(builder, location, name, type);
  copyAttributes(function, kernel, inputs);
  Block *body = kernel.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping copies;
  copies.map(inputs, body->getArguments());
  for (Operation *op : group.ops)
    builder.clone(*op, copies);
  SmallVector<Value> results = llvm::map_to_vector(
      group.results, [&](Value value) { return copies.lookup(value); });
  func::ReturnOp::create(builder, location, results);
  return kernel;
}

std::pair<size_t, bool> DistinctKernels::add(func::FuncOp function,
                                             const KernelGroup &group) {
  OwningOpRef<func::FuncOp> made =
      makeKernel(function, group, "kernel_" + std::to_string(kernels.size()));
  if (configs == Configs::drop)
    dropDefaultSpace(*made);
  auto equal = llvm::find_if(kernels, [&](func::FuncOp other) {
    return other.getFunctionType() == made->getFunctionType() &&
           OperationEquivalence::isRegionEquivalentTo(
               &other.getBody(), &made->getBody(),
               OperationEquivalence::IgnoreLocations);
  });
  if (equal == kernels.end()) {
    kernels.push_back(made.release());
    return {kernels.size() - 1, true};
  }
  adoptInputs(*equal, *made);
  weakenPromises(*equal, *made);
  return {static_cast<size_t>(equal - kernels.begin()), false};
}
