//===- Default spaces of attention ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "DefaultSpace/AttentionTile.h"
#include "DefaultSpace/GpuSpace.h"
#include "Schedule/GPU/MapToGPU.h"
#include "Schedule/GPU/MatrixOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tonno;

/// Returns the instructions that can compute both products with scores in
/// registers.
static SmallVector<const MatrixInstruction *>
findInstructions(const Attention &attention, const GpuChip &chip) {
  std::span<const MatrixInstruction> ofScores = findMatrixInstructions(
                                         attention.scores.ops.front().op, chip),
                                     ofProduct = findMatrixInstructions(
                                         attention.product.ops.front().op,
                                         chip);
  SmallVector<const MatrixInstruction *> both;
  if (ofScores.data() == ofProduct.data())
    for (const MatrixInstruction &one : ofProduct)
      if (chainInstruction(one))
        both.push_back(&one);
  return both;
}

/// Fewer rows leave most of an instruction's tile empty.
static constexpr int64_t fewestRows = 8;

/// Pads extents for any of the instructions.
static AttentionProblem
makeProblem(const Attention &attention,
            ArrayRef<const MatrixInstruction *> instructions) {
  const LaunchGroup &scores = attention.scores, &product = attention.product;
  uint32_t side = 0, depth = 0;
  for (const MatrixInstruction *one : instructions) {
    side = std::max({side, one->m, one->n});
    depth = std::max(depth, one->k);
  }
  AttentionProblem problem = {
      .rows = scores.extents[attention.queries],
      .keys = scores.extents[attention.keys],
      .depth = int64_t(llvm::alignTo(scores.extents[attention.depth], depth)),
      .columns =
          int64_t(llvm::alignTo(product.extents[attention.columns], side))};
  for (auto [dim, extent] : llvm::enumerate(scores.extents))
    if (dim != attention.queries && dim != attention.keys &&
        dim != attention.depth)
      problem.others *= extent;
  if (instructions.front()->family == MatrixFamily::mmaSync) {
    problem.copiesKeys = canCopyAsync(*attention.key, attention.keys,
                                      attention.depth, *instructions.front());
    problem.copiesValues =
        canCopyAsync(*attention.value, attention.columns, attention.summed,
                     *instructions.front());
  }
  return problem;
}

