//===- Journals of sessions -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/Journal.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Hash.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tonno;
namespace fs = std::filesystem;

static constexpr int journalSchema = 1;
/// Closes the object that every line is.
static constexpr std::string_view checkMember = ",\"check\":\"";
static constexpr size_t checkDigits = 16;
/// Begins the first line of every journal, since members stand in the order of
/// their names.
static constexpr std::string_view firstMember = "{\"begin\":{";

static std::string computeChecksum(std::string_view body) {
  return sha256(body).substr(0, checkDigits);
}

/// Converts `{...}` to `{...,"check":"0123456789abcdef"}`.
std::string tonno::sealLine(const Json &object) {
  std::string body = printed(object);
  body.pop_back();
  return body + std::string(checkMember) + computeChecksum(body) + "\"}";
}

std::optional<Json> tonno::unsealLine(const std::string &line) {
  size_t tail = checkMember.size() + checkDigits + 2;
  if (line.size() <= tail || !line.ends_with("\"}"))
    return std::nullopt;
  std::string body = line.substr(0, line.size() - tail);
  std::string_view rest = std::string_view(line).substr(body.size());
  if (!rest.starts_with(checkMember) ||
      rest.substr(checkMember.size(), checkDigits) != computeChecksum(body))
    return std::nullopt;
  auto object = parseJson(body + "}");
  if (!object || !object->is_object())
    return std::nullopt;
  return std::move(*object);
}

namespace tonno {

static void mapFields(JsonFields &fields, JournaledTrial &trial) {
  fields("trial", trial.record);
  fields("compile_seconds", trial.compileSeconds);
  fields("run_seconds", trial.runSeconds);
  fields("session_seconds", trial.seconds);
  fields("recalled", trial.isRecalled, false);
  fields("reason", trial.reason, {});
  fields("device", trial.device, {});
  fields("details", trial.details);
}

} // namespace tonno

/// Adds a line; returns false if it has another schema or shape.
static bool take(const Json &line,
                 std::map<std::string, JournaledSession> &sessions) {
  auto key = decodeMember<std::string>(line, "session");
  if (line.value("schema", Json()) != Json(journalSchema) || !key)
    return false;
  if (auto about = line.find("begin"); about != line.end()) {
    sessions[*key] = JournaledSession{*about, {}, {}, {}, {}, {}};
    return true;
  }
  auto session = sessions.find(*key);
  if (session == sessions.end())
    return false; // its beginning is damaged
  if (line.contains("trial")) {
    auto trial = decode<JournaledTrial>(line);
    if (trial)
      session->second.trials.push_back(std::move(*trial));
    session->second.error.clear(); // it was resumed
    return trial.ok();
  }
  if (auto amended = line.find("amended"); amended != line.end()) {
    auto trial = decode<TrialRecord>(*amended);
    if (trial)
      session->second.amended.push_back(std::move(*trial));
    return trial.ok();
  }
  if (auto error = line.find("error"); error != line.end()) {
    if (error->is_string())
      session->second.error = error->get<std::string>();
    return error->is_string();
  }
  auto decision = decodeMember<DecisionRecord>(line, "end");
  auto decisionKey = decodeMember<std::string>(line, "key");
  if (!decision || !decisionKey)
    return false;
  session->second.decision = std::move(*decision);
  session->second.decisionKey = std::move(*decisionKey);
  return true;
}

std::optional<std::string> JournalLines::next() {
  for (size_t end = rest.find('\n'); end != std::string_view::npos;
       end = rest.find('\n')) {
    ++passed;
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (!line.empty())
      return std::string(line);
  }
  return std::nullopt;
}

bool tonno::isJournalText(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
  std::string_view line = text.substr(0, text.find('\n'));
  return line.starts_with(firstMember) ||
         (line.starts_with('{') && line.find(checkMember) != line.npos);
}

JournalContent tonno::readJournalText(const std::string &text) {
  JournalContent content;
  JournalLines lines(text);
  while (auto next = lines.next()) {
    auto line = unsealLine(*next);
    if ((!line || !take(*line, content.sessions)) && content.damaged++ == 0)
      content.firstDamaged = lines.number();
  }
  return content;
}

