//===- Journals as recorded spaces ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/RecordedJournal.h"
#include "tonno/Cache/Journal.h"
#include "tonno/Core/File.h"
#include "tonno/Search/Recording.h"

#include <algorithm>
#include <map>

using namespace tonno;
namespace fs = std::filesystem;

/// Half of an interval of a ratio, as a share of it, that is known no better.
static constexpr double coarse = 0.1;

namespace {

/// A session's entries, as recorded since the session last began.
struct Session {
  std::string name; ///< of the recording
  RecordingOrigin origin;
  std::vector<std::string> parameters = {};
  std::vector<RecordedEntry> entries = {};
  double baselineSeconds = 0; ///< 0 until one was measured
  size_t coarseTimes = 0;
};

class JournalReader {
public:
  Result<void> take(const std::string &line, const std::string &origin);
  /// Attaches the note on an unterminated line to the session that wrote last.
  void setUnterminatedLineNote(std::string note) {
    unterminatedLine = std::move(note);
  }
  Result<std::vector<Recording>> finish() &&;

private:
  Result<void> begin(Session &session, const Json &about,
                     const std::string &origin);
  Result<void> add(Session &session, const Json &line,
                   const std::string &origin);
  Result<void> amend(Session &session, const Json &line,
                     const std::string &origin);

  std::map<std::string, size_t> places;
  std::vector<Session> sessions;
  size_t latest = 0; ///< session of the last line
  std::string unterminatedLine;
};

} // namespace

Result<void> JournalReader::begin(Session &session, const Json &about,
                                  const std::string &origin) {
  auto space = decodeMember<SearchSpace>(about, "space");
  auto kernel = decodeMember<std::string>(about, "kernel");
  auto device = decodeMember<std::string>(about, "device");
  if (!space || !kernel || !device)
    return Error{origin + ": the session states no space, kernel or device"};
  session = {*kernel + "__" + *device,
             {{}, *device, about.value("chip", std::string())}};
  if (about.contains("features")) {
    auto features = decodeMember<KernelFeatures>(about, "features");
    if (!features)
      return features.error().prefixed(origin);
    session.origin.features = std::move(*features);
  }
  for (const Knob &knob : space->knobs())
    session.parameters.push_back(knob.name);
  return {};
}

static Error makeForeignJournalError(const std::string &origin,
                                     const Error &why) {
  return {origin + ": not a trial of this version's journal: " + why.message};
}

static Result<std::vector<Json>>
getParameterValues(const TrialRecord &record,
                   const std::vector<std::string> &parameters,
                   const std::string &origin) {
  std::vector<Json> values;
  for (const std::string &name : parameters) {
    auto value = record.values.find(name);
    if (value == record.values.end())
      return Error{origin + ": the knob '" + name + "' is missing"};
    values.push_back(*value);
  }
  return values;
}

Result<void> JournalReader::add(Session &session, const Json &line,
                                const std::string &origin) {
  auto record = decodeMember<TrialRecord>(line, "trial");
  auto compile = decodeMember<double>(line, "compile_seconds");
  auto run = decodeMember<double>(line, "run_seconds");
  if (!record || !compile || !run)
    return makeForeignJournalError(origin, !record    ? record.error()
                                           : !compile ? compile.error()
                                                      : run.error());
  RecordedEntry entry;
  entry.origin = origin;
  entry.status = record->status == Status::pruned ? Status::ok : record->status;
  entry.cost = {*compile, *run, 0};
  entry.usage = record->usage;
  auto values =
      TONNO_TRY(getParameterValues(*record, session.parameters, origin));
  entry.values = std::move(values);
  if (entry.status == Status::ok) {
    if (!record->measurement)
      return Error{origin + ": the trial is ok, but has no measurement"};
    const Measurement &measured = *record->measurement;
    bool isBeside = measured.baselineSeconds.n > 0;
    if (isBeside && session.baselineSeconds == 0)
      session.baselineSeconds = measured.baselineSeconds.median;
    entry.seconds = isBeside ? measured.ratio * session.baselineSeconds
                             : measured.seconds.median;
    // A pruned one is a lower bound in any case.
    const Interval &interval = measured.ratioInterval;
    session.coarseTimes +=
        record->status == Status::ok &&
        interval.high - interval.low > 2 * coarse * measured.ratio;
  }
  session.entries.push_back(std::move(entry));
  return {};
}

