//===- Captured output of candidates --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/PrintedOutput.h"
#include "tonno/Core/File.h"
#include "tonno/Core/PrintableText.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdio_ext.h>
#include <unistd.h>

using namespace tonno;

Result<PrintedOutput> PrintedOutput::create() {
  auto failed = [] {
    return Error{std::string("cannot make a pipe for what is printed: ") +
                 std::strerror(errno)};
  };
  Descriptor screen(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO));
  int ends[2];
  if (!screen.valid() || ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return failed();
  return PrintedOutput(ends[0], ends[1], std::move(screen));
}

void PrintedOutput::capture() {
  std::fflush(stdout);
  ::dup2(writer.get(), STDOUT_FILENO);
  ::dup2(writer.get(), STDERR_FILENO);
}

std::string PrintedOutput::take() {
  std::string text;
  char bytes[4096];
  for (ssize_t length;
       (length = ::read(reader.get(), bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<size_t>(length));
  return text;
}

void PrintedOutput::forward() {
  std::fflush(stdout);
  ::__fpurge(stdout); // what did not fit
  std::clearerr(stdout);
  pollfd room = {writer.get(), POLLOUT, 0};
  bool isFull = ::poll(&room, 1, 0) == 0;
  (void)!writeAll(screen.get(), toPrintable(take()));
  if (isFull)
    (void)!writeAll(screen.get(), "\n(more was printed, and is dropped)\n");
}
