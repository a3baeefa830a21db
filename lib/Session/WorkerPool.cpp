//===- Several workers as one compiler ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/WorkerPool.h"
#include "tonno/Core/Hash.h"
#include "tonno/Engine/TaskThread.h"

#include <algorithm>
#include <list>

using namespace tonno;

static std::string describe(const CompilerDescription &compiler) {
  return compiler.versions + " for " + compiler.chip + " (" +
         sha256(compiler.features + compiler.fingerprint).substr(0, 12) + ")";
}

namespace {

struct Job {
  Json values;
  bool isTaken = false;    ///< a compiler has it
  bool isRepeated = false; ///< the compiler that had it first is gone
  std::optional<Compilation> result = {};
};

struct Member {
  std::unique_ptr<Compiler> compiler;
  bool isBusy = false;
  bool isLeftOut = false;
  std::unique_ptr<TaskThread> thread = std::make_unique<TaskThread>();
};

} // namespace

struct WorkerPool::State {
  Member &first() {
    return *std::ranges::find(members, false, &Member::isLeftOut);
  }
  bool isAlone(const Member &member) const {
    return std::ranges::all_of(members, [&](const Member &other) {
      return &other == &member || other.isLeftOut;
    });
  }
  void start(Member &member, std::function<void()> work);
  void assign();
  void compile(Member &member, Job &job);
  void keep(Member &member, Job &job, Compilation result);
  void leaveOut(Member &member, const std::string &why);
  void abandonJobs();
  void sayWarnings(std::unique_lock<std::mutex> &lock);
  /// Calls `work` for each compiler that is not left out, in its thread, and
  /// waits.
  void forEach(const std::function<void(size_t)> &work);

  std::vector<Member> members;
  Callbacks callbacks;
  std::mutex mutex; ///< guards what follows, and `isBusy` and `isLeftOut`
  std::condition_variable changed;
  std::list<Job> jobs; ///< in the order in which results are returned
  bool isAbandoning = false;
  std::vector<std::string> warnings;
};

WorkerPool::WorkerPool(std::vector<std::unique_ptr<Compiler>> compilers,
                       Callbacks callbacks)
    : state(std::make_unique<State>()) {
  for (std::unique_ptr<Compiler> &compiler : compilers)
    state->members.push_back({std::move(compiler)});
  state->callbacks = std::move(callbacks);
}

WorkerPool::WorkerPool(WorkerPool &&other) noexcept = default;

WorkerPool::~WorkerPool() {
  if (!state)
    return;
  state->abandonJobs();
  for (Member &member : state->members) {
    member.compiler.reset(); // before its thread, with which it would be killed
    member.thread.reset();
  }
}

/// Drops all jobs, and waits until no compiler has one.
void WorkerPool::State::abandonJobs() {
  std::unique_lock lock(mutex);
  for (Job &job : jobs)
    job.isTaken = true;
  isAbandoning = std::ranges::any_of(members, &Member::isBusy);
  if (isAbandoning)
    callbacks.abandon(true);
  changed.wait(lock,
               [&] { return std::ranges::none_of(members, &Member::isBusy); });
  if (std::exchange(isAbandoning, false))
    callbacks.abandon(false);
  jobs.clear();
}

/// Calls `work` in the compiler's thread, which then takes the next job. The
/// compiler must not be busy.
void WorkerPool::State::start(Member &member, std::function<void()> work) {
  member.isBusy = true;
  member.thread->start([this, &member, work = std::move(work)] {
    work();
    std::lock_guard guard(mutex);
    member.isBusy = false;
    assign();
    changed.notify_all();
  });
}

void WorkerPool::State::forEach(const std::function<void(size_t)> &work) {
  std::unique_lock lock(mutex);
  for (size_t i = 0; i < members.size(); ++i)
    if (!members[i].isLeftOut)
      start(members[i], [&work, i] { work(i); });
  changed.wait(lock,
               [&] { return std::ranges::none_of(members, &Member::isBusy); });
}

void WorkerPool::State::leaveOut(Member &member, const std::string &why) {
  member.isLeftOut = true;
  warnings.push_back("a worker is left out: " + why);
}

void WorkerPool::State::sayWarnings(std::unique_lock<std::mutex> &lock) {
  auto said = std::exchange(warnings, {});
  lock.unlock();
  for (const std::string &warning : said)
    callbacks.warn(warning);
  lock.lock();
}

