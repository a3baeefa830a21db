//===- Default spaces for the CPU -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/HostAnnotation.h"
#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/KernelSchedule.h"
#include "tonno/Transforms/Schedule/FuseElementwise.h"
#include "tonno/Transforms/Schedule/TileSizes.h"
#include "tonno/Transforms/Schedule/Windows.h"
#include "HostContraction.h"
#include "HostFusion.h"
#include "HostLoops.h"
#include "HostWindows.h"
#include "KnobSizes.h"
#include "TakenApart.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Annotates the ops of one function. One-letter names are the usual ones of
/// matrix products: m and n are loops over rows and columns of the result, k
/// over what is summed up.
class HostAnnotator {
public:
  HostAnnotator(func::FuncOp function, const HostTraits &host)
      : scheduled(function), host(host), builder(function.getContext()),
        knobs(function) {}

  unsigned run();

private:
  bool annotate(linalg::LinalgOp op);
  void annotateContraction(linalg::LinalgOp op, const ProductLoops &loops);
  void annotateRowReduction(linalg::LinalgOp op, unsigned k);
  void annotateColumnReduction(linalg::LinalgOp op, unsigned n);
  void annotateSteps(linalg::LinalgOp op);
  void annotateElementwise(linalg::LinalgOp op, unsigned n);
  void annotateTranspose(linalg::LinalgOp op, unsigned m, unsigned n);
  void annotateWindows(linalg::LinalgOp op);
  void annotateFusion(linalg::LinalgOp op);
  void annotateStream(linalg::LinalgOp op);

  void begin(linalg::LinalgOp op);

  TakenApart scheduled;
  HostTraits host;
  Builder builder;
  KnobSizes knobs;

  // Of the op at hand.
  SmallVector<int64_t> extents;
  int64_t bytes = 1;     ///< of an element
  int64_t lanes = 1;     ///< elements in a vector register
  int64_t registers = 1; ///< elements in all vector registers
  SmallVector<Attribute> fuse, workgroup, reduction, subgroup;
  SmallVector<Attribute> pack, interchange; ///< empty where nothing is packed
  SmallVector<Attribute> stream;            ///< empty where nothing may be

  Fusions fusions;
  /// Of products whose blocks are their roots' tiles.
  llvm::DenseMap<Operation *, SmallVector<Attribute>> blocks;
};

} // namespace

/// Bytes of vectors of which every other one lies in one line of a cache,
/// wherever they begin.
static constexpr int64_t halfLine = 32;

/// Squares of so many words are transposed by the fewest shuffles.
static constexpr int64_t squareRows = 16;

void HostAnnotator::begin(linalg::LinalgOp op) {
  extents = op.getStaticLoopRanges();
  bytes = elementBytes(op);
  lanes = host.lanes(bytes);
  registers = host.vectorRegisters * lanes;
  for (auto *level : {&fuse, &workgroup, &reduction, &subgroup})
    level->assign(op.getNumLoops(), builder.getI64IntegerAttr(0));
  pack.clear();
  interchange.clear();
  stream.clear();
}

void HostAnnotator::annotateContraction(linalg::LinalgOp op,
                                        const ProductLoops &loops) {
  auto role = ProductRole::Alone;
  if (fusions.contains(op))
    role = ProductRole::Last;
  else if (sumsNarrowProducts(op)) // by the op that rounds them
    role = ProductRole::Followed;
  for (const auto &[root, fused] : fusions)
    if (fused.product == op)
      role = ProductRole::Followed;
  HostContraction space = hostContraction(op, loops, role, host, bytes, knobs);
  workgroup = std::move(space.workgroup);
  reduction = std::move(space.reduction);
  subgroup = std::move(space.subgroup);
  pack = std::move(space.pack);
  interchange = std::move(space.interchange);
}

/// Sums along rows: some rows side by side, or one by itself, some vectors of
/// which are summed up side by side.
void HostAnnotator::annotateRowReduction(linalg::LinalgOp op, unsigned k) {
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  for (unsigned loop : reductions)
    subgroup[loop] = builder.getI64IntegerAttr(1);
  KnobSize kr =
      knobs.size("KR", lanes / 2, std::min(extents[k], 4 * lanes), 4 * lanes);
  subgroup[k] = kr.attribute;
  if (parallel.empty())
    return;
  for (unsigned loop : parallel)
    workgroup[loop] = subgroup[loop] = builder.getI64IntegerAttr(1);
  unsigned m = parallel.back();
  KnobSize mr = knobs.size("MR", 1, std::min<int64_t>(extents[m], 16),
                           kr.standard < 4 * lanes ? 8 : 1);
  workgroup[m] = builder.getI64IntegerAttr(0);
  subgroup[m] = mr.attribute;
  knobs.constrain({mr, kr}, mr.text + " * " + kr.text + " <= " +
                                Twine(std::min(mostVectorised, registers / 2)));
}

