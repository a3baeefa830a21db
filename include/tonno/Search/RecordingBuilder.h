//===- Entries become a recording -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_RECORDINGBUILDER_H
#define TONNO_SEARCH_RECORDINGBUILDER_H

#include "tonno/Search/Recording.h"

#include <map>

namespace tonno {

/// What one entry of a recorded file tells, in seconds.
struct RecordedEntry {
  std::vector<Json> values; ///< one for each parameter, in their order
  Status status = Status::ok;
  double seconds = 0; ///< ignored unless ok
  RecordedCost cost;
  std::string origin; ///< where it stands, for messages: "line 5"
};

/// Makes a Recording of entries, one after another.
class RecordingBuilder {
public:
  explicit RecordingBuilder(std::vector<std::string> parameters);

  const std::vector<std::string> &parameters() const { return names; }

  /// Refused are: another number of values, a value that is no option, a time
  /// that is not positive or not finite, a cost that is negative or not finite,
  /// and a second entry of the same values, whether or not it agrees: no source
  /// measures a configuration twice. What is `contended` or `lost` is counted
  /// and left out.
  Result<void> add(RecordedEntry entry);
  /// Counts an entry that is no point of the space.
  void exclude() { ++recording.excludedCount; }
  /// See Recording::notes.
  void note(std::string text) { recording.noteList.push_back(std::move(text)); }

  /// Nothing recorded and nothing ok are Errors.
  Result<Recording> finish(std::string name) &&;

private:
  Result<Option> optionOf(const Json &value, size_t parameter,
                          const std::string &origin) const;
  void sortOptions();

  std::vector<std::string> names;
  std::vector<std::map<Option, uint32_t>> indices; ///< as they occurred
  std::vector<std::string> origins;                ///< of the trials
  Recording recording;
};

} // namespace tonno

#endif // TONNO_SEARCH_RECORDINGBUILDER_H
