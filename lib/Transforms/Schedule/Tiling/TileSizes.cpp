//===- Tile sizes of an op ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Tiling/TileSizes.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tonno;

namespace {

/// LoopCounts of an op that can have tile sizes.
struct LoopCounts {
  unsigned number, numReductions;
};

} // namespace

static std::optional<LoopCounts> countLoops(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return LoopCounts{linalgOp.getNumLoops(), linalgOp.getNumReductionLoops()};
  // Composed ops have the loops of the ops they are decomposed into.
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return LoopCounts{unsigned(softmax.getInputOperandRank()), 1};
  if (auto pack = dyn_cast<linalg::PackOp>(op))
    return LoopCounts{unsigned(pack.getDestRank()), 0};
  if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    return LoopCounts{unsigned(unpack.getSourceRank()), 0};
  if (auto gather = dyn_cast<tensor::GatherOp>(op))
    return LoopCounts{unsigned(gather.getResultType().getRank()), 0};
  return std::nullopt;
}

/// Verifies one list of tile sizes.
static LogicalResult verifyList(Operation *op, const LoopCounts &loops,
                                StringRef key, ArrayAttr sizes) {
  if (sizes.size() != loops.number)
    return op->emitOpError()
           << "has " << loops.number << " loops, but '"
           << TonnoDialect::kLoweringConfig << "' has " << sizes.size()
           << " tile sizes for '" << key << "'";
  if (key == lowering_config::kInterchange &&
      llvm::all_of(sizes, llvm::IsaPred<IntegerAttr>) &&
      !isPermutationVector(extractFromIntegerArrayAttr<int64_t>(sizes)))
    return op->emitOpError()
           << "has '" << key << "' in its '" << TonnoDialect::kLoweringConfig
           << "', which must name each of its loops once";
  if (key == lowering_config::kReduction && loops.numReductions == 0 &&
      !llvm::all_of(sizes, isZeroInteger))
    return op->emitOpError()
           << "has '" << key << "' in its '" << TonnoDialect::kLoweringConfig
           << "', but no reduction loop";
  return success();
}

LogicalResult tonno::verifyTileSizes(Operation *op) {
  DictionaryAttr config = getLoweringConfig(op);
  std::optional<LoopCounts> loops = countLoops(op);
  if (!config || !loops)
    return success();
  for (NamedAttribute entry : config) {
    if (lowering_config::findKey(entry.getName())->form !=
        lowering_config::Form::sizes)
      continue;
    SmallVector<Attribute> lists = {entry.getValue()};
    if (auto knob = dyn_cast<KnobAttr>(entry.getValue()))
      lists = getOptions(knob.getDomain());
    for (Attribute sizes : lists) // of which the dialect has verified the form
      if (failed(
              verifyList(op, *loops, entry.getName(), cast<ArrayAttr>(sizes))))
        return failure();
  }
  return success();
}

FailureOr<std::optional<TileSizes>> TileSizes::get(linalg::LinalgOp op) {
  if (!op->hasAttr(TonnoDialect::kLoweringConfig))
    return std::optional<TileSizes>();
  if (failed(verifyTileSizes(op)))
    return failure();
  TileSizes sizes;
  auto threads = getConfigured(op, lowering_config::kThreads, 1);
  auto read = [&](StringRef key, SmallVector<int64_t> &level, size_t zeros) {
    auto stated = getTileSizes(op, key);
    if (succeeded(stated))
      level = stated->value_or(SmallVector<int64_t>(zeros, 0));
    return stated;
  };
  unsigned loops = op.getNumLoops();
  if (failed(read(lowering_config::kWorkgroup, sizes.workgroup, loops)) ||
      failed(read(lowering_config::kReduction, sizes.reduction, loops)) ||
      failed(read(lowering_config::kSubgroup, sizes.subgroup, loops)) ||
      failed(read(lowering_config::kThread, sizes.thread, loops)) ||
      failed(read(lowering_config::kPack, sizes.pack, loops)) ||
      failed(read(lowering_config::kInterchange, sizes.interchange, 0)) ||
      failed(read(lowering_config::kFuse, sizes.fuse, 0)) || failed(threads))
    return failure();
  if (!isPermutationVector(sizes.interchange))
    return op->emitOpError()
           << "has '" << lowering_config::kInterchange << "' ["
           << sizes.interchange << "], which must name each of its loops once";
  sizes.threads = *threads;
  return std::optional(std::move(sizes));
}

std::optional<TileSizes> TileSizes::getDefault(linalg::LinalgOp op) {
  if (!isa<linalg::MatmulOp>(op))
    return std::nullopt;
  return TileSizes{{64, 128, 0}, {0, 0, 128}, {8, 32, 0}, {0, 0, 0},
                   {0, 0, 0},    {},          {}};
}

