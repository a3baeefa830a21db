//===- Default spaces for the CPU -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/HostChip.h"
#include "tonno/Transforms/Schedule/Tiling/TileSizes.h"
#include "tonno/Transforms/UserLowering.h"
#include "DefaultSpace/DefaultSpaces.h"
#include "DefaultSpace/KnobSizes.h"
#include "Schedule/Decomposition/Decomposition.h"
#include "Schedule/Threads/ShareLoops.h"
#include "Schedule/Tiling/LinalgForms.h"

#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Ops that are computed tile by tile together.
struct FusedOps {
  SmallVector<bool> loops;            ///< of the root, that are tiled
  linalg::LinalgOp product = nullptr; ///< whose blocks are the tiles; or none
  LoopOrigins origins = {}; ///< the root's loop for each of the product
  bool hasProducts = true;  ///< which are best of several rows
  linalg::LinalgOp convolution = nullptr; ///< or pooling; or none
  int64_t bytesReadAgain = 0; ///< by products, for each tile of rows
};

/// The ops of a function that are best computed together on a CPU, by their
/// roots.
using Fusions = llvm::MapVector<Operation *, FusedOps>;

/// Position of a matrix product in a group of fused ops.
enum class ProductRole {
  Alone,
  Followed, ///< computed by blocks, followed by other ops
  Last,     ///< computed by rows, together with its producers
};

} // namespace

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Returns the bytes of the widest element that the op reads or writes.
static int64_t elementBytes(linalg::LinalgOp op) {
  unsigned bits = sumsNarrowProducts(op) ? 32 : 8;
  for (Value value : op->getOperands()) {
    Type type = getElementTypeOrSelf(value.getType());
    if (type.isIntOrFloat())
      bits = std::max(bits, type.getIntOrFloatBitWidth());
    else if (type.isIndex())
      bits = std::max(bits, 64u);
  }
  return llvm::divideCeil(bits, 8);
}

/// Returns the bytes that a tensor or buffer of static shape has in memory.
static int64_t storedBytes(ShapedType type) {
  Type element = type.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return llvm::divideCeil(type.getNumElements() * bits, 8);
}

/// Returns the loop along the rows of the largest input.
static std::optional<unsigned> findRowLoopOfLargestInput(linalg::LinalgOp op) {
  int64_t most = 0;
  std::optional<unsigned> loop;
  for (OpOperand *input : op.getDpsInputOperands())
    if (auto type = dyn_cast<ShapedType>(input->get().getType());
        type && type.getNumElements() > most) {
      most = type.getNumElements();
      loop = rowLoop(op.getMatchingIndexingMap(input));
    }
  return loop;
}

/// Returns the loop along the rows of an operand that a transposition crosses.
static std::optional<unsigned> findTransposedRowLoop(linalg::LinalgOp op,
                                                     unsigned n) {
  for (AffineMap map : op.getIndexingMapsArray())
    if (map.isFunctionOfDim(n))
      if (auto loop = rowLoop(map); loop && *loop != n)
        return loop;
  return std::nullopt;
}

/// Returns true if the op has shaped inputs or uses loop indices; a fill has
/// neither.
static bool hasWork(linalg::LinalgOp op) {
  auto isShaped = [](Value value) { return isa<ShapedType>(value.getType()); };
  return llvm::any_of(op.getDpsInputs(), isShaped) || op.hasIndexSemantics();
}

/// Returns true if the op reads elements at computed indices.
static bool hasGather(linalg::LinalgOp op) {
  return !op->getRegion(0).getOps<tensor::ExtractOp>().empty();
}

/// Returns the bytes of the op's result if the kernel's caller gets it, or 0.
static int64_t bytesOfKernelResult(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return 0;
  Value init = op.getDpsInits().front();
  bool isKernels = isa<BlockArgument>(init) && init.hasOneUse();
  if (op.hasPureTensorSemantics()) {
    Value result = op->getResult(0);
    isKernels = result.hasOneUse() && isa<func::ReturnOp>(*result.user_begin());
  }
  auto type = cast<ShapedType>(init.getType());
  return isKernels ? type.getNumElements() * elementBytes(op) : 0;
}

/// Returns true if the op reads several slices of one tensor, like a stencil.
static bool readsNeighbours(linalg::LinalgOp op) {
  llvm::DenseMap<Value, SmallVector<OpFoldResult>> begins;
  for (Value input : op.getDpsInputs()) {
    auto slice = input.getDefiningOp<OffsetSizeAndStrideOpInterface>();
    if (!slice)
      continue;
    auto [known, isFirst] =
        begins.try_emplace(slice->getOperand(0), slice.getMixedOffsets());
    if (!isFirst && known->second != slice.getMixedOffsets())
      return true;
  }
  return false;
}

