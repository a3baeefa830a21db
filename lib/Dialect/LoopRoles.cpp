//===- Roles of a linalg op's loops ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/LoweringConfig.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <limits>

using namespace mlir;
using namespace tonno;

std::optional<unsigned> tonno::rowLoop(AffineMap map) {
  if (map.getNumResults() == 0)
    return std::nullopt;
  if (auto dim = dyn_cast<AffineDimExpr>(map.getResults().back()))
    return dim.getPosition();
  return std::nullopt;
}

/// Returns the combiner of one result, or null.
static Operation *matchCombiner(linalg::LinalgOp op, unsigned result) {
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), result, combiners) ||
      combiners.size() != 1)
    return nullptr;
  Operation *combiner = combiners.front();
  return combiner->getNumOperands() == 2 && arith::getNeutralElement(combiner)
             ? combiner
             : nullptr;
}

Operation *tonno::findCombiner(linalg::LinalgOp op) {
  return op.getNumDpsInits() == 1 ? matchCombiner(op, 0) : nullptr;
}

bool tonno::canCombineAllResults(linalg::LinalgOp op) {
  return llvm::all_of(
      llvm::seq<unsigned>(0, unsigned(op.getNumDpsInits())),
      [&](unsigned result) { return matchCombiner(op, result) != nullptr; });
}

/// Returns true if nothing but the kernel's caller reads the elements.
static bool isOnlyReturned(Value elements) {
  return llvm::all_of(elements.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            user))
      return isOnlyReturned(user->getResult(0));
    return isa<func::ReturnOp>(user);
  });
}

/// Returns true if the op's results are written to a buffer that nothing else
/// in the kernel uses.
static bool isOnlyWritten(Value buffer, Operation *op) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  return argument &&
         isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) &&
         llvm::all_of(argument.getUsers(),
                      [&](Operation *user) { return user == op; });
}

bool tonno::isIntermediateRounding(arith::TruncFOp op) {
  Type type = getElementTypeOrSelf(op.getType());
  if (type.getIntOrFloatBitWidth() > 8)
    return false;
  return !llvm::all_of(op->getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<func::ReturnOp>(user))
      return true;
    auto store = dyn_cast<memref::StoreOp>(user);
    if (store)
      return isOnlyWritten(store.getMemRef(), store);
    auto structured = dyn_cast<linalg::LinalgOp>(user->getParentOp());
    if (!structured || !isa<linalg::YieldOp>(user) ||
        structured.getNumReductionLoops() > 0)
      return false;
    OpOperand *init = structured.getDpsInitOperand(use.getOperandNumber());
    if (!structured.getMatchingBlockArgument(init).use_empty())
      return false;
    return structured.hasPureTensorSemantics()
               ? isOnlyReturned(structured.getTiedOpResult(init))
               : isOnlyWritten(init->get(), structured);
  });
}

bool tonno::sumsNarrowProducts(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return false;
  // Sums in a buffer need another one, which no loop should allocate.
  if (auto buffer = dyn_cast<MemRefType>(op.getDpsInits().front().getType());
      buffer && (!buffer.hasStaticShape() ||
                 !isa<FunctionOpInterface>(op->getParentOp())))
    return false;
  Value sum = op.getRegionOutputArgs().front();
  auto combiner = dyn_cast_if_present<arith::AddFOp>(findCombiner(op));
  if (!combiner || !isa<FloatType>(sum.getType()) ||
      sum.getType().getIntOrFloatBitWidth() > 16 ||
      combiner.getType() != sum.getType() || !sum.hasOneUse() ||
      !combiner->hasOneUse() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0))
           .isProjectedPermutation())
    return false;
  Value term = combiner.getLhs() == sum ? combiner.getRhs() : combiner.getLhs();
  return term.getDefiningOp<arith::MulFOp>() && term.hasOneUse();
}

bool tonno::readsElements(linalg::LinalgOp op, OpOperand &operand) {
  return !op.getMatchingBlockArgument(&operand).use_empty();
}

bool tonno::hasScalarPayload(linalg::LinalgOp op, bool allowsIndices) {
  return linalg::hasOnlyScalarElementwiseOp(op->getRegion(0)) &&
         (allowsIndices ||
          op->getRegion(0).getOps<linalg::IndexOp>().empty()) &&
         op->getRegion(0).getOps<tensor::ExtractOp>().empty() &&
         llvm::all_of(op->getRegion(0).getArgumentTypes(),
                      VectorType::isValidElementType) &&
         llvm::all_of(op->getRegion(0).front(), [](Operation &nested) {
           return nested.getNumRegions() == 0;
         });
}

bool tonno::hasProjectedMaps(linalg::LinalgOp op) {
  return op.getNumLoops() != 0 &&
         llvm::all_of(
             op.getIndexingMapsArray(),
             [](AffineMap map) { return map.isProjectedPermutation(); }) &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return op.getMatchingIndexingMap(&init).getNumResults() ==
                  op.getNumParallelLoops();
         });
}

