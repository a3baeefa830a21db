//===- A child for the tests of Subprocess --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/Subprocess.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

using namespace tonno;

[[noreturn]] static void spin(int threads) {
  if (threads > 1)
    std::thread([threads] { spin(threads - 1); }).detach();
  for (volatile unsigned turns = 0;;)
    turns = turns + 1;
}

/// Answers each message by what it says: `{"echo": x}` gives x, `{"print": x}`
/// prints before it answers, `{"exit": n}` and `{"raise": n}` end the process,
/// `{"fork": {}}` leaves a child behind and gives its process id, `{"pid":
/// {}}` gives its own, `{"hang": {}}` gives nothing, `{"spin": n}` neither,
/// and is busy with so many threads.
static Json answer(const Json &message) {
  if (message.contains("print")) {
    std::puts(message["print"].get<std::string>().c_str());
    std::fflush(stdout);
    return {{"stdin_at_end", std::getchar() == EOF}};
  }
  if (message.contains("exit"))
    std::exit(message["exit"].get<int>());
  if (message.contains("raise"))
    std::raise(message["raise"].get<int>());
  if (message.contains("fork")) {
    pid_t child = ::fork();
    if (child == 0)
      for (;;)
        ::pause();
    return child;
  }
  if (message.contains("pid"))
    return ::getpid();
  if (message.contains("hang"))
    for (;;)
      ::pause();
  if (message.contains("spin"))
    spin(message["spin"].get<int>());
  return message.value("echo", Json());
}

/// Answers a request with its own ticket.
static Json withTicket(const Json &message, Json reply) {
  if (reply.is_object() && message.contains("ticket"))
    reply["ticket"] = message["ticket"];
  return reply;
}

/// Sends signs of life, and no answer, until nobody reads them.
static void showLife(int output) {
  while (writeFrame(output, {{"alive", true}}))
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

/// Answers every request with the JSON in the first argument, if there is one;
/// with a second argument, only greetings, and others by signs of life.
int main(int argc, char **argv) {
  auto channel = claimFrameChannel(::getppid(), /*graceSeconds=*/0);
  if (!channel)
    return 1;
  for (;;) {
    auto message = readFrame(channel->input);
    if (!message)
      return 0;
    if (argc > 2 && !message->contains("hello"))
      showLife(channel->output);
    Json reply = argc > 1 ? Json::parse(argv[1]) : answer(*message);
    if (!writeFrame(channel->output, withTicket(*message, std::move(reply))))
      return 0;
  }
}
