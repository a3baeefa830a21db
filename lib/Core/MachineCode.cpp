//===- What the loops of a GPU's machine code consist of ------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/MachineCode.h"

#include <algorithm>
#include <map>

using namespace tonno;

using Instructions = std::vector<MachineInstruction>;

namespace {

/// Addresses of instructions, both ends included.
struct AddressRange {
  uint64_t begin, end;

  bool contains(uint64_t address) const {
    return begin <= address && address <= end;
  }
};

/// Sums up instructions.
class Counter {
public:
  /// `isPartial`: not all lanes, or none, execute it; it takes its slot.
  void add(const MachineInstruction &one, bool isPartial);
  InstructionCounts finish() const;

private:
  InstructionCounts counts;
  std::map<uint32_t, uint64_t> chains; ///< cycles, by register of the sums
  uint64_t longest = 0;                ///< of other latencies
};

} // namespace

void Counter::add(const MachineInstruction &one, bool isPartial) {
  uint64_t bytes = isPartial ? 0 : one.bytes;
  uint64_t macs = isPartial ? 0 : one.macs;
  counts.issueCycles += one.issueCycles;
  switch (one.kind) {
  case InstructionKind::matrix:
    ++counts.matrix;
    counts.matrixMacs += macs;
    counts.matrixCycles += one.pipeCycles;
    // The next one with these sums waits for this one.
    chains[one.result] += one.latency;
    return;
  case InstructionKind::fma:
    ++counts.fma;
    counts.fmaMacs += macs;
    counts.fmaCycles += one.pipeCycles;
    return;
  case InstructionKind::integerFma:
    ++counts.integerFma;
    counts.integerMacs += macs;
    counts.fmaCycles += one.pipeCycles;
    return;
  case InstructionKind::special:
    ++counts.special;
    counts.specialCycles += one.pipeCycles;
    return;
  case InstructionKind::vector:
    ++counts.vector;
    return;
  case InstructionKind::scalar:
    ++counts.scalar;
    return;
  case InstructionKind::sharedLoad:
    ++counts.sharedLoads;
    counts.sharedLoadBytes += bytes;
    break;
  case InstructionKind::sharedStore:
    ++counts.sharedStores;
    counts.sharedStoreBytes += bytes;
    break;
  case InstructionKind::globalLoad:
    ++counts.globalLoads;
    counts.globalLoadBytes += bytes;
    break;
  case InstructionKind::globalStore:
    ++counts.globalStores;
    counts.globalStoreBytes += bytes;
    break;
  case InstructionKind::asyncCopy:
    ++counts.asyncCopies;
    counts.asyncBytes += bytes;
    break;
  case InstructionKind::barrier:
    ++counts.barriers;
    break;
  case InstructionKind::branch:
  case InstructionKind::other:
    break;
  }
  // Of a load to registers: they are written by the next iteration, too, which
  // waits for this one.
  longest = std::max<uint64_t>(longest, one.latency);
}

InstructionCounts Counter::finish() const {
  InstructionCounts done = counts;
  // A subgroup uses the units of one partition.
  done.latency = std::max({longest, counts.issueCycles, counts.matrixCycles,
                           counts.fmaCycles, counts.specialCycles});
  for (const auto &[result, cycles] : chains)
    done.latency = std::max(done.latency, cycles);
  return done;
}

/// The instructions from a loop's header to its last branch back.
static std::vector<AddressRange> findLoops(const Instructions &code) {
  std::map<uint64_t, uint64_t> ends; // by header
  for (const MachineInstruction &one : code)
    // A branch to itself is the padding behind the code.
    if (one.target && *one.target < one.address) {
      uint64_t &end = ends[*one.target];
      end = std::max(end, one.address);
    }
  std::vector<AddressRange> loops;
  for (const auto &[begin, end] : ends)
    loops.push_back({begin, end});
  return loops;
}

static bool accessesGlobal(const MachineInstruction &one) {
  return one.kind == InstructionKind::globalLoad ||
         one.kind == InstructionKind::globalStore ||
         one.kind == InstructionKind::asyncCopy;
}

/// The instructions that forward branches to inside of `range` may skip.
static std::vector<AddressRange> findSkipped(const Instructions &code,
                                             AddressRange range) {
  std::vector<AddressRange> skipped;
  for (const MachineInstruction &one : code)
    if (range.contains(one.address) && one.target &&
        *one.target > one.address && *one.target <= range.end)
      skipped.push_back({one.address + 1, *one.target - 1});
  return skipped;
}

static bool isIn(const std::vector<AddressRange> &ranges, uint64_t address) {
  return std::ranges::any_of(
      ranges, [&](const AddressRange &one) { return one.contains(address); });
}

MachineCode tonno::analyzeMachineCode(const Instructions &code) {
  MachineCode result;
  if (code.empty())
    return result;
  std::vector<AddressRange> loops = findLoops(code);
  for (const AddressRange &range : loops) {
    std::vector<AddressRange> inner;
    for (const AddressRange &other : loops)
      if (&other != &range && range.contains(other.begin) &&
          range.contains(other.end))
        inner.push_back(other);
    std::vector<AddressRange> skipped = findSkipped(code, range);
    Counter always, all;
    for (const MachineInstruction &one : code) {
      if (!range.contains(one.address) || isIn(inner, one.address))
        continue;
      all.add(one, /*isPartial=*/false);
      if (!isIn(skipped, one.address))
        always.add(one, one.isPredicated);
    }
    result.loops.push_back({.begin = range.begin,
                            .end = range.end,
                            .isInnermost = inner.empty(),
                            .always = always.finish(),
                            .all = all.finish()});
  }
  AddressRange whole = {code.front().address, code.back().address};
  std::vector<AddressRange> skipped = findSkipped(code, whole);
  std::vector<AddressRange> withoutMemory;
  for (const AddressRange &range : skipped)
    if (std::ranges::none_of(code, [&](const MachineInstruction &one) {
          return accessesGlobal(one) && range.contains(one.address);
        }))
      withoutMemory.push_back(range);
  Counter always, all, withMemory;
  for (const MachineInstruction &one : code) {
    if (isIn(loops, one.address))
      continue;
    all.add(one, /*isPartial=*/false);
    if (!isIn(skipped, one.address))
      always.add(one, one.isPredicated);
    if (!isIn(withoutMemory, one.address))
      withMemory.add(one, one.isPredicated && !accessesGlobal(one));
  }
  result.always = always.finish();
  result.all = all.finish();
  result.withMemory = withMemory.finish();
  return result;
}

static uint64_t countMacs(const InstructionCounts &counts) {
  return counts.matrixMacs ? counts.matrixMacs
                           : counts.fmaMacs + counts.integerMacs;
}

const CodeLoop *MachineCode::mainLoop() const {
  const CodeLoop *main = nullptr;
  for (const CodeLoop &loop : loops)
    if (loop.isInnermost &&
        (!main || std::pair(loop.all.matrixMacs, countMacs(loop.all)) >
                      std::pair(main->all.matrixMacs, countMacs(main->all))))
      main = &loop;
  return main;
}
