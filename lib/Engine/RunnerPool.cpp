//===- Several devices that take trials at the same time ------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/RunnerPool.h"
#include "tonno/Core/Duration.h"

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

void CallQueue::clear() {
  std::lock_guard lock(mutex);
  calls.clear();
}

namespace {

/// Runs tasks one after the other in a thread. The thread lives as long as this
/// does, since a process ends with the thread that started it.
class TaskThread {
public:
  TaskThread() : thread([this] { work(); }) {}
  TaskThread(const TaskThread &) = delete;
  TaskThread &operator=(const TaskThread &) = delete;
  ~TaskThread() {
    {
      std::lock_guard lock(mutex);
      isOver = true;
    }
    changed.notify_one();
    thread.join();
  }

  void start(std::function<void()> task) {
    {
      std::lock_guard lock(mutex);
      next = std::move(task);
    }
    changed.notify_one();
  }

private:
  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return isOver || next; });
      if (!next)
        return;
      std::function<void()> task = std::exchange(next, nullptr);
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> next;
  bool isOver = false;
  std::thread thread; ///< last: it uses the others
};

struct Member {
  std::unique_ptr<Runner> runner;
  std::string name;
  bool isOpen = false; ///< for the session
  bool isLeftOut = false;
  size_t failures = 0; ///< of the environment, in a row
  size_t ticket = 0;
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

/// What a device answers when it is enlisted.
struct Introduction {
  Member *member;
  DeviceDescription device = {};
  Distribution seconds = {}; ///< that the default takes
  std::string problem = {};  ///< why it is left out; empty: it is not
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
  /// Returns a device that runs nothing and is not `except`; null if all do.
  Member *findFree(const Member *except = nullptr) const;
  /// Returns true if no device but this one takes requests.
  bool isAlone(const Member &member) const;
  void start(Member &member, size_t ticket, RunRequest request,
             bool isRepeated);
  void startRepetitions();
  void forEach(std::span<Introduction> introductions,
               const std::function<void(Introduction &)> &work);
  void timeAll(std::span<Introduction> introductions,
               const RunRequest &ofDefault);
  void leaveOut(Member &member, const std::string &why, const Warn &warn);
  Ended awaitEnd();
  std::optional<Finished> conclude(Ended ended, const Warn &warn);

  std::vector<std::unique_ptr<Member>> members;
  std::function<bool()> interrupted;
  std::shared_ptr<CallQueue> calls;
  std::deque<Repetition> repetitions;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Ended> ended; ///< guarded by `mutex`
};

RunnerPool::RunnerPool(std::vector<Device> devices,
                       std::function<bool()> interrupted,
                       std::shared_ptr<CallQueue> calls)
    : state(std::make_unique<State>()) {
  for (Device &device : devices)
    state->members.push_back(std::make_unique<Member>(
        Member{std::move(device.runner), std::move(device.name)}));
  state->interrupted = std::move(interrupted);
  state->calls = std::move(calls);
}

RunnerPool::RunnerPool(RunnerPool &&other) noexcept = default;

RunnerPool::~RunnerPool() {
  if (!state)
    return;
  for (const auto &member : state->members)
    member->thread.reset();
}

Result<DeviceDescription> RunnerPool::device() {
  return state->first().runner->device();
}

Result<void> RunnerPool::open(const RunnerSession &session) {
  for (const auto &member : state->members)
    member->isOpen = false;
  auto opened = state->first().runner->open(session);
  state->first().isOpen = opened.ok();
  return opened;
}

RunResult RunnerPool::run(const RunRequest &request) {
  return state->first().runner->run(request);
}

size_t RunnerPool::size() const { return state->countLeft(); }

void RunnerPool::State::leaveOut(Member &member, const std::string &why,
                                 const Warn &warn) {
  member.isLeftOut = true;
  warn("the device '" + member.name + "' is left out: " + why);
}

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

/// Times the default. The Error says why it fails.
static Result<Distribution> timeDefault(Runner &runner,
                                        const RunRequest &ofDefault) {
  RunResult result = runner.run(ofDefault);
  if (result.status != Status::ok)
    return Error{"the default configuration fails there, '" +
                 std::string(toString(result.status)) + "': " + result.message};
  return result.measurement ? result.measurement->baselineSeconds
                            : Distribution();
}

/// Opens a device unless it is the first, which is open.
static Result<DeviceDescription> openMember(const Member &member,
                                            const RunnerSession &session) {
  auto device = TONNO_TRY(member.runner->device());
  if (!member.isOpen)
    TONNO_TRY(member.runner->open(session));
  return device;
}

/// Calls `work` with each member, at the same time, and waits.
void RunnerPool::State::forEach(
    std::span<Introduction> introductions,
    const std::function<void(Introduction &)> &work) {
  size_t left = introductions.size(); // guarded by the mutex
  for (Introduction &each : introductions)
    each.member->getThread().start([&] {
      work(each);
      std::lock_guard lock(mutex);
      --left;
      changed.notify_one();
    });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return left == 0; });
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
  return device.seconds.q1 > mostSlowdown * fastest.seconds.median;
}

