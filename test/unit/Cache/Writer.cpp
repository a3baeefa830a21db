//===- Inserts and finds records until it is killed -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Hash.h"
#include "CountedRecords.h"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <unistd.h>

using namespace tonno;

/// Usage: Writer <cache> <seed>. Prints a letter once it has inserted a record.
/// Ends by itself only if a record is wrong.
int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  auto store =
      DirectoryStore::open(argv[1], DirectoryStore::Mode::read_write,
                           [](const std::string &message) {
                             std::fprintf(stderr, "%s\n", message.c_str());
                             std::exit(3);
                           });
  if (!store)
    return 4;
  std::mt19937 random(
      static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)));
  for (bool hasTold = false;;) {
    unsigned key = random() % countedKeys;
    if (random() % 2) {
      if (!(*store)->insert(countedKey(key), countedRecord(key, random())))
        return 5;
      if (!hasTold && ::write(STDOUT_FILENO, "x", 1) != 1)
        return 7;
      hasTold = true;
    } else if (auto found = (*store)->find(countedKey(key));
               found && !isCounted(key, *found)) {
      return 6;
    }
  }
}