/// Marks a trial that was ok as failed in the test.
Result<void> JournalReader::amend(Session &session, const Json &line,
                                  const std::string &origin) {
  auto record = decodeMember<TrialRecord>(line, "amended");
  if (!record)
    return makeForeignJournalError(origin, record.error());
  auto values = getParameterValues(*record, session.parameters, origin);
  if (!values)
    return values.error();
  auto entry =
      std::ranges::find(session.entries, *values, &RecordedEntry::values);
  if (entry == session.entries.end())
    return Error{origin + ": the line amends an unknown trial"};
  entry->status = record->status;
  return {};
}

Result<void> JournalReader::take(const std::string &text,
                                 const std::string &origin) {
  auto line = unsealLine(text);
  if (!line)
    return Error{origin + ": the checksum does not match; remove the line"};
  auto key = decodeMember<std::string>(*line, "session");
  if (!key)
    return Error{origin + ": the line names no session"};
  auto about = line->find("begin");
  if (about == line->end() && !places.contains(*key))
    return Error{origin + ": the first line of the session is missing"};
  auto [place, isNew] = places.try_emplace(*key, sessions.size());
  if (isNew)
    sessions.emplace_back();
  latest = place->second;
  Session &session = sessions[latest];
  if (about != line->end())
    return begin(session, *about, origin);
  if (line->contains("trial"))
    return add(session, *line, origin);
  return line->contains("amended") ? amend(session, *line, origin)
                                   : Result<void>(); // its end
}

Result<std::vector<Recording>> JournalReader::finish() && {
  if (sessions.empty())
    return Error{unterminatedLine.empty()
                     ? "the journal has no sessions"
                     : "the journal has no complete line: " + unterminatedLine};
  std::vector<Recording> recordings;
  for (Session &session : sessions) {
    RecordingBuilder builder(std::move(session.parameters));
    Result<void> added;
    for (auto entry = session.entries.begin();
         added && entry != session.entries.end(); ++entry)
      added = builder.add(std::move(*entry));
    if (&session == &sessions[latest] && !unterminatedLine.empty())
      builder.note(unterminatedLine);
    if (session.coarseTimes > 0)
      builder.note(
          "at least 10 % uncertain: " + std::to_string(session.coarseTimes) +
          " of the times; other work disturbed the measurements");
    auto recording =
        added ? std::move(builder).finish(session.name) : added.error();
    if (!recording)
      return recording.error().prefixed("the session of " + session.name);
    recording->setOrigin(std::move(session.origin));
    recordings.push_back(std::move(*recording));
  }
  return recordings;
}

Result<std::vector<Recording>> tonno::parseJournal(const std::string &text) {
  JournalReader reader;
  JournalLines lines(text);
  while (auto line = lines.next())
    TONNO_TRY(reader.take(*line, "line " + std::to_string(lines.number())));
  if (!lines.unterminatedLine().empty())
    reader.setUnterminatedLineNote(
        "line " + std::to_string(lines.number() + 1) +
        " is incomplete and left out: another process is writing the journal "
        "or was killed, or the file was truncated");
  return std::move(reader).finish();
}

/// Parses a file of any kind.
static Result<std::vector<Recording>> parseAny(const std::string &bytes,
                                               const fs::path &path) {
  auto text = TONNO_TRY(recordedText(bytes));
  if (isJournalText(text))
    return parseJournal(text);
  auto recording = TONNO_TRY(parseRecording(text, recordingName(path)));
  std::vector<Recording> one;
  one.push_back(std::move(recording));
  return one;
}

Result<std::vector<Recording>>
tonno::readAllRecordings(std::span<const fs::path> paths) {
  std::vector<Recording> recordings;
  std::vector<fs::path> files;
  for (const fs::path &path : paths) {
    auto some = TONNO_TRY(readRecordings(path));
    files.resize(files.size() + some.size(), path);
    for (Recording &recording : some)
      recordings.push_back(std::move(recording));
  }
  makeNamesUnique(recordings, files);
  return recordings;
}

Result<std::vector<Recording>> tonno::readRecordings(const fs::path &path) {
  if (fs::is_directory(path))
    return readCachedRecordings(path);
  auto bytes = TONNO_TRY(readNamedFile(path));
  auto recordings = parseAny(bytes, path);
  if (!recordings)
    return recordings.error().prefixed("'" + path.string() + "'");
  return recordings;
}