/// Times the default on all devices, again if one seems slow: others may have
/// disturbed it.
void RunnerPool::State::timeAll(std::span<Introduction> introductions,
                                const RunRequest &ofDefault) {
  constexpr int mostAttempts = 3;
  for (int attempt = 0; attempt < mostAttempts; ++attempt) {
    forEach(introductions, [&](Introduction &each) {
      if (!each.problem.empty())
        return;
      if (auto seconds = timeDefault(*each.member->runner, ofDefault))
        each.seconds = *seconds;
      else
        each.problem = seconds.error().message;
    });
    const Introduction *fastest = findFastest(introductions);
    auto seemsSlow = [&](const Introduction &each) {
      return each.problem.empty() && isSlow(each, *fastest);
    };
    if (!fastest || std::ranges::none_of(introductions, seemsSlow))
      return;
  }
}

/// States why devices are not like the first that is right, and why they are
/// slow.
static void compare(std::span<Introduction> introductions) {
  const Introduction *fastest = findFastest(introductions), *first = nullptr;
  for (Introduction &each : introductions) {
    if (!each.problem.empty())
      continue;
    if (isSlow(each, *fastest)) {
      each.problem = "the default takes " + formatSeconds(each.seconds.median) +
                     " on it, and " + formatSeconds(fastest->seconds.median) +
                     " on '" + fastest->member->name + "'";
      continue;
    }
    DeviceIdentity identity = each.device.identity();
    bool isNamed = !identity.uuid.empty() && identity.uuid != unknownUuid;
    for (const Introduction &other : introductions)
      if (&other < &each && isNamed && other.problem.empty() &&
          other.device.identity() == identity)
        each.problem = "it is the same device as '" + other.member->name + "'";
    if (first && each.problem.empty())
      each.problem =
          findDifference(each.device, first->device, first->member->name)
              .value_or("");
    if (!first)
      first = &each;
  }
}

void RunnerPool::enlist(const RunnerSession &session,
                        const RunRequest &ofDefault, const Warn &warn) {
  std::vector<Introduction> introductions;
  for (const auto &member : state->members)
    if (!member->isLeftOut)
      introductions.push_back({member.get()});
  state->forEach(introductions, [&](Introduction &each) {
    if (auto device = openMember(*each.member, session))
      each.device = *device;
    else
      each.problem = device.error().message;
  });
  state->timeAll(introductions, ofDefault);
  // They have waited for each other's references, which nobody needs to know.
  state->calls->clear();
  compare(introductions);
  for (const auto &[member, device, seconds, problem] : introductions) {
    member->isOpen = problem.empty();
    if (!problem.empty() && size() > 1)
      state->leaveOut(*member, problem, warn);
  }
}

Member *RunnerPool::State::findFree(const Member *except) const {
  for (const auto &member : members)
    if (member->takesRequests() && !member->request && member.get() != except)
      return member.get();
  return nullptr;
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
  member.request = std::move(request);
  member.isRepeated = isRepeated;
  member.getThread().start([this, &member] {
    RunResult result = member.runner->run(*member.request);
    bool isAlive = result.status != Status::lost || interrupted() ||
                   member.runner->device().ok();
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
  constexpr auto betweenCalls = std::chrono::milliseconds(100);
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
std::optional<RunnerPool::Finished>
RunnerPool::State::conclude(Ended ended, const Warn &warn) {
  Member &member = *ended.member;
  RunRequest request = *std::exchange(member.request, std::nullopt);
  Finished finished = {member.ticket, member.name, std::move(ended.result)};
  const RunResult &result = finished.result;
  if (isLasting(result.status) || interrupted()) {
    member.failures = 0;
    return finished;
  }
  ++member.failures;
  if (countLeft() > 1 && (!ended.isAlive || member.failures >= mostFailures))
    leaveOut(member,
             (ended.isAlive ? std::to_string(member.failures) +
                                  " trials in a row failed there, the last: "
                            : "it is gone: ") +
                 result.message,
             warn);
  if (member.isRepeated || isAlone(member))
    return finished;
  repetitions.push_back({finished.ticket, std::move(request), &member});
  return std::nullopt;
}

std::optional<RunnerPool::Finished> RunnerPool::finish(const Warn &warn) {
  auto finished = state->conclude(state->awaitEnd(), warn);
  state->startRepetitions();
  state->calls->run();
  return finished;
}
