//===- Start of programs --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/ProgramStart.h"
#include "tonno/Core/File.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

using namespace tonno;

void tonno::beginProgram(BrokenPipe pipe) {
  openStandardDescriptors();
  ::signal(SIGCHLD, SIG_DFL);
  ::signal(SIGXFSZ, SIG_IGN);
  if (pipe == BrokenPipe::is_error)
    ::signal(SIGPIPE, SIG_IGN);
}

Result<void> tonno::terminateWithParent(pid_t parent) {
  if (::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
    return Error{std::string("cannot be bound to the parent's life: ") +
                 std::strerror(errno)};
  // A script may stand between: then this process ends with the script.
  if (::getppid() != parent && ::kill(parent, 0) != 0 && errno == ESRCH)
    return Error{"process " + std::to_string(parent) + " has ended"};
  return {};
}

#ifdef __GLIBC__

void tonno::keepFreedMemory(int bytes) {
  ::mallopt(M_TRIM_THRESHOLD, bytes);
  ::mallopt(M_MMAP_THRESHOLD, bytes);
  ::mallopt(M_TOP_PAD, 16 << 20);
}

void tonno::returnFreedMemory() { ::malloc_trim(0); }

#else

void tonno::keepFreedMemory(int) {}
void tonno::returnFreedMemory() {}

#endif

std::string tonno::startRemedy(const std::vector<std::string> &command,
                               const std::string &program) {
  std::string words;
  for (const std::string &word : command)
    words += (words.empty() ? "" : " ") + word;
  return " of its start; check that '" + words + "' starts " + program +
         ", with its own standard input and output; raise the limit by "
         "'--start-seconds=<s>'";
}
