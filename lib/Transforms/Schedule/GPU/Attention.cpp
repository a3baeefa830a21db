//===- Attention as one launch --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/Attention.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <cstdint>

using namespace mlir;
using namespace tonno;

SmallVector<Operation *> Attention::getOps() const {
  SmallVector<Operation *> ops;
  for (const LaunchGroup *group : {&scores, &product}) {
    for (const GroupedOp &member : group->ops)
      ops.push_back(member.anchor);
    llvm::append_range(ops, group->absorbed);
  }
  return ops;
}

namespace {

/// An output of a group's op.
struct Writer {
  size_t op;
  unsigned output;
};

} // namespace

static DestinationStyleOpInterface getDestinations(const GroupedOp &member) {
  return cast<DestinationStyleOpInterface>(member.anchor);
}

/// Returns the last output of the group that gives the tensor or buffer its
/// contents.
static std::optional<Writer> findWriter(const LaunchGroup &group, Value value) {
  for (size_t i = group.ops.size(); i-- > 0;) {
    auto op = getDestinations(group.ops[i]);
    ValueRange written = op.hasPureTensorSemantics()
                             ? ValueRange(op->getResults())
                             : ValueRange(op.getDpsInits());
    for (auto [output, result] : llvm::enumerate(written))
      if (result == value)
        return Writer{i, unsigned(output)};
  }
  return std::nullopt;
}

/// Returns the map of an output from the group's space.
static AffineMap getOutputMap(const LaunchGroup &group, Writer writer) {
  const GroupedOp &member = group.ops[writer.op];
  size_t numDims = group.extents.size();
  if (linalg::LinalgOp op = member.op)
    return getMapInGroupSpace(member, *op.getDpsInitOperand(writer.output),
                              numDims);
  MLIRContext *context = member.anchor->getContext();
  auto all = llvm::map_to_vector(member.dims, [&](unsigned dim) {
    return getAffineDimExpr(dim, context);
  });
  return AffineMap::get(numDims, 0, all, context);
}

static unsigned getDim(AffineExpr expression) {
  return cast<AffineDimExpr>(expression).getPosition();
}

static bool isZero(const Source &source) {
  return source.kind == Source::Kind::constant &&
         matchPattern(source.value, m_AnyZeroFloat());
}

/// Returns true if the maximum of the constant and of a number is that number.
static bool isNeutral(const Source &source, Operation *maximum) {
  APFloat number(0.0);
  if (source.kind != Source::Kind::constant ||
      !matchPattern(source.value, m_ConstantFloat(&number)))
    return false;
  if (number.isNaN())
    return isa<arith::MaxNumFOp>(maximum);
  return number.isNegative() && (number.isInfinity() || number.isLargest());
}

static bool isCast(Operation *op) {
  return isa_and_present<arith::ExtFOp, arith::TruncFOp>(op);
}

namespace {

class AttentionFinder {
public:
  Result<Attention> find(const LaunchGroup &scores, const LaunchGroup &rows,
                         const LaunchGroup &product) {
    found.scores = scores;
    found.product = product;
    TONNO_TRY(checkKinds(rows));
    TONNO_TRY(checkUses(rows));
    TONNO_TRY(addRows(rows));
    TONNO_TRY(findProductLoops());
    TONNO_TRY(findScoresLoops());
    TONNO_TRY(checkMemory());
    TONNO_TRY(findSoftmax());
    return std::move(found);
  }

private:
  using Groups = std::initializer_list<const LaunchGroup *>;

  Result<void> checkKinds(const LaunchGroup &rows) {
    using Kind = LaunchGroup::Kind;
    if (found.scores.kind != Kind::contraction ||
        found.product.kind != Kind::contraction || rows.kind != Kind::tiles ||
        !rows.reduced)
      return Error{"a product, a softmax of its result and a product with that "
                   "must follow each other"};
    if (rows.followsBranch || found.product.followsBranch)
      return Error{"a branch is between the products"};
    for (const LaunchGroup *group :
         Groups{&found.scores, &rows, &found.product})
      for (const GroupedOp &member : group->ops)
        if (!member.anchor)
          return Error{"another op uses a value that must be copied"};
    for (const LaunchGroup *group : {&found.scores, &found.product})
      if (!isZero(group->ops.front().inits.front()))
        return Error{"the sums of both products must begin with zero"};
    return {};
  }