static Error systemError(const std::string &doing, const fs::path &path) {
  return {"cannot " + doing + " the journal '" + path.string() +
          "': " + std::strerror(errno)};
}

/// Returns true if the text is a journal, so that no other file can be
/// destroyed.
static bool isOurs(const std::string &text) {
  bool isFirstLine = true;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos)
      // A writer that was killed at once has left so much of its first line.
      return isFirstLine &&
             (text.starts_with(firstMember) || firstMember.starts_with(text));
    if (unsealLine(text.substr(begin, end - begin)))
      return true;
    isFirstLine = false;
    begin = end + 1;
  }
  return text.empty();
}

Result<std::unique_ptr<Journal>> Journal::open(const fs::path &path,
                                               const Warn &warn) {
  int descriptor = ::open(
      path.c_str(),
      O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
  if (descriptor < 0)
    return systemError("write", path);
  std::unique_ptr<Journal> journal(new Journal(path, descriptor));
  struct stat about = {};
  if (::fstat(descriptor, &about) != 0)
    return systemError("write", path);
  if (!S_ISREG(about.st_mode))
    return Error{"the journal '" + path.string() + "' is not a regular file"};
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK
               ? Error{"another session is writing the journal '" +
                       path.string() + "'"}
               : systemError("lock", path);
  auto text = TONNO_TRY(readFile(path));
  if (!isOurs(text))
    return Error{"'" + path.string() +
                 "' is not a journal of tonno, and is left unchanged; name "
                 "another file, or remove it"};
  size_t whole = text.rfind('\n') + 1; // 0 if there is none
  if (whole < text.size() &&
      ::ftruncate(descriptor, static_cast<off_t>(whole)) != 0)
    return systemError("mend", path);
  text.resize(whole);
  JournalContent content = readJournalText(text);
  journal->sessions = std::move(content.sessions);
  if (content.damaged > 0)
    warn("the journal '" + path.string() + "' has " +
         std::to_string(content.damaged) +
         " damaged lines, the first of them line " +
         std::to_string(content.firstDamaged) + "; they are left out");
  return journal;
}

const JournaledSession *Journal::find(const std::string &session) const {
  auto found = sessions.find(session);
  return found == sessions.end() ? nullptr : &found->second;
}

Result<void> Journal::append(Json line) {
  line["schema"] = journalSchema;
  struct stat about = {};
  if (::fstat(descriptor.get(), &about) == 0 && about.st_nlink == 0)
    return Error{"the journal '" + file.string() + "' was removed"};
  off_t before = ::lseek(descriptor.get(), 0, SEEK_END);
  if (before >= 0 && writeAll(descriptor.get(), sealLine(line) + "\n"))
    return {};
  Error error = systemError("write", file);
  // Remove a partial line, which would corrupt the next one.
  if (before >= 0 && ::ftruncate(descriptor.get(), before) != 0)
    error.message += "; its last line is damaged";
  return error;
}

Result<void> Journal::clear() {
  sessions.clear();
  if (::ftruncate(descriptor.get(), 0) != 0)
    return systemError("empty", file);
  return {};
}

Result<void> Journal::begin(const std::string &session, const Json &about) {
  sessions[session] = JournaledSession{about, {}, {}, {}, {}, {}};
  return append({{"session", session}, {"begin", about}});
}

Result<void> Journal::add(const std::string &session,
                          const JournaledTrial &trial) {
  Json line = trial;
  line["session"] = session;
  return append(std::move(line));
}

Result<void> Journal::amend(const std::string &session,
                            const TrialRecord &trial) {
  return append({{"session", session}, {"amended", trial}});
}

Result<void> Journal::end(const std::string &session,
                          const std::string &decisionKey,
                          const DecisionRecord &decision, const Json &about) {
  return append({{"session", session},
                 {"end", decision},
                 {"key", decisionKey},
                 {"about", about}});
}

Result<void> Journal::fail(const std::string &session,
                           const std::string &error) {
  return append({{"session", session}, {"error", error}});
}