/// Sums across rows: rows in turn, so that memory is read in its order; or some
/// at a time, so that the sums are loaded and stored less often.
void HostAnnotator::annotateColumnReduction(linalg::LinalgOp op, unsigned n) {
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  Attribute one = builder.getI64IntegerAttr(1);
  for (unsigned loop : parallel)
    workgroup[loop] = subgroup[loop] = one;
  for (unsigned loop : reductions)
    reduction[loop] = subgroup[loop] = one;
  unsigned k = reductions.back();
  KnobSize kr = knobs.size("KR", 1, std::min<int64_t>(extents[k], 16), 1);
  KnobSize nr = knobs.size("NR", lanes, std::min(extents[n], 2 * lanes), lanes);
  workgroup[n] = builder.getI64IntegerAttr(0);
  reduction[k] = subgroup[k] = kr.attribute;
  subgroup[n] = nr.attribute;
  knobs.constrain({kr, nr}, kr.text + " * " + nr.text + " <= " +
                                Twine(std::min(mostVectorised, registers)));
}

/// What is no sum, such as where the largest element is: step by step, some
/// results side by side, which stay in registers.
void HostAnnotator::annotateSteps(linalg::LinalgOp op) {
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  if (parallel.empty())
    return;
  for (unsigned loop : parallel)
    workgroup[loop] = subgroup[loop] = builder.getI64IntegerAttr(1);
  for (unsigned loop : reductions)
    subgroup[loop] = builder.getI64IntegerAttr(1);
  unsigned n = parallel.back();
  workgroup[n] = builder.getI64IntegerAttr(0);
  int64_t most = registers / (4 * op.getNumDpsInits());
  subgroup[n] =
      knobs.size("NR", lanes / 2, std::min(extents[n], most), lanes).attribute;
}

/// Along the rows, a few vectors at a time. The loops keep their order, which
/// tiles for registers would not.
void HostAnnotator::annotateElementwise(linalg::LinalgOp op, unsigned n) {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    workgroup[loop] = builder.getI64IntegerAttr(1);
  // Each operand has a vector, and so have what is computed in between.
  int64_t most = std::min(mostVectorised, registers / 4);
  int64_t least = lanes, standard = 2 * lanes;
  if (gathers(op)) // rows are best copied whole
    standard = most;
  else if (readsNeighbours(op)) // whole lines would all lie across two
    least = standard = std::min<int64_t>(halfLine / bytes, lanes);
  KnobSize nr = knobs.size("NR", least, std::min(extents[n], most), standard);
  workgroup[n] = nr.attribute;
  if (op.getNumLoops() == 1)
    return;
  unsigned m = n == 0 ? 1 : n - 1;
  // Rows that are shorter than vectors go together.
  bool isShort = extents[n] < lanes;
  int64_t mostRows = isShort ? most / extents[n] : 4;
  KnobSize mr = knobs.size("MR", 1, std::min(extents[m], mostRows),
                           isShort ? 2 * lanes / extents[n] : 1);
  workgroup[m] = mr.attribute;
  knobs.constrain({mr, nr}, mr.text + " * " + nr.text + " <= " + Twine(most));
}

/// Tiles that are transposed in registers, in blocks whose rows stay in the
/// nearest cache until all of each line has been used.
void HostAnnotator::annotateTranspose(linalg::LinalgOp op, unsigned m,
                                      unsigned n) {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    workgroup[loop] = subgroup[loop] = builder.getI64IntegerAttr(1);
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
  std::string fits = (mr.text + " * " + nr.text + " <= " + Twine(most)).str();
  if (hasSquares)
    fits += (" or " + mr.text + " * " + nr.text +
             " == " + Twine(squareRows * squareRows) + " and " + mr.text +
             " == " + nr.text)
                .str();
  knobs.constrain({mr, nr}, fits);
  knobs.constrain({mr, bm}, mr.text + " <= " + bm.text);
  knobs.constrain({nr, bn}, nr.text + " <= " + bn.text);
}

void HostAnnotator::annotateWindows(linalg::LinalgOp op) {
  HostWindows space = hostWindows(op, host, bytes, knobs);
  workgroup = std::move(space.workgroup);
  subgroup = std::move(space.subgroup);
}

/// Results of more terms take so long that writing them doesn't count.
static constexpr int64_t mostTermsOfStreams = 128;

static int64_t termsOf(linalg::LinalgOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  int64_t terms = 1;
  for (unsigned loop : reductions)
    terms *= op.getStaticLoopRanges()[loop];
  return terms;
}