LogicalResult tonno::verifyKnobsResolved(Operation *root) {
  KnobAttr unresolved;
  AttrTypeWalker walker;
  walker.addWalk([&](KnobAttr knob) {
    if (knob.isResolved())
      return WalkResult::advance();
    unresolved = knob;
    return WalkResult::interrupt();
  });
  return checkOps(root, [&](Operation *op) -> LogicalResult {
    if (!walker.walk(op->getAttrDictionary()).wasInterrupted())
      return success();
    return op->emitError() << "knob \"" << unresolved.getName()
                           << "\" is unresolved; run '--tonno-apply' first";
  });
}

/// Tiling copies a producer once for each path from it to the root. Where two
/// values mix again and again, as in rounds of a hash, paths double by the op.
static constexpr int64_t maxCopies = 64;

/// Maps the loops of `producer` to those of its user, through one use.
static LoopOrigins computeLoopOrigins(OpOperand &use, linalg::LinalgOp producer,
                                      const LoopOrigins &user) {
  auto owner = cast<linalg::LinalgOp>(use.getOwner());
  AffineMap read = owner.getMatchingIndexingMap(&use);
  auto result = cast<OpResult>(use.get());
  AffineMap written = producer.getIndexingMapMatchingResult(result);
  LoopOrigins origins(producer.getNumLoops());
  for (auto [from, to] :
       llvm::zip_equal(read.getResults(), written.getResults())) {
    auto source = dyn_cast<AffineDimExpr>(from);
    auto target = dyn_cast<AffineDimExpr>(to);
    if (source && target)
      origins[target.getPosition()] = user[source.getPosition()];
  }
  return origins;
}

static bool hasAll(const LoopOrigins &origins, ArrayRef<int64_t> tiles) {
  for (auto [loop, tile] : llvm::enumerate(tiles))
    if (tile != 0 && !llvm::is_contained(origins, std::optional<size_t>(loop)))
      return false;
  return true;
}

static bool isRoot(Operation *op) {
  DictionaryAttr config = getLoweringConfig(op);
  return config && config.contains(lowering_config::kFuse);
}

FusionGroup tonno::fusionGroup(linalg::LinalgOp root, ArrayRef<int64_t> tiles,
                               const llvm::DenseSet<Operation *> &others) {
  FusionGroup group;
  llvm::DenseMap<Operation *, int64_t> copies;
  copies[root] = 1;
  for (auto [loop, tile] : llvm::enumerate(tiles))
    group[root].push_back(tile == 0 ? std::nullopt : std::optional(loop));
  for (Operation *op = root->getPrevNode(); op; op = op->getPrevNode()) {
    auto producer = dyn_cast<linalg::LinalgOp>(op);
    if (!producer || op->use_empty() || !producer.hasPureTensorSemantics() ||
        isRoot(op) || others.contains(op))
      continue;
    std::optional<LoopOrigins> own;
    int64_t ownCopies = 0;
    bool isShared = llvm::all_of(op->getUses(), [&](OpOperand &use) {
      auto *user = group.find(use.getOwner());
      if (user == group.end())
        return false;
      auto through = computeLoopOrigins(use, producer, user->second);
      if (!own)
        own = through;
      ownCopies += copies.at(use.getOwner());
      return hasAll(through, tiles) && *own == through &&
             ownCopies <= maxCopies;
    });
    if (!isShared)
      continue;
    group.insert({op, std::move(*own)});
    copies[op] = ownCopies;
  }
  return group;
}

llvm::MapVector<Operation *, FusionGroup>
tonno::getFusionGroups(func::FuncOp function) {
  llvm::MapVector<Operation *, FusionGroup> groups;
  function.walk([&](linalg::LinalgOp root) {
    if (!isRoot(root) || root.hasDynamicShape())
      return;
    auto fuse =
        getLoweringConfig(root).getAs<ArrayAttr>(lowering_config::kFuse);
    if (!fuse || fuse.size() != root.getNumLoops())
      return;
    auto tiles = llvm::map_to_vector(fuse, [](Attribute size) -> int64_t {
      return isZeroInteger(size) ? 0 : 1;
    });
    groups[root] = fusionGroup(root, tiles);
  });
  return groups;
}

double tonno::countIterations(const FusionGroup &group) {
  // Guesses the extents of dynamic loops.
  constexpr int64_t someExtent = 256;
  double count = 0;
  for (Operation *op : llvm::make_first_range(group)) {
    double product = 1;
    for (int64_t extent : cast<linalg::LinalgOp>(op).getStaticLoopRanges())
      product *= double(ShapedType::isDynamic(extent) ? someExtent : extent);
    count += product;
  }
  return count;
}
