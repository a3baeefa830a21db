//===- Default tiles for matrix units -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DefaultSpace/MatrixTile.h"
#include "DefaultSpace/CycleModel.h"

#include <algorithm>

using namespace tonno;

static int64_t countSubgroups(const MatrixTile &tile) {
  return tile.rows / tile.subgroupRows * (tile.columns / tile.subgroupColumns);
}

static int64_t bytesPerElement(const MatrixTile &tile) {
  return static_cast<int64_t>(getByteSize(tile.instruction->operand));
}

int64_t tonno::loadedDepth(const MatrixInstruction &instruction) {
  if (instruction.family == MatrixFamily::mmaSync)
    return instruction.k;
  // 16 bytes of k a lane, or what an instruction takes if that is more.
  const FragmentDimension &depth = instruction.lhs.depth;
  return std::max<int64_t>(16 / int64_t(getByteSize(instruction.operand)),
                           int64_t(depth.outer) * depth.elements) *
         depth.lanes;
}

int64_t tonno::paddingBytes(const MatrixInstruction &instruction) {
  return instruction.family == MatrixFamily::mmaSync ? 0 : 16;
}

int64_t tonno::estimateRegisters(const MatrixProblem &problem,
                                 const MatrixTile &tile, const GpuChip &chip) {
  int64_t lanes = chip.subgroupSize;
  int64_t sums = tile.subgroupRows * tile.subgroupColumns / lanes;
  int64_t elements = (tile.subgroupRows + tile.subgroupColumns) *
                     loadedDepth(*tile.instruction) / lanes;
  int64_t moved = ((problem.copiesLhs ? 0 : tile.rows) +
                   (problem.copiesRhs ? 0 : tile.columns)) *
                  tile.depth / (countSubgroups(tile) * lanes);
  return sums + (elements + moved) * bytesPerElement(tile) / 4 +
         tile.instruction->scratch * tile.depth + otherRegisters;
}

static int64_t computeSharedBytes(const MatrixTile &tile) {
  return tile.stages * (tile.rows + tile.columns) *
         (tile.depth * bytesPerElement(tile) + paddingBytes(*tile.instruction));
}

std::optional<double> tonno::boundCycles(const MatrixProblem &problem,
                                         const MatrixTile &tile,
                                         const GpuChip &chip) {
  int64_t subgroups = countSubgroups(tile);
  int64_t resident =
      countResident(chip, subgroups, estimateRegisters(problem, tile, chip),
                    computeSharedBytes(tile));
  if (resident == 0)
    return std::nullopt;
  const MatrixInstruction &instruction = *tile.instruction;
  int64_t workgroups = problem.others * ceilDivide(problem.rows, tile.rows) *
                       ceilDivide(problem.columns, tile.columns);
  double rounds =
      static_cast<double>(ceilDivide(workgroups, chip.computeUnits));
  double together = std::min(rounds, static_cast<double>(resident));

  double products = static_cast<double>(tile.rows * tile.columns * tile.depth) /
                    static_cast<double>(instruction.macs());
  double unit = products * instruction.cycles /
                std::min<double>(chip.partitions, subgroups * together);
  double stored = static_cast<double>((tile.rows + tile.columns) * tile.depth *
                                      bytesPerElement(tile));
  double loaded = static_cast<double>(
      subgroups * (tile.subgroupRows + tile.subgroupColumns) * tile.depth *
      bytesPerElement(tile));
  // Steps ahead of which tiles are on their way.
  double ahead = problem.copiesLhs && problem.copiesRhs
                     ? static_cast<double>(tile.stages - 1)
                     : 1;
  double step = boundStep({unit, stored, loaded, ahead}, together);
  return rounds * static_cast<double>(ceilDivide(problem.depth, tile.depth)) *
         step;
}

std::optional<MatrixTile>
tonno::findMatrixTile(const MatrixProblem &problem, const GpuChip &chip,
                      std::span<const MatrixInstruction> instructions) {
  std::optional<MatrixTile> best;
  double fewest = 0;
  auto consider = [&](const MatrixTile &tile) {
    auto cycles = boundCycles(problem, tile, chip);
    if (cycles && (!best || *cycles < fewest)) {
      best = tile;
      fewest = *cycles;
    }
  };
  auto upTo = [](int64_t extent, int64_t least, int64_t most) {
    while (most > least && most / 2 >= extent)
      most /= 2;
    return most;
  };
  // The largest side that is not half empty, or the smallest there is.
  auto getSide = [](const MatrixInstruction &one) {
    return static_cast<int64_t>(std::max(one.m, one.n));
  };
  int64_t mostStages = problem.copies() ? 4 : 2;
  int64_t largest = getSide(std::ranges::min(instructions, {}, getSide));
  for (const MatrixInstruction &one : instructions)
    if (getSide(one) / 2 < std::min(problem.rows, problem.columns))
      largest = std::max(largest, getSide(one));
  for (const MatrixInstruction &one : instructions) {
    int64_t side = getSide(one);
    if (side > largest)
      continue;
    int64_t mostRows = upTo(problem.rows, side, 256),
            mostColumns = upTo(problem.columns, side, 256);
    int64_t least =
        std::max<int64_t>(one.k, 16 / int64_t(getByteSize(one.operand)));
    int64_t mostDepth = upTo(problem.depth, least, 128);
    for (int64_t rows = side; rows <= mostRows; rows *= 2)
      for (int64_t columns = side; columns <= mostColumns; columns *= 2)
        for (int64_t depth = least; depth <= mostDepth; depth *= 2)
          for (int64_t m = side; m <= std::min(rows, mostSubgroupSide); m *= 2)
            for (int64_t n = side; n <= std::min(columns, mostSubgroupSide);
                 n *= 2)
              for (int64_t stages = 2; stages <= mostStages; ++stages)
                consider({&one, rows, columns, depth, m, n, stages});
  }
  return best;
}
