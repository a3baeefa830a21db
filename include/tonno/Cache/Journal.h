//===- Journals of sessions -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CACHE_JOURNAL_H
#define TONNO_CACHE_JOURNAL_H

#include "tonno/Cache/Records.h"
#include "tonno/Core/Descriptor.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tonno {

/// A trial as a journal keeps it.
struct JournaledTrial {
  TrialRecord record;
  bool isRecalled = false;   ///< it was known, and not run
  double compileSeconds = 0; ///< Trial's
  double runSeconds = 0;     ///< Trial's
  double seconds = 0;        ///< of the session, when it ended
  std::string reason = {};   ///< Trial's; older journals have none
  std::string device = {};   ///< Trial's
  /// Further data that a frontend stores with the trial.
  std::optional<Json> details = {};
};

/// A session's trials and decision, as recorded since the session last began.
struct JournaledSession {
  Json about; ///< the argument of `begin`
  std::vector<JournaledTrial> trials;
  /// Records of trials of this session that failed later, in the test.
  std::vector<TrialRecord> amended;
  std::optional<DecisionRecord> decision; ///< if it came to an end
  std::string decisionKey;                ///< of the question that it answers
  std::string error; ///< with which it ended instead; empty: with none
};

/// Convert an object to a line of a journal with a checksum, and back; none if
/// a byte has changed.
std::string sealLine(const Json &object);
std::optional<Json> unsealLine(const std::string &line);

/// The lines of a journal's text, whichever ends an editor gave them; empty
/// ones are left out.
class JournalLines {
public:
  explicit JournalLines(std::string_view text) : rest(text) {}

  /// Returns the next line that has an end, without its end; none at the end of
  /// the text.
  std::optional<std::string> next();
  size_t number() const { return passed; } ///< of what `next` gave, from 1
  /// Returns the text after the last line end: a line still being written, or
  /// cut off because its writer was killed or the file was truncated.
  std::string_view unterminatedLine() const { return rest; }

private:
  std::string_view rest;
  size_t passed = 0;
};

/// Returns true if a text begins like a journal, whole or cut off.
bool isJournalText(std::string_view text);

/// The sessions read from a journal's text, by any number of writers.
struct JournalContent {
  std::map<std::string, JournaledSession> sessions;
  size_t damaged = 0;      ///< lines, which are left out
  size_t firstDamaged = 0; ///< the number of the first of them
};

/// Parses the text of a journal. Ignores a last line without an end: it is
/// still being written, or its writer was killed.
JournalContent readJournalText(const std::string &text);

/// The append-only log of tuning sessions: a JSON object a line, each with the
/// first 16 digits of the SHA-256 of what stands before that. A line is there
/// as soon as its trial has ended, in one piece or not at all.
class Journal {
public:
  using Warn = std::function<void(const std::string &)>;

  /// Reads the journal and locks its file until destruction. Fails if another
  /// process has locked it, or if the file is no journal. Cuts off a last line
  /// without an end, since its writer was killed; skips damaged lines with a
  /// warning.
  static Result<std::unique_ptr<Journal>>
  open(const std::filesystem::path &path, const Warn &warn);

  /// Returns the session; null if it was never begun.
  const JournaledSession *find(const std::string &session) const;

  /// Removes all that stands there.
  Result<void> clear();
  /// Begins the session anew: its earlier lines no longer count. `about`
  /// describes the session to readers and to a resumed search.
  Result<void> begin(const std::string &session, const Json &about);
  Result<void> add(const std::string &session, const JournaledTrial &trial);
  /// Records that a trial that was ok has failed since.
  Result<void> amend(const std::string &session, const TrialRecord &trial);
  /// Ends the session; `about` is additional information for readers.
  Result<void> end(const std::string &session, const std::string &decisionKey,
                   const DecisionRecord &decision,
                   const Json &about = Json::object());

  /// Ends the session with an error that another attempt would meet again.
  Result<void> fail(const std::string &session, const std::string &error);

private:
  Journal(std::filesystem::path file, int descriptor)
      : file(std::move(file)), descriptor(descriptor) {}

  Result<void> append(Json line);

  std::filesystem::path file;
  Descriptor descriptor;
  std::map<std::string, JournaledSession> sessions;
};

} // namespace tonno

#endif // TONNO_CACHE_JOURNAL_H