  /// Fails if other ops use the scores or their softmax, which the launch does
  /// not store. Ops before it may have used their buffers.
  Result<void> checkUses(const LaunchGroup &rows) {
    llvm::SmallPtrSet<Operation *, 16> own;
    for (const LaunchGroup *group : Groups{&found.scores, &rows}) {
      for (const GroupedOp &member : group->ops)
        own.insert(member.anchor);
      own.insert(group->absorbed.begin(), group->absorbed.end());
    }
    Operation *first = found.scores.ops.front().anchor;
    own.insert(found.product.ops.front().anchor);
    auto isOwn = [&](Operation *user) {
      return own.contains(user) ||
             isa<memref::DeallocOp, memref::DimOp, tensor::DimOp>(user) ||
             (user->getBlock() == first->getBlock() &&
              user->isBeforeInBlock(first));
    };
    auto isLocal = [&](Value value) {
      return (isa<TensorType>(value.getType()) ||
              value.getDefiningOp<memref::AllocOp>()) &&
             llvm::all_of(value.getUsers(), isOwn);
    };
    for (const LaunchGroup *group : Groups{&found.scores, &rows})
      for (const GroupedOp &member : group->ops) {
        auto op = getDestinations(member);
        bool areLocal = op.hasPureTensorSemantics()
                            ? llvm::all_of(op->getResults(), isLocal)
                            : llvm::all_of(op.getDpsInits(), isLocal);
        if (!areLocal)
          return Error{"other ops use the scores or their softmax"};
      }
    return {};
  }

  /// Appends the ops of the rows to the scores', in whose space they are then.
  Result<void> addRows(const LaunchGroup &rows) {
    LaunchGroup &scores = found.scores;
    SmallVector<std::optional<unsigned>> dims(rows.extents.size());
    auto join = [&](Value value, AffineMap map) {
      auto writer = findWriter(scores, value);
      if (!writer)
        return true;
      AffineMap written = getOutputMap(scores, *writer);
      for (auto [ofRows, ofScores] :
           llvm::zip_equal(map.getResults(), written.getResults())) {
        std::optional<unsigned> &dim = dims[getDim(ofRows)];
        if (dim && *dim != getDim(ofScores))
          return false;
        dim = getDim(ofScores);
      }
      return true;
    };
    for (const GroupedOp &member : rows.ops)
      for (OpOperand &operand : member.anchor->getOpOperands()) {
        if (!isa<ShapedType>(operand.get().getType()))
          continue;
        AffineMap map = member.op
                            ? getMapInGroupSpace(member, operand, dims.size())
                            : AffineMap::getMultiDimIdentityMap(
                                  dims.size(), member.anchor->getContext());
        if (!join(operand.get(), map))
          return Error{"ops read the scores both transposed and not"};
      }
    if (!llvm::all_of(dims, [](auto dim) { return dim.has_value(); }))
      return Error{"the softmax is not of the first product"};
    found.keys = *dims[*rows.reduced];
    size_t before = scores.ops.size();
    for (GroupedOp member : rows.ops) {
      for (unsigned &dim : member.dims)
        dim = *dims[dim];
      for (Source *source : getSources(member))
        if (source->kind == Source::Kind::result)
          source->op += before;
        else if (auto writer = source->kind == Source::Kind::memory
                                   ? findWriter(found.scores, source->value)
                                   : std::nullopt)
          *source = {Source::Kind::result, source->value, writer->op,
                     writer->output};
      added.push_back(std::move(member));
    }
    // A buffer may be written again.
    llvm::append_range(scores.ops, added);
    llvm::append_range(scores.absorbed, rows.absorbed);
    return {};
  }

  static SmallVector<Source *> getSources(GroupedOp &member) {
    SmallVector<Source *> all;
    for (Source &source : member.inputs)
      all.push_back(&source);
    for (Source &source : member.inits)
      all.push_back(&source);
    return all;
  }

  /// Returns the map of an operand of a group's first op.
  static AffineMap getMap(const LaunchGroup &group, OpOperand &operand) {
    return getMapInGroupSpace(group.ops.front(), operand, group.extents.size());
  }

