//===- Several devices that take trials at the same time ------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/RunnerPool.h"
#include "tonno/Cache/Records.h"
#include "tonno/Core/Duration.h"
#include "tonno/Engine/TaskThread.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>

using namespace tonno;

/// A device on which the default takes longer than this, over the least time of
/// all, is no equal: another uses it, or it is throttled.
static constexpr double mostSlowdown = 1.1;
/// Requests in a row that fail for the environment before a device is left out.
static constexpr size_t mostFailures = 3;
static constexpr auto betweenCalls = std::chrono::milliseconds(100);

void CallQueue::call(std::function<void()> function) {
  if (std::this_thread::get_id() == owner)
    return function();
  std::lock_guard lock(mutex);
  calls.push_back(std::move(function));
}

void CallQueue::run() {
  std::vector<std::function<void()>> taken;
  {
    std::lock_guard lock(mutex);
    taken.swap(calls);
  }
  for (const std::function<void()> &call : taken)
    call();
}

namespace {

struct Member {
  std::unique_ptr<Runner> runner;
  std::string name;
  bool isOpen = false; ///< for the session
  bool isLeftOut = false;
  size_t failures = 0; ///< of the environment, in a row
  size_t ticket = 0;
  uint64_t lastStart = 0;                 ///< its place among all starts
  std::optional<RunRequest> request = {}; ///< that it runs
  bool isRepeated = false;                ///< the request failed on another
  std::unique_ptr<TaskThread> thread = {};

  bool takesRequests() const { return isOpen && !isLeftOut; }
  TaskThread &getThread() {
    if (!thread)
      thread = std::make_unique<TaskThread>();
    return *thread;
  }
};

/// The answers of a device that is enlisted.
struct Introduction {
  Member *member;
  std::optional<DeviceDescription> device = {};
  Distribution seconds = {}; ///< that the default takes
  std::string problem = {};  ///< why it is left out; empty: it is not
  bool isFinal = false;      ///< the problem stays when the default runs again
};

/// A request that another device did not end.
struct Repetition {
  size_t ticket;
  RunRequest request;
  const Member *failedOn;
};

struct Ended {
  Member *member;
  RunResult result;
  bool isAlive; ///< the device answers
};

} // namespace

struct RunnerPool::State {
  Member &first() const {
    return **std::ranges::find_if(
        members, [](const auto &member) { return !member->isLeftOut; });
  }
  size_t countLeft() const {
    return static_cast<size_t>(std::ranges::count_if(
        members, [](const auto &member) { return !member->isLeftOut; }));
  }
  /// Returns the device that was idle for longest and is not `except`; null if
  /// all run something.
  Member *findFree(const Member *except = nullptr) const;
  /// Returns true if no device but this one takes requests.
  bool isAlone(const Member &member) const;
  void start(Member &member, size_t ticket, RunRequest request,
             bool isRepeated);
  void startRepetitions();
  void forEach(std::span<Introduction> introductions,
               const std::function<void(Introduction &)> &work);
  void compareDevices(std::span<Introduction> introductions);
  void timeAll(std::span<Introduction> introductions,
               const RunRequest &ofDefault);
  void leaveOut(Member &member, const std::string &why);
  bool leaveOutFirst(const std::string &why);
  void awaitIdle();
  Ended awaitEnd();
  std::optional<Finished> conclude(Ended ended);

  std::vector<std::unique_ptr<Member>> members;
  Warn warn;
  std::function<bool()> interrupted;
  struct Expected {
    DeviceDescription device;
    std::string name;
  };
  std::optional<Expected> expected;     ///< for which sessions decide
  std::optional<RunnerSession> session; ///< opened last
  uint64_t starts = 0;
  std::shared_ptr<CallQueue> calls;
  std::deque<Repetition> repetitions;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Ended> ended; ///< guarded by `mutex`
};

RunnerPool::RunnerPool(std::vector<Device> devices, Warn warn,
                       std::function<bool()> interrupted,
                       std::shared_ptr<CallQueue> calls)
    : state(std::make_unique<State>()) {
  for (Device &device : devices)
    state->members.push_back(std::make_unique<Member>(
        Member{std::move(device.runner), std::move(device.name)}));
  state->warn = std::move(warn);
  state->interrupted = std::move(interrupted);
  state->calls = std::move(calls);
}

