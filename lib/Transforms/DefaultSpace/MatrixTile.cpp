//===- Default tiles for matrix units -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DefaultSpace/MatrixTile.h"
#include "DefaultSpace/CycleModel.h"
#include "Schedule/GPU/DescribedTile.h"
#include "Schedule/GPU/MatrixOps.h"

#include <algorithm>

using namespace tonno;

/// Returns the number of tiles that subgroups compute, alone or together.
static int64_t countParts(const MatrixTile &tile) {
  return tile.rows / tile.subgroupRows * (tile.columns / tile.subgroupColumns);
}

static int64_t countSubgroups(const MatrixTile &tile) {
  return countParts(tile) * tile.instruction->subgroups;
}

static int64_t bytesPerElement(const MatrixTile &tile) {
  return static_cast<int64_t>(getByteSize(tile.instruction->operand));
}

int64_t tonno::leastRows(const MatrixInstruction &instruction) {
  return instruction.readsShared() ? instruction.m
                                   : std::max(instruction.m, instruction.n);
}

int64_t tonno::leastColumns(const MatrixInstruction &instruction) {
  // Rows of 32 bytes along the columns are the shortest to be swizzled.
  return instruction.readsShared() ? 16
                                   : std::max(instruction.m, instruction.n);
}

int64_t tonno::mostColumns(const MatrixInstruction &instruction) {
  return std::max<int64_t>(mostSubgroupSide,
                           int64_t(instruction.columnTiles) * instruction.n);
}

int64_t tonno::sumsPerElement(const MatrixInstruction &instruction) {
  if (instruction.family == MatrixFamily::tcgen05)
    return 0;
  return hasShortSums(instruction) ? 2 : 1;
}

int64_t tonno::countOtherRegisters(const MatrixInstruction &instruction) {
  constexpr int64_t loadedSums = 32;
  return instruction.family == MatrixFamily::tcgen05
             ? otherRegisters + loadedSums
             : otherRegisters;
}

int64_t tonno::controlBytes(const MatrixInstruction &instruction) {
  return instruction.family == MatrixFamily::tcgen05 ? descriptorAlignment : 0;
}

int64_t tonno::loadedDepth(const MatrixInstruction &instruction) {
  if (instruction.readsShared())
    return 0;
  if (instruction.family == MatrixFamily::mmaSync)
    return instruction.k;
  // 16 bytes of k a lane, or what an instruction takes if that is more.
  const FragmentDimension &depth = instruction.lhs.depth;
  return std::max<int64_t>(16 / int64_t(getByteSize(instruction.operand)),
                           int64_t(depth.outer) * depth.elements) *
         depth.lanes;
}

int64_t tonno::paddingBytes(const MatrixInstruction &instruction) {
  return instruction.hasAsyncCopies() ? 0 : 16;
}

int64_t tonno::estimateRegisters(const MatrixProblem &problem,
                                 const MatrixTile &tile, const GpuChip &chip) {
  int64_t lanes = chip.subgroupSize * tile.instruction->subgroups;
  int64_t sums = tile.subgroupRows * tile.subgroupColumns / lanes *
                 sumsPerElement(*tile.instruction);
  int64_t elements = (tile.subgroupRows + tile.subgroupColumns) *
                     loadedDepth(*tile.instruction) / lanes;
  int64_t moved =
      (problem.lhsMoved * tile.rows + problem.rhsMoved * tile.columns) *
      tile.depth / (countParts(tile) * lanes);
  return sums + (elements * bytesPerElement(tile) + moved) / 4 +
         tile.instruction->scratch * tile.depth +
         countOtherRegisters(*tile.instruction);
}

static int64_t computeSharedBytes(const MatrixTile &tile) {
  return tile.stages * (tile.rows + tile.columns) *
             (tile.depth * bytesPerElement(tile) +
              paddingBytes(*tile.instruction)) +
         controlBytes(*tile.instruction);
}

int64_t tonno::countWorkgroups(const MatrixProblem &problem,
                               const MatrixTile &tile) {
  return problem.others * ceilDivide(problem.rows, tile.rows) *
         ceilDivide(problem.columns, tile.columns) * tile.parts;
}

/// Returns the cycles of writing parts of sums, and of the launch that adds
/// them.
static double boundCombination(const MatrixProblem &problem,
                               const MatrixTile &tile, const GpuChip &chip) {
  if (tile.parts == 1)
    return 0;
  constexpr double secondsOfLaunch = 2e-6, bytesOfSum = 4;
  double sums =
      static_cast<double>(problem.others * problem.rows * problem.columns);
  double bytes = 2 * sums * bytesOfSum * static_cast<double>(tile.parts);
  double seconds = secondsOfLaunch + bytes / (chip.gigabytes * 1e9);
  return seconds * chip.megahertz * 1e6;
}

