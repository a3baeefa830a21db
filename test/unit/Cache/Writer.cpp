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

/// Inserts the records of a seed, without locks, and prints a letter for each
/// that the store has taken.
static int insertOwnRecords(const char *cache, unsigned seed) {
  auto store = DirectoryStore::open(
      cache, DirectoryStore::Mode::read_write, [](const std::string &) {},
      FileSystemKind::network);
  if (!store)
    return 4;
  for (unsigned number = 0;; ++number)
    if (!(*store)->insert(ownKey(seed, number), countedRecord(seed, number)) ||
        ::write(STDOUT_FILENO, "x", 1) != 1)
      return 5;
}

/// Usage: Writer <cache> <seed> [own]. Prints a letter once it has inserted a
/// record. Ends by itself only if a record is wrong.
int main(int argc, char **argv) {
  if (argc == 4)
    return insertOwnRecords(
        argv[1], static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)));
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