/// What is larger than the second cache is hardly there when it is read next,
/// unless the next kernel is at once what reads it; so nobody's default.
void HostAnnotator::annotateStream(linalg::LinalgOp op) {
  auto n = rowLoop(op.getIndexingMapsArray().back());
  if (!n || bytesOfKernelResult(op) < host.l2Bytes ||
      termsOf(op) > mostTermsOfStreams)
    return;
  stream.assign(op.getNumLoops(), builder.getI64IntegerAttr(0));
  stream[*n] = knobs.choice("ST", {0, 1}, 0).attribute;
}

bool HostAnnotator::annotate(linalg::LinalgOp op) {
  if (llvm::is_contained(op.getStaticLoopRanges(), 0))
    return false;
  begin(op);
  auto product = productLoops(op);
  unsigned last = op.getNumLoops() - 1;
  if (hasWindows(op)) {
    annotateWindows(op);
    annotateStream(op);
  } else if (product) {
    annotateContraction(op, *product);
    annotateStream(op);
  } else if (op.getNumReductionLoops() == 0) {
    unsigned n = rowLoop(op.getIndexingMapsArray().back()).value_or(last);
    if (auto m = crossingLoop(op, n))
      annotateTranspose(op, *m, n);
    else
      annotateElementwise(op, n);
    annotateStream(op);
  } else if (!combinesAll(op)) {
    annotateSteps(op);
  } else {
    unsigned loop = mainRowLoop(op).value_or(last);
    if (linalg::isReductionIterator(op.getIteratorTypesArray()[loop]))
      annotateRowReduction(op, loop);
    else
      annotateColumnReduction(op, loop);
  }
  annotateFusion(op);
  return knobs.configure(op, {{lowering_config::kFuse, fuse},
                              {lowering_config::kWorkgroup, workgroup},
                              {lowering_config::kReduction, reduction},
                              {lowering_config::kSubgroup, subgroup},
                              {lowering_config::kPack, pack},
                              {lowering_config::kInterchange, interchange},
                              {lowering_config::kStream, stream}});
}

/// Of a product that others follow, the blocks are theirs; of a root, what is
/// computed of all at a time.
void HostAnnotator::annotateFusion(linalg::LinalgOp op) {
  for (const auto &[root, fused] : fusions)
    if (fused.product == op) {
      blocks[op] = workgroup;
      workgroup.assign(workgroup.size(), builder.getI64IntegerAttr(0));
    }
  auto found = fusions.find(op);
  if (found == fusions.end())
    return;
  FusedOps &fused = found->second;
  if (auto made = blocks.find(fused.product); made != blocks.end()) {
    AffineMap written = fused.product.getIndexingMapsArray().back();
    for (auto [tile, index] : llvm::zip_equal(fuse, written.getResults()))
      tile = made->second[cast<AffineDimExpr>(index).getPosition()];
    return;
  }
  for (auto [tile, isTiled] : llvm::zip_equal(fuse, fused.loops))
    if (isTiled)
      tile = builder.getI64IntegerAttr(1);
  unsigned m = 0;
  for (auto [loop, isTiled] : llvm::enumerate(fused.loops))
    if (isTiled)
      m = loop;
  if (op.getNumLoops() == 1)
    fuse[m] = knobs.size("FM", 256, std::min<int64_t>(extents[m], 16384), 4096)
                  .attribute;
  else if (op.getNumReductionLoops() != 0) // all rows at a time: not fused
    fuse[m] = knobs.size("FM", 4, extents[m], 8).attribute;
  else
    fuse[m] = knobs
                  .size("FM", 1, std::min<int64_t>(extents[m], 64),
                        fused.hasProducts ? 8 : 1)
                  .attribute;
}

unsigned HostAnnotator::run() {
  SmallVector<linalg::LinalgOp> ops;
  scheduled.copy().walk([&](linalg::LinalgOp op) {
    if (!op->hasAttr(TonnoDialect::kLoweringConfig) && isVectorisable(op) &&
        !isPartOfUser(op))
      ops.push_back(op);
  });
  fusions = findFusions(ops);
  unsigned count = 0;
  for (linalg::LinalgOp op : ops)
    if (!scheduled.isTwin(op))
      count += annotate(op);
  scheduled.handBack();
  knobs.finish();
  return count;
}

unsigned tonno::annotateForHost(func::FuncOp function, const HostTraits &host) {
  if (function.isExternal() || hasOwnLowering(function) || scheduleOf(function))
    return 0;
  // Nothing in the module may have needed it so far.
  function.getContext()
      ->loadDialect<arith::ArithDialect, bufferization::BufferizationDialect,
                    linalg::LinalgDialect, math::MathDialect,
                    tensor::TensorDialect, TonnoDialect>();
  return HostAnnotator(function, host).run();
}
