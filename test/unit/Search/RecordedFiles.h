//===- Recorded files for tests -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_SEARCH_RECORDEDFILES_H
#define TEST_UNIT_SEARCH_RECORDEDFILES_H

#include "tonno/Search/Recording.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <string>

namespace tonno {

/// Returns the message of the refusal; empty, with a test failure, if the file
/// is accepted.
inline std::string refusal(const std::string &bytes) {
  auto recording = parseRecording(bytes, "file");
  EXPECT_FALSE(recording.ok());
  return recording ? std::string() : recording.error().message;
}

/// Parses a recording that must be valid.
inline Recording accepted(const std::string &bytes) {
  auto recording = parseRecording(bytes, "file");
  EXPECT_TRUE(recording.ok()) << (recording ? "" : recording.error().message);
  return recording ? std::move(*recording)
                   : *parseCsvFile("a,time_ms\n1,1\n", "failed");
}

/// Returns the trial with these values.
inline RecordedTrial trialOf(const Recording &recording, const Json &values) {
  auto configuration = recording.space().configuration(values);
  EXPECT_TRUE(configuration.ok()) << configuration.error().message;
  auto index = configuration ? recording.find(*configuration) : std::nullopt;
  EXPECT_TRUE(index.has_value()) << printed(values);
  return recording.trials()[index.value_or(0)];
}

/// Returns the folder of published recordings, or null.
inline const char *replayData() { return std::getenv("TONNO_REPLAY_DATA"); }

} // namespace tonno

#endif // TEST_UNIT_SEARCH_RECORDEDFILES_H