std::optional<GpuSpace> tonno::attentionSpace(const Attention &attention,
                                              const GpuChip &chip,
                                              KnobSizes &knobs) {
  auto isUnknown = [](int64_t extent) {
    return extent == 0 || ShapedType::isDynamic(extent);
  };
  SmallVector<const MatrixInstruction *> instructions =
      findInstructions(attention, chip);
  if (instructions.empty() ||
      llvm::any_of(attention.scores.extents, isUnknown) ||
      llvm::any_of(attention.product.extents, isUnknown) ||
      attention.scores.extents[attention.queries] < fewestRows)
    return std::nullopt;
  AttentionProblem problem = makeProblem(attention, instructions);
  auto standard = findAttentionTile(problem, chip, instructions);
  if (!standard)
    return std::nullopt;
  // Tiles are multiples of every instruction that may be chosen.
  SmallVector<StringRef> names;
  int64_t side = 0, deep = 0;
  for (const MatrixInstruction *one : instructions) {
    int64_t sideOfOne = std::max(one->m, one->n);
    int64_t deepOfOne = std::max<int64_t>(sideOfOne, one->k);
    if (sideOfOne > standard->subgroupRows || deepOfOne > standard->keys)
      continue;
    names.push_back(one->name);
    side = std::max(side, sideOfOne);
    deep = std::max(deep, deepOfOne);
  }
  KnobSize bm = knobs.size(
               "BM", side,
               std::max(side, std::min(mostAttentionRows, problem.rows)),
               standard->rows),
           wm = knobs.size("WM", side, std::min<int64_t>(64, bm.most),
                           standard->subgroupRows),
           bn = knobs.size("BN", deep,
                           std::max(deep, std::min<int64_t>(128, problem.keys)),
                           standard->keys),
           stages = problem.copies()
                        ? knobs.choice("STAGES", {2, 3, 4}, standard->stages)
                        : knobs.choice("STAGES", {1, 2}, standard->stages);
  if (wm.most > bm.least)
    knobs.constrain({wm, bm}, wm.text + " <= " + bm.text);
  int64_t lanes = chip.subgroupSize;
  std::string subgroups = "(" + bm.text + " floordiv " + wm.text + ")";
  knobs.constrain({bm, wm},
                  subgroups + " <= " + Twine(chip.maxThreads / lanes));
  KnobSize perUnit = choosePerUnit(knobs, chip, {bm, wm},
                                   subgroups + " * " + std::to_string(lanes));
  // Mirrors countSharedBytes in AttentionTile.cpp.
  int64_t bytes =
              static_cast<int64_t>(getByteSize(standard->instruction->operand)),
          padding = paddingBytes(*standard->instruction);
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string ofRow = number(problem.depth * bytes + padding);
  std::string ofColumn = bn.text + " * " + number(bytes);
  if (padding > 0)
    ofColumn = "(" + ofColumn + " + " + number(padding) + ")";
  knobs.constrain({bm, bn, stages},
                  bm.text + " * " + ofRow + " + " + stages.text + " * (" +
                      bn.text + " * " + ofRow + " + " +
                      number(problem.columns) + " * " + ofColumn +
                      ") <= " + Twine(chip.maxSharedBytes));
  // Mirrors countRegisters in AttentionTile.cpp.
  std::string needed =
      wm.text + " * (" + number(4 * problem.columns + bytes * problem.depth) +
      " + " + number(4 + bytes / 2) + " * " + bn.text + ") floordiv " +
      number(4 * lanes) + " + (" + bn.text + " * " +
      number(loadedDepth(*standard->instruction)) + " + " +
      number(problem.columns * int64_t(standard->instruction->k)) + ") * " +
      number(bytes) + " floordiv " + number(4 * lanes) + " + " +
      number(otherRegisters);
  int64_t moved = (problem.copiesKeys ? 0 : problem.depth) +
                  (problem.copiesValues ? 0 : problem.columns);
  if (moved > 0)
    needed += " + " + bn.text + " * " + number(moved * bytes) + " floordiv (" +
              number(4 * lanes) + " * " + subgroups + ")";
  SmallVector<KnobSize> tile = {bm, wm, bn};
  knobs.constrain(tile, needed + " <= " + Twine(chip.maxRegisters));
  knobs.constrain(tile, "(" + needed + ") * " + subgroups + " * " +
                            number(lanes) + " <= " + Twine(chip.registers));

  GpuSpace space(attention.product);
  Builder builder(attention.value->getOwner()->getContext());
  Attribute zero = builder.getI64IntegerAttr(0);
  space.thread.clear();
  space.workgroup[attention.columns] = space.workgroup[attention.summed] = zero;
  space.subgroup = space.workgroup;
  space.workgroup[attention.rows] = bm.attribute;
  space.subgroup[attention.rows] = wm.attribute;
  space.reduction[attention.summed] = bn.attribute;
  space.others = {
      builder.getNamedAttr(
          lowering_config::kInstruction,
          knobs.text("INSTRUCTION", names, standard->instruction->name)),
      builder.getNamedAttr(lowering_config::kStages, stages.attribute),
      builder.getNamedAttr(lowering_config::kPerUnit, perUnit.attribute),
      builder.getNamedAttr(lowering_config::kSoftmax,
                           builder.getStringAttr(lowering_config::kOnline))};
  if (problem.copies())
    space.others.push_back(
        builder.getNamedAttr(lowering_config::kCopy,
                             builder.getStringAttr(lowering_config::kAsync)));
  return space;
}