  static SmallVector<unsigned> getReductionLoops(const LaunchGroup &group) {
    SmallVector<unsigned> loops;
    linalg::LinalgOp op = group.ops.front().op;
    op.getReductionDims(loops);
    return loops;
  }

  Result<void> findProductLoops() {
    const LaunchGroup &group = found.product;
    linalg::LinalgOp op = group.ops.front().op;
    OpOperand *share = nullptr;
    for (OpOperand *input : op.getDpsInputOperands())
      if (auto writer = findWriter(found.scores, input->get())) {
        if (share)
          return Error{"both factors of the second product are softmaxes"};
        share = input;
        shareWriter = *writer;
      } else {
        found.value = input;
      }
    if (!share || !found.value)
      return Error{"the second product does not multiply the softmax"};
    found.scoresDims.assign(group.extents.size(), std::nullopt);
    AffineMap map = getMap(group, *share),
              written = getOutputMap(found.scores, shareWriter),
              ofValue = getMap(group, *found.value);
    if (map.getNumResults() != written.getNumResults())
      return Error{"the second product does not multiply the softmax"};
    std::optional<unsigned> rows, columns;
    for (auto [ofProduct, ofScores] :
         llvm::zip_equal(map.getResults(), written.getResults())) {
      unsigned dim = getDim(ofProduct);
      found.scoresDims[dim] = getDim(ofScores);
      if (!ofValue.isFunctionOfDim(dim))
        rows = dim; // the innermost
    }
    SmallVector<unsigned> reductions = getReductionLoops(group), parallel;
    op.getParallelDims(parallel);
    if (reductions.size() != 1 ||
        found.scoresDims[reductions.front()] != found.keys)
      return Error{"the second product does not sum along the softmax"};
    for (unsigned dim : parallel)
      if (!found.scoresDims[dim]) {
        if (columns)
          return Error{
              "the second product repeats the softmax along another dimension"};
        columns = dim;
      }
    if (!rows || !columns || !ofValue.isFunctionOfDim(*columns))
      return Error{"the second product has too few dimensions"};
    found.rows = *rows;
    found.columns = *columns;
    found.summed = reductions.front();
    found.queries = *found.scoresDims[*rows];
    return {};
  }

  Result<void> findScoresLoops() {
    const LaunchGroup &group = found.scores;
    SmallVector<unsigned> reductions = getReductionLoops(group);
    if (reductions.size() != 1)
      return Error{"the first product sums along several dimensions"};
    found.depth = reductions.front();
    linalg::LinalgOp op = group.ops.front().op;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = getMap(group, *input);
      bool ofQueries = map.isFunctionOfDim(found.queries),
           ofKeys = map.isFunctionOfDim(found.keys);
      if (ofQueries == ofKeys || !map.isFunctionOfDim(found.depth))
        return Error{"the first product does not multiply queries by keys"};
      (ofQueries ? found.query : found.key) = input;
    }
    if (!found.query || !found.key)
      return Error{"the first product does not multiply queries by keys"};
    return {};
  }

  /// Fails if a result may overwrite what other workgroups still read.
  Result<void> checkMemory() {
    SmallVector<Value> read = {found.value->get()};
    for (GroupedOp &member : found.scores.ops)
      for (Source *source : getSources(member))
        if (source->kind == Source::Kind::memory)
          read.push_back(source->value);
    for (const GroupedOp &member : found.product.ops)
      for (Value init : getDestinations(member).getDpsInits())
        if (llvm::any_of(read, [&](Value value) {
              return getUnderlyingValue(value) == getUnderlyingValue(init);
            }))
          return Error{"the result overwrites an operand"};
    return {};
  }

  //===--------------------------------------------------------------------===//
  // Softmax
  //===--------------------------------------------------------------------===//

  bool isReduction(size_t op) const {
    return op != 0 && found.scores.ops[op].numReductions != 0;
  }

  Block *getPayload(size_t op) const {
    linalg::LinalgOp member = found.scores.ops[op].op;
    return &member->getRegion(0).front();
  }

  PayloadValue getYielded(size_t op, unsigned output) const {
    return {op, getPayload(op)->getTerminator()->getOperand(output)};
  }