RunnerPool::RunnerPool(RunnerPool &&other) noexcept = default;

RunnerPool::~RunnerPool() {
  if (!state)
    return;
  state->awaitIdle();
  for (const auto &member : state->members) {
    member->runner.reset(); // before its thread, with which it would be killed
    member->thread.reset();
  }
}

/// Waits until no device runs anything: they are not for two threads, and what
/// is timed now must not be beside trials.
void RunnerPool::State::awaitIdle() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] {
    auto running = std::ranges::count_if(members, [](const auto &member) {
      return member->request.has_value();
    });
    return ended.size() == static_cast<size_t>(running);
  });
}

void RunnerPool::State::leaveOut(Member &member, const std::string &why) {
  member.isLeftOut = true;
  warn("the device '" + member.name + "' is left out: " + why);
}

/// Leaves out the first device, which gives no answer, and opens the next one
/// as it was. Returns false if there is no other.
bool RunnerPool::State::leaveOutFirst(const std::string &why) {
  if (countLeft() < 2 || interrupted())
    return false;
  leaveOut(first(), "it is gone: " + why);
  if (!session)
    return true;
  auto opened = first().runner->open(*session);
  first().isOpen = opened.ok();
  return opened || leaveOutFirst(opened.error().message);
}

Result<DeviceDescription> RunnerPool::device() {
  state->awaitIdle();
  auto device = state->first().runner->device();
  while (!device && state->leaveOutFirst(device.error().message))
    device = state->first().runner->device();
  if (device)
    state->expected = {*device, state->first().name};
  return device;
}

Result<void> RunnerPool::open(const RunnerSession &session) {
  state->awaitIdle();
  for (const auto &member : state->members)
    member->isOpen = false;
  state->session.reset();
  auto opened = state->first().runner->open(session);
  while (!opened && size() > 1 && !state->first().runner->device() &&
         state->leaveOutFirst(opened.error().message))
    opened = state->first().runner->open(session);
  state->first().isOpen = opened.ok();
  if (opened)
    state->session = session;
  return opened;
}

RunResult RunnerPool::run(const RunRequest &request) {
  state->awaitIdle();
  RunResult result = state->first().runner->run(request);
  while ((result.status == Status::lost || result.status == Status::hang) &&
         size() > 1 && state->session &&
         !state->first().runner->open(*state->session) &&
         state->leaveOutFirst(result.message))
    result = state->first().runner->run(request);
  return result;
}

size_t RunnerPool::size() const { return state->countLeft(); }

/// Returns why the other device is not like the first.
static std::optional<std::string> findDifference(const DeviceDescription &other,
                                                 const DeviceDescription &first,
                                                 const std::string &firstName) {
  auto describe = [](const DeviceDescription &device) {
    return device.name + (device.chip.empty() ? "" : ", " + device.chip) +
           (device.driver.empty() ? "" : ", driver " + device.driver);
  };
  if (describe(other) == describe(first))
    return std::nullopt;
  return "it is " + describe(other) + ", and '" + firstName + "' is " +
         describe(first);
}

/// Opens a device unless it is the first, which is open.
static void openMember(Introduction &each, const RunnerSession &session) {
  auto device = each.member->runner->device();
  auto opened = device ? Result<void>() : device.error();
  if (device && !each.member->isOpen)
    opened = each.member->runner->open(session);
  if (device)
    each.device = *device;
  if (!opened)
    each.problem = opened.error().message;
  each.isFinal = !opened;
}

static void timeDefault(Introduction &each, const RunRequest &ofDefault) {
  RunResult result = each.member->runner->run(ofDefault);
  each.problem.clear();
  if (result.status == Status::ok && result.measurement)
    each.seconds = result.measurement->baselineSeconds;
  else if (result.status != Status::ok)
    each.problem = "the default configuration fails there, '" +
                   std::string(toString(result.status)) +
                   "': " + result.message;
  each.isFinal = result.status != Status::ok && isLasting(result.status);
}

