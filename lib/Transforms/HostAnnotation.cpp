//===- HostAnnotation.cpp - Default spaces for the CPU --------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/HostAnnotation.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/KnobSites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/bit.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

#include <functional>

using namespace mlir;
using namespace tonno;

namespace {

/// Annotates the ops of one function.
class Annotator {
public:
  Annotator(func::FuncOp function, const HostTraits &host)
      : function(function), host(host), builder(function.getContext()) {}

  unsigned run();

private:
  bool annotate(linalg::LinalgOp op);
  void annotateContraction(linalg::LinalgOp op,
                           const linalg::ContractionDimensions &dims);
  void annotateReduction(linalg::LinalgOp op);
  void annotateParallel(linalg::LinalgOp op);

  void collectNames();
  std::string uniqueName(StringRef name);
  Attribute knob(const std::string &name, int64_t low, int64_t high,
                 int64_t standard);
  void constrain(const std::string &text);
  void setConfig(linalg::LinalgOp op);

  func::FuncOp function;
  HostTraits host;
  Builder builder;
  llvm::StringSet<> names; ///< of the function's knobs
  SmallVector<Attribute> constraints;

  // Of the op at hand.
  SmallVector<int64_t> extents;
  int64_t lanes = 1; ///< elements in a vector register
  SmallVector<Attribute> workgroup, reduction, subgroup;
};

} // namespace

/// What the vectoriser takes as one op.
static constexpr int64_t maxVectorised = 1024;

static int64_t elementBytes(linalg::LinalgOp op) {
  unsigned bits = 8;
  for (Value value : op->getOperands())
    if (Type type = getElementTypeOrSelf(value.getType()); type.isIntOrFloat())
      bits = std::max(bits, type.getIntOrFloatBitWidth());
  return llvm::divideCeil(bits, 8);
}

/// Names that the function has already, whoever gave them.
void Annotator::collectNames() {
  ScopedDiagnosticHandler quiet(function.getContext(),
                                [](Diagnostic &) { return success(); });
  (void)walkKnobSites(function, [&](const KnobSite &site) {
    names.insert(site.name);
    return success();
  });
}

std::string Annotator::uniqueName(StringRef name) {
  std::string unique = name.str();
  for (unsigned i = 1; !names.insert(unique).second; ++i)
    unique = name.str() + "_" + std::to_string(i);
  return unique;
}

/// A knob over the powers of two from `low` to what covers `high`; the default
/// is the option next to `standard`.
Attribute Annotator::knob(const std::string &name, int64_t low, int64_t high,
                          int64_t standard) {
  auto bound = static_cast<int64_t>(llvm::bit_ceil<uint64_t>(high));
  low = std::min(low, bound);
  auto chosen = static_cast<int64_t>(llvm::bit_ceil<uint64_t>(standard));
  chosen = std::clamp(chosen, low, bound);
  MLIRContext *context = builder.getContext();
  return KnobAttr::get(
      context, name,
      cast<DomainAttrInterface>(Attribute(Pow2Attr::get(context, low, bound))),
      Attribute(), builder.getI64IntegerAttr(chosen));
}

void Annotator::constrain(const std::string &text) {
  constraints.push_back(ConstraintAttr::get(builder.getContext(), text));
}

void Annotator::setConfig(linalg::LinalgOp op) {
  NamedAttrList config;
  auto set = [&](StringRef key, ArrayRef<Attribute> sizes) {
    auto isZero = [&](Attribute size) {
      return size == builder.getI64IntegerAttr(0);
    };
    if (!llvm::all_of(sizes, isZero))
      config.set(key, builder.getArrayAttr(sizes));
  };
  set(lowering_config::kWorkgroup, workgroup);
  set(lowering_config::kReduction, reduction);
  set(lowering_config::kSubgroup, subgroup);
  op->setAttr(TonnoDialect::kLoweringConfig,
              config.getDictionary(builder.getContext()));
}

/// A tile of the result in registers, of the operands in the caches; after
/// Goto and van de Geijn, "Anatomy of high-performance matrix multiplication".
void Annotator::annotateContraction(linalg::LinalgOp op,
                                    const linalg::ContractionDimensions &dims) {
  unsigned m = dims.m.back(), n = dims.n.back(), k = dims.k.back();
  // The schedule makes vectors of the last parallel loop.
  if (m > n)
    std::swap(m, n);
  std::string bm = uniqueName("BM"), bn = uniqueName("BN"),
              bk = uniqueName("BK"), mr = uniqueName("MR"),
              nr = uniqueName("NR");
  int64_t bytes = elementBytes(op);
  // Registers hold the tile of the result, a row of one operand and an element
  // of the other.
  int64_t accumulators = std::max<int64_t>(host.vectorRegisters - 4, 1) * lanes;
  int64_t wide = std::min<int64_t>(2 * lanes, extents[n]);
  for (unsigned loop : llvm::concat<const unsigned>(dims.batch, dims.m, dims.n))
    workgroup[loop] = builder.getI64IntegerAttr(1);
  for (unsigned loop : llvm::concat<const unsigned>(dims.batch, dims.m, dims.n))
    subgroup[loop] = builder.getI64IntegerAttr(1);
  for (unsigned loop : dims.k)
    reduction[loop] = builder.getI64IntegerAttr(1);
  workgroup[m] = knob(bm, 8, std::min<int64_t>(extents[m], 512), 64);
  workgroup[n] = knob(bn, lanes, std::min<int64_t>(extents[n], 1024), 256);
  reduction[k] = knob(bk, 16, std::min<int64_t>(extents[k], 512), 256);
  subgroup[m] = knob(mr, 1, std::min<int64_t>(extents[m], 16), 8);
  subgroup[n] = knob(nr, lanes, std::min<int64_t>(extents[n], 4 * lanes), wide);
  constrain(mr + " * " + nr +
            " <= " + std::to_string(std::min(accumulators, maxVectorised)));
  constrain(mr + " <= " + bm + ", " + nr + " <= " + bn);
  constrain("(" + bm + " + " + bn + ") * " + bk + " * " +
            std::to_string(bytes) + " <= " + std::to_string(host.l2Bytes));
}