std::optional<ProductLoops> tonno::productLoops(linalg::LinalgOp op) {
  auto dims = linalg::inferContractionDims(op);
  if (!linalg::isaContractionOpInterface(op) || failed(dims) ||
      dims->m.empty() || dims->n.empty() || dims->k.empty())
    return std::nullopt;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  // The host's schedule makes vectors of the last parallel loop.
  SmallVector<unsigned, 2> rows = dims->m, columns = dims->n;
  if (rows.back() > columns.back())
    std::swap(rows, columns);
  unsigned n = columns.back();
  auto repeats = [&](unsigned loop) {
    return ShapedType::isDynamic(extents[loop]) || extents[loop] > 1;
  };
  // Loops of one iteration may follow that of the rows, as for one batch.
  auto m = llvm::find_if(llvm::reverse(rows), repeats);
  if (m == rows.rend() || !repeats(n))
    return std::nullopt;
  return ProductLoops{*m, n, dims->k.back()};
}

bool tonno::isSharedContraction(linalg::LinalgOp op) {
  return hasProjectedMaps(op) && hasScalarPayload(op) && productLoops(op);
}

FailureOr<std::optional<unsigned>>
tonno::findReductionLoop(linalg::LinalgOp op) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  if (loops.size() > 1 || (loops.size() == 1 && !findCombiner(op)))
    return failure();
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!loops.empty() &&
        op.getMatchingIndexingMap(&init).isFunctionOfDim(loops.front()))
      return failure(); // each iteration has a sum of its own
  return loops.empty() ? std::optional<unsigned>() : loops.front();
}

/// Returns the contiguous dimension of the operand, if it is one of these.
static std::optional<unsigned> getContiguousDimAmong(AffineMap map,
                                                     ArrayRef<unsigned> dims) {
  unsigned last = cast<AffineDimExpr>(map.getResults().back()).getPosition();
  return llvm::is_contained(dims, last) ? std::optional(last) : std::nullopt;
}

/// Extents that tiles can be cut from, without using another loop.
static constexpr int64_t enoughRows = 32, enoughDepth = 16;

/// Returns the only one of the loops that has a tile of several iterations.
static std::optional<unsigned> findTiledLoop(ArrayAttr tiles,
                                             ArrayRef<unsigned> loops) {
  auto tiled = llvm::filter_to_vector(loops, [&](unsigned loop) {
    auto size = loop < tiles.size() ? tiles[loop] : Attribute();
    auto number = dyn_cast_if_present<IntegerAttr>(size);
    return size && (!number || number.getInt() > 1);
  });
  return tiled.size() == 1 ? std::optional(tiled.front()) : std::nullopt;
}

/// Returns the loop that the op's configuration has a tile for; without one,
/// the wanted loop if it is long enough, else the longest.
static unsigned selectLoop(linalg::LinalgOp op, StringRef key,
                           ArrayRef<unsigned> loops, unsigned wanted,
                           int64_t enough) {
  if (DictionaryAttr config = getLoweringConfig(op)) {
    auto tiles = config.getAs<ArrayAttr>(key);
    return tiles ? findTiledLoop(tiles, loops).value_or(wanted) : wanted;
  }
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto length = [&](unsigned loop) {
    return ShapedType::isDynamic(extents[loop])
               ? std::numeric_limits<int64_t>::max()
               : extents[loop];
  };
  if (length(wanted) >= enough)
    return wanted;
  for (unsigned loop : loops)
    if (length(loop) > length(wanted))
      wanted = loop;
  return wanted;
}

FailureOr<ContractionLoops> tonno::findContractionLoops(linalg::LinalgOp op) {
  auto dims = linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.empty() || dims->n.empty() || dims->k.empty())
    return failure();
  ContractionLoops loops;
  loops.lhs = op.getDpsInputOperand(0);
  loops.rhs = op.getDpsInputOperand(1);
  auto m = llvm::to_vector(dims->m), n = llvm::to_vector(dims->n);
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  // Columns are what lies side by side in the result.
  if (getContiguousDimAmong(output, m)) {
    std::swap(m, n);
    std::swap(loops.lhs, loops.rhs);
  }
  loops.rows =
      selectLoop(op, lowering_config::kWorkgroup, m, m.back(), enoughRows);
  auto reduced = llvm::to_vector(dims->k);
  loops.depth = selectLoop(
      op, lowering_config::kReduction, reduced,
      getContiguousDimAmong(op.getMatchingIndexingMap(loops.lhs), reduced)
          .value_or(reduced.back()),
      enoughDepth);
  for (AffineExpr result : output.getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    if (llvm::is_contained(m, loop))
      loops.allRows.push_back(loop);
    if (llvm::is_contained(n, loop))
      loops.allColumns.push_back(loop);
  }
  loops.columns = loops.allColumns.back();
  return loops;
}

/// An extent to weigh buffers by where it is known only at run time.
static constexpr int64_t usualExtent = 1024;

static int64_t estimateElements(ShapedType type) {
  int64_t elements = 1;
  for (int64_t extent : type.getShape())
    elements *= ShapedType::isDynamic(extent) ? usualExtent : extent;
  return elements;
}

unsigned tonno::findContiguousDim(ArrayRef<int64_t> extents,
                                  ArrayRef<SpaceAccess> accesses) {
  int64_t most = 0;
  unsigned along = extents.size() - 1;
  for (const SpaceAccess &access : accesses) {
    if (access.map.getNumResults() == 0)
      continue;
    unsigned dim =
        cast<AffineDimExpr>(access.map.getResults().back()).getPosition();
    if (extents[dim] == 1)
      continue;
    // Contiguous stores matter more: a read finds its neighbours in a cache.
    int64_t weight =
        2 * estimateElements(access.type) + (access.isOutput ? 1 : 0);
    if (weight > most) {
      most = weight;
      along = dim;
    }
  }
  return along;
}
