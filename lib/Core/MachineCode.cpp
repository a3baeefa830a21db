//===- Loops and instructions of GPU machine code -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/MachineCode.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

using namespace tonno;

using Instructions = std::vector<MachineInstruction>;

namespace {

/// Sums up instructions.
class Counter {
public:
  /// Counts an instruction. `isPartial`: it takes its issue slot, but only some
  /// lanes or none execute it.
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
  if (one.isOfWorkgroup) {
    ++counts.matrix;
    counts.workgroupMacs += one.macs;
    counts.workgroupCycles += one.pipeCycles;
    return;
  }
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
  case InstructionKind::exit:
  case InstructionKind::other:
    break;
  }
  // Latency of a load to registers: the next iteration overwrites the
  // registers, and so waits for the load.
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

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

namespace {

/// A set of basic blocks.
class BlockSet {
public:
  BlockSet(size_t size, bool isFull)
      : words((size + 63) / 64, isFull ? ~uint64_t(0) : 0) {}

  bool contains(size_t block) const {
    return words[block / 64] >> (block % 64) & 1;
  }
  void insert(size_t block) { words[block / 64] |= uint64_t(1) << block % 64; }
  void intersect(const BlockSet &other) {
    for (size_t i = 0; i < words.size(); ++i)
      words[i] &= other.words[i];
  }
  void unite(const BlockSet &other) {
    for (size_t i = 0; i < words.size(); ++i)
      words[i] |= other.words[i];
  }
  bool operator==(const BlockSet &) const = default;

private:
  std::vector<uint64_t> words;
};

using Edges = std::vector<std::vector<size_t>>;

/// The basic blocks of a kernel, and a last one that all exits lead to.
class ControlFlow {
public:
  explicit ControlFlow(const Instructions &code);

  size_t size() const { return starts.size(); }
  size_t exit() const { return size(); }
  std::span<const MachineInstruction> block(size_t index) const {
    size_t end = index + 1 < size() ? starts[index + 1] : code.size();
    return std::span(code).subspan(starts[index], end - starts[index]);
  }

  Edges successors, predecessors;

private:
  void connect(size_t from, size_t to) {
    successors[from].push_back(to);
    predecessors[to].push_back(from);
  }

  const Instructions &code;
  std::vector<size_t> starts; ///< first instructions
};

} // namespace

static bool endsBlock(const MachineInstruction &one) {
  return one.kind == InstructionKind::branch ||
         one.kind == InstructionKind::exit;
}

ControlFlow::ControlFlow(const Instructions &code) : code(code) {
  std::set<uint64_t> targets;
  for (const MachineInstruction &one : code)
    if (one.target)
      targets.insert(*one.target);
  std::map<uint64_t, size_t> byAddress;
  for (size_t i = 0; i < code.size(); ++i)
    if (i == 0 || endsBlock(code[i - 1]) || targets.contains(code[i].address)) {
      byAddress[code[i].address] = starts.size();
      starts.push_back(i);
    }
  successors.resize(size() + 1);
  predecessors.resize(size() + 1);
  for (size_t i = 0; i < size(); ++i) {
    const MachineInstruction &last = block(i).back();
    bool isBranch = last.kind == InstructionKind::branch;
    auto target = last.target ? byAddress.find(*last.target) : byAddress.end();
    if (isBranch)
      connect(i, target == byAddress.end() ? exit() : target->second);
    if (last.kind == InstructionKind::exit)
      connect(i, exit());
    if (!endsBlock(last) || last.isPredicated)
      connect(i, i + 1); // of the last block, the exit
  }
}

/// Returns the dominators of each block: the blocks on all paths from `entry`.
static std::vector<BlockSet> findDominators(size_t entry, const Edges &edges,
                                            const Edges &reversed) {
  size_t size = edges.size();
  std::vector<size_t> order; // in postorder
  std::vector<std::pair<size_t, size_t>> path = {{entry, 0}};
  std::vector<bool> isSeen(size);
  isSeen[entry] = true;
  while (!path.empty()) {
    auto &[block, next] = path.back();
    if (next == edges[block].size()) {
      order.push_back(block);
      path.pop_back();
    } else if (size_t to = edges[block][next++]; !isSeen[to]) {
      isSeen[to] = true;
      path.emplace_back(to, 0);
    }
  }
  std::vector<BlockSet> dominators(size, BlockSet(size, /*isFull=*/true));
  dominators[entry] = BlockSet(size, /*isFull=*/false);
  dominators[entry].insert(entry);
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (auto block = order.rbegin(); block != order.rend(); ++block) {
      if (*block == entry)
        continue;
      BlockSet set(size, /*isFull=*/true);
      for (size_t from : reversed[*block])
        set.intersect(dominators[from]);
      set.insert(*block);
      if (set != dominators[*block]) {
        dominators[*block] = std::move(set);
        isChanged = true;
      }
    }
  }
  // Unreachable blocks are on no path, so they have no dominators.
  for (size_t block = 0; block < size; ++block)
    if (!isSeen[block])
      dominators[block] = BlockSet(size, /*isFull=*/false);
  return dominators;
}

namespace {

struct NaturalLoop {
  size_t header = 0;
  std::vector<size_t> latches;
  BlockSet body;
};

} // namespace

