//===- Recordings that can be told apart ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/RecordingNames.h"

#include <cassert>
#include <map>

using namespace tonno;
namespace fs = std::filesystem;

/// Of each recording, whether another one has its name.
static std::vector<bool> findShared(std::span<const Recording> recordings) {
  std::map<std::string, size_t> counts;
  for (const Recording &recording : recordings)
    ++counts[recording.name()];
  std::vector<bool> isShared;
  for (const Recording &recording : recordings)
    isShared.push_back(counts[recording.name()] > 1);
  return isShared;
}

void tonno::tellApart(std::span<Recording> recordings,
                      std::span<const fs::path> files) {
  assert(recordings.size() == files.size() && "one file for each");
  std::vector<std::string> names;
  for (const Recording &recording : recordings)
    names.push_back(recording.name());
  auto renameShared = [&](auto name) {
    std::vector<bool> isShared = findShared(recordings);
    for (size_t i = 0; i < recordings.size(); ++i)
      if (isShared[i])
        recordings[i].rename(name(i));
  };
  renameShared([&](size_t i) {
    return names[i] + " (" + files[i].filename().string() + ")";
  });
  renameShared(
      [&](size_t i) { return names[i] + " (" + files[i].string() + ")"; });
  std::map<std::string, size_t> numbers;
  renameShared([&](size_t i) {
    std::string name = recordings[i].name();
    return name + " #" + std::to_string(++numbers[name]);
  });
}
