//===- Runs a GPU's threads on the CPU ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimScheduler.h"
#include "tonno/Core/Result.h"
#include "SimMatrix.h"
#include "SimTensorMemory.h"
#include "SimWarpgroups.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <sys/mman.h>
#include <unistd.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define TONNO_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TONNO_ASAN
#endif
#endif
#ifdef TONNO_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

using namespace tonno;

static constexpr size_t stackBytes = 128 << 10;

static size_t pageBytes() {
  return static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

namespace tonno {

/// Stacks with an inaccessible page below each, kept between launches: an
/// overflow ends the process, as it would on the host.
class SimStacks {
public:
  static Result<std::unique_ptr<SimStacks>, Failure> create(size_t count) {
    size_t each = stackBytes + pageBytes();
    auto refuse = [&] {
      return Failure{Status::out_of_memory,
                     "no stacks for " + std::to_string(count) +
                         " simulated threads: " + std::strerror(errno)};
    };
    void *memory = ::mmap(nullptr, count * each, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return refuse();
    std::unique_ptr<SimStacks> stacks(
        new SimStacks(static_cast<std::byte *>(memory), count));
    for (size_t index = 0; index < count; ++index)
      if (::mprotect(stacks->memory + index * each, pageBytes(), PROT_NONE) !=
          0)
        return refuse();
    return stacks;
  }

  ~SimStacks() { ::munmap(memory, count * (stackBytes + pageBytes())); }
  SimStacks(const SimStacks &) = delete;
  SimStacks &operator=(const SimStacks &) = delete;

  size_t size() const { return count; }
  std::span<std::byte> operator[](size_t index) const {
    // Stacks at one line of the cache would push each other out.
    size_t colour = index % 32 * 128;
    return {memory + index * (stackBytes + pageBytes()) + pageBytes(),
            stackBytes - colour};
  }

private:
  SimStacks(std::byte *memory, size_t count) : memory(memory), count(count) {}

  std::byte *memory;
  size_t count;
};

} // namespace tonno

#ifdef __x86_64__
// Saves what a call must leave as it was on one stack, restores it from the
// other. (swapcontext makes two system calls: forty times as long.)
extern "C" void switchStacks(void **left,
                             void *entered) asm("tonno_sim_switch");
extern "C" void beginStack() asm("tonno_sim_begin");
asm(R"(
.text
.p2align 4
.type tonno_sim_switch, @function
tonno_sim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.size tonno_sim_switch, .-tonno_sim_switch
.p2align 4
.type tonno_sim_begin, @function
tonno_sim_begin:
  movq %r12, %rdi
  callq *%r13
  ud2
.size tonno_sim_begin, .-tonno_sim_begin
)");
#endif

namespace {

/// Function on a stack of its own that can be suspended and resumed. A fiber
/// that is not resumed ends without destructors.
class SimFiber {
public:
  using Body = void (*)(void *argument);

  /// Makes it ready to run from its beginning, whatever it did before.
  void prepare(std::span<std::byte> memory, Body function, void *value) {
    body = function;
    argument = value;
    hasEnded = false;
    stack = memory;
#ifdef __x86_64__
    // r15, r14, r13, r12, rbx, rbp, return address, as switchStacks leaves
    // them.
    auto top =
        reinterpret_cast<uintptr_t>(memory.data() + memory.size()) & ~15ul;
    auto *frame = reinterpret_cast<uintptr_t *>(top) - 9;
    std::memset(frame, 0, 9 * sizeof *frame);
    frame[2] = reinterpret_cast<uintptr_t>(&SimFiber::main);
    frame[3] = reinterpret_cast<uintptr_t>(this);
    frame[6] = reinterpret_cast<uintptr_t>(&beginStack);
    own = frame;
#else
    ::getcontext(&own);
    own.uc_stack.ss_sp = memory.data();
    own.uc_stack.ss_size = memory.size();
    own.uc_link = nullptr;
    auto address = reinterpret_cast<uintptr_t>(this);
    ::makecontext(
        &own, reinterpret_cast<void (*)()>(+[](unsigned high, unsigned low) {
          main(reinterpret_cast<SimFiber *>(uintptr_t(high) << 32 | low));
        }),
        2, static_cast<unsigned>(address >> 32),
        static_cast<unsigned>(address));
#endif
  }

  /// Runs until it suspends itself or its body returns.
  void resume() {
    void *outerFake = nullptr;
    announceSwitch(&outerFake, stack.data(), stack.size());
#ifdef __x86_64__
    switchStacks(&outer, own);
#else
    ::swapcontext(&outer, &own);
#endif
    finishSwitch(outerFake, nullptr, nullptr);
  }

  /// Suspends the fiber, from within its body, and returns to its resumer.
  void suspend() {
    announceSwitch(&fakeStack, outerStack, outerBytes);
    leave();
    finishSwitch(fakeStack, &outerStack, &outerBytes);
  }

  bool ended() const { return hasEnded; }

private:
  static void main(SimFiber *fiber) {
    finishSwitch(nullptr, &fiber->outerStack, &fiber->outerBytes);
    fiber->body(fiber->argument);
    fiber->hasEnded = true;
    announceSwitch(nullptr, fiber->outerStack, fiber->outerBytes);
    fiber->leave();
  }

  void leave() {
#ifdef __x86_64__
    switchStacks(&own, outer);
#else
    ::swapcontext(&own, &outer);
#endif
  }

  // The address sanitizer must know which stack is in use.
  static void announceSwitch(void **fakeStack, const void *to, size_t bytes) {
#ifdef TONNO_ASAN
    __sanitizer_start_switch_fiber(fakeStack, to, bytes);
#endif
  }
  static void finishSwitch(void *fakeStack, const void **from, size_t *bytes) {
#ifdef TONNO_ASAN
    __sanitizer_finish_switch_fiber(fakeStack, from, bytes);
#endif
  }

  Body body = nullptr;
  void *argument = nullptr;
  bool hasEnded = true;
  std::span<std::byte> stack;
#ifdef __x86_64__
  void *own = nullptr;   ///< its stack pointer while it does not run
  void *outer = nullptr; ///< who resumed it, while it runs
#else
  ucontext_t own = {};
  ucontext_t outer = {};
#endif
  // State for the address sanitizer.
  void *fakeStack = nullptr;
  const void *outerStack = nullptr;
  size_t outerBytes = 0;
};

} // namespace

SimScheduler::SimScheduler() = default;
SimScheduler::~SimScheduler() = default;

/// NaN in every width, but not all ones, which a kernel may have read.
static constexpr uint16_t redzoneWord = 0xfff5;

static uint8_t redzoneByte(const uint8_t *address) {
  return static_cast<uint8_t>(reinterpret_cast<uintptr_t>(address) & 1
                                  ? redzoneWord >> 8
                                  : redzoneWord);
}

static void fillRedzone(uint8_t *start) {
  for (uint8_t *at = start; at != start + simRedzoneBytes; ++at)
    *at = redzoneByte(at);
}

/// Returns the first byte of a redzone that has changed, or null.
static const uint8_t *findChange(const uint8_t *start) {
  for (const uint8_t *at = start; at != start + simRedzoneBytes; ++at)
    if (*at != redzoneByte(at))
      return at;
  return nullptr;
}

static uint64_t product(std::span<const uint32_t, 3> sizes) {
  return uint64_t(sizes[0]) * sizes[1] * sizes[2];
}

namespace {

/// The shared memory of a workgroup: the object's areas and the launch's.
class SimSharedMemory {
public:
  /// Allocates the memory. `dynamicBytes` must not exceed the object's dynamic
  /// area.
  SimSharedMemory(const SimObject &object, uint64_t dynamicBytes)
      : areas(object.areas, object.areas + object.areaCount) {
    if (object.dynamic.start)
      areas.push_back({object.dynamic.start, dynamicBytes});
  }

  /// Fills all with ones, which are NaN, and the redzones with other NaN.
  void poison() const {
    for (const SimArea &area : areas) {
      std::memset(area.start, 0xff, area.bytes);
      fillRedzone(area.start - simRedzoneBytes);
      fillRedzone(area.start + area.bytes);
    }
  }

  std::span<const SimArea> all() const { return areas; }

  /// Returns what was written beside the areas, in words; none if nothing was.
  std::optional<std::string> findStrayWrite() const {
    for (const SimArea &area : areas) {
      const uint8_t *before = findChange(area.start - simRedzoneBytes);
      const uint8_t *behind = findChange(area.start + area.bytes);
      if (!before && !behind)
        continue;
      return "wrote " +
             (before ? "as far as " + std::to_string(area.start - before) +
                           " bytes before"
                     : std::to_string(behind - area.start - area.bytes) +
                           " bytes past") +
             " an area of " + std::to_string(area.bytes) +
             " bytes of shared memory";
    }
    return std::nullopt;
  }

private:
  std::vector<SimArea> areas;
};

/// Pending asynchronous copies of a thread into shared memory.
class SimCopies {
public:
  /// Time of a copy. Late copies expose missing waits; early copies expose
  /// memory that is still being read.
  enum class When { atOnce, someTime, awaited };

  /// Called with what a copy has written.
  using Report = std::function<void(const void *to, uint64_t bytes)>;

  void begin(void *to, const void *from, uint32_t bytes, uint32_t read,
             When when, const Report &report) {
    Copy copy = {to, from, bytes, std::min(read, bytes), group};
    if (when == When::atOnce)
      return perform(copy, report);
    pending.push_back(copy);
  }

  void commit() { ++group; }

  /// Performs all copies except those of the newest groups and those that are
  /// not yet in a group.
  void await(uint64_t newest, const Report &report) {
    performIf([&](const Copy &copy) { return copy.group + newest < group; },
              report);
  }

  /// Performs each with a probability of one in four.
  void performSome(std::mt19937_64 &random, const Report &report) {
    performIf([&](const Copy &) { return random() % 4 == 0; }, report);
  }

  /// Drops the copies that no thread has waited for.
  void clear() {
    pending.clear();
    group = 0;
  }

private:
  struct Copy {
    void *to;
    const void *from;
    uint32_t bytes, read;
    uint64_t group;
  };

  static void perform(const Copy &copy, const Report &report) {
    std::memcpy(copy.to, copy.from, copy.read);
    std::memset(static_cast<std::byte *>(copy.to) + copy.read, 0,
                copy.bytes - copy.read);
    report(copy.to, copy.bytes);
  }

  template <typename Condition>
  void performIf(Condition condition, const Report &report) {
    std::erase_if(pending, [&](const Copy &copy) {
      if (!condition(copy))
        return false;
      perform(copy, report);
      return true;
    });
  }

  std::vector<Copy> pending;
  uint64_t group = 0; ///< that is being made
};

using Participants = std::span<const SimParticipant>;

struct SimCollectiveRule {
  enum class Scope { workgroup, subgroup } scope;
  /// Fills in the results. In the order of threads, at least one. Null: the
  /// workgroup does.
  void (*run)(Participants participants);
};

} // namespace

template <typename... Words>
static void broadcastWords(Participants participants, Words... words) {
  for (const SimParticipant &one : participants) {
    uint64_t *result = one.results;
    ((*result++ = words), ...);
  }
}

static void doNothing(Participants participants) {}

static void countSet(Participants participants) {
  uint64_t count = 0;
  for (const SimParticipant &one : participants)
    count += one.operands[0] & 1;
  broadcastWords(participants, count);
}

static void ballot(Participants participants) {
  uint64_t set = 0, present = 0;
  for (const SimParticipant &one : participants) {
    present |= uint64_t(1) << one.lane;
    set |= (one.operands[0] & 1) << one.lane;
  }
  broadcastWords(participants, set, present);
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

static void broadcastFirst(Participants participants) {
  broadcastWords(participants, participants.front().operands[0]);
}

template <typename T, typename Combine>
static uint32_t fold(Participants all, Combine combine) {
  T result = static_cast<T>(all.front().operands[0]);
  for (const SimParticipant &one : all.subspan(1))
    result = combine(result, static_cast<T>(one.operands[0]));
  return static_cast<uint32_t>(result);
}

template <typename Combine> static void reduce(Participants participants) {
  broadcastWords(participants, fold<uint32_t>(participants, Combine()));
}

template <typename T> static void findExtremes(Participants participants) {
  broadcastWords(
      participants,
      fold<T>(participants, [](T a, T b) { return std::min(a, b); }),
      fold<T>(participants, [](T a, T b) { return std::max(a, b); }));
}

/// Returns null for a collective that this version does not know.
static const SimCollectiveRule *findRule(SimCollective kind) {
  using enum SimCollectiveRule::Scope;
  // Rules in the order of SimCollective.
  static constexpr SimCollectiveRule rules[] = {
      {workgroup, doNothing},
      {workgroup, countSet},
      {subgroup, doNothing},
      {subgroup, ballot},
      {subgroup, exchange},
      {subgroup, broadcastFirst},
      {subgroup, reduce<std::plus<uint32_t>>},
      {subgroup, reduce<std::bit_and<uint32_t>>},
      {subgroup, reduce<std::bit_or<uint32_t>>},
      {subgroup, reduce<std::bit_xor<uint32_t>>},
      {subgroup, findExtremes<int32_t>},
      {subgroup, findExtremes<uint32_t>},
      {subgroup, multiply},
      {subgroup, nullptr}, // multiplyShared
  };
  auto index = static_cast<size_t>(kind);
  return index < std::size(rules) ? &rules[index] : nullptr;
}

namespace {

/// The threads of one workgroup after the other, run in turns on this thread.
class SimWorkgroup {
  using Scope = SimCollectiveRule::Scope;

public:
  /// Simulates one workgroup. `runtime` is the kernel's interface: its sizes
  /// are read, its thread index is updated. `stacks` has a stack for each
  /// thread.
  SimWorkgroup(SimRuntime &runtime, const SimObject &object,
               const SimStacks &stacks, SimPublishedMemory &published,
               uint64_t seed)
      : runtime(runtime), subgroupSize(object.subgroupSize), stacks(stacks),
        random(seed), threads(product(runtime.blockSize)),
        subgroups((threads.size() + subgroupSize - 1) / subgroupSize),
        published(published),
        warpgroups(published, subgroupSize, threads.size()),
        tensors(published, subgroupSize, threads.size()) {}

  /// Runs all threads to their end. Fails if they wait for each other.
  Result<void> run(const SimKernel &kernel) {
    prepare(kernel);
    while (hasReadyThread()) {
      uint32_t index = popReadyThread();
      enter(index);
      if (!misuse.empty())
        return Error{std::exchange(misuse, {})};
      if (threads[index].fiber.ended())
        settleEnded(index);
      else if (threads[index].state == ThreadState::polling)
        polling.push_back(index);
      else
        settleWaiting(index);
    }
    for (const Thread &thread : threads)
      if (thread.state != ThreadState::ended)
        return Error{describeStall()};
    for (const std::string &wrong :
         {warpgroups.checkHistories(), tensors.checkEnd()})
      if (!wrong.empty())
        return Error{wrong};
    return {};
  }

  // For the kernel, as SimRuntime has it.
  void copyAsync(void *to, const void *from, uint32_t bytes, uint32_t read) {
    threads[current].copies.begin(to, from, bytes, read, copiesWhen,
                                  makeReport(current));
  }
  void commitCopies() { threads[current].copies.commit(); }
  void awaitCopies(uint32_t groups) {
    threads[current].copies.await(groups, makeReport(current));
  }
  void wroteShared(const void *to, uint64_t bytes) {
    published.wrote(current, to, bytes);
  }
  void publish() { published.publish(current); }
  void fenceProducts() { warpgroups.fence(current); }
  void commitProducts() { warpgroups.commit(current); }
  void awaitProducts(uint32_t groups) {
    report(warpgroups.await(current, groups));
  }
  void readSums(uint32_t *registers, uint32_t count) {
    tensors.readLoads(current, {registers, count});
    warpgroups.readSums(current, {registers, count});
  }
  void initializeBarrier(const void *barrier, uint32_t count) {
    tensors.initializeBarrier(current, barrier, count);
  }
  void fenceBarriers() { tensors.fenceBarriers(current); }
  void awaitBarrier(const void *barrier, uint32_t parity) {
    Thread &thread = threads[current];
    std::string wrong;
    while (!tensors.passes(current, barrier, parity, wrong)) {
      thread.state = ThreadState::polling;
      thread.barrier = barrier;
      thread.parity = parity;
      thread.fiber.suspend();
    }
    report(std::move(wrong));
  }
  void allocateTensor(uint32_t *address, uint32_t columns) {
    report(tensors.allocate(current, address, columns));
  }
  void releaseTensor(uint32_t address, uint32_t columns) {
    report(tensors.release(current, address, columns));
  }
  void multiplyTensor(uint32_t sums, uint64_t left, uint64_t right,
                      uint32_t instruction, bool addsToSums, uint32_t kind) {
    report(tensors.multiply(current, sums, left, right, instruction, addsToSums,
                            kind));
  }
  void commitTensor(const void *barrier) {
    report(tensors.commit(current, barrier));
    if (copiesWhen == SimCopies::When::atOnce)
      tensors.arrive();
  }
  void fenceTensor(bool isBehind) { tensors.fence(current, isBehind); }
  void loadTensor(uint32_t address, uint32_t *registers, uint32_t count) {
    report(tensors.load(current, address, {registers, count}));
  }
  void awaitLoads() { tensors.awaitLoads(current); }

  /// Makes the kernel's thread wait at a collective, see SimRuntime::meet.
  void meet(const char *where, SimCollective kind, uint64_t lanes,
            const uint64_t *operands, uint64_t *results) {
    Thread &thread = threads[current];
    thread.where = where;
    thread.kind = kind;
    thread.lanes = lanes;
    thread.operands = operands;
    thread.results = results;
    thread.state = ThreadState::waiting;
    const SimCollectiveRule *rule = findRule(kind);
    if (!rule)
      misuse =
          std::string("this version does not know the collective of ") + where;
    else if (rule->scope == Scope::subgroup && !(lanes >> getLane(current) & 1))
      misuse = "thread " + std::to_string(current) + " takes part in " + where +
               " but is not among its lanes";
    thread.fiber.suspend();
  }

private:
  /// Polling threads wait at a barrier in shared memory.
  enum class ThreadState { ready, waiting, polling, ended };

  struct Thread {
    SimFiber fiber;
    ThreadState state = ThreadState::ended;
    // While it waits:
    const char *where = nullptr;
    SimCollective kind = SimCollective::barrier;
    uint64_t lanes = 0;
    const uint64_t *operands = nullptr;
    uint64_t *results = nullptr;
    SimCopies copies = {};
    // While it polls:
    const void *barrier = nullptr;
    uint32_t parity = 0;
  };

  struct Subgroup {
    uint64_t live = 0;    ///< lanes that have not ended
    uint64_t waiting = 0; ///< lanes that wait in the subgroup
  };

  uint32_t getLane(uint32_t thread) const { return thread % subgroupSize; }
  uint32_t getSubgroup(uint32_t thread) const { return thread / subgroupSize; }

  /// Keeps the first misuse, which ends the workgroup.
  void report(std::string what) {
    if (misuse.empty())
      misuse = std::move(what);
  }
  SimCopies::Report makeReport(uint32_t thread) {
    return [this, thread](const void *to, uint64_t bytes) {
      published.wrote(thread, to, bytes);
    };
  }

  void prepare(const SimKernel &kernel) {
    auto run = [](void *argument) {
      auto *kernel = static_cast<const SimKernel *>(argument);
      kernel->entry(kernel->pointers);
    };
    subgroups.assign(subgroups.size(), {});
    published.clear();
    warpgroups.clear();
    tensors.clear();
    ready.clear();
    polling.clear();
    copiesWhen = static_cast<SimCopies::When>(random() % 3);
    for (uint32_t index = 0; index < threads.size(); ++index) {
      threads[index].copies.clear();
      threads[index].fiber.prepare(stacks[index], run,
                                   const_cast<SimKernel *>(&kernel));
      subgroups[getSubgroup(index)].live |= uint64_t(1) << getLane(index);
    }
    startPhase();
    release();
  }

  /// Returns a random ready thread, or continues the subgroup that met last as
  /// far as possible.
  uint32_t popReadyThread() {
    if (!runAhead)
      std::swap(ready[random() % ready.size()], ready.back());
    uint32_t index = ready.back();
    ready.pop_back();
    return index;
  }

  void enter(uint32_t index) {
    const uint32_t *size = runtime.blockSize;
    runtime.threadId[0] = index % size[0];
    runtime.threadId[1] = index / size[0] % size[1];
    runtime.threadId[2] = index / size[0] / size[1];
    runtime.lane = getLane(index);
    runtime.subgroup = getSubgroup(index);
    current = index;
    if (copiesWhen == SimCopies::When::someTime) {
      threads[index].copies.performSome(random, makeReport(index));
      if (random() % 4 == 0)
        tensors.arrive();
    }
    threads[index].fiber.resume();
  }

  void settleWaiting(uint32_t index) {
    if (findRule(threads[index].kind)->scope == Scope::workgroup) {
      if (++atBarrier == threads.size())
        meetWorkgroup();
      return;
    }
    subgroups[getSubgroup(index)].waiting |= uint64_t(1) << getLane(index);
    meetSubgroup(index);
  }

  void settleEnded(uint32_t index) {
    threads[index].state = ThreadState::ended;
    Subgroup &subgroup = subgroups[getSubgroup(index)];
    subgroup.live &= ~(uint64_t(1) << getLane(index));
    // The ended thread may have been the only one that others waited for.
    for (uint64_t lanes = subgroup.waiting; lanes; lanes &= lanes - 1) {
      auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
      if (subgroup.waiting >> lane & 1)
        meetSubgroup(index - getLane(index) + lane);
    }
  }

  /// Wakes polling threads; lets products arrive if only those are left.
  bool hasReadyThread() {
    do
      wakePolling();
    while (ready.empty() && !polling.empty() && tensors.arrive());
    return !ready.empty();
  }

  /// Makes threads ready whose barriers let them pass.
  void wakePolling() {
    std::erase_if(polling, [&](uint32_t index) {
      Thread &thread = threads[index];
      if (!tensors.isPassed(thread.barrier, thread.parity))
        return false;
      thread.state = ThreadState::ready;
      ready.push_back(index);
      return true;
    });
  }

  bool isAtSameCollective(const Thread &one, const Thread &other) const {
    return other.state == ThreadState::waiting && one.where == other.where &&
           one.kind == other.kind && one.lanes == other.lanes;
  }

  void meetWorkgroup() {
    for (const Thread &thread : threads)
      if (!isAtSameCollective(threads.front(), thread))
        return; // nobody is ready any more: run() will describe it
    startPhase();
    perform();
  }

  void meetSubgroup(uint32_t index) {
    Subgroup &subgroup = subgroups[getSubgroup(index)];
    const Thread &thread = threads[index];
    uint64_t needed = thread.lanes & subgroup.live;
    if ((subgroup.waiting & needed) != needed)
      return;
    members.clear();
    for (uint64_t lanes = needed; lanes; lanes &= lanes - 1) {
      auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
      members.push_back(index - getLane(index) + lane);
      if (!isAtSameCollective(thread, threads[members.back()]))
        return;
    }
    subgroup.waiting &= ~needed;
    perform();
  }

  /// Makes all threads members, and draws the order until the next barrier.
  void startPhase() {
    members.resize(threads.size());
    std::iota(members.begin(), members.end(), 0);
    atBarrier = 0;
    runAhead = random() & 1;
  }

  void perform() {
    const Thread &first = threads[members.front()];
    std::vector<SimParticipant> participants;
    participants.reserve(members.size());
    for (uint32_t index : members)
      participants.push_back(
          {getLane(index), threads[index].operands, threads[index].results});
    if (first.kind == SimCollective::multiplyShared)
      report(warpgroups.multiply(members.front(), first.where, participants));
    else
      findRule(first.kind)->run(participants);
    release();
  }

  void release() {
    size_t before = ready.size();
    for (uint32_t index : members) {
      threads[index].state = ThreadState::ready;
      ready.push_back(index);
    }
    for (size_t last = ready.size() - 1; runAhead && last > before; --last)
      std::swap(ready[before + random() % (last - before + 1)], ready[last]);
  }

  /// Returns true if thread `index` waits at a collective that `other` must
  /// reach.
  bool isAwaitedBy(uint32_t other, uint32_t index) const {
    const Thread &thread = threads[index];
    if (findRule(thread.kind)->scope == Scope::workgroup)
      return true;
    return threads[other].state != ThreadState::ended &&
           getSubgroup(other) == getSubgroup(index) &&
           (thread.lanes >> getLane(other) & 1);
  }

  std::string describe(uint32_t index) const {
    const Thread &thread = threads[index];
    if (thread.state == ThreadState::ended)
      return "has ended";
    if (thread.state == ThreadState::polling)
      return "waits for parity " + std::to_string(thread.parity) +
             " of the barrier at " + published.describe(thread.barrier) +
             " of shared memory";
    std::string text = std::string("waits at ") + thread.where;
    if (findRule(thread.kind)->scope == Scope::subgroup && ~thread.lanes) {
      static constexpr char digits[] = "0123456789abcdef";
      text += " of lanes 0x";
      for (int shift = subgroupSize > 32 ? 60 : 28; shift >= 0; shift -= 4)
        text += digits[thread.lanes >> shift & 15];
    }
    return text;
  }

  /// Describes the deadlock; called if no thread is ready and not all have
  /// ended.
  std::string describeStall() const {
    if (!polling.empty()) {
      std::string text = "thread " + std::to_string(polling.front()) + " " +
                         describe(polling.front()) +
                         ", at which nothing arrives";
      for (uint32_t index = 0; index < threads.size(); ++index)
        if (threads[index].state != ThreadState::polling)
          return text + "; thread " + std::to_string(index) + " " +
                 describe(index);
      return text;
    }
    for (uint32_t index = 0; index < threads.size(); ++index)
      for (uint32_t other = 0; other < threads.size(); ++other)
        if (threads[index].state == ThreadState::waiting &&
            isAwaitedBy(other, index) &&
            !isAtSameCollective(threads[index], threads[other])) {
          auto there = std::count_if(
              threads.begin(), threads.end(), [&](const Thread &thread) {
                return isAtSameCollective(threads[index], thread);
              });
          return "thread " + std::to_string(index) + " " + describe(index) +
                 " for thread " + std::to_string(other) + ", which " +
                 describe(other) + "; of " + std::to_string(threads.size()) +
                 " threads " + std::to_string(there) +
                 " wait as the former does";
        }
    return "its threads wait for each other";
  }

  SimRuntime &runtime;
  uint32_t subgroupSize;
  const SimStacks &stacks;
  std::mt19937_64 random;
  std::vector<Thread> threads;
  std::vector<Subgroup> subgroups;
  std::vector<uint32_t> polling;
  SimPublishedMemory &published;
  SimWarpgroups warpgroups;
  SimTensorMemory tensors;
  std::vector<uint32_t> ready;
  std::vector<uint32_t> members; ///< of the collective at hand
  uint32_t current = 0;
  uint32_t atBarrier = 0;
  bool runAhead = false;
  SimCopies::When copiesWhen = SimCopies::When::atOnce;
  std::string misuse; ///< forbidden action of a thread
};

} // namespace

static constexpr uint64_t mostThreads = 1024;

static Result<void, Failure> checkGeometry(const SimObject &object,
                                           const LaunchGeometry &geometry) {
  auto refuse = [](const std::string &why) {
    return Failure{Status::unlaunchable, why};
  };
  // Sizes beyond 16 bits first: their product might have no 64 bits.
  bool tooWide = std::ranges::any_of(
      geometry.block, [](uint32_t size) { return size > mostThreads; });
  if (tooWide || product(geometry.block) > mostThreads)
    return refuse("a simulated workgroup has at most " +
                  std::to_string(mostThreads) + " threads");
  if (!product(geometry.block) || std::ranges::count(geometry.grid, 0u))
    return refuse("the launch has no threads");
  if (geometry.grid[2] > UINT64_MAX / geometry.grid[0] / geometry.grid[1])
    return refuse("the launch has more workgroups than 64 bits count");
  if (object.dynamic.start && geometry.sharedBytes > object.dynamic.bytes)
    return refuse("the launch asks for " +
                  std::to_string(geometry.sharedBytes) +
                  " bytes of shared memory, but its object has " +
                  std::to_string(object.dynamic.bytes));
  return {};
}

template <typename T>
static void store(uint8_t *memory, size_t offset, uint32_t value) {
  T narrow = static_cast<T>(value);
  std::memcpy(memory + offset, &narrow, sizeof narrow);
}

namespace {

/// Runtime that the kernel sees, followed by the state that serves it.
struct ServedRuntime : SimRuntime {
  ServedRuntime(const LaunchGeometry &geometry, const uint64_t *bytes)
      : SimRuntime() {
    std::ranges::copy(geometry.block, blockSize);
    std::ranges::copy(geometry.grid, gridSize);
    bufferBytes = bytes;
    meet = [](SimRuntime *runtime, const char *where, SimCollective kind,
              uint64_t lanes, const uint64_t *operands, uint64_t *results) {
      getWorkgroup(runtime).meet(where, kind, lanes, operands, results);
    };
    stray = [](SimRuntime *runtime, uint32_t pointer, int64_t offset,
               uint64_t bytes, uint32_t isWrite) {
      std::string &first = static_cast<ServedRuntime *>(runtime)->firstStray;
      if (first.empty())
        first = std::to_string(bytes) + " bytes at byte " +
                std::to_string(offset) + " of argument " +
                std::to_string(pointer) + " were " +
                (isWrite ? "written" : "read") + "; the argument has " +
                std::to_string(runtime->bufferBytes[pointer]);
    };
    copyAsync = [](SimRuntime *runtime, void *to, const void *from,
                   uint32_t bytes, uint32_t read) {
      getWorkgroup(runtime).copyAsync(to, from, bytes, read);
    };
    commitCopies = [](SimRuntime *runtime) {
      getWorkgroup(runtime).commitCopies();
    };
    awaitCopies = [](SimRuntime *runtime, uint32_t groups) {
      getWorkgroup(runtime).awaitCopies(groups);
    };
    wroteShared = [](SimRuntime *runtime, const void *to, uint64_t bytes) {
      getWorkgroup(runtime).wroteShared(to, bytes);
    };
    publish = [](SimRuntime *runtime) { getWorkgroup(runtime).publish(); };
    fenceProducts = [](SimRuntime *runtime) {
      getWorkgroup(runtime).fenceProducts();
    };
    commitProducts = [](SimRuntime *runtime) {
      getWorkgroup(runtime).commitProducts();
    };
    awaitProducts = [](SimRuntime *runtime, uint32_t groups) {
      getWorkgroup(runtime).awaitProducts(groups);
    };
    readSums = [](SimRuntime *runtime, uint32_t *registers, uint32_t count) {
      getWorkgroup(runtime).readSums(registers, count);
    };
    serveTensors();
    fillForAMD();
  }

  SimWorkgroup *workgroup = nullptr;
  std::string firstStray; ///< empty: there was none

private:
  static SimWorkgroup &getWorkgroup(SimRuntime *runtime) {
    return *static_cast<ServedRuntime *>(runtime)->workgroup;
  }

  void serveTensors() {
    initializeBarrier = [](SimRuntime *runtime, const void *barrier,
                           uint32_t count) {
      getWorkgroup(runtime).initializeBarrier(barrier, count);
    };
    fenceBarriers = [](SimRuntime *runtime) {
      getWorkgroup(runtime).fenceBarriers();
    };
    awaitBarrier = [](SimRuntime *runtime, const void *barrier,
                      uint32_t parity) {
      getWorkgroup(runtime).awaitBarrier(barrier, parity);
    };
    allocateTensor = [](SimRuntime *runtime, uint32_t *address,
                        uint32_t columns) {
      getWorkgroup(runtime).allocateTensor(address, columns);
    };
    releaseTensor = [](SimRuntime *runtime, uint32_t address,
                       uint32_t columns) {
      getWorkgroup(runtime).releaseTensor(address, columns);
    };
    multiplyTensor = [](SimRuntime *runtime, uint32_t sums, uint64_t left,
                        uint64_t right, uint32_t instruction,
                        uint32_t addsToSums, uint32_t kind) {
      getWorkgroup(runtime).multiplyTensor(sums, left, right, instruction,
                                           addsToSums != 0, kind);
    };
    commitTensor = [](SimRuntime *runtime, const void *barrier) {
      getWorkgroup(runtime).commitTensor(barrier);
    };
    fenceTensor = [](SimRuntime *runtime, uint32_t isBehind) {
      getWorkgroup(runtime).fenceTensor(isBehind != 0);
    };
    loadTensor = [](SimRuntime *runtime, uint32_t address, uint32_t *registers,
                    uint32_t count) {
      getWorkgroup(runtime).loadTensor(address, registers, count);
    };
    awaitLoads = [](SimRuntime *runtime) {
      getWorkgroup(runtime).awaitLoads();
    };
  }

  /// Fills in the `hidden_*` arguments of AMD's code object version 5 and the
  /// packet that launched them.
  void fillForAMD() {
    for (size_t axis = 0; axis < 3; ++axis) {
      uint32_t blocks = gridSize[axis], threads = blockSize[axis];
      store<uint32_t>(implicitArguments, 4 * axis, blocks);
      store<uint16_t>(implicitArguments, 12 + 2 * axis, threads);
      store<uint16_t>(dispatchPacket, 4 + 2 * axis, threads);
      store<uint32_t>(dispatchPacket, 12 + 4 * axis, blocks * threads);
    }
    store<uint16_t>(implicitArguments, 64, 3); // hidden_grid_dims
  }
};

/// The numbers below `count`, each once, in an order of a seed's.
class Permutation {
public:
  Permutation(uint64_t count, uint64_t seed) : count(count) {
    std::mt19937_64 random(seed);
    at = random() % count;
    do
      step = 1 + random() % count;
    while (std::gcd(step, count) != 1);
  }

  uint64_t next() {
    at = static_cast<uint64_t>((static_cast<unsigned __int128>(at) + step) %
                               count);
    return at;
  }

private:
  uint64_t count, at, step;
};

} // namespace

Result<void, Failure> SimScheduler::run(const SimKernel &kernel,
                                        const LaunchGeometry &geometry,
                                        uint64_t seed) {
  SimObject &object = kernel.object;
  TONNO_TRY(checkGeometry(object, geometry));
  if (size_t count = product(geometry.block); !stacks || stacks->size() < count)
    stacks = TONNO_TRY(SimStacks::create(count));
  ServedRuntime runtime(geometry, kernel.bufferBytes);
  SimSharedMemory shared(object, geometry.sharedBytes);
  SimPublishedMemory published(object.readsAsync ? shared.all()
                                                 : std::span<const SimArea>(),
                               product(geometry.block));
  SimWorkgroup workgroup(runtime, object, *stacks, published, seed);
  runtime.workgroup = &workgroup;
  object.runtime = &runtime;
  uint64_t blocks = product(geometry.grid);
  Permutation order(blocks, seed);
  for (uint64_t done = 0; done < blocks; ++done) {
    uint64_t block = order.next();
    runtime.blockId[0] = static_cast<uint32_t>(block % geometry.grid[0]);
    block /= geometry.grid[0];
    runtime.blockId[1] = static_cast<uint32_t>(block % geometry.grid[1]);
    runtime.blockId[2] = static_cast<uint32_t>(block / geometry.grid[1]);
    shared.poison();
    auto failed = [&](Status status, const std::string &what) {
      const uint32_t *id = runtime.blockId;
      return Failure{status, "workgroup (" + std::to_string(id[0]) + ", " +
                                 std::to_string(id[1]) + ", " +
                                 std::to_string(id[2]) + "): " + what};
    };
    if (auto ran = workgroup.run(kernel); !ran)
      return failed(Status::fault, ran.error().message);
    if (!runtime.firstStray.empty())
      return failed(Status::out_of_bounds, runtime.firstStray);
    if (auto stray = shared.findStrayWrite())
      return failed(Status::out_of_bounds, *stray);
  }
  return {};
}