/// Returns true if tiles of the op are vectorised. An op with branches, or a
/// reduction of gathered elements, is not; LLVM optimises its plain loops
/// better than tiled ones.
static bool isVectorisable(linalg::LinalgOp op) {
  return !op.hasDynamicShape() && op.getNumLoops() != 0 && hasWork(op) &&
         (hasSlidingWindows(op) ||
          llvm::all_of(op.getIndexingMapsArray(), isProjectedPermutationMap)) &&
         linalg::hasOnlyScalarElementwiseOp(op->getRegion(0)) &&
         (op.getNumReductionLoops() == 0 || !hasGather(op));
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

/// Roots of groups that are not computed together with their users.
using Roots = llvm::DenseSet<Operation *>;

static FusionGroup findFusionGroup(linalg::LinalgOp root, ArrayRef<bool> loops,
                                   const Roots &others) {
  SmallVector<int64_t> tiles(loops.begin(), loops.end());
  return fusionGroup(root, tiles, others);
}

/// Returns the ops of a fusion group, except fills and ops that are lowered as
/// part of their users.
static SmallVector<linalg::LinalgOp> getFusedWork(const FusionGroup &group) {
  SmallVector<linalg::LinalgOp> work;
  for (Operation *op : llvm::make_first_range(group))
    if (auto linalgOp = cast<linalg::LinalgOp>(op);
        !isa<linalg::FillOp>(op) && !isFusedIntoUser(linalgOp))
      work.push_back(linalgOp);
  return work;
}

static bool isFusable(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && !op.hasDynamicShape() &&
         op.getNumLoops() != 0 && op.getNumDpsInits() == 1 &&
         !isa<linalg::FillOp>(op);
}

/// Removes from the loops to tile those within the first of several iterations:
/// they are the rows that a filter moves along.
static void keepOuterLoop(linalg::LinalgOp root, MutableArrayRef<bool> loops) {
  bool isInner = false;
  for (auto [isTiled, extent] :
       llvm::zip_equal(loops, root.getStaticLoopRanges())) {
    isTiled &= !isInner;
    isInner |= extent != 1;
  }
}

/// Returns the bytes of the inputs that do not depend on the loop, and are read
/// again in each of its iterations.
static int64_t bytesWithout(linalg::LinalgOp op, unsigned loop) {
  int64_t bytes = 0;
  for (auto [input, map] :
       llvm::zip(op.getDpsInputs(), op.getIndexingMapsArray()))
    if (auto type = dyn_cast<ShapedType>(input.getType());
        type && !map.isFunctionOfDim(loop))
      bytes += storedBytes(type);
  return bytes;
}

static std::optional<FusedOps> findFusedOps(linalg::LinalgOp root,
                                            const Roots &others) {
  if (!isFusable(root))
    return std::nullopt;
  SmallVector<bool> loops(root.getNumLoops(), true);
  AffineMap written = root.getIndexingMapsArray().back();
  if (root.getNumReductionLoops() == 0) {
    // Fuses by blocks if the op's indices of the result are those of the
    // product.
    if (FusionGroup group = findFusionGroup(root, loops, others);
        written.isIdentity())
      for (linalg::LinalgOp op : getFusedWork(group))
        if (op != root && productLoops(op) &&
            op.getIndexingMapsArray().back().getNumResults() == loops.size())
          return FusedOps{loops, op, group.lookup(op)};
    if (auto row = rowLoop(written); row && loops.size() > 1)
      loops[*row] = false;
  } else if (auto product = productLoops(root)) {
    for (auto [loop, kind] : llvm::enumerate(root.getIteratorTypesArray()))
      loops[loop] = linalg::isParallelIterator(kind) && loop != product->n;
  } else {
    return std::nullopt;
  }
  SmallVector<linalg::LinalgOp> work =
      getFusedWork(findFusionGroup(root, loops, others));
  if (work.size() < 2)
    return std::nullopt;
  auto convolution = llvm::find_if(work, [](linalg::LinalgOp op) {
    return op.getNumReductionLoops() != 0 && hasSlidingWindows(op);
  });
  if (convolution != work.end()) {
    keepOuterLoop(root, loops);
    return FusedOps{
        .loops = loops, .hasProducts = false, .convolution = *convolution};
  }
  FusedOps fused = {.loops = loops, .hasProducts = false};
  for (linalg::LinalgOp op : work)
    if (auto product = productLoops(op)) {
      fused.hasProducts = true;
      fused.bytesReadAgain += bytesWithout(op, product->m);
    }
  return fused;
}

/// Returns the op that makes the rows of the group's last product, if the rows
/// depend on another product and all matrices that would be read again for each
/// tile exceed the cache: then the tiles of the first product are better
/// blocks.
static linalg::LinalgOp findRowsOfLastProduct(linalg::LinalgOp root,
                                              ArrayRef<bool> loops,
                                              const Roots &others,
                                              int64_t cacheBytes) {
  FusionGroup group = findFusionGroup(root, loops, others);
  linalg::LinalgOp rows;
  int64_t products = 0, bytesReadAgain = 0;
  for (linalg::LinalgOp op : getFusedWork(group)) {
    auto product = productLoops(op);
    if (!product)
      continue;
    bytesReadAgain += bytesWithout(op, product->m);
    if (products++ != 0)
      continue;
    for (OpOperand *input : op.getDpsInputOperands())
      if (op.getMatchingIndexingMap(input).isFunctionOfDim(product->m))
        rows = input->get().getDefiningOp<linalg::LinalgOp>();
  }
  bool isBetterApart = products > 1 && bytesReadAgain > cacheBytes && rows &&
                       group.contains(rows);
  return isBetterApart ? rows : nullptr;
}

static Fusions findFusions(ArrayRef<linalg::LinalgOp> ops, int64_t cacheBytes) {
  Fusions fusions;
  llvm::DenseSet<Operation *> taken;
  Roots others;
  for (linalg::LinalgOp root : llvm::reverse(ops)) {
    if (taken.contains(root))
      continue;
    auto fusion = findFusedOps(root, others);
    if (!fusion)
      continue;
    if (auto rows =
            findRowsOfLastProduct(root, fusion->loops, others, cacheBytes))
      if (auto earlier = findFusedOps(rows, others);
          earlier && earlier->product) {
        others.insert(rows);
        fusion = findFusedOps(root, others);
      }
    for (linalg::LinalgOp op :
         getFusedWork(findFusionGroup(root, fusion->loops, others)))
      taken.insert(op);
    fusions.insert({root, std::move(*fusion)});
  }
  return fusions;
}

//===----------------------------------------------------------------------===//
// Spaces of ops
//===----------------------------------------------------------------------===//

/// Largest number of rows of a register tile of an op with sliding windows.
static constexpr int64_t maxRows = 16;

/// Size in bytes of half a cache line: every other unaligned vector of this
/// size lies within one line.
static constexpr int64_t halfLine = 32;

/// Rows and columns of the squares of words whose transposition takes the
/// fewest shuffles.
static constexpr int64_t squareRows = 16;

/// Most terms of a result for which non-temporal stores matter: longer
/// reductions dominate the time of the store.
static constexpr int64_t mostTermsOfStreams = 128;

/// Returns powers of two, and row counts without a remainder.
static SmallVector<int64_t> tileRows(int64_t extent) {
  SmallVector<int64_t> rows;
  for (int64_t size = 1; size <= std::min(extent, maxRows); ++size)
    if (llvm::isPowerOf2_64(size) || extent % size == 0)
      rows.push_back(size);
  return rows;
}

/// Returns the largest number of rows up to `most` that divides the extent, or
/// a power of two if that number would be at most half of `most`.
static int64_t chooseTileRows(int64_t extent, int64_t most) {
  most = std::min({most, extent, maxRows});
  for (int64_t size = most; 2 * size > most; --size)
    if (extent % size == 0)
      return size;
  return powerOfTwoBelow(most);
}

/// Returns true if the op multiplies inputs, as a convolution does and a
/// pooling does not. Factors are read once for several rows, or again for each.
static bool hasFactors(linalg::LinalgOp op) {
  return llvm::count_if(op.getDpsInputOperands(), [&](OpOperand *in) {
           return op.payloadUsesValueFromOperand(in);
         }) > 1;
}

/// Returns true for an argument of the kernel with the same contents in all
/// calls.
static bool isConstantArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  return function &&
         function.getArgAttr(argument.getArgNumber(), TonnoDialect::kConstant);
}

