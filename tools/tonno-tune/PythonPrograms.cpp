//===- Programs of the Python package -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PythonPrograms.h"
#include "Commands.h"

#include "tonno/Tuner/Processes.h"

#include <unistd.h>

using namespace tonno;

int tonno::becomePythonProgram(const std::string &program,
                               std::vector<std::string> arguments,
                               const std::string &whatNeedsIt) {
  arguments.insert(arguments.begin(), findTool(program));
  std::vector<char *> words;
  for (std::string &argument : arguments)
    words.push_back(argument.data());
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  return fail(whatNeedsIt + " the program " + program +
              " of the Python package, which is not on the PATH; install it "
              "with 'pip install .' in tonno's sources");
}
