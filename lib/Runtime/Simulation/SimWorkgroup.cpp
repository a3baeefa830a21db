//===- The threads of a simulated workgroup -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimWorkgroup.h"

#include "SimCollectives.h"

#include <algorithm>
#include <bit>
#include <utility>

using namespace tonno;

using Scope = SimCollectiveRule::Scope;

static uint32_t threadCount(const SimRuntime &runtime) {
  return runtime.blockSize[0] * runtime.blockSize[1] * runtime.blockSize[2];
}

SimWorkgroup::SimWorkgroup(SimRuntime &runtime, uint32_t subgroupSize,
                           const SimStacks &stacks, uint64_t seed)
    : runtime(runtime), subgroupSize(subgroupSize), stacks(stacks),
      random(seed), threads(threadCount(runtime)),
      subgroups((threads.size() + subgroupSize - 1) / subgroupSize) {}

void SimWorkgroup::prepare(const Body &body) {
  auto run = [](void *argument) {
    auto *body = static_cast<const Body *>(argument);
    body->entry(body->pointers);
  };
  subgroups.assign(subgroups.size(), {});
  ready.clear();
  members.clear();
  for (uint32_t index = 0; index < threads.size(); ++index) {
    threads[index].fiber.prepare(stacks[index], run, const_cast<Body *>(&body));
    subgroups[subgroupOf(index)].live |= uint64_t(1) << laneOf(index);
    members.push_back(index);
  }
  atBarrier = 0;
  runAhead = random() & 1;
  release(members);
}

Result<void> SimWorkgroup::run(const Body &body) {
  prepare(body);
  while (!ready.empty()) {
    uint32_t index = takeReady();
    enter(index);
    if (!misuse.empty())
      return Error{std::exchange(misuse, {})};
    settle(index);
  }
  for (const Thread &thread : threads)
    if (thread.state != ThreadState::ended)
      return Error{describeStall()};
  return {};
}

/// Either any thread, or the one that came last: then the subgroup that met
/// last goes on alone as far as it gets.
uint32_t SimWorkgroup::takeReady() {
  if (!runAhead)
    std::swap(ready[random() % ready.size()], ready.back());
  uint32_t index = ready.back();
  ready.pop_back();
  return index;
}

void SimWorkgroup::enter(uint32_t index) {
  const uint32_t *size = runtime.blockSize;
  runtime.threadId[0] = index % size[0];
  runtime.threadId[1] = index / size[0] % size[1];
  runtime.threadId[2] = index / size[0] / size[1];
  runtime.lane = laneOf(index);
  runtime.subgroup = subgroupOf(index);
  current = index;
  threads[index].fiber.resume();
}

void SimWorkgroup::meet(const char *where, SimCollective kind, uint64_t lanes,
                        const uint64_t *operands, uint64_t *results) {
  Thread &thread = threads[current];
  thread.where = where;
  thread.kind = kind;
  thread.lanes = lanes;
  thread.operands = operands;
  thread.results = results;
  thread.state = ThreadState::waiting;
  const SimCollectiveRule *rule = simCollectiveRule(kind);
  if (!rule)
    misuse =
        std::string("this version does not know the collective of ") + where;
  else if (rule->scope == Scope::subgroup && !(lanes >> laneOf(current) & 1))
    misuse = "thread " + std::to_string(current) + " takes part in " + where +
             " but is not among its lanes";
  thread.fiber.suspend();
}

void SimWorkgroup::settle(uint32_t index) {
  if (threads[index].fiber.ended())
    settleEnded(index);
  else
    settleWaiting(index);
}

void SimWorkgroup::settleWaiting(uint32_t index) {
  if (simCollectiveRule(threads[index].kind)->scope == Scope::workgroup) {
    if (++atBarrier == threads.size())
      meetWorkgroup();
    return;
  }
  subgroups[subgroupOf(index)].waiting |= uint64_t(1) << laneOf(index);
  meetSubgroup(index);
}

