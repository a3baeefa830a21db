//===- How programs are started -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/ProgramStart.h"
#include "tonno/Core/File.h"

#include <csignal>

using namespace tonno;

void tonno::beginProgram(BrokenPipe pipe) {
  openStandardDescriptors();
  ::signal(SIGCHLD, SIG_DFL);
  ::signal(SIGXFSZ, SIG_IGN);
  if (pipe == BrokenPipe::is_error)
    ::signal(SIGPIPE, SIG_IGN);
}

std::string tonno::startRemedy(const std::vector<std::string> &command,
                               const std::string &program) {
  std::string words;
  for (const std::string &word : command)
    words += (words.empty() ? "" : " ") + word;
  return " of its start; check that '" + words + "' starts " + program +
         ", with its own standard input and output; --start-seconds=<s> lets "
         "it take longer";
}