/// Calls `work` with each introduction that has no final problem, at the same
/// time, and waits.
void RunnerPool::State::forEach(
    std::span<Introduction> introductions,
    const std::function<void(Introduction &)> &work) {
  size_t left = 0; // guarded by the mutex
  std::unique_lock lock(mutex);
  for (Introduction &each : introductions) {
    if (each.isFinal)
      continue;
    ++left;
    each.member->getThread().start([&] {
      work(each);
      std::lock_guard guard(mutex);
      --left;
      changed.notify_one();
    });
  }
  while (!changed.wait_for(lock, betweenCalls, [&] { return left == 0; })) {
    lock.unlock();
    calls->run();
    lock.lock();
  }
}

/// Returns the device on which the default takes the least time; null if it is
/// right on none.
static const Introduction *
findFastest(std::span<const Introduction> introductions) {
  const Introduction *fastest = nullptr;
  for (const Introduction &each : introductions)
    if (each.problem.empty() &&
        (!fastest || each.seconds.median < fastest->seconds.median))
      fastest = &each;
  return fastest;
}

/// Returns true if the device is slower by more than its noise.
static bool isSlow(const Introduction &device, const Introduction &fastest) {
  return device.problem.empty() &&
         device.seconds.q1 > mostSlowdown * fastest.seconds.median;
}

/// Times the default on all devices, again if it fails for the environment or
/// one seems slow: others may have disturbed it.
void RunnerPool::State::timeAll(std::span<Introduction> introductions,
                                const RunRequest &ofDefault) {
  constexpr int mostAttempts = 3;
  for (int attempt = 0; attempt < mostAttempts && !interrupted(); ++attempt) {
    forEach(introductions,
            [&](Introduction &each) { timeDefault(each, ofDefault); });
    const Introduction *fastest = findFastest(introductions);
    auto isDoubtful = [&](const Introduction &each) {
      return (!each.problem.empty() && !each.isFinal) ||
             (fastest && isSlow(each, *fastest));
    };
    if (std::ranges::none_of(introductions, isDoubtful))
      break;
  }
  const Introduction *fastest = findFastest(introductions);
  for (Introduction &each : introductions)
    if (fastest && isSlow(each, *fastest))
      each.problem = "the default takes " + formatSeconds(each.seconds.median) +
                     " on it, and " + formatSeconds(fastest->seconds.median) +
                     " on '" + fastest->member->name + "'";
}

/// States which devices are not like the session's, by default the first that
/// answers, or are the same as another.
void RunnerPool::State::compareDevices(std::span<Introduction> introductions) {
  for (Introduction &each : introductions) {
    if (each.isFinal)
      continue;
    if (!expected)
      expected = {*each.device, each.member->name};
    DeviceIdentity identity = each.device->identity();
    bool isNamed = !identity.uuid.empty() && identity.uuid != unknownUuid;
    each.problem =
        findDifference(*each.device, expected->device, expected->name)
            .value_or("");
    for (const Introduction &other : introductions)
      if (&other < &each && isNamed && other.device &&
          other.device->identity() == identity)
        each.problem = "it is the same device as '" + other.member->name + "'";
    each.isFinal = !each.problem.empty();
  }
}

void RunnerPool::enlist(const RunRequest &ofDefault, double waitSeconds) {
  std::vector<Introduction> introductions;
  for (const auto &member : state->members)
    if (!member->isLeftOut)
      introductions.push_back({member.get()});
  RunnerSession session = *state->session;
  session.waitSeconds = waitSeconds;
  RunRequest request = ofDefault;
  request.waitSeconds = waitSeconds;
  state->awaitIdle();
  state->forEach(introductions,
                 [&](Introduction &each) { openMember(each, session); });
  state->compareDevices(introductions);
  state->timeAll(introductions, request);
  if (state->interrupted())
    return;
  bool isNoneLeft = std::ranges::none_of(
      introductions, [](const auto &each) { return each.problem.empty(); });
  for (const Introduction &each : introductions) {
    bool stays =
        each.problem.empty() || (isNoneLeft && &each == &introductions.front());
    each.member->isOpen = stays;
    if (!stays)
      state->leaveOut(*each.member, each.problem);
  }
}

