//===- A compiler in a process of its own ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WorkerProcess.h"

#include "tonno/Process/Protocol.h"
#include "WorkerServer.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace tonno;

std::string WorkerProcess::explain(FrameFailure failure,
                                   const std::string &worker) {
  silence = process->terminate(failure);
  if (cancelled && cancelled())
    silence = silence->duringInterrupt();
  return silence->text(worker, waited);
}

Result<void, FrameFailure> WorkerProcess::send(const Json &message) {
  waited = limits.silentSeconds;
  return process->send(message, inSeconds(waited), cancelled);
}

Result<Json, FrameFailure> WorkerProcess::receive(double silentSeconds) {
  // A worker limits its compilations itself, and may repeat one.
  double compileSeconds = CompileLimits().seconds;
  if (session && session->compileSeconds)
    compileSeconds = *session->compileSeconds;
  // A worker on another machine stretches its limit as FairLimit does, which
  // counts this machine's waits alone.
  double most = 2 * FairLimit::mostStretch * compileSeconds + silentSeconds;
  FairLimit whole = process->limit(most);
  for (;;) {
    waited = silentSeconds;
    auto message = process->receiveWithin(silentSeconds, cancelled);
    if (!message || !message->contains("alive"))
      return message;
    if (Clock::now() < whole.earliest() || !whole.hasPassed())
      continue;
    waited = most;
    return FrameFailure::timed_out;
  }
}

Result<Json, LocatedError> WorkerProcess::ask(const Json &message,
                                              double silentSeconds,
                                              const std::string &remedy) {
  const std::string worker = "the worker '" + command[0] + "'";
  auto failed = [&](const std::string &message) {
    process.reset();
    LocatedError error;
    error.message = message;
    return error;
  };
  silence.reset();
  if (!process)
    return failed(worker + " is not running");
  if (auto sent = send(message); !sent)
    return failed(explain(sent.error(), worker));
  auto reply = receive(silentSeconds);
  if (!reply)
    return failed(explain(reply.error(), worker) +
                  (reply.error() == FrameFailure::timed_out ? remedy : ""));
  if (auto error = reply->find("error"); error != reply->end()) {
    auto located = decode<LocatedError>(*error);
    return located ? *located : LocatedError{located.error().message};
  }
  return *reply;
}

template <typename T>
static Result<T, LocatedError>
decodeReply(const Result<Json, LocatedError> &reply, const char *key) {
  if (!reply)
    return reply.error();
  auto value = decodeMember<T>(*reply, key);
  if (!value)
    return LocatedError{"the worker's answer: " + value.error().message};
  return std::move(*value);
}

Result<void, LocatedError> WorkerProcess::start() {
  // A worker of another compiler starts programs, which must end with it.
  auto child = Subprocess::spawn(command, Ending::asked);
  if (!child)
    return LocatedError{child.error().message +
                        "; name the worker by '--worker-command'"};
  process.emplace(std::move(*child));
  auto greeted = ask({{"hello", makeGreeting()}}, limits.startSeconds,
                     startRemedy(command, "a worker"));
  if (!greeted)
    return greeted.error();
  auto greeting = greeted->find("hello");
  const std::string worker = "'" + command[0] + "'";
  Result<void> known = Error{worker + " is not a worker of tonno"};
  if (greeting != greeted->end())
    known = checkGreeting(*greeting, "the worker " + worker);
  if (!known) {
    process.reset();
    return LocatedError{known.error().message};
  }
  return {};
}

bool WorkerProcess::isWorthRetrying() const {
  return silence && silence->mayBeExternal() && !(cancelled && cancelled());
}

/// Returns the addition to the error if the second worker ended like the first.
static std::string bothEnded(const NoAnswer &silence) {
  bool isKilled = silence.cause == NoAnswer::Cause::killed;
  return std::string("; the previous worker ended as well") +
         (isKilled ? "; check that there is enough memory" : "");
}

Result<CompilerDescription, LocatedError> WorkerProcess::openOnce() {
  silence.reset();
  if (auto started = start(); !started) {
    // A command that exits at once does so again.
    if (silence && !silence->isSignalled())
      silence.reset();
    return started.error();
  }
  return decodeReply<CompilerDescription>(
      ask({{"open", *session}}, limits.silentSeconds), "opened");
}

