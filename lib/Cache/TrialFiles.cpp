//===- Stored trials in files of other tools ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/TrialFiles.h"
#include "tonno/Core/FileDate.h"
#include "tonno/Core/Hash.h"

#include <algorithm>

using namespace tonno;

/// The member of T4 files that only tonno reads.
static constexpr const char *ownMember = "tonno";
static constexpr int ownSchema = 1;
/// The member of a result's record that tells whether the record was changed.
static constexpr const char *checksumMember = "checksum";

EnumNames tonno::getEnumNames(TrialFormat) {
  static constexpr std::string_view names[] = {"t4", "csv"};
  return {"format", names};
}

/// Returns the problem of a record; empty if it states none.
static std::string getProblemKey(const StoredRecord &stored) {
  switch (stored.kind) {
  case RecordKind::problem:
    return stored.key;
  case RecordKind::trial:
    return stored.record.value("problem", std::string());
  case RecordKind::decision: {
    auto question = stored.record.find(questionMember);
    if (question == stored.record.end())
      return {};
    auto identity = decode<ProblemIdentity>(*question);
    return identity ? identity->problemKey() : std::string();
  }
  default:
    return {};
  }
}

Result<std::string> tonno::findProblemKey(const CacheDirectory &cache,
                                          const std::string &key,
                                          const CacheDirectory::Warn &warn) {
  if (!key.empty()) {
    auto whole = TONNO_TRY(cache.resolveKey(key));
    auto records = TONNO_TRY(cache.read(whole, warn));
    std::string problem =
        records.empty() ? std::string() : getProblemKey(records.front());
    if (problem.empty())
      return Error{"the record '" + key +
                   "' names no trials; give a decision, a trial or a problem "
                   "that 'tonno-tune cache list --kind=all' prints"};
    return problem;
  }
  std::vector<std::string> problems;
  std::string list;
  cache.visit(
      {RecordKind::problem},
      [&](StoredRecord stored) {
        auto problem = decode<ProblemRecord>(stored.record);
        if (problem)
          list += "\n  " + stored.key.substr(0, 12) + "  " +
                  problem->identity.device + ", kernel " +
                  problem->identity.kernelHash.substr(0, 12);
        problems.push_back(stored.key);
        return true;
      },
      warn);
  if (problems.size() == 1)
    return problems.front();
  if (problems.empty())
    return Error{"the cache '" + cache.path().string() +
                 "' has no trials that state their problem; trials of earlier "
                 "versions do not, so tune again"};
  return Error{"the cache has trials of several problems; name one:" + list};
}

/// Returns the value of T4's `invalidity`.
static const char *describeInvalidity(Status status) {
  switch (status) {
  case Status::ok:
  case Status::pruned:
  case Status::bounded:
    return "correct";
  case Status::compile_error:
  case Status::compile_timeout:
  case Status::compile_crash:
    return "compile";
  case Status::hang:
    return "timeout";
  case Status::wrong:
  case Status::out_of_bounds:
  case Status::nondeterministic:
  case Status::different_bits:
    return "correctness";
  case Status::over_limit:
  case Status::load_error:
  case Status::unlaunchable:
  case Status::out_of_memory:
  case Status::fault:
  case Status::contended:
  case Status::lost:
    return "runtime";
  }
  return "runtime";
}

/// Returns the result of a T4 file: members of the format, and the record.
static Json makeT4Result(const StoredRecord &stored, const TrialRecord &trial) {
  Json own = stored.record;
  own.erase("values");
  own.erase("problem");
  own[checksumMember] = sha256(printed(stored.record));
  bool isRight =
      std::string_view(describeInvalidity(trial.status)) == "correct";
  Json result = {{"timestamp", getFileDate(stored.path)},
                 {"configuration", trial.values},
                 {"objectives", {"time"}},
                 {"times", Json::object()},
                 {"invalidity", describeInvalidity(trial.status)},
                 {"correctness", isRight ? 1 : 0},
                 {"measurements", Json::array()},
                 {ownMember, std::move(own)}};
  if (trial.measurement)
    result["measurements"].push_back(
        {{"name", "time"},
         {"value", trial.measurement->seconds.median * 1e3},
         {"unit", "ms"}});
  return result;
}

/// Returns the text as a field of comma-separated values (RFC 4180).
static std::string quoteCsv(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == text.npos)
    return text;
  std::string quoted = "\"";
  for (char each : text)
    quoted += each == '"' ? std::string("\"\"") : std::string(1, each);
  return quoted + "\"";
}

static std::string formatCsvValue(const Json &value) {
  return quoteCsv(value.is_string() ? value.get<std::string>()
                                    : printed(value));
}

/// The numbers of resource usage, as columns of CSV.
static const std::vector<std::string> usageColumns = {
    "code_bytes",   "workspace_bytes", "registers",    "spill_bytes",
    "stack_bytes",  "shared_bytes",    "instructions", "occupancy",
    "vector_share", "memory_share",    "stack_share",  "loop_intensity"};

static std::string makeCsvHeader(const Json &values) {
  std::string line;
  for (const auto &[name, value] : values.items())
    line += quoteCsv(name) + ",";
  line += "status,time_s";
  for (const std::string &column : usageColumns)
    line += ",usage." + column;
  return line + "\n";
}