/// Rows side by side, a vector of each at a time.
void Annotator::annotateReduction(linalg::LinalgOp op) {
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  for (unsigned loop : llvm::concat<const unsigned>(parallel, reductions))
    subgroup[loop] = builder.getI64IntegerAttr(1);
  std::string kr = uniqueName("KR");
  unsigned k = reductions.back();
  subgroup[k] =
      knob(kr, 1, std::min<int64_t>(extents[k], 4 * lanes), 2 * lanes);
  if (parallel.empty())
    return;
  std::string mr = uniqueName("MR");
  unsigned m = parallel.back();
  subgroup[m] = knob(mr, 1, std::min<int64_t>(extents[m], 4 * lanes), 8);
  constrain(
      mr + " * " + kr + " <= " +
      std::to_string(std::min(maxVectorised, host.vectorRegisters * lanes)));
}

/// Vectors along the last loop, some rows at a time; in blocks where an operand
/// is walked across its rows.
void Annotator::annotateParallel(linalg::LinalgOp op) {
  unsigned last = op.getNumLoops() - 1;
  for (unsigned loop = 0; loop <= last; ++loop)
    subgroup[loop] = builder.getI64IntegerAttr(1);
  std::string nr = uniqueName("NR");
  subgroup[last] = knob(nr, std::min(lanes, extents[last]),
                        std::min<int64_t>(extents[last], 8 * lanes), lanes);
  if (last == 0)
    return;
  std::string mr = uniqueName("MR");
  unsigned rows = last - 1;
  bool crosses = false;
  for (AffineMap map : op.getIndexingMapsArray())
    for (unsigned i = 0; i + 1 < map.getNumResults(); ++i)
      if (map.getResult(i).isFunctionOfDim(last)) {
        crosses = true;
        for (unsigned loop = 0; loop < last; ++loop)
          if (map.getResults().back().isFunctionOfDim(loop))
            rows = loop;
      }
  subgroup[rows] =
      knob(mr, 1, std::min<int64_t>(extents[rows], 16), crosses ? lanes : 1);
  constrain(
      mr + " * " + nr + " <= " +
      std::to_string(std::min(maxVectorised, host.vectorRegisters * lanes)));
  if (!crosses)
    return;
  std::string bm = uniqueName("BM"), bn = uniqueName("BN");
  workgroup[rows] = knob(bm, 8, std::min<int64_t>(extents[rows], 256), 64);
  workgroup[last] = knob(bn, 8, std::min<int64_t>(extents[last], 256), 64);
  constrain(mr + " <= " + bm + ", " + nr + " <= " + bn);
}

bool Annotator::annotate(linalg::LinalgOp op) {
  if (op->hasAttr(TonnoDialect::kLoweringConfig) || op.hasDynamicShape() ||
      isa<linalg::FillOp>(op) || op.getNumLoops() == 0)
    return false;
  extents = op.getStaticLoopRanges();
  if (llvm::is_contained(extents, 0))
    return false;
  lanes = std::max<int64_t>(host.vectorBytes / elementBytes(op), 1);
  for (auto *level : {&workgroup, &reduction, &subgroup})
    level->assign(op.getNumLoops(), builder.getI64IntegerAttr(0));
  auto dims = linalg::inferContractionDims(op);
  if (op.getNumReductionLoops() == 0)
    annotateParallel(op);
  else if (linalg::isaContractionOpInterface(op) && succeeded(dims) &&
           !dims->m.empty() && !dims->n.empty() && !dims->k.empty())
    annotateContraction(op, *dims);
  else
    annotateReduction(op);
  setConfig(op);
  return true;
}

unsigned Annotator::run() {
  collectNames();
  if (auto present =
          function->getAttrOfType<ArrayAttr>(TonnoDialect::kConstraints))
    llvm::append_range(constraints, present);
  unsigned count = 0;
  function.walk([&](linalg::LinalgOp op) { count += annotate(op); });
  if (count)
    function->setAttr(TonnoDialect::kConstraints,
                      builder.getArrayAttr(constraints));
  return count;
}

unsigned tonno::annotateForHost(func::FuncOp function, const HostTraits &host) {
  return Annotator(function, host).run();
}