Result<CompilerDescription, LocatedError>
WorkerProcess::open(const CompilerSession &opened) {
  session = opened;
  submitted.clear(); // a session that ran out of time leaves some behind
  auto description = openOnce();
  if (description || !isWorthRetrying())
    return description;
  description = openOnce();
  if (description || !isWorthRetrying())
    return description;
  LocatedError error = description.error();
  error.message += bothEnded(*silence);
  return error;
}

Result<Json, LocatedError> WorkerProcess::askWithRetry(const Json &message) {
  auto reply = ask(message, limits.silentSeconds);
  if (reply || !isWorthRetrying())
    return reply;
  TONNO_TRY(restart());
  reply = ask(message, limits.silentSeconds);
  if (reply || !isWorthRetrying())
    return reply;
  LocatedError error = reply.error();
  error.message += bothEnded(*silence);
  return error;
}

Result<Problem, LocatedError> WorkerProcess::reference(ReferenceCpu cpu) {
  const char *name = cpu == ReferenceCpu::any ? "any" : "native";
  return decodeReply<Problem>(askWithRetry({{"reference", name}}), "problem");
}

void WorkerProcess::submit(const Json &values) {
  submitted.push_back(values);
  // A worker that is gone is noticed by `next`, which has a result to give.
  if (process)
    (void)send({{"compile", values}}).ok();
}

Result<void, LocatedError> WorkerProcess::restart() {
  process.reset();
  std::deque<Json> waiting = std::move(submitted);
  auto reopened = open(CompilerSession(*session));
  for (const Json &values : waiting)
    submit(values);
  if (!reopened)
    return reopened.error();
  return {};
}

Compilation WorkerProcess::lost(std::string message) {
  process.reset();
  if (cancelled && cancelled())
    return {Status::lost, message, std::nullopt, 0};
  if (auto restarted = restart(); !restarted)
    message += "; cannot restart the worker: " + restarted.error().text();
  return {Status::lost, message, std::nullopt, 0};
}

/// Returns why an answer is none that a compilation has; empty if it is.
static std::string findContradiction(const Compilation &compilation) {
  using enum Status;
  static constexpr Status ends[] = {ok,
                                    compile_error,
                                    compile_crash,
                                    compile_timeout,
                                    out_of_memory,
                                    unlaunchable,
                                    lost};
  if (!llvm::is_contained(ends, compilation.status))
    return "the status '" + std::string(toString(compilation.status)) + "'";
  if ((compilation.status == ok) != compilation.artifact.has_value())
    return compilation.artifact ? "an artifact of a failure" : "no artifact";
  if (!std::isfinite(compilation.seconds) || compilation.seconds < 0)
    return "negative or infinite seconds";
  return "";
}

/// Cuts a message that no log or table should have whole.
static void shorten(std::string &message) {
  constexpr size_t most = 1 << 16;
  if (message.size() > most)
    message.replace(most, std::string::npos, "...");
}

Compilation WorkerProcess::next() {
  const Json values = submitted.front();
  auto giveUp = [&](const std::string &why) {
    submitted.pop_front();
    return lost(why);
  };
  if (!process)
    return giveUp("the worker is not running");
  auto reply = receive(limits.silentSeconds);
  if (!reply) {
    std::string why = explain(reply.error(), "the worker");
    if (!isWorthRetrying())
      return giveUp(why);
    if (auto restarted = restart(); !restarted) {
      submitted.pop_front();
      return {Status::lost,
              why + "; cannot restart the worker: " + restarted.error().text(),
              std::nullopt, 0};
    }
    reply = receive(limits.silentSeconds);
  }
  if (!reply) {
    std::string why = explain(reply.error(), "the worker");
    return giveUp(isWorthRetrying() ? why + bothEnded(*silence) : why);
  }
  submitted.pop_front();
  auto compilation = decodeMember<Compilation>(*reply, "compiled");
  if (!compilation)
    return lost("the worker answered with " + compilation.error().message);
  // An artifact is matched with its configuration by these values only.
  auto compiled = decodeMember<Json>(*reply, "values");
  if (!compiled || *compiled != values)
    return lost("the worker is out of step: asked for " + values.dump() +
                ", it answered for " + (compiled ? compiled->dump() : "none"));
  if (std::string why = findContradiction(*compilation); !why.empty())
    return lost("the worker answered with " + why);
  shorten(compilation->message);
  return std::move(*compilation);
}