/// Adds the blocks that reach `latch` before they reach the header.
static void addToBody(BlockSet &body, size_t latch, const ControlFlow &flow) {
  std::vector<size_t> left = {latch};
  while (!left.empty()) {
    size_t block = left.back();
    left.pop_back();
    if (body.contains(block))
      continue;
    body.insert(block);
    left.insert(left.end(), flow.predecessors[block].begin(),
                flow.predecessors[block].end());
  }
}

static std::vector<NaturalLoop>
findLoops(const ControlFlow &flow, const std::vector<BlockSet> &dominators) {
  std::map<size_t, NaturalLoop> loops; // by header
  for (size_t block = 0; block < flow.size(); ++block)
    for (size_t to : flow.successors[block]) {
      // A branch to itself is the padding behind the code.
      if (to == block && flow.block(block).size() == 1)
        continue;
      if (to == flow.exit() || !dominators[block].contains(to))
        continue;
      auto [loop, isNew] = loops.try_emplace(
          to, NaturalLoop{to, {}, BlockSet(flow.size() + 1, false)});
      loop->second.body.insert(to);
      loop->second.latches.push_back(block);
      addToBody(loop->second.body, block, flow);
    }
  std::vector<NaturalLoop> found;
  for (auto &[header, loop] : loops)
    found.push_back(std::move(loop));
  return found;
}

static bool accessesGlobal(const MachineInstruction &one) {
  return one.kind == InstructionKind::globalLoad ||
         one.kind == InstructionKind::globalStore ||
         one.kind == InstructionKind::asyncCopy;
}

static CodeLoop countLoop(const ControlFlow &flow, const NaturalLoop &loop,
                          const std::vector<NaturalLoop> &loops,
                          const std::vector<BlockSet> &dominators) {
  BlockSet inner(flow.size() + 1, /*isFull=*/false);
  CodeLoop counted;
  for (const NaturalLoop &other : loops)
    if (other.header != loop.header && loop.body.contains(other.header)) {
      inner.unite(other.body);
      counted.isInnermost = false;
    } else if (other.header != loop.header &&
               other.body.contains(loop.header)) {
      ++counted.depth;
    }
  Counter always, all;
  for (size_t block = 0; block < flow.size(); ++block) {
    if (!loop.body.contains(block) || inner.contains(block))
      continue;
    bool isAlways = std::ranges::all_of(loop.latches, [&](size_t latch) {
      return dominators[latch].contains(block);
    });
    auto code = flow.block(block);
    counted.blocks.push_back({code.front().address, code.back().address});
    for (const MachineInstruction &one : code) {
      all.add(one, /*isPartial=*/false);
      if (isAlways || one.isOfWorkgroup)
        always.add(one, one.isPredicated);
    }
  }
  counted.always = always.finish();
  counted.all = all.finish();
  return counted;
}

MachineCode tonno::analyzeMachineCode(const Instructions &code) {
  constexpr size_t mostBlocks = 4096;
  MachineCode result;
  if (code.empty())
    return result;
  ControlFlow flow(code);
  if (flow.size() > mostBlocks)
    return result;
  auto dominators = findDominators(0, flow.successors, flow.predecessors);
  auto postdominators =
      findDominators(flow.exit(), flow.predecessors, flow.successors);
  auto loops = findLoops(flow, dominators);
  for (const NaturalLoop &loop : loops)
    result.loops.push_back(countLoop(flow, loop, loops, dominators));
  BlockSet inLoop(flow.size() + 1, /*isFull=*/false);
  for (const NaturalLoop &loop : loops)
    inLoop.unite(loop.body);
  BlockSet needed = dominators[flow.exit()];
  for (size_t block = 0; block < flow.size(); ++block)
    if (!inLoop.contains(block) &&
        std::ranges::any_of(flow.block(block), accessesGlobal)) {
      needed.unite(dominators[block]);
      needed.unite(postdominators[block]);
    }
  Counter always, all, withMemory;
  for (size_t block = 0; block < flow.size(); ++block) {
    if (inLoop.contains(block))
      continue;
    for (const MachineInstruction &one : flow.block(block)) {
      all.add(one, /*isPartial=*/false);
      if (dominators[flow.exit()].contains(block) || one.isOfWorkgroup)
        always.add(one, one.isPredicated);
      if (needed.contains(block) || one.isOfWorkgroup)
        withMemory.add(one, one.isPredicated && !accessesGlobal(one));
    }
  }
  result.always = always.finish();
  result.all = all.finish();
  result.withMemory = withMemory.finish();
  return result;
}

static uint64_t countMacs(const InstructionCounts &counts) {
  uint64_t matrixMacs = counts.matrixMacs + counts.workgroupMacs;
  return matrixMacs ? matrixMacs : counts.fmaMacs + counts.integerMacs;
}

const CodeLoop *MachineCode::mainLoop() const {
  auto rank = [](const CodeLoop &loop) {
    return std::pair(loop.all.matrixMacs + loop.all.workgroupMacs,
                     countMacs(loop.all));
  };
  auto main = std::ranges::max_element(loops, {}, rank);
  return main == loops.end() ? nullptr : &*main;
}