static Type getElementType(OpOperand *operand) {
  return getElementTypeOrSelf(operand->get().getType());
}

namespace {

/// Makes the default space of one op. Loops m and n go over rows and columns of
/// the result, k over the sum; a runs along m, b along n, vectors along n.
struct OpSpace {
  OpSpace(linalg::LinalgOp op, const HostTraits &host, KnobSizes &knobs)
      : op(op), host(host), knobs(knobs), builder(op.getContext()),
        zero(builder.getI64IntegerAttr(0)), one(builder.getI64IntegerAttr(1)),
        extents(op.getStaticLoopRanges()), bytes(elementBytes(op)),
        lanes(host.lanes(bytes)), registers(host.vectorRegisters * lanes),
        accumulators(std::min(registers - 4 * lanes, mostVectorised)) {
    op.getParallelDims(parallel);
    op.getReductionDims(reductions);
    for (auto *level : {&fuse, &workgroup, &reduction, &subgroup})
      level->assign(op.getNumLoops(), zero);
  }

  void make(ProductRole role) {
    unsigned last = op.getNumLoops() - 1;
    if (hasSlidingWindows(op)) {
      makeSlidingWindowSpace();
    } else if (auto product = productLoops(op)) {
      makeContraction(*product, role);
    } else if (op.getNumReductionLoops() == 0) {
      unsigned n = rowLoop(op.getIndexingMapsArray().back()).value_or(last);
      if (auto m = findTransposedRowLoop(op, n))
        makeTranspose(*m, n);
      else
        makeElementwise(n);
    } else {
      unsigned loop = findRowLoopOfLargestInput(op).value_or(last);
      if (!canCombineAllResults(op))
        makeSteps();
      else if (llvm::is_contained(reductions, loop))
        makeRowReduction(loop);
      else
        makeColumnReduction(loop);
      return;
    }
    makeStream();
  }

  /// Gives the op the levels, if they have a knob.
  bool configure() {
    return knobs.configure(op, {{lowering_config::kFuse, fuse},
                                {lowering_config::kWorkgroup, workgroup},
                                {lowering_config::kReduction, reduction},
                                {lowering_config::kSubgroup, subgroup},
                                {lowering_config::kPack, pack},
                                {lowering_config::kInterchange, interchange},
                                {lowering_config::kStream, stream}});
  }

  linalg::LinalgOp op;
  const HostTraits &host;
  KnobSizes &knobs;
  Builder builder;
  Attribute zero, one;
  SmallVector<int64_t> extents;
  SmallVector<Attribute> fuse, workgroup, reduction, subgroup;
  SmallVector<Attribute> pack, interchange; ///< empty where nothing is packed
  SmallVector<Attribute> stream;            ///< empty where nothing may be
  int64_t bytes;                            ///< of an element
  int64_t lanes;                            ///< elements in a vector register
  int64_t registers;    ///< elements in all vector registers
  int64_t accumulators; ///< of these, those that operands leave to results
  SmallVector<unsigned> parallel, reductions;
  /// Copies an input by default, which is slow to read in place.
  bool needsCopy = false;

  void setAll(SmallVector<Attribute> &level, ArrayRef<unsigned> loops) {
    for (unsigned loop : loops)
      level[loop] = one;
  }
  void limit(const KnobSize &rows, const KnobSize &columns, int64_t most) {
    knobs.constrain({rows, columns},
                    rows.text + " * " + columns.text + " <= " + Twine(most));
  }
  void fit(const KnobSize &inner, const KnobSize &outer) {
    knobs.constrain({inner, outer}, inner.text + " <= " + outer.text);
  }

  /// Returns the input along `loop`, but not along `other`.
  OpOperand *findInputAlong(unsigned loop, unsigned other) {
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (map.isFunctionOfDim(loop) && !map.isFunctionOfDim(other))
        return input;
    }
    return nullptr;
  }

  /// Returns true if panels with this number of columns can be packed at load.
  bool canLoad(OpOperand &input, unsigned n, int64_t columns) {
    // Elements that are widened are copied in each call.
    return isConstantArgument(input.get()) && extents[n] % columns == 0 &&
           !sumsNarrowProducts(op) &&
           getElementType(&input) == getElementType(op.getDpsInitOperand(0));
  }

  /// Returns true if two products become one instruction per lane, given that
  /// the factors are adjacent in the packed input.
  bool addsPairs(unsigned k) {
    Type sum = sumsNarrowProducts(op) ? builder.getF32Type()
                                      : getElementType(op.getDpsInitOperand(0));
    if (extents[k] < 2)
      return false;
    if (host.addsPairsOfBf16 && sum.isF32())
      return llvm::all_of(op.getDpsInputOperands(), [](OpOperand *input) {
        return getElementType(input).isBF16();
      });
    auto isUnsigned = [](Operation &extension) {
      return isa<arith::ExtUIOp>(extension) &&
             extension.getOperand(0).getType().isInteger(16);
    };
    return host.addsPairsOfI16 && sum.isInteger(32) &&
           llvm::all_of(op.getDpsInputOperands(),
                        [](OpOperand *input) {
                          Type type = getElementType(input);
                          return type.isInteger(8) || type.isInteger(16);
                        }) &&
           llvm::none_of(*op.getBlock(), isUnsigned);
  }

