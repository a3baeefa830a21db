//===- What NVIDIA's assembler says ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PtxasLog.h"

#include "llvm/ADT/SmallVector.h"

using namespace tonno;
using llvm::StringRef;

static constexpr size_t mostBytes = 2000;

/// The function of a line "ptxas info    : Function properties for 'name'".
static StringRef functionIn(StringRef line) {
  return line.split("Function properties for ").second.trim("':");
}

/// The number of a line "0 bytes stack frame, 8 bytes spill stores, ...".
static bool parseSpills(StringRef line, uint64_t &bytes) {
  StringRef before = line.split(" bytes spill stores").first;
  StringRef number = before.substr(before.rfind(' ') + 1);
  return before.size() < line.size() && !number.getAsInteger(10, bytes);
}

std::map<std::string, uint64_t> tonno::spillsInLog(StringRef log) {
  std::map<std::string, uint64_t> spills;
  llvm::SmallVector<StringRef> lines;
  log.split(lines, '\n');
  StringRef function;
  for (StringRef line : lines) {
    if (StringRef name = functionIn(line); !name.empty())
      function = name;
    if (uint64_t bytes; !function.empty() && parseSpills(line, bytes))
      spills[function.str()] = bytes;
  }
  return spills;
}

std::string tonno::assemblerErrors(StringRef log,
                                   const std::string &otherwise) {
  std::string errors;
  llvm::SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    if (!line.contains_insensitive("error") && !line.contains("fatal"))
      continue;
    if (errors.size() + line.size() > mostBytes)
      return errors.empty() ? line.take_front(mostBytes).str() + " ..."
                            : errors + "\n...";
    errors += (errors.empty() ? "" : "\n") + line.trim().str();
  }
  return errors.empty() ? otherwise : errors;
}

std::string tonno::withoutPath(StringRef log, StringRef path) {
  std::string text;
  while (!log.empty()) {
    auto [before, after] = log.split(path);
    text += before;
    if (before.size() < log.size())
      text += "kernel.ptx";
    log = after;
  }
  return text;
}
