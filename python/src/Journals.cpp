//===- Journals and records -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bindings.h"
#include "Refusal.h"
#include "Values.h"

#include "tonno/Cache/Journal.h"
#include "tonno/Cache/RecordStore.h"
#include "tonno/Core/File.h"

#include <nanobind/stl/string.h>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

/// A session, as the JSON that its parts have elsewhere.
static Json sessionToJson(const JournaledSession &session) {
  Json trials = Json::array();
  for (const JournaledTrial &trial : session.trials)
    trials.push_back(Json{{"record", trial.record},
                          {"is_recalled", trial.isRecalled},
                          {"compile_seconds", trial.compileSeconds},
                          {"run_seconds", trial.runSeconds},
                          {"session_seconds", trial.seconds}});
  Json json = {{"about", session.about}, {"trials", std::move(trials)}};
  putOptional(json, "decision", session.decision);
  return json;
}

static nb::object readSessions(const std::string &path) {
  Json json = unlocked([&] {
    JournalContent content = readJournalText(valueOrThrow(readNamedFile(path)));
    Json sessions = Json::object();
    for (const auto &[key, session] : content.sessions)
      sessions[key] = sessionToJson(session);
    return Json{{"damaged", content.damaged},
                {"first_damaged", content.firstDamaged},
                {"sessions", std::move(sessions)}};
  });
  return toPython(json);
}

/// A trial's record or a decision's as it would be written now, so that what
/// its members are is known; any other as it is.
static Json normalized(const Json &record) {
  if (auto trial = decode<TrialRecord>(record))
    return Json{{"trial", *trial}};
  if (auto decision = decode<DecisionRecord>(record))
    return Json{{"decision", *decision}};
  return Json{{"other", record}};
}

static nb::object decodeText(const std::string &key, const std::string &text) {
  return toPython(normalized(valueOrThrow(decodeRecord(key, text))));
}

void tonno::python::bindJournals(nb::module_ &module) {
  module.def("read_sessions", &readSessions,
             nb::sig("def read_sessions(path: str, /) -> dict[str, "
                     "typing.Any]"));
  module.def("decode_record", &decodeText,
             nb::sig("def decode_record(key: str, text: str, /) -> dict[str, "
                     "typing.Any]"));
}
