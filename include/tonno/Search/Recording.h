//===- Recorded spaces ----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_RECORDING_H
#define TONNO_SEARCH_RECORDING_H

#include "tonno/Core/KernelFeatures.h"
#include "tonno/Core/ResourceUsage.h"
#include "tonno/Core/Status.h"
#include "tonno/Space/SearchSpace.h"

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tonno {

/// Cost of measuring one configuration, in seconds. A source that states only
/// the sum has it in `run`.
struct RecordedCost {
  double compile = 0;
  double run = 0;   ///< verifying and measuring
  double other = 0; ///< of the tuner itself

  double total() const { return compile + run + other; }
  bool operator==(const RecordedCost &) const = default;
};

/// A recorded configuration with the outcome of its measurement.
struct RecordedTrial {
  Configuration configuration;
  Status status = Status::ok;
  double seconds = 0; ///< of the kernel: positive if ok, else 0
  RecordedCost cost;
  ResourceUsage usage = {}; ///< as far as it is recorded

  bool ok() const { return status == Status::ok; }
  bool operator==(const RecordedTrial &) const = default;
};

/// Kernel and device of a recording, as far as its file states them.
struct RecordingOrigin {
  KernelFeatures features = {};
  std::string device = {}; ///< its name for people
  std::string chip = {};   ///< its name for compilers

  bool operator==(const RecordingOrigin &) const = default;
};

/// A tuning space with measurements of all or some of its points, for searches
/// without the device. The measured points are the legal ones; the space itself
/// has no constraints, since recordings do not state them. At least one point
/// is ok.
///
/// The options of a knob are those that occur: sorted if all are numbers, or
/// all booleans, else in order of occurrence. The default is the first point.
class Recording {
public:
  const std::string &name() const { return title; } ///< for people
  const SearchSpace &space() const { return searchSpace; }

  /// Returns the trials in recorded order, one for each configuration.
  const std::vector<RecordedTrial> &trials() const { return recorded; }
  std::vector<Configuration> points() const;

  /// Returns the index of the trial of this configuration.
  std::optional<size_t> find(const Configuration &configuration) const;

  double bestSeconds() const { return best; }
  double worstSeconds() const { return worst; }
  size_t okCount() const { return valid; }

  /// Entries that broke constraints which are known without measuring: they are
  /// no points.
  size_t excluded() const { return excludedCount; }
  /// Returns the number of entries without information on their configuration:
  /// other processes used the device, the runner was lost, or a time bound
  /// pruned them. They are no points either.
  size_t disturbed() const { return disturbedCount; }
  /// Returns remarks for users, for example that the file may be truncated.
  const std::vector<std::string> &notes() const { return noteList; }

  const RecordingOrigin &origin() const { return statedOrigin; }

  void rename(std::string name) { title = std::move(name); }
  void setOrigin(RecordingOrigin origin) { statedOrigin = std::move(origin); }

private:
  friend class RecordingBuilder;
  Recording() = default;

  std::string title;
  RecordingOrigin statedOrigin;
  SearchSpace searchSpace;
  std::vector<RecordedTrial> recorded;
  std::unordered_map<Configuration, size_t, ConfigurationHash> places;
  double best = 0, worst = 0;
  size_t valid = 0, excludedCount = 0, disturbedCount = 0;
  std::vector<std::string> noteList;
};

/// An entry of a recorded file, in seconds.
struct RecordedEntry {
  std::vector<Json> values; ///< one for each parameter, in their order
  Status status = Status::ok;
  double seconds = 0; ///< ignored unless ok
  RecordedCost cost;
  ResourceUsage usage = {};
  std::string origin; ///< where it stands, for messages: "line 5"
};

/// Makes a Recording of entries, one after another.
class RecordingBuilder {
public:
  explicit RecordingBuilder(std::vector<std::string> parameters);

  const std::vector<std::string> &parameters() const { return names; }

  /// Adds an entry. Refuses a wrong number of values, a value that is no
  /// option, a time that is not positive and finite, a cost that is negative or
  /// not finite, and a second entry with the same values, even with an equal
  /// time: no source measures a configuration twice. Entries that are
  /// `contended` or `lost` are counted and left out.
  Result<void> add(RecordedEntry entry);
  /// Counts an entry that is no point of the space.
  void exclude() { ++recording.excludedCount; }
  /// Adds a remark, see Recording::notes.
  void note(std::string text) { recording.noteList.push_back(std::move(text)); }

  /// Returns the recording; fails if there are no entries or none is ok.
  Result<Recording> finish(std::string name) &&;

private:
  Result<Option> normalizeOption(const Json &value, size_t parameter,
                                 const std::string &origin) const;
  void sortOptions();

  std::vector<std::string> names;
  std::vector<std::map<Option, uint32_t>> indices; ///< as they occurred
  std::vector<std::string> origins;                ///< of the trials
  Recording recording;
};

/// Reads a file of any of the formats below, compressed with gzip or not;
/// detects the format by content. The recording has the name of the file
/// without its endings. Errors name the file, the line or entry, and the
/// remedy; warnings are among the recording's notes.
Result<Recording> readRecording(const std::filesystem::path &path);

/// Returns the name of a file without the endings of these formats.
std::string recordingName(const std::filesystem::path &path);

/// Decompresses the bytes of a file, and removes a byte order mark.
Result<std::string> recordedText(std::string bytes);

/// Returns the list of readable formats, for error messages.
std::string recordingFormats();

/// Parses the bytes of a file.
Result<Recording> parseRecording(const std::string &bytes,
                                 const std::string &name);

/// A cache file of Kernel Tuner. One that was not closed, since Kernel Tuner
/// still runs or was killed, is read as if it was; one that ends within an
/// entry is an Error. So are a key that names other values than its entry, and
/// `tune_params` with other names than `tune_params_keys`.
///
/// Times are milliseconds; how the unit of `compile_time` is found out,
/// compileUnit (lib/Search/Recorded/JsonRecordings.cpp) says. An entry's
/// failure is its `__error__`, or the name of an error in place of a value.
/// InvalidConfig is no point of the space: it is known without measuring.
/// CompilationFailedConfig is compile_error, any other error is `fault`, as are
/// a time that is no number and the 1e20 of old files.
Result<Recording> parseKernelTunerFile(const std::string &text,
                                       const std::string &name);

/// Parses a T4 results file (AutoTuningAssociation). The time is the
/// measurement "time", or the only objective with a unit of time; several
/// values give their median. Stated units are used, including "miliseconds";
/// the default is milliseconds. For the compile time, `metadata.timeunit`
/// counts unless it is milliseconds and timestamps imply seconds, as in files
/// converted from old Kernel Tuner caches. The values of `invalidity` are
/// mapped as follows:
///
///   "constraints": no point of the space
///   "compile":     compile_error
///   "runtime":     fault
///   "timeout":     hang
///   "correctness": wrong
///
/// Knobs are sorted by name, since the format keeps no order. The metadata that
/// 'tonno-tune cache export' writes is the recording's origin.
Result<Recording> parseT4File(const std::string &text, const std::string &name);

/// Comma-separated values: a line of column names, then a line for each point.
/// One of the columns is the kernel's time: `time_s`, `time_ms`, `time_us` or
/// `time_ns`, empty where the point failed. There may be `status`: a
/// Status, of which `pruned` counts as ok, `runtime_error`, which is `fault`,
/// or `timeout`, which is `hang`; without it, a point without time is `fault`.
/// And what measuring took: `compile_ms`, `run_ms`, `other_ms`, or `cost_ms`,
/// the sum, which then counts as run. Columns such as `usage.instructions` have
/// the members of ResourceUsage, `usage.time_bound_seconds` the time bound's;
/// they are empty where they are not known. All other columns are parameters,
/// whose values are integers, `true` or `false`, decimals, or text, with quotes
/// (RFC 4180) where it has commas.
Result<Recording> parseCsvFile(const std::string &text,
                               const std::string &name);

/// Renames those that have the name of another one, so that no two have the
/// same: by their files, one for each, by the paths of these where the files
/// are called the same, and by number where they are of one file.
void makeNamesUnique(std::span<Recording> recordings,
                     std::span<const std::filesystem::path> files);

/// Returns the factor from a unit of time in files, including the misspelling
/// "miliseconds", to seconds; none if unknown.
std::optional<double> secondsPerUnit(const std::string &unit);

} // namespace tonno

#endif // TONNO_SEARCH_RECORDING_H