std::optional<double> tonno::boundCycles(const MatrixProblem &problem,
                                         const MatrixTile &tile,
                                         const GpuChip &chip) {
  int64_t subgroups = countSubgroups(tile);
  int64_t resident =
      countResident(chip, subgroups, estimateRegisters(problem, tile, chip),
                    computeSharedBytes(tile));
  const MatrixInstruction &instruction = *tile.instruction;
  bool isTensor = instruction.family == MatrixFamily::tcgen05;
  if (isTensor)
    resident = std::min<int64_t>(
        resident, TensorMemory::columns /
                      TensorMemory::countAllocated(tile.rows, tile.columns));
  if (resident == 0)
    return std::nullopt;
  double rounds = static_cast<double>(
      ceilDivide(countWorkgroups(problem, tile), chip.computeUnits));
  double together = std::min(rounds, static_cast<double>(resident));

  double products = static_cast<double>(tile.rows * tile.columns * tile.depth) /
                    static_cast<double>(instruction.macs());
  double unit = products * instruction.cycles /
                std::min<double>(chip.partitions, subgroups * together);
  double stored = static_cast<double>((tile.rows + tile.columns) * tile.depth *
                                      bytesPerElement(tile));
  // An instruction that reads shared memory loads all columns anew; tcgen05 is
  // for the whole workgroup.
  int64_t rowsOfPart = isTensor ? tile.rows : tile.subgroupRows,
          columnsOfPart = isTensor ? tile.columns : tile.subgroupColumns;
  int64_t loads = instruction.readsShared() ? rowsOfPart / instruction.m : 1;
  double loaded = static_cast<double>((isTensor ? 1 : countParts(tile)) *
                                      (rowsOfPart + loads * columnsOfPart) *
                                      tile.depth * bytesPerElement(tile));
  // Steps ahead of which tiles are on their way.
  int64_t inFlight = countStepsInFlight(instruction, tile.stages);
  double ahead = problem.lhsMoved == 0 && problem.rhsMoved == 0
                     ? static_cast<double>(tile.stages - 1 - inFlight)
                     : 1;
  double step = boundStep({unit, stored, loaded, ahead}, together);
  int64_t steps =
      problem.passes * ceilDivide(problem.depth / tile.parts, tile.depth);
  return rounds * static_cast<double>(steps) * step +
         boundCombination(problem, tile, chip);
}

namespace {

struct BoundTile {
  MatrixTile tile;
  double cycles;
};

} // namespace

/// Returns the tile with the lowest bound for this number of parts of the sums.
static std::optional<BoundTile>
findTile(const MatrixProblem &problem, const GpuChip &chip,
         std::span<const MatrixInstruction> instructions, int64_t parts) {
  std::optional<BoundTile> best;
  // Threads of tcgen05 only move tiles: of equal bounds, the better has fewer
  // threads, and more tiles on their way.
  auto isSmoother = [&](const MatrixTile &tile) {
    auto rank = [](const MatrixTile &one) {
      return std::pair(-countSubgroups(one), one.stages);
    };
    return tile.instruction->family == MatrixFamily::tcgen05 &&
           rank(tile) > rank(best->tile);
  };
  auto consider = [&](const MatrixTile &tile) {
    auto cycles = boundCycles(problem, tile, chip);
    if (cycles && (!best || *cycles < best->cycles ||
                   (*cycles == best->cycles && isSmoother(tile))))
      best = {tile, *cycles};
  };
  auto upTo = [](int64_t extent, int64_t least, int64_t most) {
    while (most > least && most / 2 >= extent)
      most /= 2;
    return most;
  };
  // The instructions with the most rows that are not half empty, or the fewest.
  int64_t mostStages = problem.copies() ? 4 : 2;
  int64_t largest = leastRows(std::ranges::min(instructions, {}, leastRows));
  for (const MatrixInstruction &one : instructions)
    if (leastRows(one) / 2 < problem.rows &&
        leastColumns(one) / 2 < problem.columns)
      largest = std::max(largest, leastRows(one));
  for (const MatrixInstruction &one : instructions) {
    int64_t side = leastRows(one), across = leastColumns(one);
    if (side > largest)
      continue;
    int64_t mostRows = upTo(problem.rows, side, 256),
            mostOfColumns = upTo(problem.columns, across, 256);
    int64_t least =
        std::max<int64_t>(one.k, 16 / int64_t(getByteSize(one.operand)));
    int64_t mostDepth = upTo(problem.depth, least, 128);
    for (int64_t rows = side; rows <= mostRows; rows *= 2)
      for (int64_t columns = across; columns <= mostOfColumns; columns *= 2)
        for (int64_t depth = least; depth <= mostDepth; depth *= 2)
          for (int64_t m = side; m <= std::min(rows, mostSubgroupSide); m *= 2)
            for (int64_t n = across; n <= std::min(columns, mostColumns(one));
                 n *= 2)
              for (int64_t stages = 2; stages <= mostStages; ++stages)
                consider({&one, rows, columns, depth, m, n, stages, parts});
  }
  return best;
}

std::optional<MatrixTile>
tonno::findMatrixTile(const MatrixProblem &problem, const GpuChip &chip,
                      std::span<const MatrixInstruction> instructions) {
  auto best = findTile(problem, chip, instructions, /*parts=*/1);
  if (!best)
    return std::nullopt;
  // No tile is faster than the loads of both operands, of which one may be the
  // same in each pass.
  double bytes = static_cast<double>(
      problem.others * (problem.rows + problem.passes * problem.columns) *
      problem.depth * bytesPerElement(best->tile));
  double memory = bytes / (chip.gigabytes * 1e9) * chip.megahertz * 1e6;
  // Parts must be worth their memory.
  constexpr double leastGain = 1.1;
  for (int64_t parts = 2; parts <= problem.mostParts; parts *= 2)
    if (auto split = findTile(problem, chip, instructions, parts);
        split && std::max(split->cycles, memory) * leastGain <
                     std::max(best->cycles, memory))
      best = split;
  return best->tile;
}
