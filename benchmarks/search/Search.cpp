//===- Search.cpp - Strategies on recorded spaces -------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/RecordingFile.h"
#include "Figures.h"

#include <charconv>
#include <iostream>

using namespace tonno;

namespace {
struct Arguments {
  std::vector<std::string> files, strategies;
  ReplayGridOptions grid;
  bool isJson = false;
};
} // namespace

static const char *const usage =
    "usage: tonno-benchmark-search [--strategies=OURS,OTHER,...] [--seeds=30]\n"
    "           [--trials=400] [--threads=1] [--json] FILE...\n"
    "Replays strategies on recorded tuning spaces: cache files of Kernel "
    "Tuner, T4 files,\nCSV. The first one is ours, and the figures asked of "
    "the "
    "search are given for it.\n--json prints the comparison alone.\n";

static bool readCount(std::string_view text, size_t &count) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count > 0;
}

static std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

static std::optional<Arguments> parse(std::span<char *> words) {
  Arguments arguments;
  for (std::string_view word : words) {
    std::string_view value =
        word.substr(std::min(word.find('=') + 1, word.size()));
    size_t threads = 0;
    if (word == "--json")
      arguments.isJson = true;
    else if (word.starts_with("--strategies="))
      arguments.strategies = split(value);
    else if (word.starts_with("--threads=") && readCount(value, threads))
      arguments.grid.threads = static_cast<unsigned>(threads);
    else if (word.starts_with("--seeds=") &&
             readCount(value, arguments.grid.seeds))
      continue;
    else if (word.starts_with("--trials=") &&
             readCount(value, arguments.grid.replay.trials))
      continue;
    else if (word.starts_with("-"))
      return std::nullopt;
    else
      arguments.files.emplace_back(word);
  }
  if (arguments.strategies.empty())
    for (std::string_view name : strategyNames())
      if (name != "exhaustive")
        arguments.strategies.emplace_back(name);
  if (arguments.files.empty())
    return std::nullopt;
  return arguments;
}

static Result<void> run(const Arguments &arguments) {
  std::vector<Recording> recordings;
  for (const std::string &file : arguments.files) {
    auto recording = readRecording(file);
    if (!recording)
      return recording.error();
    recordings.push_back(std::move(*recording));
  }
  auto strategies = namedStrategies(arguments.strategies);
  if (!strategies)
    return strategies.error();
  auto grid = replayGrid(recordings, *strategies, arguments.grid);
  if (!grid)
    return grid.error();
  ReplayReport report =
      summarize(recordings, *strategies, arguments.grid, *grid);
  if (arguments.isJson) {
    std::cout << printed(report, 1) << '\n';
    return {};
  }
  std::cout << printTable(report) << '\n';
  auto figures =
      figuresOf(recordings, *strategies, arguments.grid, *grid, report);
  if (!figures)
    return figures.error();
  std::cout << printFigures(*figures);
  return {};
}

int main(int argc, char **argv) {
  auto arguments = parse({argv + 1, argv + argc});
  if (!arguments) {
    std::cerr << usage;
    return 2;
  }
  auto done = run(*arguments);
  if (!done)
    std::cerr << "tonno-benchmark-search: " << done.error().message << '\n';
  return done ? 0 : 1;
}
