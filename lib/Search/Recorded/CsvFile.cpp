//===- Recordings as comma-separated values -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/RecordingBuilder.h"
#include "tonno/Search/RecordingFile.h"
#include "CostUnits.h"
#include "CsvTable.h"

#include <charconv>
#include <cmath>

using namespace tonno;

namespace {

/// What a column of the table is.
struct Column {
  enum class Kind { parameter, time, status, compile, run, other };
  Kind kind = Kind::parameter;
  double unit = 0; ///< in seconds, of all but the first and third
};

class CsvReader {
public:
  Result<void> readHeader(const std::vector<std::string> &names);
  Result<void> take(const std::vector<std::string> &fields,
                    const std::string &origin);

  std::optional<RecordingBuilder> builder;

private:
  Result<void> readOutcome(const std::string &time, const std::string &status,
                           RecordedEntry &entry) const;

  std::vector<Column> columns;
  double timeUnit = 0;
  bool hasStatus = false;
};

} // namespace

/// "time_ms" is a time, in milliseconds.
static Column columnOf(const std::string &name) {
  if (name == "status")
    return {Column::Kind::status};
  size_t end = name.rfind('_');
  auto unit = end == std::string::npos ? std::nullopt
                                       : secondsPerUnit(name.substr(end + 1));
  if (!unit)
    return {};
  std::string what = name.substr(0, end);
  if (what == "time")
    return {Column::Kind::time, *unit};
  if (what == "compile")
    return {Column::Kind::compile, *unit};
  if (what == "run" || what == "cost")
    return {Column::Kind::run, *unit};
  if (what == "other")
    return {Column::Kind::other, *unit};
  return {};
}

Result<void> CsvReader::readHeader(const std::vector<std::string> &names) {
  std::vector<std::string> parameters;
  size_t times = 0, statuses = 0;
  for (const std::string &name : names) {
    const Column &column = columns.emplace_back(columnOf(name));
    if (column.kind == Column::Kind::parameter)
      parameters.push_back(name);
    times += column.kind == Column::Kind::time;
    statuses += column.kind == Column::Kind::status;
    if (column.kind == Column::Kind::time)
      timeUnit = column.unit;
  }
  if (times == 0)
    return Error{"line 1: no column is a time ('time_s', 'time_ms', 'time_us' "
                 "or 'time_ns'), as one of recorded trials in CSV is; " +
                 recordingFormats()};
  if (times > 1 || statuses > 1)
    return Error{"line 1: two columns are times or 'status'; there is to be "
                 "one time and at most one 'status'"};
  hasStatus = statuses == 1;
  builder.emplace(std::move(parameters));
  return {};
}

static std::optional<double> numberOf(const std::string &text) {
  double value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

static Json optionOf(const std::string &text) {
  int64_t integer = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), integer);
  if (error == std::errc() && end == text.data() + text.size())
    return integer;
  if (text == "true" || text == "True")
    return true;
  if (text == "false" || text == "False")
    return false;
  if (auto number = numberOf(text); number && std::isfinite(*number))
    return *number;
  return text;
}

/// Also as others call them.
static std::optional<Status> statusOf(const std::string &text) {
  if (text == "runtime_error")
    return Status::fault;
  if (text == "timeout")
    return Status::hang;
  return parseStatus(text);
}

static std::string knownStatuses() {
  std::string list;
  for (size_t i = 0; i <= static_cast<size_t>(Status::lost); ++i)
    list += std::string(toString(static_cast<Status>(i))) + ", ";
  return list + "runtime_error, which is fault, and timeout, which is hang";
}

Result<void> CsvReader::readOutcome(const std::string &time,
                                    const std::string &status,
                                    RecordedEntry &entry) const {
  auto known = statusOf(status);
  if (!hasStatus)
    known = time.empty() ? Status::fault : Status::ok;
  if (!known)
    return Error{entry.origin + ": the status '" + status +
                 "' is unknown; known are " + knownStatuses()};
  // What a pruned one has is a lower bound, and the best that is known.
  entry.status = *known == Status::pruned ? Status::ok : *known;
  if (entry.status != Status::ok)
    return {};
  auto number = numberOf(time);
  if (!number)
    return Error{entry.origin + ": it is ok, but its time is '" + time + "'"};
  entry.seconds = *number * timeUnit;
  return {};
}

Result<void> CsvReader::take(const std::vector<std::string> &fields,
                             const std::string &origin) {
  if (fields.size() != columns.size())
    return Error{origin + ": it has " + std::to_string(fields.size()) +
                 " fields, where the first line names " +
                 std::to_string(columns.size()) +
                 "; a file that was cut off ends so"};
  RecordedEntry entry;
  entry.origin = origin;
  std::string time, status;
  for (size_t i = 0; i < fields.size(); ++i) {
    const Column &column = columns[i];
    const std::string &text = fields[i];
    switch (column.kind) {
    case Column::Kind::parameter:
      entry.values.push_back(optionOf(text));
      continue;
    case Column::Kind::time:
      time = text;
      continue;
    case Column::Kind::status:
      status = text;
      continue;
    case Column::Kind::compile:
    case Column::Kind::run:
    case Column::Kind::other:
      break;
    }
    auto number = text.empty() ? std::optional(0.0) : numberOf(text);
    if (!number)
      return Error{origin + ": what measuring took is '" + text +
                   "', which is no number"};
    double &part = column.kind == Column::Kind::compile ? entry.cost.compile
                   : column.kind == Column::Kind::run   ? entry.cost.run
                                                        : entry.cost.other;
    part += *number * column.unit;
  }
  if (auto read = readOutcome(time, status, entry); !read)
    return read;
  return builder->add(std::move(entry));
}

Result<Recording> tonno::parseCsvFile(const std::string &text,
                                      const std::string &name) {
  CsvTable table(text);
  CsvReader reader;
  for (;;) {
    auto fields = table.next();
    if (!fields)
      return fields.error();
    if (!*fields)
      break;
    auto taken =
        reader.builder
            ? reader.take(**fields, "line " + std::to_string(table.line()))
            : reader.readHeader(**fields);
    if (!taken)
      return taken.error();
  }
  if (!reader.builder)
    return Error{"it is empty"};
  if (!table.hasEnd())
    reader.builder->note("line " + std::to_string(table.line()) +
                         " has no end: a file that was cut off within its last "
                         "field looks so, too");
  return std::move(*reader.builder).finish(name);
}
