//===- Tensor memory of simulated GPUs ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimTensorMemory.h"

#include "tonno/Core/MatrixInstruction.h"
#include "tonno/Runtime/Elements.h"
#include "SimMatrix.h"
#include "SimToken.h"

#include <algorithm>
#include <bit>

using namespace tonno;

void SimTensorMemory::clear() {
  std::ranges::fill(threads, Thread());
  barriers.clear();
  std::ranges::fill(columns, Column());
  numProducts = numCommitted = 0;
  readings.clear();
  commits.clear();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void SimTensorMemory::initializeBarrier(uint32_t thread, const void *barrier,
                                        uint32_t count) {
  barriers[barrier] = {
      .expected = count, .missing = count, .initializer = thread};
}

void SimTensorMemory::fenceBarriers(uint32_t thread) {
  for (auto &[address, barrier] : barriers)
    if (barrier.initializer == thread)
      barrier.isPublished = true;
}

bool SimTensorMemory::passes(uint32_t thread, const void *barrier,
                             uint32_t parity, std::string &misuse) {
  auto found = barriers.find(barrier);
  if (found == barriers.end()) {
    misuse = "waits at " + memory.describe(barrier) +
             " of shared memory, where no barrier was initialized";
    return true;
  }
  if (!isPassed(barrier, parity))
    return false;
  Barrier &own = found->second;
  Thread &waiting = threads[thread];
  waiting.seen = std::max(waiting.seen, own.arrived);
  waiting.isFenced = false;
  auto end = readings.upper_bound(own.arrived);
  for (auto reading = readings.begin(); reading != end;
       reading = readings.erase(reading))
    if (!reading->second->isUnchanged())
      misuse = "a factor of tcgen05 was overwritten before its product arrived";
  return true;
}

bool SimTensorMemory::isPassed(const void *barrier, uint32_t parity) const {
  auto found = barriers.find(barrier);
  return found == barriers.end() || found->second.phase % 2 != parity;
}

bool SimTensorMemory::arrive() {
  if (commits.empty())
    return false;
  auto [address, product] = commits.front();
  commits.pop_front();
  Barrier &barrier = barriers[address];
  if (--barrier.missing == 0) {
    barrier.missing = barrier.expected;
    ++barrier.phase;
    barrier.arrived = product;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

bool SimTensorMemory::isAllocated(uint32_t first, uint32_t count) const {
  return first + count <= numColumns &&
         std::all_of(columns.begin() + first, columns.begin() + first + count,
                     [](const Column &column) { return column.isAllocated; });
}

std::string SimTensorMemory::allocate(uint32_t thread, uint32_t *address,
                                      uint32_t count) {
  // All lanes of a subgroup execute it; the first one's does it.
  if (thread % subgroupSize != 0)
    return {};
  if (count < 32 || count > numColumns || !std::has_single_bit(count))
    return "allocates " + std::to_string(count) +
           " columns of tensor memory, not a power of two from 32 to 512";
  // The last place, so that none begins at zero by chance.
  for (uint32_t first = numColumns - count;; first -= count) {
    if (std::none_of(columns.begin() + first, columns.begin() + first + count,
                     [](const Column &column) { return column.isAllocated; })) {
      for (uint32_t i = 0; i < count; ++i)
        columns[first + i] = {.isAllocated = true};
      *address = first;
      return {};
    }
    if (first < count)
      return "allocates more tensor memory than there is";
  }
}

std::string SimTensorMemory::release(uint32_t thread, uint32_t address,
                                     uint32_t count) {
  if (thread % subgroupSize != 0)
    return {};
  if (!isAllocated(address, count))
    return "frees tensor memory that is not allocated";
  if (!commits.empty() || numProducts > numCommitted)
    return "frees tensor memory while products are under way";
  if (std::ranges::any_of(threads, &Thread::hasLoaded))
    return "frees tensor memory without a tcgen05.fence behind loads of it";
  for (uint32_t i = 0; i < count; ++i)
    columns[address + i].isAllocated = false;
  return {};
}

std::string SimTensorMemory::checkEnd() const {
  if (std::ranges::any_of(columns, &Column::isAllocated))
    return "the workgroup ends without freeing its tensor memory";
  return {};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Finds what the instruction's descriptor and kind say; nothing for others.
static std::optional<InstructionDescriptor> decodeInstruction(uint32_t bits,
                                                              uint32_t kind) {
  using enum ElementType;
  for (ElementType operand : {f16, bf16, i8, f8E4M3FN, f8E5M2}) {
    InstructionDescriptor one = {.operand = operand,
                                 .sum = operand == i8 ? i32 : f32,
                                 .rows = (bits >> 24 & 0x1f) * 16,
                                 .columns = (bits >> 17 & 0x3f) * 8,
                                 .leftAlongSide = (bits >> 15 & 1) != 0,
                                 .rightAlongSide = (bits >> 16 & 1) != 0};
    if (one.encode() == bits && one.kind() == kind)
      return one;
  }
  return std::nullopt;
}

std::string SimTensorMemory::multiply(uint32_t thread, uint32_t address,
                                      uint64_t left, uint64_t right,
                                      uint32_t bits, bool addsToSums,
                                      uint32_t kind) {
  auto descriptor = decodeInstruction(bits, kind);
  const MatrixInstruction *instruction =
      descriptor ? findMatrixInstruction(MatrixFamily::tcgen05,
                                         descriptor->operand, descriptor->sum)
                 : nullptr;
  if (!instruction || descriptor->rows != instruction->m ||
      descriptor->columns > 256 || descriptor->columns % 16 != 0 ||
      descriptor->columns == 0)
    return "tcgen05.mma has an instruction descriptor that this version does "
           "not know";
  uint32_t count = descriptor->columns;
  if (!isAllocated(address, count))
    return "tcgen05.mma writes tensor memory that is not allocated";
  auto reading = std::make_shared<SimReading>();
  SimFactor a = {"left",
                 MatrixDescriptor::decode(left, descriptor->leftAlongSide),
                 0,
                 instruction->m,
                 instruction->k,
                 descriptor->operand},
            b = {"right",
                 MatrixDescriptor::decode(right, descriptor->rightAlongSide),
                 0,
                 count,
                 instruction->k,
                 descriptor->operand};
  for (SimFactor *factor : {&a, &b}) {
    if (factor->descriptor.version != 1)
      return "tcgen05.mma has a factor's descriptor of another version";
    if (std::string misuse = factor->read(memory, *reading); !misuse.empty())
      return misuse;
  }
  if (numProducts > numCommitted && issuer != thread)
    return "tcgen05.mma of several threads before a tcgen05.commit is not "
           "simulated";
  issuer = thread;
  ++numProducts;
  readings[numProducts] = reading;
  for (uint32_t j = 0; j < count; ++j) {
    Column &column = columns[address + j];
    column.product = numProducts;
    std::vector<double> before =
        decode(descriptor->sum, std::as_bytes(std::span(column.lanes)));
    for (uint32_t i = 0; i < numLanes; ++i) {
      double total = addsToSums ? before[i] : 0;
      const double *x = a.row(i), *y = b.row(j);
      for (uint32_t k = 0; k < instruction->k; ++k)
        total += x[k] * y[k];
      column.lanes[i] = encodeSum(total, descriptor->sum);
    }
  }
  return {};
}

std::string SimTensorMemory::commit(uint32_t thread, const void *barrier) {
  auto found = barriers.find(barrier);
  if (found == barriers.end() || !found->second.isPublished)
    return "tcgen05.commit arrives at " + memory.describe(barrier) +
           " of shared memory, where no barrier was initialized and fenced";
  if (numProducts > numCommitted && issuer != thread)
    return "tcgen05.commit by another thread than that of tcgen05.mma";
  numCommitted = numProducts;
  commits.emplace_back(barrier, numProducts);
  return {};
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

std::string SimTensorMemory::load(uint32_t thread, uint32_t address,
                                  std::span<uint32_t> registers) {
  uint32_t lane = address >> 16, first = address & 0xffff;
  Thread &own = threads[thread];
  if (!isAllocated(first, static_cast<uint32_t>(registers.size())))
    return "tcgen05.ld reads tensor memory that is not allocated";
  uint32_t quarter = thread / subgroupSize % (numLanes / subgroupSize);
  if (lane != quarter * subgroupSize)
    return "tcgen05.ld reads lanes from " + std::to_string(lane) +
           " on; a subgroup has those of its quarter, from " +
           std::to_string(quarter * subgroupSize) + " on";
  if (!own.isFenced)
    return "tcgen05.ld without a tcgen05.fence since the thread has waited";
  own.hasLoaded = true;
  uint32_t number = ++own.numLoads % SimToken::mostValues;
  std::vector<uint32_t> &values = own.loads[number].values;
  for (uint32_t i = 0; i < registers.size(); ++i) {
    const Column &column = columns[first + i];
    bool isThere = column.product <= own.seen;
    values.push_back(isThere ? column.lanes[lane + thread % subgroupSize]
                             : ~0u);
    registers[i] = SimToken::make(number, i);
  }
  return {};
}

void SimTensorMemory::awaitLoads(uint32_t thread) {
  for (auto &[number, load] : threads[thread].loads)
    load.isComplete = true;
}

void SimTensorMemory::readLoads(uint32_t thread,
                                std::span<uint32_t> registers) {
  Thread &own = threads[thread];
  uint32_t first = registers.front();
  for (uint32_t &word : registers) {
    SimToken token(word);
    auto found =
        token.isToken() ? own.loads.find(token.values()) : own.loads.end();
    if (found != own.loads.end())
      word = found->second.isComplete &&
                     token.index() < found->second.values.size()
                 ? found->second.values[token.index()]
                 : ~0u;
  }
  if (SimToken(first).isToken())
    own.loads.erase(SimToken(first).values());
}
