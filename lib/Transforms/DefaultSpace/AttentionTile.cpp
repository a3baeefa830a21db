//===- Default tiles of attention -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DefaultSpace/AttentionTile.h"
#include "DefaultSpace/CycleModel.h"

#include <algorithm>

using namespace tonno;

static int64_t bytesPerElement(const AttentionTile &tile) {
  return static_cast<int64_t>(getByteSize(tile.instruction->operand));
}

static int64_t countSubgroups(const AttentionTile &tile) {
  return tile.rows / tile.subgroupRows;
}

/// Returns the registers of a thread: queries, sums, scores with their powers,
/// fragments, and the next tiles on their way into shared memory.
static int64_t countRegisters(const AttentionProblem &problem,
                              const AttentionTile &tile, const GpuChip &chip) {
  int64_t lanes = chip.subgroupSize, bytes = bytesPerElement(tile);
  int64_t ofRows = tile.subgroupRows *
                   (4 * problem.columns + bytes * problem.depth +
                    (4 + bytes / 2) * tile.keys) /
                   (4 * lanes);
  int64_t ofFragments = (tile.keys * loadedDepth(*tile.instruction) +
                         problem.columns * int64_t(tile.instruction->k)) *
                        bytes / (4 * lanes);
  int64_t moved = tile.keys *
                  ((problem.copiesKeys ? 0 : problem.depth) +
                   (problem.copiesValues ? 0 : problem.columns)) *
                  bytes / (4 * countSubgroups(tile) * lanes);
  return ofRows + ofFragments + moved + otherRegisters;
}

/// Returns the shared memory of a workgroup.
static int64_t countSharedBytes(const AttentionProblem &problem,
                                const AttentionTile &tile) {
  int64_t bytes = bytesPerElement(tile),
          padding = paddingBytes(*tile.instruction);
  int64_t ofRow = problem.depth * bytes + padding;
  return tile.rows * ofRow +
         tile.stages * (tile.keys * ofRow +
                        problem.columns * (tile.keys * bytes + padding));
}

/// Instructions of a thread for a score, those of the matrix unit aside: about
/// seven, and an exponential, for which AMD's take four times as long.
static double countInstructions(const GpuChip &chip) {
  return chip.vendor == GpuVendor::nvidia ? 8 : 11;
}

/// Returns a lower bound on the cycles of a launch: the largest of the matrix
/// unit's, the other instructions', shared memory's and the second-level
/// cache's, and of the latency that resident workgroups don't hide, over whole
/// waves. Nothing if the chip cannot run the tile.
static std::optional<double> estimateCycles(const AttentionProblem &problem,
                                            const AttentionTile &tile,
                                            const GpuChip &chip) {
  int64_t subgroups = countSubgroups(tile);
  int64_t resident =
      countResident(chip, subgroups, countRegisters(problem, tile, chip),
                    countSharedBytes(problem, tile));
  if (resident == 0)
    return std::nullopt;
  const MatrixInstruction &instruction = *tile.instruction;
  double rounds = static_cast<double>(ceilDivide(
      problem.others * ceilDivide(problem.rows, tile.rows), chip.computeUnits));
  double together = std::min(rounds, static_cast<double>(resident));
  double busy = std::min<double>(chip.partitions, subgroups * together);
  double scores = static_cast<double>(tile.rows * tile.keys);
  double unit = scores * static_cast<double>(problem.depth + problem.columns) /
                static_cast<double>(instruction.macs()) * instruction.cycles /
                busy;
  double lanes = chip.subgroupSize == 64 ? 16 : 32;
  // Each step scales the sums.
  double others = (scores * countInstructions(chip) +
                   static_cast<double>(tile.rows * problem.columns)) /
                  (lanes * busy);
  // Subgroups of one partition take turns.
  bool isOverlapped = subgroups * together > chip.partitions;
  double compute = isOverlapped
                       ? std::max(unit, others) + std::min(unit, others) / 4
                       : unit + others;
  double stored = static_cast<double>(
      tile.keys * (problem.depth + problem.columns) * bytesPerElement(tile));
  double loaded = static_cast<double>(subgroups) * stored;
  double ahead = problem.copiesKeys && problem.copiesValues
                     ? static_cast<double>(tile.stages - 1)
                     : 1;
  double step = boundStep({compute, stored, loaded, ahead}, together);
  double around = 2 * latency / together;
  return rounds *
         (static_cast<double>(ceilDivide(problem.keys, tile.keys)) * step +
          around);
}

std::optional<AttentionTile> tonno::findAttentionTile(
    const AttentionProblem &problem, const GpuChip &chip,
    std::span<const MatrixInstruction *const> instructions) {
  std::optional<AttentionTile> best;
  double fewest = 0;
  int64_t mostStages = problem.copies() ? 3 : 2;
  for (const MatrixInstruction *one : instructions) {
    int64_t side = std::max(one->m, one->n);
    int64_t least = std::max<int64_t>(side, one->k);
    for (int64_t rows = side; rows <= 64; rows *= 2)
      for (int64_t subgroups : {4, 8, 2, 1})
        for (int64_t keys = least;
             keys <= 128 && rows * subgroups <= mostAttentionRows; keys *= 2)
          for (int64_t stages = 1; stages <= mostStages; ++stages) {
            if (problem.copies() && stages < 2)
              continue;
            // Tiles of which more than half are empty are the smallest.
            if ((subgroups > 1 && rows * subgroups / 2 >= problem.rows) ||
                (keys > least && keys / 2 >= problem.keys))
              continue;
            AttentionTile tile = {one, rows * subgroups, rows, keys, stages};
            auto cycles = estimateCycles(problem, tile, chip);
            if (cycles && (!best || *cycles < fewest)) {
              best = tile;
              fewest = *cycles;
            }
          }
  }
  return best;
}
