//===- The journal of one session -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/SessionJournal.h"
#include "tonno/Core/File.h"

using namespace tonno;
namespace fs = std::filesystem;

/// Returns the path of the session's journal; empty if none is kept.
static fs::path getJournalPath(const JournalLocation &place,
                               const std::string &session) {
  if (!place.file.empty() || place.directory.empty())
    return place.file;
  return fs::path(place.directory) / (session + ".jsonl");
}

static constexpr std::string_view beforeEnding = ".before";

static fs::path before(fs::path path) { return path += beforeEnding; }

/// Returns true if the session has neither a decision nor ended with an error,
/// and has more trials than the default's.
static bool isCutShort(const JournaledSession &session) {
  return !session.decision && session.error.empty() &&
         session.trials.size() > 1;
}

Result<SessionJournal> SessionJournal::open(const JournalLocation &place,
                                            const std::string &session,
                                            const std::string &kernel,
                                            bool resume,
                                            const Journal::Warn &warn) {
  SessionJournal journal(session, !place.file.empty());
  const fs::path path = journal.path = getJournalPath(place, session);
  if (path.empty())
    return journal;
  if (!journal.isShared) {
    std::error_code ignored; // what can't be made, can't be opened
    fs::create_directories(path.parent_path(), ignored);
    removeAbandoned(path.parent_path(), beforeEnding);
  }
  auto opened = Journal::open(path, warn);
  if (!opened && (journal.isShared || resume))
    return opened.error();
  if (!opened) {
    warn(opened.error().message + "; this session cannot be resumed");
    return journal;
  }
  journal.file = std::move(*opened);
  const JournaledSession *known = journal.file->find(session);
  if (resume)
    journal.resumed = known;
  else if (known && isCutShort(*known))
    warn("a new session starts, although one of @" + kernel +
         " was interrupted after " + std::to_string(known->trials.size()) +
         " trials; '--resume' would have continued it" +
         (journal.isShared
              ? ""
              : ", and does with '--journal=" + before(path).string() + "'"));
  return journal;
}

std::string SessionJournal::explainNewSession(const std::string &kernel) const {
  return "the journal '" + path.string() + "' has no session of @" + kernel +
         " with these options, compiler and device; a new session starts";
}

const DecisionRecord *
SessionJournal::decision(const std::string &decisionKey) const {
  bool isSame =
      resumed && resumed->decision && resumed->decisionKey == decisionKey;
  return isSame ? &*resumed->decision : nullptr;
}

std::optional<size_t> SessionJournal::pending() const {
  if (!resumed || !resumed->about.is_object())
    return std::nullopt;
  auto pending = decodeMember<size_t>(resumed->about, "pending");
  return pending && *pending > 0 ? std::optional(*pending) : std::nullopt;
}

std::vector<StartingPoint>
SessionJournal::startingPoints(const SearchSpace &space) const {
  std::vector<StartingPoint> points;
  if (!resumed || !resumed->about.is_object())
    return points;
  auto list =
      decodeMember<std::vector<Json>>(resumed->about, "starting_points");
  auto reasons = decodeMember<std::vector<std::string>>(resumed->about,
                                                        "starting_reasons");
  for (size_t i = 0; list && i < list->size(); ++i)
    if (auto point = space.configuration((*list)[i]))
      points.push_back({std::move(*point), reasons && i < reasons->size()
                                               ? (*reasons)[i]
                                               : std::string()});
  return points;
}

Result<void> SessionJournal::begin(const Json &about) {
  if (!file || resumed)
    return {};
  // Keep an unfinished history that the user may have meant to resume, if only
  // the option is missing.
  Result<void> cleared = isShared ? Result<void>() : backUpUnfinishedSession();
  if (!isShared && cleared)
    cleared = file->clear();
  auto begun = file->begin(key, about);
  return cleared ? begun : cleared;
}

Result<void> SessionJournal::backUpUnfinishedSession() const {
  const JournaledSession *known = file->find(key);
  if (!known || !isCutShort(*known))
    return {};
  auto text = readFile(path);
  return text ? writeFileAtomically(before(path), *text) : text.error();
}

Result<void> SessionJournal::end(const std::string &decisionKey,
                                 const DecisionRecord &decision,
                                 const Json &about) {
  return file ? file->end(key, decisionKey, decision, about) : Result<void>();
}
