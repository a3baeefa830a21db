//===- The journal of one session -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_SESSIONJOURNAL_H
#define TONNO_SESSION_SESSIONJOURNAL_H

#include "tonno/Cache/Journal.h"
#include "tonno/Search/SearchStrategy.h"
#include "tonno/Space/SearchSpace.h"

#include <memory>
#include <string>

namespace tonno {

/// The location of a session's journal.
struct JournalLocation {
  std::string file;      ///< that the user has named, for all sessions; or else
  std::string directory; ///< with a file for each session; or none
};

/// The journal of one session, if it keeps one.
class SessionJournal {
public:
  /// Opens it, and with `resume` finds out what to go on from. Fails if the
  /// user has asked for what can't be had; else a journal that can't be
  /// written is warned about, and not kept.
  static Result<SessionJournal> open(const JournalLocation &place,
                                     const std::string &session,
                                     const std::string &kernel, bool resume,
                                     const Journal::Warn &warn);

  /// Returns the session to resume; null for a new session.
  const JournaledSession *past() const { return resumed; }
  /// Explains that there is no session to resume.
  std::string explainNewSession(const std::string &kernel) const;
  /// Returns the past session's decision if it answers the same question;
  /// otherwise null, also if a longer search continues a shorter one.
  const DecisionRecord *decision(const std::string &decisionKey) const;
  /// Returns how many candidates the past session proposed before the oldest of
  /// them had ended; none if there is no past session, or in older journals.
  std::optional<size_t> pending() const;
  /// Returns the points of the past session's `starting_points`.
  std::vector<StartingPoint> startingPoints(const SearchSpace &space) const;
  /// Begins a new session, unless one is resumed. If the session has a file of
  /// its own, moves lines of an earlier session that was cut short to
  /// `<file>.before`.
  Result<void> begin(const Json &about);
  Result<void> end(const std::string &decisionKey,
                   const DecisionRecord &decision, const Json &about);

  Journal *journal() const { return file.get(); } ///< null: none is kept
  const std::string &session() const { return key; }

private:
  Result<void> backUpUnfinishedSession() const;

  SessionJournal(std::string key, bool isShared)
      : key(std::move(key)), isShared(isShared) {}

  std::string key;
  bool isShared; ///< with other sessions
  std::filesystem::path path;
  std::unique_ptr<Journal> file;
  const JournaledSession *resumed = nullptr; ///< of `file`
};

} // namespace tonno

#endif // TONNO_SESSION_SESSIONJOURNAL_H
