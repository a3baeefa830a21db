//===- Inserts records into a shared store until it is killed -------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/HttpStore.h"
#include "CountedRecords.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace tonno;

/// Usage: StoreWriter <url> <seed> own|common. Inserts trials under keys of its
/// own, or under a few keys that all writers use, with contents that depend on
/// seed and number. Prints a line "<key> <number>" for each that the store has
/// taken. Ends by itself only if the store fails.
int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  HttpStoreOptions options = HttpStoreOptions::fromEnvironment(argv[1]);
  // The machine may be busy: limits of time are tested elsewhere.
  options.connectSeconds = options.requestSeconds = options.sessionSeconds =
      600;
  auto store = HttpStore::open(options, [](const std::string &message) {
    std::fprintf(stderr, "%s\n", message.c_str());
  });
  if (!store)
    return 3;
  const auto seed = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  const bool isCommon = std::string(argv[3]) == "common";
  constexpr unsigned commonKeys = 5;
  for (unsigned number = 0;; ++number) {
    std::string key =
        isCommon ? countedKey(number % commonKeys) : ownKey(seed, number);
    if (!(*store)->insert(key, countedRecord(seed, number))) {
      if (isCommon)
        continue; // other writers were faster, each time
      return 5;
    }
    if (std::printf("%s %u\n", key.c_str(), number) < 0 ||
        std::fflush(stdout) != 0)
      return 6;
  }
}
