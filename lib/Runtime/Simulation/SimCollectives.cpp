//===- What simulated threads do together ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimCollectives.h"

#include <algorithm>
#include <iterator>

using namespace tonno;

using Participants = std::span<const SimParticipant>;

static void doNothing(Participants participants) {}

static void countSet(Participants participants) {
  uint64_t count = 0;
  for (const SimParticipant &one : participants)
    count += one.operands[0] & 1;
  for (const SimParticipant &one : participants)
    one.results[0] = count;
}

static void ballot(Participants participants) {
  uint64_t set = 0, present = 0;
  for (const SimParticipant &one : participants) {
    present |= uint64_t(1) << one.lane;
    set |= (one.operands[0] & 1) << one.lane;
  }
  for (const SimParticipant &one : participants) {
    one.results[0] = set;
    one.results[1] = present;
  }
}

static void exchange(Participants participants) {
  const SimParticipant *byLane[64] = {};
  for (const SimParticipant &one : participants)
    byLane[one.lane] = &one;
  for (const SimParticipant &one : participants) {
    uint64_t from = one.operands[1];
    one.results[0] =
        from < 64 && byLane[from] ? byLane[from]->operands[0] : one.operands[2];
  }
}

static void takeFirst(Participants participants) {
  for (const SimParticipant &one : participants)
    one.results[0] = participants.front().operands[0];
}

/// Of the 32-bit values of all, by a function of two.
template <typename T, T (*combine)(T, T)> static T fold(Participants all) {
  T result = static_cast<T>(all.front().operands[0]);
  for (const SimParticipant &one : all.subspan(1))
    result = combine(result, static_cast<T>(one.operands[0]));
  return result;
}

template <uint32_t (*combine)(uint32_t, uint32_t)>
static void reduce(Participants participants) {
  uint32_t result = fold<uint32_t, combine>(participants);
  for (const SimParticipant &one : participants)
    one.results[0] = result;
}

template <typename T> static T smaller(T a, T b) { return std::min(a, b); }
template <typename T> static T larger(T a, T b) { return std::max(a, b); }

template <typename T> static void findExtremes(Participants participants) {
  T low = fold<T, smaller<T>>(participants);
  T high = fold<T, larger<T>>(participants);
  for (const SimParticipant &one : participants) {
    one.results[0] = static_cast<uint32_t>(low);
    one.results[1] = static_cast<uint32_t>(high);
  }
}

static uint32_t add(uint32_t a, uint32_t b) { return a + b; }
static uint32_t bitAnd(uint32_t a, uint32_t b) { return a & b; }
static uint32_t bitOr(uint32_t a, uint32_t b) { return a | b; }
static uint32_t bitXor(uint32_t a, uint32_t b) { return a ^ b; }

const SimCollectiveRule *tonno::simCollectiveRule(SimCollective kind) {
  using enum SimCollectiveRule::Scope;
  // In the order of SimCollective.
  static constexpr SimCollectiveRule rules[] = {
      {workgroup, doNothing},
      {workgroup, countSet},
      {subgroup, doNothing},
      {subgroup, ballot},
      {subgroup, exchange},
      {subgroup, takeFirst},
      {subgroup, reduce<add>},
      {subgroup, reduce<bitAnd>},
      {subgroup, reduce<bitOr>},
      {subgroup, reduce<bitXor>},
      {subgroup, findExtremes<int32_t>},
      {subgroup, findExtremes<uint32_t>},
  };
  auto index = static_cast<size_t>(kind);
  return index < std::size(rules) ? &rules[index] : nullptr;
}