  /// Makes the space of a matrix product: a tile of the result in registers,
  /// blocks of the operands in the caches (Goto and van de Geijn, "Anatomy of
  /// high-performance matrix multiplication").
  void makeContraction(const ProductLoops &loops, ProductRole role) {
    auto [m, n, k] = loops;
    setAll(workgroup, parallel);
    setAll(subgroup, parallel);
    setAll(reduction, reductions);
    OpOperand *a = findInputAlong(m, n), *b = findInputAlong(n, m);
    bool isPaired = addsPairs(k);
    // Elements of i8 are widened before they are multiplied in pairs.
    bool isOfI8 = isPaired && getElementType(a).isInteger(8);
    auto getInputBytes = [&](OpOperand *input) {
      int64_t size = bytes;
      for (unsigned loop : {loops.m, loops.n, loops.k})
        if (op.getMatchingIndexingMap(input).isFunctionOfDim(loop))
          size *= extents[loop];
      return size;
    };
    // An input that fits the L1 cache is packed only for its order.
    auto isWorthCopying = [&](OpOperand *input) {
      return input && (isPaired || getInputBytes(input) > host.l1Bytes);
    };
    // Single elements are read from `a`: packing pays only where columns become
    // contiguous, or where i8 is widened to pairs.
    bool canCopyA = isWorthCopying(a) &&
                    (isOfI8 || rowLoop(op.getMatchingIndexingMap(a)) != k);
    bool canCopyB = isWorthCopying(b);
    // Packs b if its rows are far apart, since they map to few sets of the L1
    // cache; if less than half of the L2 cache would remain; or if its vectors
    // would be gathered across rows. The copy must be reused often enough,
    // which pairs reach sooner.
    // A copy of a constant argument costs nothing.
    bool isLoaded = canCopyB && !isPaired && canLoad(*b, n, 2 * lanes);
    bool isCopied =
        isLoaded ||
        ((canCopyA || canCopyB) && role != ProductRole::Last &&
         extents[m] >= (isPaired ? 16 : 128) &&
         (isPaired || rowLoop(op.getMatchingIndexingMap(b)) != n ||
          extents[n] * bytes >= 2048 || getInputBytes(b) > host.l2Bytes / 2));
    needsCopy = isCopied && !isLoaded &&
                (isPaired || rowLoop(op.getMatchingIndexingMap(b)) != n);
    if (canCopyA || canCopyB) {
      pack.assign(extents.size(), zero);
      if (canCopyA)
        pack[m] = knobs.choice("PA", {0, 1}, isOfI8 && isCopied).attribute;
      if (canCopyB)
        pack[n] = knobs.choice("PB", {0, 1}, isCopied).attribute;
      if (isPaired)
        pack[k] = builder.getI64IntegerAttr(2);
      // A copy of a block of b then serves all blocks of a.
      SmallVector<unsigned> order;
      for (unsigned loop = 0; loop < extents.size(); ++loop)
        if (loop != m && loop != n && loop != k)
          order.push_back(loop);
      order.append({n, k, m});
      for (unsigned loop : order)
        interchange.push_back(builder.getI64IntegerAttr(loop));
    }

    // Registers hold the tile of the result, a row of b and an element of a.
    // If b is not packed, its rows are best read whole, but not beyond their
    // end.
    bool isWide = !isCopied && role != ProductRole::Last &&
                  extents[n] > 3 * lanes && extents[n] <= 4 * lanes;
    int64_t vectors = isWide && accumulators >= 4 * 4 * lanes ? 4 : 2;
    KnobSize nr = knobs.size("NR", lanes, std::min(extents[n], 4 * lanes),
                             vectors * lanes);
    SmallVector<int64_t> heights;
    for (int64_t height : {2, 4, 6, 8, 12})
      if (height <= powerOfTwoAbove(extents[m]) &&
          height * nr.least <= accumulators)
        heights.push_back(height);
    int64_t height = heights.front();
    for (int64_t other : heights)
      if (other <= 8 && other * nr.standard <= accumulators)
        height = other;
    // A tile that does not divide a short column of rows leaves a large
    // remainder.
    if (height > 4 && extents[m] < 128 && extents[m] % height != 0 &&
        extents[m] % (height - 2) == 0)
      height -= 2;
    KnobSize mr = knobs.choice("MR", heights, height);
    // The L2 cache holds a block of each operand. The block of b is as long as
    // possible, so that the result is seldom read and written again. If a is
    // packed for each block of b, the block of b is wide instead.
    bool copiesBoth = isCopied && isOfI8;
    int64_t quarter = host.l2Bytes / 4 / (copiesBoth ? 2 : bytes);
    int64_t depth = isCopied ? std::min<int64_t>(quarter / (4 * lanes),
                                                 copiesBoth ? 512 : 1024)
                             : 256;
    KnobSize bk = knobs.size("BK", 128, std::min<int64_t>(extents[k], 2048),
                             powerOfTwoBelow(depth));
    int64_t rows = 64, mostRows = 512;
    // Each block has a copy of its own: it has all rows that the cache holds.
    if (isCopied && role == ProductRole::Followed)
      rows = mostRows = std::max<int64_t>(2 * bk.standard, 512);
    else if (isCopied)
      rows = std::max<int64_t>(quarter / 2 / bk.standard, 32);
    KnobSize bm = knobs.size("BM", 16, std::min(extents[m], mostRows),
                             powerOfTwoBelow(rows));
    int64_t columns = isCopied ? quarter / bk.standard : 256;
    KnobSize bn =
        knobs.size("BN", 4 * lanes, std::min<int64_t>(extents[n], 1024),
                   powerOfTwoBelow(columns));
    workgroup[m] = bm.attribute;
    workgroup[n] = bn.attribute;
    reduction[k] = bk.attribute;
    subgroup[m] = mr.attribute;
    subgroup[n] = nr.attribute;
    limit(mr, nr, accumulators);
    if (role != ProductRole::Followed &&
        bm.most * bk.most * bytes > host.l2Bytes)
      knobs.constrain({bm, bk}, bm.text + " * " + bk.text + " * " +
                                    Twine(bytes) +
                                    " <= " + Twine(host.l2Bytes));
  }

