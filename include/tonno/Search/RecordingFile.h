//===- Files of recorded spaces -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_RECORDINGFILE_H
#define TONNO_SEARCH_RECORDINGFILE_H

#include "tonno/Search/Recording.h"

#include <filesystem>
#include <string>

namespace tonno {

/// Reads a file of any of the formats below, compressed with gzip or not; which
/// it is follows from its content. The recording has the name of the file, less
/// its endings. Errors name the file, the line or entry, and what to do; what
/// is no error, but should be known, is among the recording's notes.
Result<Recording> readRecording(const std::filesystem::path &path);

/// The name of a file less the endings of these formats.
std::string recordingName(const std::filesystem::path &path);

/// The bytes of a file as text: decompressed, and without a byte order mark.
Result<std::string> recordedText(std::string bytes);

/// What is read, for messages about what is something else.
std::string recordingFormats();

/// The same of the bytes of a file.
Result<Recording> parseRecording(const std::string &bytes,
                                 const std::string &name);

/// A cache file of Kernel Tuner. One that was not closed, since Kernel Tuner
/// still runs or was killed, is read as if it was; one that ends within an
/// entry is an Error. So are a key that names other values than its entry, and
/// `tune_params` with other names than `tune_params_keys`.
///
/// Times are milliseconds; compileUnit (lib/Search/Recorded/CostUnits.h) says
/// how the unit of `compile_time` is found out. An entry's failure is its
/// `__error__`, or the name of an error in place of a value. InvalidConfig is
/// no point of the space: it is known without measuring.
/// CompilationFailedConfig is compile_error, any other error is `fault`, as are
/// a time that is no number and the 1e20 of old files.
Result<Recording> parseKernelTunerFile(const std::string &text,
                                       const std::string &name);

/// A T4 results file (AutoTuningAssociation). The time is the measurement
/// "time", or the only one that is an objective and has a unit of time; of
/// several values their median. Units are stated, "miliseconds" among them, and
/// else milliseconds; for that of compiling, `metadata.timeunit` counts unless
/// it is milliseconds and timestamps tell of seconds (CostUnits.h), as in files
/// made of Kernel Tuner's old ones. Of `invalidity`, "constraints" is no point
/// of the space, "compile" is compile_error, "runtime" is `fault`, "timeout" is
/// `hang`, "correctness" is `wrong`. The knobs are sorted by name, since the
/// format keeps no order.
Result<Recording> parseT4File(const std::string &text, const std::string &name);

/// Comma-separated values: a line of column names, then a line for each point.
/// One of the columns is the kernel's time: `time_s`, `time_ms`, `time_us` or
/// `time_ns`, empty where the point failed. There may be `status`: a
/// Status, of which `pruned` counts as ok, `runtime_error`, which is `fault`,
/// or `timeout`, which is `hang`; without it, a point without time is `fault`.
/// And what measuring took: `compile_ms`, `run_ms`, `other_ms`, or `cost_ms`,
/// the sum, which then counts as run. All other columns are parameters, whose
/// values are integers, `true` or `false`, decimals, or text, with quotes (RFC
/// 4180) where it has commas.
Result<Recording> parseCsvFile(const std::string &text,
                               const std::string &name);

/// The recording in these formats; reading it gives the same one, but for the
/// order of knobs in T4.
std::string printCsvFile(const Recording &recording);
std::string printT4File(const Recording &recording);

} // namespace tonno

#endif // TONNO_SEARCH_RECORDINGFILE_H
