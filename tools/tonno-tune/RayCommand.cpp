//===- tonno-tune --ray ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RayCommand.h"

#include "tonno/Tuner/Processes.h"

#include "llvm/ADT/STLExtras.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <vector>

using namespace tonno;
namespace cl = llvm::cl;

/// Options that the cluster decides.
static constexpr const char *decided[] = {"device", "runner-command",
                                          "worker-command"};
/// Options without a device.
static constexpr const char *surveys[] = {"compile-only", "verify-only",
                                          "bundle", "results"};

static bool isGivenOption(const char *name) {
  auto option = cl::getRegisteredOptions().find(name);
  return option != cl::getRegisteredOptions().end() &&
         option->second->getNumOccurrences() > 0;
}

/// Marks the program that Python runs.
static constexpr char mark[] = "TONNO_IN_RAY_SESSION";

/// Returns the arguments without this option.
static std::vector<std::string> withoutRay(int argc, char **argv) {
  std::vector<std::string> words;
  for (llvm::StringRef word : llvm::ArrayRef(argv + 1, argc - 1)) {
    llvm::StringRef name = word.ltrim('-').split('=').first;
    if (!word.starts_with("-") || name != "ray")
      words.push_back(word.str());
  }
  return words;
}

Error RayOption::replaceProgram(const TuneRequest &request, int argc,
                                char **argv) const {
  for (const char *name : decided)
    if (isGivenOption(name))
      return Error{"'--" + std::string(name) +
                   "' contradicts '--ray', which takes the devices and the "
                   "nodes of the cluster; leave out one of them"};
  for (const char *name : surveys)
    if (isGivenOption(name))
      return Error{"'--" + std::string(name) +
                   "' runs nothing on a device of the cluster; leave out "
                   "'--ray'"};
  if (std::getenv(mark))
    return Error{"'--ray' is in a response file, from which it cannot be taken "
                 "out; give it on the command line"};
  std::error_code unknown;
  auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (unknown)
    return Error{"cannot find this program's own file: " + unknown.message()};
  ::setenv(mark, "1", /*overwrite=*/1);
  // For Python, and for the nodes of a cluster that starts here.
  ::setenv("TONNO_TOOLS_DIR", program.parent_path().c_str(), /*overwrite=*/0);
  std::vector<std::string> words = {
      findTool("python3"),          "-m",
      "tonno.distributed.command",  "--address=" + address,
      "--target=" + request.target, "--chip=" + request.chip};
  if (request.jobs)
    words.push_back("--jobs=" + std::to_string(*request.jobs));
  llvm::append_values(words, "--", program.string());
  llvm::append_range(words, withoutRay(argc, argv));
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  return Error{"cannot start '" + words[0] +
               "' for '--ray': " + std::strerror(errno) +
               "; install it by 'pip install tonno-mlir[ray,tools]'"};
}