Result<CompilerDescription, LocatedError>
WorkerPool::open(const CompilerSession &session) {
  state->abandonJobs();
  std::vector<std::optional<Result<CompilerDescription, LocatedError>>> opened(
      state->members.size());
  state->forEach(
      [&](size_t i) { opened[i] = state->members[i].compiler->open(session); });
  const CompilerDescription *description = nullptr;
  for (const auto &each : opened)
    if (each && *each && !description)
      description = &**each;
    else if (each && *each && describe(**each) != describe(*description))
      return LocatedError{"the workers compile differently: one is " +
                          describe(*description) + ", another " +
                          describe(**each) +
                          "; start equal versions by '--worker-command', and "
                          "name the chip by '--chip'"};
  std::unique_lock lock(state->mutex);
  for (size_t i = 0; i < opened.size(); ++i) {
    if (!opened[i] || *opened[i])
      continue;
    if (!description || state->callbacks.interrupted())
      return opened[i]->error();
    state->leaveOut(state->members[i], opened[i]->error().text());
  }
  state->sayWarnings(lock);
  return *description;
}

Result<Problem, LocatedError> WorkerPool::reference(ReferenceCpu cpu) {
  for (;;) {
    std::optional<Result<Problem, LocatedError>> problem;
    std::unique_lock lock(state->mutex);
    Member &member = state->first();
    state->changed.wait(lock, [&] { return !member.isBusy; });
    state->start(member, [&] {
      auto made = member.compiler->reference(cpu);
      std::lock_guard guard(state->mutex);
      problem = std::move(made);
    });
    state->changed.wait(lock, [&] { return problem.has_value(); });
    if (*problem || member.compiler->isAlive() || state->isAlone(member) ||
        state->callbacks.interrupted())
      return *std::move(problem);
    state->leaveOut(member, problem->error().text());
    state->sayWarnings(lock);
  }
}

/// Gives jobs to compilers that have none.
void WorkerPool::State::assign() {
  for (Member &member : members) {
    if (member.isBusy || member.isLeftOut)
      continue;
    auto job = std::ranges::find(jobs, false, &Job::isTaken);
    if (job == jobs.end())
      return;
    job->isTaken = true;
    start(member, [this, &member, &job = *job] { compile(member, job); });
  }
}

void WorkerPool::State::compile(Member &member, Job &job) {
  member.compiler->submit(job.values);
  Compilation result = member.compiler->next();
  std::lock_guard guard(mutex);
  keep(member, job, std::move(result));
}

/// Keeps a job's result, or gives the job to another compiler if its own is
/// gone.
void WorkerPool::State::keep(Member &member, Job &job, Compilation result) {
  bool isGone = result.status == Status::lost && !member.compiler->isAlive() &&
                !isAlone(member) && !isAbandoning && !callbacks.interrupted();
  if (isGone)
    leaveOut(member, result.message);
  if (isGone && !std::exchange(job.isRepeated, true))
    job.isTaken = false;
  else
    job.result = std::move(result);
}

void WorkerPool::submit(const Json &values) {
  std::lock_guard guard(state->mutex);
  state->jobs.push_back({values});
  state->assign();
}

std::optional<size_t> WorkerPool::bringForward(double seconds) {
  std::unique_lock lock(state->mutex);
  auto &jobs = state->jobs;
  auto findFirst = [&] {
    return std::ranges::find_if(
        jobs, [](const Job &job) { return job.result.has_value(); });
  };
  bool isReady =
      state->changed.wait_for(lock, std::chrono::duration<double>(seconds),
                              [&] { return findFirst() != jobs.end(); });
  if (!isReady)
    return std::nullopt;
  auto first = findFirst();
  auto place = static_cast<size_t>(std::distance(jobs.begin(), first));
  jobs.splice(jobs.begin(), jobs, first);
  return place;
}

Compilation WorkerPool::next() {
  std::unique_lock lock(state->mutex);
  state->changed.wait(lock,
                      [&] { return state->jobs.front().result.has_value(); });
  state->sayWarnings(lock);
  Compilation result = *std::move(state->jobs.front().result);
  state->jobs.pop_front();
  return result;
}
