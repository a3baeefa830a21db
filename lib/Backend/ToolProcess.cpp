//===- Runs tools such as ptxas on files in memory ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ToolProcess.h"
#include "tonno/Core/File.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tonno;

Descriptor tonno::fileInMemory(llvm::StringRef bytes, bool inherited) {
  Descriptor file(::memfd_create("kernel", inherited ? 0 : MFD_CLOEXEC));
  if (!file.valid() || !writeAll(file.get(), bytes) ||
      ::lseek(file.get(), 0, SEEK_SET) != 0)
    return {};
  return file;
}

std::string tonno::readToEnd(int descriptor, size_t most) {
  std::string bytes;
  char chunk[65536];
  for (;;) {
    ssize_t n = ::read(descriptor, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return bytes;
    bytes.append(chunk, std::min(static_cast<size_t>(n), most - bytes.size()));
  }
}

static constexpr size_t keptBytes = 1 << 20;
/// Exit status of a shell for a program that cannot be started.
static constexpr int notStarted = 127;

/// Runs in the child: only system calls from here on.
[[noreturn]] static void start(char *const *arguments, int output, pid_t parent,
                               int failure) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  int input = ::open("/dev/null", O_RDONLY);
  if (::getppid() == parent && input >= 0 && ::dup2(input, 0) == 0 &&
      ::dup2(output, 1) == 1 && ::dup2(output, 2) == 2)
    ::execv(arguments[0], arguments);
  int reason = errno;
  (void)!::write(failure, &reason, sizeof reason);
  ::_exit(notStarted);
}

static ToolRun waitFor(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status))
    return {WEXITSTATUS(status) == 0,
            "exit status " + std::to_string(WEXITSTATUS(status)), ""};
  return {false, "signal " + std::to_string(WTERMSIG(status)), ""};
}

static Error systemError(const std::string &program) {
  return {"cannot run " + program + ": " + std::strerror(errno)};
}

Result<ToolRun> tonno::runTool(const std::vector<std::string> &argv) {
  std::vector<char *> arguments;
  for (const std::string &argument : argv)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  int ends[2], failureEnds[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return systemError(argv[0]);
  Descriptor output(ends[0]), outputEnd(ends[1]);
  if (::pipe2(failureEnds, O_CLOEXEC) != 0)
    return systemError(argv[0]);
  Descriptor failure(failureEnds[0]), failureEnd(failureEnds[1]);

  pid_t parent = ::getpid();
  pid_t child = ::fork();
  if (child < 0)
    return systemError(argv[0]);
  if (child == 0)
    start(arguments.data(), outputEnd.get(), parent, failureEnd.get());
  outputEnd.close();
  failureEnd.close();
  std::string text = readToEnd(output.get(), keptBytes);
  std::string reason = readToEnd(failure.get());
  ToolRun run = waitFor(child);
  run.output = std::move(text);
  if (reason.size() == sizeof(int)) {
    std::memcpy(&errno, reason.data(), sizeof(int));
    return systemError(argv[0]);
  }
  return run;
}