void SimWorkgroup::settleEnded(uint32_t index) {
  threads[index].state = ThreadState::ended;
  Subgroup &subgroup = subgroups[subgroupOf(index)];
  subgroup.live &= ~(uint64_t(1) << laneOf(index));
  // Others may have waited for this one only.
  for (uint64_t lanes = subgroup.waiting; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    if (subgroup.waiting >> lane & 1)
      meetSubgroup(index - laneOf(index) + lane);
  }
}

bool SimWorkgroup::meetsWith(const Thread &one, const Thread &other) const {
  return other.state == ThreadState::waiting && one.where == other.where &&
         one.kind == other.kind && one.lanes == other.lanes;
}

void SimWorkgroup::meetWorkgroup() {
  for (const Thread &thread : threads)
    if (!meetsWith(threads.front(), thread))
      return; // nobody is ready any more: run() will describe it
  members.clear();
  for (uint32_t index = 0; index < threads.size(); ++index)
    members.push_back(index);
  atBarrier = 0;
  runAhead = random() & 1;
  perform(members);
}

void SimWorkgroup::meetSubgroup(uint32_t index) {
  Subgroup &subgroup = subgroups[subgroupOf(index)];
  const Thread &thread = threads[index];
  uint64_t needed = thread.lanes & subgroup.live;
  if ((subgroup.waiting & needed) != needed)
    return;
  members.clear();
  for (uint64_t lanes = needed; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    members.push_back(index - laneOf(index) + lane);
    if (!meetsWith(thread, threads[members.back()]))
      return;
  }
  subgroup.waiting &= ~needed;
  perform(members);
}

void SimWorkgroup::perform(const std::vector<uint32_t> &members) {
  const Thread &first = threads[members.front()];
  std::vector<SimParticipant> participants;
  participants.reserve(members.size());
  for (uint32_t index : members)
    participants.push_back(
        {laneOf(index), threads[index].operands, threads[index].results});
  simCollectiveRule(first.kind)->run(participants);
  release(members);
}

void SimWorkgroup::release(const std::vector<uint32_t> &members) {
  size_t before = ready.size();
  for (uint32_t index : members) {
    threads[index].state = ThreadState::ready;
    ready.push_back(index);
  }
  for (size_t last = ready.size() - 1; runAhead && last > before; --last)
    std::swap(ready[before + random() % (last - before + 1)], ready[last]);
}

/// Whether one that waits can't go on before the other comes.
bool SimWorkgroup::isAwaitedBy(uint32_t other, uint32_t index) const {
  const Thread &thread = threads[index];
  if (simCollectiveRule(thread.kind)->scope == Scope::workgroup)
    return true;
  return threads[other].state != ThreadState::ended &&
         subgroupOf(other) == subgroupOf(index) &&
         (thread.lanes >> laneOf(other) & 1);
}

std::string SimWorkgroup::describe(uint32_t index) const {
  const Thread &thread = threads[index];
  if (thread.state == ThreadState::ended)
    return "has ended";
  std::string text = std::string("waits at ") + thread.where;
  if (simCollectiveRule(thread.kind)->scope == Scope::subgroup &&
      ~thread.lanes) {
    static constexpr char digits[] = "0123456789abcdef";
    text += " of lanes 0x";
    for (int shift = subgroupSize > 32 ? 60 : 28; shift >= 0; shift -= 4)
      text += digits[thread.lanes >> shift & 15];
  }
  return text;
}

/// Of all threads, called when none is ready and not all have ended.
std::string SimWorkgroup::describeStall() const {
  for (uint32_t index = 0; index < threads.size(); ++index)
    for (uint32_t other = 0; other < threads.size(); ++other)
      if (threads[index].state == ThreadState::waiting &&
          isAwaitedBy(other, index) &&
          !meetsWith(threads[index], threads[other])) {
        auto there = std::count_if(threads.begin(), threads.end(),
                                   [&](const Thread &thread) {
                                     return meetsWith(threads[index], thread);
                                   });
        return "thread " + std::to_string(index) + " " + describe(index) +
               " for thread " + std::to_string(other) + ", which " +
               describe(other) + "; of " + std::to_string(threads.size()) +
               " threads " + std::to_string(there) + " wait as the former does";
      }
  return "its threads wait for each other";
}