  /// Returns the source of a payload's argument; null for other values.
  const Source *findSource(PayloadValue at) const {
    auto argument = dyn_cast<BlockArgument>(at.value);
    if (!argument || argument.getOwner() != getPayload(at.op))
      return nullptr;
    const GroupedOp &member = found.scores.ops[at.op];
    size_t number = argument.getArgNumber(), inputs = member.inputs.size();
    return number < inputs ? &member.inputs[number]
                           : &member.inits[number - inputs];
  }

  /// Looks through results of elementwise ops, and through casts if asked to.
  PayloadValue resolve(PayloadValue at, bool throughCasts = true) const {
    for (;;) {
      const Source *source = findSource(at);
      if (throughCasts && isCast(at.value.getDefiningOp()))
        at.value = at.value.getDefiningOp()->getOperand(0);
      else if (source && source->kind == Source::Kind::result &&
               source->op != 0 && !isReduction(source->op))
        at = getYielded(source->op, source->output);
      else
        return at;
    }
  }

  /// Returns true if the values are the same, wherever they are read.
  bool areSame(PayloadValue one, PayloadValue other,
               bool throughCasts = true) const {
    one = resolve(one, throughCasts);
    other = resolve(other, throughCasts);
    const Source *ofOne = findSource(one), *ofOther = findSource(other);
    if (ofOne && ofOther && ofOne->kind == Source::Kind::result &&
        ofOther->kind == Source::Kind::result)
      return ofOne->op == ofOther->op && ofOne->output == ofOther->output;
    return one == other;
  }