static std::string makeCsvLine(const TrialRecord &trial) {
  std::string line;
  for (const auto &[name, value] : trial.values.items())
    line += formatCsvValue(value) + ",";
  line += std::string(toString(trial.status)) + ",";
  if (trial.measurement)
    line += printed(trial.measurement->seconds.median);
  Json usage = trial.usage;
  for (const std::string &column : usageColumns)
    line += "," + (usage.contains(column) ? printed(usage[column]) : "");
  return line + "\n";
}

/// Returns the begin of a T4 file, up to its results.
static std::string beginT4(const ProblemRecord &problem) {
  Json own = problem;
  own["schema"] = ownSchema;
  Json metadata = {{ownMember, std::move(own)}};
  return "{\"schema_version\": \"1.0.0\",\n\"metadata\": " + printed(metadata) +
         ",\n\"results\": [";
}

Result<size_t>
tonno::exportTrials(const CacheDirectory &cache, const std::string &problemKey,
                    TrialFormat format,
                    const std::function<void(const std::string &)> &write,
                    const CacheDirectory::Warn &warn) {
  auto problem = cache.findProblem(problemKey);
  if (!problem)
    return Error{"the cache has no problem '" + problemKey +
                 "', which its trials name; tune the kernel again"};
  size_t count = 0;
  if (format == TrialFormat::t4)
    write(beginT4(*problem));
  std::set<std::string> knobs;
  Result<void> fits;
  auto add = [&](StoredRecord stored) {
    auto trial = decode<TrialRecord>(stored.record);
    if (!trial || trial->problem != problemKey || stored.isConflict)
      return true;
    if (format == TrialFormat::t4) {
      write((count == 0 ? "\n" : ",\n") +
            printed(makeT4Result(stored, *trial)));
    } else {
      std::set<std::string> names;
      for (const auto &[name, value] : trial->values.items())
        names.insert(name);
      if (count == 0)
        write(makeCsvHeader(trial->values));
      if (count == 0)
        knobs = names;
      if (knobs != names) {
        fits = Error{"the trials of this kernel have different knobs, which "
                     "one CSV file cannot have; give '--format=t4'"};
        return false;
      }
      write(makeCsvLine(*trial));
    }
    ++count;
    return true;
  };
  cache.visit({RecordKind::trial}, add, warn);
  if (!fits)
    return fits.error();
  if (format == TrialFormat::t4)
    write("\n]}\n");
  if (count == 0)
    return Error{"the cache has no trials of this problem; they may have been "
                 "pruned"};
  return count;
}

/// Rebuilds the record of a T4 result, whose members must agree with it.
static Result<StoredRecord> readT4Result(const Json &result,
                                         const ProblemIdentity &problem,
                                         const std::string &origin) {
  auto own = result.find(ownMember);
  auto values = result.find("configuration");
  if (own == result.end() || !own->is_object() || values == result.end())
    return Error{origin + ": no record of tonno"};
  Json record = *own;
  const auto checksum = record.value(checksumMember, Json());
  record.erase(checksumMember);
  record["values"] = *values;
  record["problem"] = problem.problemKey();
  auto trial = decode<TrialRecord>(record);
  if (!trial)
    return trial.error().prefixed(origin);
  if (checksum != Json(sha256(printed(record))))
    return Error{origin + ": the record of tonno was changed, or its kernel or "
                          "device: it has another checksum"};
  StoredRecord stored;
  stored.key = problem.trialKey(*values);
  stored.kind = RecordKind::trial;
  stored.record = std::move(record);
  Json expected = makeT4Result(stored, *trial);
  for (const char *member : {"invalidity", "correctness", "measurements"})
    if (result.value(member, Json()) != expected[member])
      return Error{origin + ": '" + member +
                   "' was changed: it disagrees with the record of tonno"};
  return stored;
}

Result<void> tonno::importTrials(const std::string &text, CacheMerger &merger) {
  auto file = TONNO_TRY(parseJson(text));
  auto metadata = file.value("metadata", Json::object());
  auto results = file.find("results");
  if (results == file.end() || !results->is_array())
    return Error{"not a T4 file: no list 'results'"};
  auto own = metadata.find(ownMember);
  if (own == metadata.end() || own->value("schema", Json()) != Json(ownSchema))
    return Error{"the file was not written by 'tonno-tune cache export': it "
                 "does not state the kernel as tonno does; 'tonno-tune replay' "
                 "reads files of other tuners"};
  auto record = TONNO_TRY(decodePart<ProblemRecord>(file, *own));
  const ProblemIdentity &problem = record.identity;
  // Read all before the cache is changed.
  std::vector<std::pair<StoredRecord, std::string>> records;
  for (const Json &result : *results)
    records.emplace_back(
        TONNO_TRY(readT4Result(result, problem,
                               "result " + std::to_string(records.size() + 1))),
        result.value("timestamp", std::string()));
  StoredRecord identity;
  identity.key = problem.problemKey();
  identity.kind = RecordKind::problem;
  identity.record = record;
  TONNO_TRY(merger.add(std::move(identity)));
  for (auto &[stored, date] : records)
    TONNO_TRY(merger.add(std::move(stored), date));
  return {};
}
