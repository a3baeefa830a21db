//===- RecordedJournal.cpp - Journals as recorded spaces ------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Session/RecordedJournal.h"
#include "tonno/Cache/Journal.h"
#include "tonno/Core/File.h"
#include "tonno/Search/RecordingBuilder.h"
#include "tonno/Search/RecordingFile.h"

#include <map>

using namespace tonno;

namespace {

/// What a journal tells of one session, since it last began.
struct Session {
  std::string name; ///< of the recording
  std::vector<std::string> parameters;
  std::optional<RecordingBuilder> builder;
  double baselineSeconds = 0; ///< 0 until one was measured
};

class JournalReader {
public:
  /// A line without its end.
  Result<void> take(const std::string &line, const std::string &origin);
  Result<std::vector<Recording>> finish() &&;

private:
  Result<void> begin(Session &session, const Json &about,
                     const std::string &origin);
  Result<void> add(Session &session, const Json &line,
                   const std::string &origin);

  std::map<std::string, size_t> places;
  std::vector<Session> sessions;
};

} // namespace

Result<void> JournalReader::begin(Session &session, const Json &about,
                                  const std::string &origin) {
  auto space = decodeMember<SearchSpace>(about, "space");
  auto kernel = decodeMember<std::string>(about, "kernel");
  auto device = decodeMember<std::string>(about, "device");
  if (!space || !kernel || !device)
    return Error{origin + ": the session states no space, kernel or device"};
  session = {*kernel + "__" + *device, {}, {}, 0};
  for (const Knob &knob : space->knobs())
    session.parameters.push_back(knob.name);
  session.builder.emplace(session.parameters);
  return {};
}

Result<void> JournalReader::add(Session &session, const Json &line,
                                const std::string &origin) {
  auto record = decodeMember<TrialRecord>(line, "trial");
  auto compile = decodeMember<double>(line, "compile_seconds");
  auto run = decodeMember<double>(line, "run_seconds");
  if (!record || !compile || !run)
    return Error{origin + ": it is no trial of this version's journal"};
  if (record->status == Status::contended || record->status == Status::lost)
    return {};
  RecordedEntry entry;
  entry.origin = origin;
  entry.status = record->status == Status::pruned ? Status::ok : record->status;
  entry.cost = {*compile, *run, 0};
  for (const std::string &name : session.parameters) {
    auto value = record->values.find(name);
    if (value == record->values.end())
      return Error{origin + ": the knob '" + name + "' is missing"};
    entry.values.push_back(*value);
  }
  if (entry.status == Status::ok) {
    if (!record->measurement)
      return Error{origin + ": it is ok, but has no measurement"};
    const Measurement &measured = *record->measurement;
    bool isBeside = measured.baselineSeconds.n > 0;
    if (isBeside && session.baselineSeconds == 0)
      session.baselineSeconds = measured.baselineSeconds.median;
    entry.seconds = isBeside ? measured.ratio * session.baselineSeconds
                             : measured.seconds.median;
  }
  return session.builder->add(std::move(entry));
}

Result<void> JournalReader::take(const std::string &text,
                                 const std::string &origin) {
  auto line = unsealLine(text);
  if (!line)
    return Error{origin + ": its checksum is not that of the line; remove it"};
  auto key = decodeMember<std::string>(*line, "session");
  if (!key)
    return Error{origin + ": it states no session"};
  auto about = line->find("begin");
  if (about == line->end() && !places.contains(*key))
    return Error{origin + ": its session has no beginning"};
  auto [place, isNew] = places.try_emplace(*key, sessions.size());
  if (isNew)
    sessions.emplace_back();
  Session &session = sessions[place->second];
  if (about != line->end())
    return begin(session, *about, origin);
  return line->contains("trial") ? add(session, *line, origin)
                                 : Result<void>(); // its end
}

Result<std::vector<Recording>> JournalReader::finish() && {
  std::vector<Recording> recordings;
  for (Session &session : sessions) {
    auto recording = std::move(*session.builder).finish(session.name);
    if (!recording)
      return recording.error().prefixed("the session of " + session.name);
    recordings.push_back(std::move(*recording));
  }
  if (recordings.empty())
    return Error{"it has no sessions"};
  return recordings;
}

Result<std::vector<Recording>> tonno::parseJournal(const std::string &text) {
  JournalReader reader;
  size_t number = 0;
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos;
       end = text.find('\n', begin)) {
    auto taken = reader.take(text.substr(begin, end - begin),
                             "line " + std::to_string(++number));
    if (!taken)
      return taken.error();
    begin = end + 1;
  }
  return std::move(reader).finish();
}

/// Whether it begins as every line of a journal does, and no other format.
static bool isJournal(const std::string &text) {
  std::string line = text.substr(0, text.find('\n'));
  return line.starts_with('{') && line.find("\"check\":") != std::string::npos;
}

Result<std::vector<Recording>>
tonno::readRecordings(const std::filesystem::path &path) {
  auto text = readFile(path);
  if (!text)
    return text.error();
  if (!isJournal(*text)) {
    auto recording = readRecording(path);
    if (!recording)
      return recording.error();
    std::vector<Recording> one;
    one.push_back(std::move(*recording));
    return one;
  }
  auto recordings = parseJournal(*text);
  if (!recordings)
    return recordings.error().prefixed("'" + path.string() + "'");
  return recordings;
}
