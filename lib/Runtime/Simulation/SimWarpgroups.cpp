//===- Products beside the threads of simulated GPUs ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimWarpgroups.h"
#include "SimToken.h"

#include "tonno/Core/MatrixDescriptor.h"
#include "tonno/Core/MatrixInstruction.h"
#include "tonno/Runtime/Elements.h"

#include <algorithm>
#include <bit>

using namespace tonno;

/// Subgroups of a warpgroup.
static constexpr uint32_t numTogether = 4;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

/// Returns the sums whose tokens all registers of all participants are, each in
/// its place; nothing for other registers.
std::optional<uint32_t>
SimWarpgroups::findSums(uint32_t subgroup,
                        std::span<const SimParticipant> participants,
                        size_t count) const {
  constexpr size_t first = 3; // behind the product and the descriptors
  auto word = static_cast<uint32_t>(participants.front().operands[first]);
  if (!SimToken(word).isToken())
    return std::nullopt;
  uint32_t number = SimToken(word).values();
  auto found = sums.find(number);
  if (found == sums.end() || found->second.subgroup != subgroup ||
      found->second.registers.front().size() != count)
    return std::nullopt;
  for (const SimParticipant &one : participants)
    for (uint32_t i = 0; i < count; ++i)
      if (one.operands[first + i] != SimToken::make(number, i))
        return std::nullopt;
  return number;
}

/// Returns the value in a register: NaN for incomplete sums.
uint32_t SimWarpgroups::resolve(uint32_t thread, uint32_t word) const {
  auto found = SimToken(word).isToken() ? sums.find(SimToken(word).values())
                                        : sums.end();
  if (found == sums.end() || found->second.subgroup != thread / subgroupSize)
    return word;
  bool isPending =
      std::ranges::any_of(threads[thread].pending, [&](const Pending &one) {
        return one.sums == found->first;
      });
  const auto &registers = found->second.registers[thread % subgroupSize];
  uint32_t index = SimToken(word).index();
  return isPending || index >= registers.size() ? ~0u : registers[index];
}

//===----------------------------------------------------------------------===//
// Actions of threads
//===----------------------------------------------------------------------===//

void SimWarpgroups::clear() {
  std::ranges::fill(threads, Thread());
  std::ranges::fill(histories, 0u);
  sums.clear();
}

std::string
SimWarpgroups::multiply(uint32_t firstThread, const char *where,
                        std::span<const SimParticipant> participants) {
  if (participants.size() != subgroupSize)
    return "wgmma without some lanes of a subgroup";
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
      findMatrixInstruction(MatrixFamily::wgmma, operand, sum);
  if (!instruction)
    return "wgmma of types that this version does not know";
  uint32_t subgroup = firstThread / subgroupSize;
  histories[subgroup] =
      (histories[subgroup] * 31 + reinterpret_cast<uintptr_t>(where)) * 31 +
      (front.operands[1] * 31 + front.operands[2]);
  uint32_t columns = product.columnTiles * instruction->n,
           rows = instruction->m / numTogether;
  auto reading = std::make_shared<SimReading>();
  SimFactor left = {"left",
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
  for (SimFactor *factor : {&left, &right}) {
    if (factor->descriptor.version != 0)
      return "wgmma has a factor's descriptor of another version";
    if (std::string misuse = factor->read(memory, *reading); !misuse.empty())
      return misuse;
  }

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
      const double *a = left.row(place.side), *b = right.row(column);
      double total = before[j];
      for (uint32_t k = 0; k < left.depth; ++k)
        total += a[k] * b[k];
      registers[i][j] = encodeSum(total, sum);
    }
  }
  if (!number) {
    do
      lastSums = lastSums % SimToken::mostValues + 1;
    while (sums.contains(lastSums));
    number = lastSums;
  }
  sums[*number] = {subgroup, std::move(registers), 0};
  for (uint32_t i = 0; i < participants.size(); ++i) {
    Thread &thread = threads[firstThread + i];
    thread.pending.push_back({*number, thread.group, reading});
    for (uint32_t j = 0; j < count; ++j)
      participants[i].results[j] = SimToken::make(*number, j);
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
    if (!one.reading->isUnchanged())
      misuse = "a factor of wgmma was overwritten before the thread had waited "
               "for the product";
    return true;
  });
  return misuse;
}

void SimWarpgroups::readSums(uint32_t thread, std::span<uint32_t> registers) {
  uint32_t first = registers.front();
  for (uint32_t &word : registers)
    word = resolve(thread, word);
  auto found = SimToken(first).isToken() ? sums.find(SimToken(first).values())
                                         : sums.end();
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
