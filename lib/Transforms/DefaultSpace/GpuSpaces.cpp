//===- Default spaces of launches -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuSpaces.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tonno;

/// What a thread has in registers beside elements: addresses, counters,
/// conditions.
static constexpr int64_t otherRegisters = 40;

GpuSpace::GpuSpace(const ExpectedLaunch &launch) {
  Builder builder(launch.accesses.front().map.getContext());
  workgroup.assign(launch.extents.size(), builder.getI64IntegerAttr(1));
  thread = workgroup;
  reduction.assign(launch.extents.size(), builder.getI64IntegerAttr(0));
}

static std::string product(const KnobSize &a, const KnobSize &b) {
  if (a.text == "1")
    return b.text;
  return b.text == "1" ? a.text : a.text + " * " + b.text;
}

std::string ThreadedTile::points() const {
  return product(threadRows, threadColumns);
}

std::string ThreadedTile::threads() const {
  std::string divisor = points();
  if (divisor == "1")
    return product(rows, columns);
  bool isProduct = divisor.find(' ') != std::string::npos;
  return product(rows, columns) + " floordiv " +
         (isProduct ? "(" + divisor + ")" : divisor);
}

int64_t ThreadedTile::standardThreads() const {
  return rows.standard * columns.standard /
         (threadRows.standard * threadColumns.standard);
}

SmallVector<KnobSize> ThreadedTile::sizes() const {
  return {rows, columns, threadRows, threadColumns};
}

int64_t tonno::bytesOfElement(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 8;
}

void tonno::constrainThreads(KnobSizes &knobs, const GpuChip &chip,
                             const ThreadedTile &tile) {
  auto fit = [&](const KnobSize &inner, const KnobSize &outer) {
    if (inner.most > outer.least)
      knobs.constrain({inner, outer}, inner.text + " <= " + outer.text);
  };
  fit(tile.threadRows, tile.rows);
  fit(tile.threadColumns, tile.columns);
  int64_t least = std::min<int64_t>(chip.subgroupSize, tile.standardThreads());
  knobs.constrain(tile.sizes(),
                  tile.threads() + " <= " + Twine(chip.maxThreads));
  if (least > 1)
    knobs.constrain(tile.sizes(), tile.threads() + " >= " + Twine(least));
}

/// An AMD GPU's other registers are but a cache of these.
static int64_t mostRegisters(const GpuChip &chip) {
  return std::min<int64_t>(chip.maxRegisters, 256);
}

bool tonno::fitsRegisters(const GpuChip &chip, int64_t threads,
                          int64_t ofThread) {
  ofThread += otherRegisters;
  return ofThread <= mostRegisters(chip) &&
         ofThread * threads <= int64_t(chip.registers);
}

void tonno::constrainRegisters(KnobSizes &knobs, const GpuChip &chip,
                               const ThreadedTile &tile,
                               const std::string &ofThread) {
  std::string needed = ofThread + " + " + std::to_string(otherRegisters);
  knobs.constrain(tile.sizes(), needed + " <= " + Twine(mostRegisters(chip)));
  knobs.constrain(tile.sizes(), "(" + needed + ") * (" + tile.threads() +
                                    ") <= " + Twine(chip.registers));
}

void tonno::constrainRegisters(KnobSizes &knobs, const GpuChip &chip,
                               const ThreadedTile &tile,
                               const std::string &ofThread,
                               const std::string &ofWorkgroup,
                               const KnobSize &depth) {
  SmallVector<KnobSize> sizes = tile.sizes();
  sizes.push_back(depth);
  std::string threads = "(" + tile.threads() + ")";
  std::string needed = ofWorkgroup + " + (" + ofThread + " + " +
                       std::to_string(otherRegisters) + ") * " + threads +
                       " <= ";
  knobs.constrain(sizes, needed + Twine(mostRegisters(chip)) + " * " + threads);
  knobs.constrain(sizes, needed + Twine(chip.registers));
}