Member *RunnerPool::State::findFree(const Member *except) const {
  Member *found = nullptr;
  for (const auto &member : members) {
    bool isFree = member->takesRequests() && !member->request;
    bool isEarlier = !found || member->lastStart < found->lastStart;
    if (isFree && isEarlier && member.get() != except)
      found = member.get();
  }
  return found;
}

bool RunnerPool::State::isAlone(const Member &member) const {
  return std::ranges::none_of(members, [&](const auto &other) {
    return other.get() != &member && other->takesRequests();
  });
}

bool RunnerPool::hasFree() const { return state->findFree() != nullptr; }

void RunnerPool::start(size_t ticket, RunRequest request) {
  state->start(*state->findFree(), ticket, std::move(request),
               /*isRepeated=*/false);
}

void RunnerPool::State::start(Member &member, size_t ticket, RunRequest request,
                              bool isRepeated) {
  member.ticket = ticket;
  member.lastStart = ++starts;
  member.request = std::move(request);
  member.isRepeated = isRepeated;
  member.getThread().start([this, &member] {
    RunResult result = member.runner->run(*member.request);
    // A machine that is lost is silent, as a candidate that hangs is. Opened
    // anew, the device is ready for the next request.
    bool mayBeGone =
        result.status == Status::lost || result.status == Status::hang;
    bool isAlive =
        !mayBeGone || interrupted() || member.runner->open(*session).ok();
    std::lock_guard lock(mutex);
    ended.push_back({&member, std::move(result), isAlive});
    changed.notify_one();
  });
}

void RunnerPool::State::startRepetitions() {
  while (!repetitions.empty()) {
    const Member *failedOn = repetitions.front().failedOn;
    Member *member = findFree(failedOn);
    if (!member && isAlone(*failedOn))
      member = findFree();
    if (!member)
      return;
    Repetition next = std::move(repetitions.front());
    repetitions.pop_front();
    start(*member, next.ticket, std::move(next.request), /*isRepeated=*/true);
  }
}

bool RunnerPool::hasFinished() const {
  std::lock_guard lock(state->mutex);
  return !state->ended.empty();
}

Ended RunnerPool::State::awaitEnd() {
  std::unique_lock lock(mutex);
  while (
      !changed.wait_for(lock, betweenCalls, [&] { return !ended.empty(); })) {
    lock.unlock();
    calls->run();
    lock.lock();
  }
  Ended first = std::move(ended.front());
  ended.pop_front();
  return first;
}

/// Frees the device. Returns none if the request is run on another device.
std::optional<RunnerPool::Finished> RunnerPool::State::conclude(Ended ended) {
  Member &member = *ended.member;
  RunRequest request = *std::exchange(member.request, std::nullopt);
  Finished finished = {member.ticket, member.name, std::move(ended.result)};
  const RunResult &result = finished.result;
  bool mayBeDevice = result.status == Status::lost ||
                     result.status == Status::contended || !ended.isAlive;
  if (!mayBeDevice || interrupted()) {
    member.failures = 0;
    return finished;
  }
  ++member.failures;
  if (countLeft() > 1 && (!ended.isAlive || member.failures >= mostFailures))
    leaveOut(member,
             (ended.isAlive ? std::to_string(member.failures) +
                                  " trials in a row failed there, the last: "
                            : "it is gone: ") +
                 result.message);
  if (member.isRepeated || isAlone(member)) {
    if (!ended.isAlive)
      finished.result.status = Status::lost;
    return finished;
  }
  request.waitSeconds = std::max(0.0, request.waitSeconds - result.seconds);
  repetitions.push_back({finished.ticket, std::move(request), &member});
  return std::nullopt;
}

std::optional<RunnerPool::Finished> RunnerPool::finish() {
  auto finished = state->conclude(state->awaitEnd());
  state->startRepetitions();
  state->calls->run();
  return finished;
}