  /// Makes the space of convolutions, poolings and filters: a tile of the
  /// result stays in registers, and each step within the window adds to the
  /// tile like a plain op.
  void makeSlidingWindowSpace() {
    subgroup.assign(extents.size(), one);
    SmallVector<unsigned> loops = getLoopsInResultOrder(op);
    setAll(workgroup, loops);
    if (loops.empty())
      return;
    unsigned n = loops.back();
    // The loop over the rows computed together, preferably one whose rows share
    // inputs.
    std::optional<unsigned> m;
    bool isShared = false;
    for (unsigned loop : llvm::reverse(ArrayRef(loops).drop_back())) {
      if (extents[loop] == 1)
        continue;
      isShared = findInputAlong(n, loop) != nullptr;
      if (isShared || !m)
        m = loop;
      if (isShared)
        break;
    }
    // Unaligned vectors cross cache lines and are best shared by many rows; if
    // rows share none of them, sequential reads are best.
    bool isMoved = movesSlidingWindow(op, n);
    bool isInOrder = isMoved && m && !isShared;
    // Each column by itself: memory is best read in its order.
    int64_t most = findRowLoopOfLargestInput(op) == n ? 8 * lanes : 4 * lanes;
    int64_t columns = isMoved && !isInOrder ? lanes : 2 * lanes;
    // Products of integers need registers beside those of the sums.
    int64_t sums = accumulators;
    if (hasFactors(op) &&
        getElementTypeOrSelf(op.getDpsInits().back()).isInteger()) {
      sums = std::min(sums, host.vectorRegisters / 2 * lanes);
      columns = 4 * lanes;
    }
    KnobSize nr = knobs.size("NR", lanes, std::min(extents[n], most), columns);
    workgroup[n] = zero;
    subgroup[n] = nr.attribute;
    if (!m)
      return;
    int64_t extent = extents[*m];
    int64_t height = chooseTileRows(extent, sums / nr.standard);
    if (isInOrder)
      height = std::min<int64_t>(hasFactors(op) ? 2 : 1, extent);
    KnobSize mr = knobs.choice("MR", tileRows(extent), height);
    KnobSize bm = knobs.size("BM", 1, extent, isInOrder ? 4 : extent);
    workgroup[*m] = bm.attribute;
    subgroup[*m] = mr.attribute;
    limit(mr, nr, accumulators);
    fit(mr, bm);
    OpOperand *filter = findInputAlong(n, *m);
    if (!filter || !hasFactors(op) || isMoved)
      return;
    makeChannelPairs(*m, n, *filter);
    // Panels are read in memory order, and rows of a filter, which are often a
    // power of two apart, share few sets of the cache.
    bool isLoaded = pack.empty() && canLoad(*filter, n, nr.standard);
    if (isLoaded) {
      pack.assign(extents.size(), zero);
      pack[n] = knobs.choice("PB", {0, 1}, 1).attribute;
    }
    makeFilterBlocks(loops, *m, *filter,
                     isLoaded ? host.l2Bytes / 4 / (bytes * nr.standard) : 0);
  }

  /// Offers to pack a filter of bf16 in pairs of channels, as the input has
  /// them, if that copy is used often enough.
  void makeChannelPairs(unsigned m, unsigned n, OpOperand &filter) {
    OpOperand *input = findInputAlong(m, n);
    if (!input)
      return;
    AffineMap map = op.getMatchingIndexingMap(&filter);
    auto channels = rowLoop(op.getMatchingIndexingMap(input));
    if (!channels || !llvm::is_contained(reductions, *channels) ||
        !map.isFunctionOfDim(*channels) || rowLoop(map) != n ||
        !getElementType(&filter).isBF16() || !addsPairs(*channels))
      return;
    int64_t uses = 1;
    for (unsigned loop : parallel)
      if (!map.isFunctionOfDim(loop))
        uses *= extents[loop];
    pack.assign(extents.size(), zero);
    pack[n] = knobs.choice("PB", {0, 1}, uses >= 16).attribute;
    pack[*channels] = builder.getI64IntegerAttr(2);
  }

  /// Offers blocks of a filter that does not stay in the L2 cache from one row
  /// of the result to the next: some channels at a time, each block for all
  /// rows. The default is `channelsOfPanel`, or if 0, as many channels as fit.
  void makeFilterBlocks(ArrayRef<unsigned> loops, unsigned m, OpOperand &filter,
                        int64_t channelsOfPanel) {
    AffineMap map = op.getMatchingIndexingMap(&filter);
    int64_t filterBytes = storedBytes(cast<ShapedType>(filter.get().getType()));
    auto channels = llvm::find_if(reductions, [&](unsigned loop) {
      return map.isFunctionOfDim(loop) && !movesSlidingWindow(op, loop);
    });
    auto isRows = [&](unsigned loop) {
      return loop != m && extents[loop] > 1 && !map.isFunctionOfDim(loop);
    };
    auto rows = llvm::find_if(loops, isRows);
    if (filterBytes <= host.l2Bytes / 2 || channels == reductions.end() ||
        rows == loops.end())
      return;
    setAll(reduction, reductions);
    // Its rows may be a power of two apart: it then has a part of the sets.
    int64_t fitting = channelsOfPanel != 0
                          ? channelsOfPanel
                          : host.l2Bytes * extents[*channels] / filterBytes;
    reduction[*channels] =
        knobs
            .size("BK", 16, extents[*channels],
                  powerOfTwoBelow(std::max<int64_t>(fitting, 1)))
            .attribute;
    workgroup[*rows] =
        knobs.size("BH", 1, extents[*rows], extents[*rows]).attribute;
  }

  /// Makes the space of sums along rows: several rows, or several vectors of
  /// one, at a time.
  void makeRowReduction(unsigned k) {
    setAll(subgroup, reductions);
    KnobSize kr =
        knobs.size("KR", lanes / 2, std::min(extents[k], 4 * lanes), 4 * lanes);
    subgroup[k] = kr.attribute;
    if (parallel.empty())
      return;
    setAll(workgroup, parallel);
    setAll(subgroup, parallel);
    unsigned m = parallel.back();
    int64_t most = std::min(mostVectorised, registers / 2);
    int64_t rows = kr.standard < 4 * lanes
                       ? std::clamp<int64_t>(most / kr.standard, 1, 8)
                       : 1;
    KnobSize mr = knobs.size("MR", 1, std::min<int64_t>(extents[m], 16), rows);
    workgroup[m] = zero;
    subgroup[m] = mr.attribute;
    limit(mr, kr, most);
  }

