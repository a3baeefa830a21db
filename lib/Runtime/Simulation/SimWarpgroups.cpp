//===- Products beside the threads of simulated GPUs ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimWarpgroups.h"

#include "tonno/Core/MatrixDescriptor.h"
#include "tonno/Core/MatrixInstruction.h"
#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

using namespace tonno;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

SimPublishedMemory::SimPublishedMemory(std::span<const SimArea> areas) {
  for (const SimArea &area : areas)
    views.push_back({area, std::vector<uint8_t>(area.bytes)});
}

void SimPublishedMemory::poison() {
  for (View &view : views)
    std::ranges::fill(view.published, uint8_t(0xff));
}

void SimPublishedMemory::publish(const uint8_t *start, uint64_t bytes) {
  for (View &view : views)
    if (start >= view.area.start &&
        start + bytes <= view.area.start + view.area.bytes)
      std::memcpy(view.published.data() + (start - view.area.start), start,
                  bytes);
}

std::optional<SimPublishedMemory::Place>
SimPublishedMemory::find(uint64_t address, uint64_t bytes) const {
  constexpr uint64_t mask = (1 << 18) - 1;
  for (const View &view : views) {
    uint64_t offset =
        (address - reinterpret_cast<uintptr_t>(view.area.start)) & mask;
    if (offset + bytes <= view.area.bytes)
      return Place{view.area.start + offset, view.published.data() + offset};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

static constexpr uint64_t chunkBytes = MatrixDescriptor::chunkBytes;

/// Subgroups of a warpgroup.
static constexpr uint32_t numTogether = 4;

/// A factor that a descriptor describes: `side` x 32 bytes of k, from `first`
/// on along the side.
struct SimWarpgroups::Factor {
  const char *name;
  MatrixDescriptor descriptor;
  uint32_t first, side, depth;
  ElementType type;
  std::vector<double> elements =
      {}; ///< of a side's depth, one behind the other
};

std::string SimWarpgroups::read(Factor &factor, Reading &reading) const {
  std::string name = std::string("the ") + factor.name + " factor's descriptor";
  if (factor.descriptor.rowBytes > 128)
    return name + " has no swizzle, which is not simulated";
  if (factor.descriptor.baseOffset != 0)
    return name + " has a base offset, which is not simulated";
  auto bytes = static_cast<uint32_t>(getByteSize(factor.type));
  auto perChunk = static_cast<uint32_t>(chunkBytes / bytes);
  bool isAlongSide = factor.descriptor.runsAlongSide;
  uint32_t along = isAlongSide ? factor.side : factor.depth,
           across = isAlongSide ? factor.depth : factor.side;
  std::vector<uint8_t> published;
  for (uint32_t row = 0; row < across; ++row)
    for (uint32_t chunk = 0; chunk < along / perChunk; ++chunk) {
      uint64_t address = factor.descriptor.address(
          chunk + (isAlongSide ? factor.first / perChunk : 0),
          row + (isAlongSide ? 0 : factor.first));
      auto place = memory.find(address, chunkBytes);
      if (!place)
        return name + " reaches beyond shared memory";
      Chunk &read = reading.emplace_back();
      read.actual = place->actual;
      std::memcpy(read.bytes, place->actual, chunkBytes);
      published.insert(published.end(), place->published,
                       place->published + chunkBytes);
    }
  factor.elements = decode(factor.type, std::as_bytes(std::span(published)));
  if (!isAlongSide)
    return {};
  std::vector<double> transposed(factor.elements.size());
  for (uint32_t row = 0; row < across; ++row)
    for (uint32_t column = 0; column < along; ++column)
      transposed[size_t(column) * across + row] =
          factor.elements[size_t(row) * along + column];
  factor.elements = std::move(transposed);
  return {};
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

// A token is a quiet NaN with 15 bits for the sums and 7 for the register.
static constexpr uint32_t tokenBase = 0x7fc00000, mostSums = 0x7fff,
                          mostRegisters = 128;

static uint32_t makeToken(uint32_t sums, uint32_t index) {
  return tokenBase | sums << 7 | index;
}

static bool isToken(uint32_t word) {
  return (word & tokenBase) == tokenBase && !(word >> 31);
}

static uint32_t tokenSums(uint32_t word) { return word >> 7 & mostSums; }

/// Returns the sums whose tokens all registers of all participants are, each in
/// its place; nothing for other registers.
std::optional<uint32_t>
SimWarpgroups::findSums(uint32_t subgroup,
                        std::span<const SimParticipant> participants,
                        size_t count) const {
  constexpr size_t first = 3; // behind the product and the descriptors
  auto word = static_cast<uint32_t>(participants.front().operands[first]);
  if (!isToken(word))
    return std::nullopt;
  uint32_t number = tokenSums(word);
  auto found = sums.find(number);
  if (found == sums.end() || found->second.subgroup != subgroup ||
      found->second.registers.front().size() != count)
    return std::nullopt;
  for (const SimParticipant &one : participants)
    for (uint32_t i = 0; i < count; ++i)
      if (one.operands[first + i] != makeToken(number, i))
        return std::nullopt;
  return number;
}

/// Returns the value in a register: NaN for incomplete sums.
uint32_t SimWarpgroups::resolve(uint32_t thread, uint32_t word) const {
  auto found = isToken(word) ? sums.find(tokenSums(word)) : sums.end();
  if (found == sums.end() || found->second.subgroup != thread / subgroupSize)
    return word;
  bool isPending =
      std::ranges::any_of(threads[thread].pending, [&](const Pending &one) {
        return one.sums == found->first;
      });
  const auto &registers = found->second.registers[thread % subgroupSize];
  uint32_t index = word % mostRegisters;
  return isPending || index >= registers.size() ? ~0u : registers[index];
}

//===----------------------------------------------------------------------===//
// What threads do
//===----------------------------------------------------------------------===//

void SimWarpgroups::clear() {
  std::ranges::fill(threads, Thread());
  std::ranges::fill(histories, 0u);
  sums.clear();
}

void SimWarpgroups::wrote(uint32_t thread, const void *to, uint64_t bytes) {
  threads[thread].unpublished.emplace_back(static_cast<const uint8_t *>(to),
                                           bytes);
}

void SimWarpgroups::publish(uint32_t thread) {
  for (auto [start, bytes] : threads[thread].unpublished)
    memory.publish(start, bytes);
  threads[thread].unpublished.clear();
}

std::string
SimWarpgroups::multiply(uint32_t firstThread, const char *where,
                        std::span<const SimParticipant> participants) {
  const SimParticipant &front = participants.front();
  auto product = std::bit_cast<SimSharedProduct>(front.operands[0]);
  for (const SimParticipant &one : participants)
    if (!std::equal(one.operands, one.operands + 3, front.operands))
      return "threads of a subgroup give wgmma different descriptors";
  for (uint32_t i = 0; i < participants.size(); ++i)
    if (!threads[firstThread + i].isFenced)
      return "wgmma without a wgmma.fence since its registers were written";
  auto operand = static_cast<ElementType>(product.operand),
       sum = static_cast<ElementType>(product.sum);
  const MatrixInstruction *instruction =
      findSharedMatrixInstruction(operand, sum);
  if (!instruction)
    return "wgmma of types that this version does not know";
  uint32_t subgroup = firstThread / subgroupSize;
  histories[subgroup] =
      (histories[subgroup] * 31 + reinterpret_cast<uintptr_t>(where)) * 31 +
      (front.operands[1] * 31 + front.operands[2]);
  uint32_t columns = product.columnTiles * instruction->n,
           rows = instruction->m / numTogether;
  auto reading = std::make_shared<Reading>();
  Factor left = {"left",
                 MatrixDescriptor::decode(front.operands[1],
                                          product.leftRunsAlongSide != 0),
                 subgroup % numTogether * rows,
                 rows,
                 instruction->k,
                 operand},
         right = {"right",
                  MatrixDescriptor::decode(front.operands[2],
                                           product.rightRunsAlongSide != 0),
                  0,
                  columns,
                  instruction->k,
                  operand};
  for (Factor *factor : {&left, &right})
    if (std::string misuse = read(*factor, *reading); !misuse.empty())
      return misuse;

  uint32_t ofTile = instruction->sums.size(),
           count = product.columnTiles * ofTile;
  auto number = findSums(subgroup, participants, count);
  std::vector<std::vector<uint32_t>> registers(participants.size());
  for (uint32_t i = 0; i < participants.size(); ++i) {
    registers[i].assign(count, 0);
    for (uint32_t j = 0; product.addsToSums && j < count; ++j)
      registers[i][j] =
          number
              ? sums[*number].registers[i][j]
              : resolve(firstThread + i,
                        static_cast<uint32_t>(participants[i].operands[3 + j]));
  }
  for (uint32_t i = 0; i < participants.size(); ++i) {
    std::vector<double> before =
        decode(sum, std::as_bytes(std::span(registers[i])));
    for (uint32_t j = 0; j < count; ++j) {
      FragmentCoordinates place =
          instruction->sums.place(participants[i].lane, j % ofTile);
      uint32_t column = j / ofTile * instruction->n + place.depth;
      const double *a = &left.elements[size_t(place.side) * left.depth],
                   *b = &right.elements[size_t(column) * right.depth];
      double total = before[j];
      for (uint32_t k = 0; k < left.depth; ++k)
        total += a[k] * b[k];
      registers[i][j] = encodeSum(total, sum);
    }
  }
  if (!number) {
    do
      lastSums = lastSums % mostSums + 1;
    while (sums.contains(lastSums));
    number = lastSums;
  }
  sums[*number] = {subgroup, std::move(registers), 0};
  for (uint32_t i = 0; i < participants.size(); ++i) {
    Thread &thread = threads[firstThread + i];
    thread.pending.push_back({*number, thread.group, reading});
    for (uint32_t j = 0; j < count; ++j)
      participants[i].results[j] = makeToken(*number, j);
  }
  return {};
}

std::string SimWarpgroups::await(uint32_t thread, uint64_t newest) {
  Thread &own = threads[thread];
  own.isFenced = false;
  std::string misuse;
  std::erase_if(own.pending, [&](const Pending &one) {
    if (one.group + newest >= own.group)
      return false;
    for (const Chunk &chunk : *one.reading)
      if (std::memcmp(chunk.actual, chunk.bytes, chunkBytes) != 0)
        misuse = "a factor of wgmma was overwritten before the thread had "
                 "waited for the product";
    one.reading->clear();
    return true;
  });
  return misuse;
}

void SimWarpgroups::readSums(uint32_t thread, std::span<uint32_t> registers) {
  uint32_t first = registers.front();
  for (uint32_t &word : registers)
    word = resolve(thread, word);
  auto found = isToken(first) ? sums.find(tokenSums(first)) : sums.end();
  if (found != sums.end() && ++found->second.numReaders == subgroupSize)
    sums.erase(found);
}

std::string SimWarpgroups::checkHistories() const {
  for (size_t i = 0; i < histories.size(); ++i) {
    size_t first = i - i % numTogether;
    if (histories[i] != histories[first] ||
        (histories[i] != 0 && first + numTogether > histories.size()))
      return "the subgroups of a warpgroup do not execute the same wgmma";
  }
  return {};
}