  /// Returns true if all values that this one is computed from satisfy
  /// `isSource`, which gets sources in memory and results of reductions and
  /// products, or `isIndex`, which gets dimensions.
  bool allSources(PayloadValue at,
                  function_ref<bool(const Source &, AffineMap)> isSource,
                  function_ref<bool(unsigned)> isIndex) const {
    if (const Source *source = findSource(at)) {
      if (source->kind == Source::Kind::constant)
        return true;
      if (source->kind == Source::Kind::result && source->op != 0 &&
          !isReduction(source->op))
        return allSources(getYielded(source->op, source->output), isSource,
                          isIndex);
      const GroupedOp &member = found.scores.ops[at.op];
      OpOperand &operand =
          member.op->getOpOperand(cast<BlockArgument>(at.value).getArgNumber());
      return isSource(*source, getMapInGroupSpace(member, operand,
                                                  found.scores.extents.size()));
    }
    Operation *op = at.value.getDefiningOp();
    if (!op || op->getBlock() != getPayload(at.op))
      return true;
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      return isIndex(found.scores.ops[at.op].dims[index.getDim()]);
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return allSources({at.op, operand}, isSource, isIndex);
    });
  }

  /// Returns true if the value is the same for all keys of a row.
  bool isOfRow(PayloadValue at) const {
    return allSources(
        at,
        [&](const Source &source, AffineMap map) {
          return source.kind == Source::Kind::result
                     ? isReduction(source.op)
                     : !map.isFunctionOfDim(found.keys);
        },
        [&](unsigned dim) { return dim != found.keys; });
  }

  /// Returns true if the value depends on one key only.
  bool isOfPoint(PayloadValue at) const {
    return allSources(
        at,
        [&](const Source &source, AffineMap) {
          return source.kind != Source::Kind::result || !isReduction(source.op);
        },
        [](unsigned) { return true; });
  }

  /// Returns what the reduction combines with its sums.
  std::optional<PayloadValue> findTerm(size_t op) const {
    Operation *combiner = findCombiner(found.scores.ops[op].op);
    Value sum = getPayload(op)->getArguments().back();
    if (!combiner || combiner->getNumOperands() != 2)
      return std::nullopt;
    return PayloadValue{op, combiner->getOperand(0) == sum
                                ? combiner->getOperand(1)
                                : combiner->getOperand(0)};
  }

  /// Returns true if the value is the exponential, perhaps rounded.
  bool isPower(PayloadValue at) const { return resolve(at) == power; }

  /// Returns true if the value is the row's maximum, not rounded.
  bool isMaximum(PayloadValue at, size_t maximum) const {
    at = resolve(at, /*throughCasts=*/false);
    Operation *op = at.value.getDefiningOp();
    APFloat bound(0.0);
    if (isa_and_present<arith::ExtFOp>(op) ||
        // JAX's bound.
        (isa_and_present<arith::MaximumFOp, arith::MaxNumFOp>(op) &&
         matchPattern(op->getOperand(1), m_ConstantFloat(&bound)) &&
         bound.isNegative() && bound.isInfinity()))
      return isMaximum({at.op, op->getOperand(0)}, maximum);
    const Source *source = findSource(at);
    return source && source->kind == Source::Kind::result &&
           source->op == maximum;
  }

  /// Returns true if a value of the type can be computed in f32.
  static bool isNarrow(Type type) {
    return type.isF16() || type.isBF16() || type.isF32();
  }

  Result<void> findReductions(OnlineSoftmax &softmax) {
    SmallVector<size_t> reductions;
    for (size_t i = 0; i < found.scores.ops.size(); ++i)
      if (isReduction(i))
        reductions.push_back(i);
    Error other{"the softmax must have a maximum, an exponential, a sum and a "
                "quotient"};
    if (reductions.size() != 2)
      return other;
    softmax.maximum = reductions[0];
    softmax.sum = reductions[1];
    const GroupedOp &most = found.scores.ops[softmax.maximum],
                    &sum = found.scores.ops[softmax.sum];
    if (!isa_and_present<arith::MaximumFOp, arith::MaxNumFOp>(
            findCombiner(most.op)) ||
        !isa_and_present<arith::AddFOp>(findCombiner(sum.op)) ||
        !isNeutral(most.inits.front(), findCombiner(most.op)) ||
        !isZero(sum.inits.front()))
      return other;
    auto term = findTerm(softmax.maximum), added = findTerm(softmax.sum);
    if (!term || !added || !isOfPoint(*term))
      return other;
    softmax.term = *term;
    PayloadValue summed = resolve(*added);
    softmax.power = summed.value.getDefiningOp();
    if (!isa_and_present<math::ExpOp, math::Exp2Op>(softmax.power))
      return other;
    power = summed;
    PayloadValue difference =
        resolve({summed.op, softmax.power->getOperand(0)});
    auto subtraction = difference.value.getDefiningOp<arith::SubFOp>();
    if (!subtraction)
      return other;
    softmax.exponent = {difference.op, subtraction.getLhs()};
    if (!areSame(softmax.exponent, softmax.term) ||
        !isMaximum({difference.op, subtraction.getRhs()}, softmax.maximum) ||
        !isNarrow(softmax.term.value.getType()) ||
        !isNarrow(softmax.exponent.value.getType()) ||
        !isNarrow(added->value.getType()))
      return other;
    findKeyBounds(softmax);
    moveFactor(softmax);
    return {};
  }

  //===--------------------------------------------------------------------===//
  // Masks
  //===--------------------------------------------------------------------===//

  /// An index of the scores' space, plus a constant.
  struct ShiftedIndex {
    unsigned dim;
    int64_t offset;
  };

  std::optional<ShiftedIndex> findShiftedIndex(PayloadValue at) const {
    at = resolve(at);
    Operation *op = at.value.getDefiningOp();
    if (auto index = dyn_cast_if_present<linalg::IndexOp>(op))
      return ShiftedIndex{found.scores.ops[at.op].dims[index.getDim()], 0};
    // Narrower integers may wrap.
    constexpr unsigned width = 32;
    Type type = at.value.getType();
    if (type.isInteger() && type.getIntOrFloatBitWidth() < width)
      return std::nullopt;
    if (isa_and_present<arith::IndexCastOp, arith::ExtSIOp>(op))
      return findShiftedIndex({at.op, op->getOperand(0)});
    APInt number;
    if (!isa_and_present<arith::AddIOp, arith::SubIOp>(op) ||
        !matchPattern(op->getOperand(1), m_ConstantInt(&number)))
      return std::nullopt;
    auto shifted = findShiftedIndex({at.op, op->getOperand(0)});
    if (shifted)
      shifted->offset += isa<arith::AddIOp>(op) ? number.getSExtValue()
                                                : -number.getSExtValue();
    return shifted;
  }

  /// Bounds the keys by a condition that holds for those with a share. Returns
  /// false if it leaves out others than those beyond the bounds.
  bool boundKeys(OnlineSoftmax &softmax, PayloadValue condition,
                 bool isNegated) const {
    condition = resolve(condition);
    Operation *op = condition.value.getDefiningOp();
    // Both parts must hold.
    if (isNegated ? isa_and_present<arith::OrIOp>(op)
                  : isa_and_present<arith::AndIOp>(op)) {
      bool areKnown = true;
      for (Value operand : op->getOperands())
        areKnown &= boundKeys(softmax, {condition.op, operand}, isNegated);
      return areKnown;
    }
    auto compare = dyn_cast_if_present<arith::CmpIOp>(op);
    if (!compare)
      return false;
    auto lhs = findShiftedIndex({condition.op, compare.getLhs()}),
         rhs = findShiftedIndex({condition.op, compare.getRhs()});
    arith::CmpIPredicate predicate =
        isNegated ? arith::invertPredicate(compare.getPredicate())
                  : compare.getPredicate();
    if (!lhs || !rhs)
      return false;
    // From now on, the key is on the left.
    if (lhs->dim == found.queries && rhs->dim == found.keys) {
      std::swap(lhs, rhs);
      predicate = swapSides(predicate);
    }
    if (lhs->dim != found.keys || rhs->dim != found.queries)
      return false;
    int64_t offset = rhs->offset - lhs->offset;
    using Predicate = arith::CmpIPredicate;
    if (predicate == Predicate::sle || predicate == Predicate::slt)
      softmax.lastKey = std::min(softmax.lastKey.value_or(INT64_MAX),
                                 offset - (predicate == Predicate::slt));
    else if (predicate == Predicate::sge || predicate == Predicate::sgt)
      softmax.firstKey = std::max(softmax.firstKey.value_or(INT64_MIN),
                                  offset + (predicate == Predicate::sgt));
    else
      return false;
    return true;
  }

  /// Returns true if the value is the first product's sum, scaled and shifted
  /// by constants.
  bool isPlainScore(PayloadValue at) const {
    at = resolve(at);
    Operation *op = at.value.getDefiningOp();
    if (isa_and_present<arith::MulFOp, arith::DivFOp, arith::AddFOp,
                        arith::SubFOp>(op) &&
        matchPattern(op->getOperand(1), m_Constant()))
      return isPlainScore({at.op, op->getOperand(0)});
    const Source *source = findSource(at);
    return source && source->kind == Source::Kind::result && source->op == 0;
  }

  static arith::CmpIPredicate swapSides(arith::CmpIPredicate predicate) {
    using Predicate = arith::CmpIPredicate;
    switch (predicate) {
    case Predicate::slt:
      return Predicate::sgt;
    case Predicate::sle:
      return Predicate::sge;
    case Predicate::sgt:
      return Predicate::slt;
    case Predicate::sge:
      return Predicate::sle;
    default:
      return Predicate::eq;
    }
  }

  /// Returns true if no value is NaN or infinite: such a value would make even
  /// a share of zero count.
  bool hasFiniteValues() const {
    auto finite = arith::FastMathFlags::nnan | arith::FastMathFlags::ninf;
    linalg::LinalgOp op = found.product.ops.front().op;
    auto products = op->getRegion(0).front().getOps<arith::MulFOp>();
    return !products.empty() &&
           llvm::all_of(products, [&](arith::MulFOp product) {
             return bitEnumContainsAll(product.getFastmath(), finite);
           });
  }

  /// Finds the keys that a mask over indices leaves. Masked scores must be
  /// -inf, or else so low that each row has a higher one.
  void findKeyBounds(OnlineSoftmax &softmax) const {
    if (!hasFiniteValues())
      return;
    PayloadValue masked = resolve(softmax.exponent, /*throughCasts=*/false);
    auto select = masked.value.getDefiningOp<arith::SelectOp>();
    if (!select || !areSame(softmax.term, masked, /*throughCasts=*/false))
      return;
    APFloat low(0.0);
    bool isNegated = matchPattern(select.getTrueValue(), m_ConstantFloat(&low));
    if (!isNegated &&
        !matchPattern(select.getFalseValue(), m_ConstantFloat(&low)))
      return;
    constexpr double farBelowScores = -1e30;
    if (low.isNaN() || low.convertToDouble() > farBelowScores)
      return;
    OnlineSoftmax bounded = softmax;
    bool areAll =
        boundKeys(bounded, {masked.op, select.getCondition()}, isNegated);
    // Each query must have a share of one key at least: the first, or its own.
    int64_t queries = found.scores.extents[found.queries],
            keys = found.scores.extents[found.keys];
    bool hasOwn = !ShapedType::isDynamic(queries) &&
                  !ShapedType::isDynamic(keys) && queries <= keys &&
                  bounded.firstKey.value_or(0) <= 0;
    bool haveKeys =
        bounded.lastKey.value_or(0) >= 0 && (hasOwn || !bounded.firstKey) &&
        areAll &&
        isPlainScore({masked.op, isNegated ? select.getFalseValue()
                                           : select.getTrueValue()});
    if (low.isInfinity() || haveKeys)
      softmax = bounded;
  }

  //===--------------------------------------------------------------------===//
  // Factors
  //===--------------------------------------------------------------------===//

  /// Subtracts before the scores are multiplied by a constant, rather than
  /// after: one multiplication then serves the exponential as well.
  void moveFactor(OnlineSoftmax &softmax) const {
    PayloadValue product = resolve(softmax.exponent, /*throughCasts=*/false);
    Operation *op = product.value.getDefiningOp();
    APFloat number(0.0);
    if (!isa_and_present<arith::MulFOp, arith::DivFOp>(op) ||
        !areSame(softmax.term, product, /*throughCasts=*/false) ||
        !op->getResult(0).getType().isF32() ||
        !matchPattern(op->getOperand(1), m_ConstantFloat(&number)) ||
        !number.isNormal() || number.isNegative())
      return;
    double value = number.convertToDouble();
    softmax.factor = isa<arith::MulFOp>(op) ? value : 1 / value;
    softmax.term = softmax.exponent = {product.op, op->getOperand(0)};
  }

  /// Checks that the second product multiplies a softmax that is not decomposed
  /// yet, perhaps rounded.
  Result<void> checkWhole(size_t whole) const {
    for (size_t i = 0; i < found.scores.ops.size(); ++i)
      if (i != whole && isReduction(i))
        return Error{"there are several softmaxes"};
    bool isShare = shareWriter.op == whole;
    if (!isShare) {
      const Source *source =
          findSource(resolve(getYielded(shareWriter.op, shareWriter.output)));
      isShare =
          source && source->kind == Source::Kind::result && source->op == whole;
    }
    Type type = getElementTypeOrSelf(
        found.scores.ops[whole].anchor->getOperand(0).getType());
    if (!isShare || !isNarrow(type))
      return otherShare();
    return {};
  }

  static Error otherShare() {
    return {"the second product must multiply the exponential, scaled by one "
            "factor for each row"};
  }

  Result<void> findSoftmax() {
    const auto *whole = llvm::find_if(
        found.scores.ops, [](const GroupedOp &member) { return !member.op; });
    if (whole != found.scores.ops.end())
      return checkWhole(whole - found.scores.ops.begin());
    OnlineSoftmax softmax;
    TONNO_TRY(findReductions(softmax));
    PayloadValue share =
        resolve(getYielded(shareWriter.op, shareWriter.output));
    if (isPower(share)) {
      found.softmax = softmax;
      return {};
    }
    Operation *op = share.value.getDefiningOp();
    if (!isa_and_present<arith::DivFOp, arith::MulFOp>(op))
      return otherShare();
    softmax.divides = isa<arith::DivFOp>(op);
    bool isFirst = isPower({share.op, op->getOperand(0)});
    if (!isFirst &&
        (softmax.divides || !isPower({share.op, op->getOperand(1)})))
      return otherShare();
    softmax.scale = {share.op, op->getOperand(isFirst ? 1 : 0)};
    if (!isOfRow(*softmax.scale))
      return otherShare();
    found.softmax = softmax;
    return {};
  }

  Attention found;
  SmallVector<GroupedOp> added;
  Writer shareWriter = {};
  PayloadValue power; ///< the exponential
};

} // namespace

Result<Attention> tonno::findAttention(const LaunchGroup &scores,
                                       const LaunchGroup &rows,
                                       const LaunchGroup &product) {
  return AttentionFinder().find(scores, rows, product);
}