  /// Returns true if the op widens elements of an input that it sums up.
  bool widensInputs() {
    return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      Type type = getElementType(input);
      return type.isIntOrFloat() && type.getIntOrFloatBitWidth() < 8 * bytes;
    });
  }

  /// Sums across rows: rows in memory order, some at a time. Reading wide
  /// elements takes longer than computing; narrow ones are summed up in
  /// registers, before they are added to the result.
  void makeColumnReduction(unsigned n) {
    for (OpOperand *input : op.getDpsInputOperands())
      if (hasFactors(op) && isWorthLoading(*input, n))
        return makeLoadedColumns(n);
    setAll(workgroup, parallel);
    setAll(reduction, reductions);
    subgroup.assign(extents.size(), one);
    unsigned k = reductions.back();
    bool isNarrow = widensInputs();
    KnobSize kr = knobs.size("KR", 1, std::min<int64_t>(extents[k], 16),
                             isNarrow ? 4 : 1);
    KnobSize nr = knobs.size("NR", lanes, std::min(extents[n], 2 * lanes),
                             isNarrow ? 2 * lanes : lanes);
    workgroup[n] = zero;
    reduction[k] = subgroup[k] = kr.attribute;
    subgroup[n] = nr.attribute;
    limit(kr, nr, std::min(mostVectorised, registers));
  }

  bool isWorthLoading(OpOperand &matrix, unsigned n) {
    AffineMap map = op.getMatchingIndexingMap(&matrix);
    int64_t size = bytes;
    for (auto [loop, extent] : llvm::enumerate(extents))
      size *= map.isFunctionOfDim(loop) ? extent : 1;
    return map.isFunctionOfDim(n) && map.getNumResults() > 1 &&
           size > host.l1Bytes && canLoad(matrix, n, 8 * lanes);
  }

  /// Makes the space of a product of a vector and a constant matrix, panel by
  /// panel: these are read in memory order, and the sums stay in registers.
  void makeLoadedColumns(unsigned n) {
    setAll(subgroup, parallel);
    KnobSize nr =
        knobs.size("NR", 2 * lanes, std::min(extents[n], 8 * lanes), 8 * lanes);
    subgroup[n] = nr.attribute;
    pack.assign(extents.size(), zero);
    pack[n] = knobs.choice("PB", {0, 1}, 1).attribute;
  }

  /// Makes the space of reductions other than sums: several results at a time,
  /// step by step.
  void makeSteps() {
    if (parallel.empty())
      return;
    setAll(workgroup, parallel);
    subgroup.assign(extents.size(), one);
    unsigned n = parallel.back();
    workgroup[n] = zero;
    int64_t most = registers / (4 * op.getNumDpsInits());
    subgroup[n] = knobs.size("NR", lanes / 2, std::min(extents[n], most), lanes)
                      .attribute;
  }

  /// Makes the space of an elementwise op: a few vectors at a time along the
  /// rows, in the order of the loops.
  void makeElementwise(unsigned n) {
    workgroup.assign(extents.size(), one);
    // Each operand and each intermediate takes a vector register.
    int64_t most = std::min(mostVectorised, registers / 4);
    int64_t least = lanes, standard = 2 * lanes;
    if (hasGather(op)) // rows are best copied whole
      standard = most;
    else if (readsNeighbours(op)) // whole lines would all lie across two
      least = standard = std::min<int64_t>(halfLine / bytes, lanes);
    KnobSize nr = knobs.size("NR", least, std::min(extents[n], most), standard);
    workgroup[n] = nr.attribute;
    if (extents.size() == 1)
      return;
    unsigned m = n == 0 ? 1 : n - 1;
    // Rows that are shorter than vectors go together.
    bool isShort = extents[n] < lanes;
    int64_t mostRows = isShort ? most / extents[n] : 4;
    KnobSize mr = knobs.size("MR", 1, std::min(extents[m], mostRows),
                             isShort ? 2 * lanes / extents[n] : 1);
    workgroup[m] = mr.attribute;
    limit(mr, nr, most);
  }

  /// Tiles that are transposed in registers, in blocks whose rows stay in the
  /// nearest cache until all of each line has been used.
  void makeTranspose(unsigned m, unsigned n) {
    workgroup.assign(extents.size(), one);
    subgroup.assign(extents.size(), one);
    KnobSize bm = knobs.size("BM", 32, std::min<int64_t>(extents[m], 256), 128);
    KnobSize bn = knobs.size("BN", 16, std::min<int64_t>(extents[n], 512), 64);
    int64_t most = std::min(mostVectorised, registers / 4);
    bool hasSquares = bytes == 4 && lanes >= 8 && extents[m] >= squareRows &&
                      extents[n] >= squareRows;
    KnobSize nr = knobs.size("NR", lanes / 2, std::min(extents[n], 2 * lanes),
                             hasSquares ? squareRows : lanes);
    KnobSize mr = knobs.size("MR", 2, std::min<int64_t>(extents[m], squareRows),
                             hasSquares ? squareRows : most / nr.standard);
    workgroup[m] = bm.attribute;
    workgroup[n] = bn.attribute;
    subgroup[m] = mr.attribute;
    subgroup[n] = nr.attribute;
    std::string elements = mr.text + " * " + nr.text;
    std::string fits = (elements + " <= " + Twine(most)).str();
    if (hasSquares)
      fits += (" or " + elements + " == " + Twine(squareRows * squareRows) +
               " and " + mr.text + " == " + nr.text)
                  .str();
    knobs.constrain({mr, nr}, fits);
    fit(mr, bm);
    fit(nr, bn);
  }

  /// Makes non-temporal stores an option for large results, which hardly stay
  /// in a cache. Never the default.
  void makeStream() {
    auto n = rowLoop(op.getIndexingMapsArray().back());
    int64_t terms = 1;
    for (unsigned loop : reductions)
      terms *= extents[loop];
    if (!n || bytesOfKernelResult(op) < host.l2Bytes ||
        terms > mostTermsOfStreams)
      return;
    stream.assign(extents.size(), zero);
    stream[*n] = knobs.choice("ST", {0, 1}, 0).attribute;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Finds the parts that another part of their kind configures: all but the last
/// of each kind, and those with loops of their own.
static void collectRedundantParts(ArrayRef<linalg::LinalgOp> parts,
                                  llvm::DenseSet<Operation *> &twins) {
  unsigned loops = linalg::LinalgOp(parts.front()).getNumLoops();
  bool hasSum = false, hasOther = false;
  for (linalg::LinalgOp part : llvm::reverse(parts)) {
    bool &has = part.getNumReductionLoops() != 0 ? hasSum : hasOther;
    if (has || part.getNumLoops() != loops)
      twins.insert(part);
    else
      has = true;
  }
}

namespace {

/// A copy of a function as the host's schedule will see it: ops that stand for
/// several are decomposed, which hides what these are computed with.
class ScheduledCopy {
public:
  /// Decomposes and configures configured ops only `withConfigured`.
  ScheduledCopy(func::FuncOp function, bool withConfigured) {
    IRMapping copies;
    copy = cast<func::FuncOp>(function->clone(copies));
    SmallVector<Operation *> composed;
    function.walk([&](Operation *op) {
      if (getLoweringConfig(op) && !withConfigured)
        return;
      if (isComposed(op))
        composed.push_back(op);
      else if (isa<linalg::LinalgOp>(op))
        parts[op] = {cast<linalg::LinalgOp>(copies.lookup(op))};
    });
    IRRewriter rewriter(function.getContext());
    for (Operation *op : composed) {
      auto made = decomposeToLinalg(rewriter, copies.lookup(op));
      if (made.empty())
        continue;
      if (DictionaryAttr config = getLoweringConfig(op))
        configureParts(made, config);
      collectRedundantParts(made, twins);
      parts[op] = std::move(made);
    }
  }

  func::FuncOp get() { return *copy; }
  /// Returns what an op of the function is in the copy, without fills.
  ArrayRef<linalg::LinalgOp> getParts(Operation *op) const {
    auto found = parts.find(op);
    return found == parts.end() ? ArrayRef<linalg::LinalgOp>() : found->second;
  }
  /// Returns true if the op is configured by another part of its kind.
  bool isRedundantPart(Operation *op) const { return twins.contains(op); }
  /// Gives the function's ops the configurations of the copy's.
  void copyConfigsToFunction() {
    for (const auto &[op, made] : parts)
      if (DictionaryAttr config = isComposed(op)
                                      ? mergePartConfigs(made)
                                      : getLoweringConfig(made.front()))
        op->setAttr(TonnoDialect::kLoweringConfig, config);
  }

private:
  OwningOpRef<func::FuncOp> copy;
  llvm::MapVector<Operation *, SmallVector<linalg::LinalgOp>> parts;
  DenseSet<Operation *> twins;
};

/// Annotates the ops of one function.
class HostAnnotator {
public:
  HostAnnotator(func::FuncOp function, const HostTraits &host)
      : scheduled(function, /*withConfigured=*/false), host(host),
        knobs(function) {}

  unsigned run() {
    SmallVector<linalg::LinalgOp> ops;
    scheduled.get().walk([&](linalg::LinalgOp op) {
      if (!op->hasAttr(TonnoDialect::kLoweringConfig) && isVectorisable(op) &&
          !isFusedIntoUser(op))
        ops.push_back(op);
    });
    fusions = findFusions(ops, host.l2Bytes);
    unsigned count = 0;
    for (linalg::LinalgOp op : ops)
      if (!scheduled.isRedundantPart(op))
        count += annotate(op);
    scheduled.copyConfigsToFunction();
    knobs.finish();
    return count;
  }

private:
  ScheduledCopy scheduled;
  const HostTraits &host;
  KnobSizes knobs;
  Fusions fusions;
  /// Tile sizes of products whose blocks are the tiles of their roots.
  llvm::DenseMap<Operation *, SmallVector<Attribute>> blocks;
  /// Products that copy an input by default, which is slow to read in place.
  llvm::DenseSet<Operation *> copying;

  bool annotate(linalg::LinalgOp op) {
    if (llvm::is_contained(op.getStaticLoopRanges(), 0))
      return false;
    bool isFollowed = llvm::any_of(fusions, [&](const auto &fusion) {
      return fusion.second.product == op;
    });
    auto role = ProductRole::Alone;
    if (isFollowed)
      role = ProductRole::Followed;
    else if (fusions.contains(op))
      role = ProductRole::Last;
    else if (sumsNarrowProducts(op)) // by the op that rounds them
      role = ProductRole::Followed;
    OpSpace space(op, host, knobs);
    space.make(role);
    if (space.needsCopy)
      copying.insert(op);
    if (isFollowed) {
      blocks[op] = space.workgroup;
      space.workgroup.assign(space.workgroup.size(), space.zero);
    }
    if (auto *found = fusions.find(op); found != fusions.end())
      annotateRoot(op, found->second, space);
    return space.configure();
  }

  /// Returns the rows of a convolution's result that are computed together: all
  /// if the filter would be read again from beyond the cache, else as many as
  /// leave most of the cache to the filter.
  int64_t chooseConvolutionRows(linalg::LinalgOp convolution, unsigned m,
                                const OpSpace &space) const {
    int64_t rows = space.extents[m];
    AffineMap written = convolution.getIndexingMapsArray().back();
    if (bytesWithout(convolution, written.getDimPosition(m)) > host.l2Bytes / 2)
      return powerOfTwoAbove(rows);
    auto result = cast<ShapedType>(convolution->getResult(0).getType());
    int64_t row = result.getNumElements() * space.bytes / rows;
    return powerOfTwoBelow(
        std::clamp<int64_t>(host.l2Bytes / 4 / row, 1, rows));
  }

  /// Returns the rows that are computed together if a product of theirs copies
  /// a matrix: as many as take half of the cache, with all that is computed of
  /// each. Returns nothing if none does.
  std::optional<int64_t> chooseRowsOfCopy(linalg::LinalgOp root,
                                          const FusedOps &fused) const {
    int64_t rows = 1, most = 0;
    for (auto [isTiled, extent] :
         llvm::zip_equal(fused.loops, root.getStaticLoopRanges()))
      rows *= isTiled ? extent : 1;
    bool isCopied = false;
    for (linalg::LinalgOp op :
         getFusedWork(findFusionGroup(root, fused.loops, /*others=*/{}))) {
      isCopied |= op != root && copying.contains(op);
      auto type = cast<ShapedType>(op->getResult(0).getType());
      most = std::max(most, type.getNumElements() * elementBytes(op) / rows);
    }
    if (!isCopied || most == 0)
      return std::nullopt;
    return powerOfTwoBelow(std::max<int64_t>(host.l2Bytes / 2 / most, 8));
  }

  /// Returns the rows that are computed together if each product reads a matrix
  /// again from beyond the cache: as many as take half of the cache.
  int64_t chooseProductRows(linalg::LinalgOp root, unsigned m,
                            const OpSpace &space) const {
    auto result = cast<ShapedType>(root->getResult(0).getType());
    int64_t row = result.getNumElements() * space.bytes / space.extents[m];
    return powerOfTwoBelow(std::max<int64_t>(host.l2Bytes / 2 / row, 64));
  }

  /// Chooses the tile of the fused root: a block of the product that is
  /// followed by other ops, or some rows.
  void annotateRoot(linalg::LinalgOp op, FusedOps &fused, OpSpace &space) {
    if (auto made = blocks.find(fused.product); made != blocks.end()) {
      for (auto [size, loop] : llvm::zip_equal(made->second, fused.origins))
        if (loop)
          space.fuse[*loop] = size;
      return;
    }
    unsigned m = 0;
    for (auto [loop, isTiled] : llvm::enumerate(fused.loops))
      if (isTiled) {
        space.fuse[loop] = space.one;
        if (space.extents[loop] != 1 || space.extents[m] == 1)
          m = loop;
      }
    int64_t least = 1, most = 64, standard = fused.hasProducts ? 8 : 1;
    if (fused.convolution)
      standard = chooseConvolutionRows(fused.convolution, m, space);
    else if (fused.bytesReadAgain > host.l2Bytes)
      standard = most = chooseProductRows(op, m, space);
    else if (auto rows = chooseRowsOfCopy(op, fused))
      standard = most = *rows;
    if (op.getNumLoops() == 1)
      std::tie(least, most, standard) = std::tuple(256, 16384, 4096);
    else if (op.getNumReductionLoops() != 0) // all rows at a time: not fused
      std::tie(least, most, standard) =
          std::tuple(4, space.extents[m], std::max<int64_t>(standard, 8));
    space.fuse[m] =
        knobs.size("FM", least, std::min(space.extents[m], most), standard)
            .attribute;
  }
};

} // namespace

unsigned tonno::annotateForHost(func::FuncOp function, const HostTraits &host) {
  if (function.isExternal() || hasOwnLowering(function) ||
      getSchedule(function))
    return 0;
  // The module may not have loaded the dialects yet.
  function.getContext()
      ->loadDialect<arith::ArithDialect, bufferization::BufferizationDialect,
                    linalg::LinalgDialect, math::MathDialect,
                    tensor::TensorDialect, TonnoDialect>();
  return HostAnnotator(function, host).run();
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Returns the ops of a configured function that the host's schedule fuses into
/// a later op, each with that op.
static llvm::DenseMap<Operation *, Operation *>
findFusion(func::FuncOp function) {
  ScheduledCopy scheduled(function, /*withConfigured=*/true);
  llvm::DenseMap<Operation *, Operation *> whole, fused;
  function.walk([&](Operation *op) {
    for (linalg::LinalgOp part : scheduled.getParts(op))
      whole[part] = op;
  });
  for (const auto &[root, group] : getFusionGroups(scheduled.get()))
    for (Operation *part : llvm::make_first_range(group)) {
      Operation *op = whole.lookup(part), *last = whole.lookup(root);
      if (op && last && op != last)
        fused[op] = last;
    }
  return fused;
}

OpGroups tonno::findHostGroups(func::FuncOp function) {
  llvm::DenseMap<Operation *, Operation *> fused = findFusion(function);
  OpGroups groups;
  function.walk([&](Operation *op) {
    if (!getLoweringConfig(op) && !fused.contains(op))
      return;
    Operation *last = op;
    while (Operation *next = fused.lookup(last))
      last = next;
    groups.lastOps[op] = last;
  });
  return groups;
}

/// Returns true if `threads` can share an op of which all parts are given, and
/// the time that this saves is worth their start.
static bool canShare(ArrayRef<linalg::LinalgOp> parts, int64_t threads,
                     const llvm::MapVector<Operation *, FusionGroup> &groups) {
  auto isFused = [&](linalg::LinalgOp part) {
    return llvm::any_of(groups, [&](const auto &group) {
      return group.first != part && group.second.contains(part);
    });
  };
  auto isLong = [&](linalg::LinalgOp part) {
    FusionGroup group;
    if (auto *found = groups.find(part); found != groups.end())
      group = found->second;
    else
      group[part] = {};
    return isWorthSharing(countIterations(group));
  };
  return llvm::all_of(parts,
                      [&](linalg::LinalgOp part) {
                        return !isFused(part) && !part.hasDynamicShape() &&
                               canBeShared(part, threads);
                      }) &&
         llvm::any_of(parts, isLong);
}

unsigned tonno::offerThreads(func::FuncOp function, ArrayRef<int64_t> options) {
  if (options.empty() || hasOwnLowering(function) || getSchedule(function))
    return 0;
  ScheduledCopy scheduled(function, /*withConfigured=*/true);
  auto groups = getFusionGroups(scheduled.get());
  int64_t most = *llvm::max_element(options);
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    DictionaryAttr config = getLoweringConfig(op);
    if (!config || config.get(lowering_config::kThreads))
      return;
    // Computed together, all are shared with the last one.
    ArrayRef<linalg::LinalgOp> parts = scheduled.getParts(op);
    if (config.get(lowering_config::kFuse) && !parts.empty())
      parts = parts.take_back();
    if (canShare(parts, most, groups))
      ops.push_back(op);
  });
  if (ops.empty())
    return 0;
  Attribute knob =
      KnobSizes(function).choice("T", options, options.front()).attribute;
  for (Operation *op : ops) {
    NamedAttrList config(getLoweringConfig(op));
    config.set(lowering_config::kThreads, knob);
    setLoweringConfig(op, config);
  }
  return ops.size();
}
