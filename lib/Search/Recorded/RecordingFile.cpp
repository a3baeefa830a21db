//===- Files of recorded spaces: formats, gzip, CSV -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/File.h"
#include "tonno/Search/Recording.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <zlib.h>

using namespace tonno;
namespace fs = std::filesystem;

namespace {
struct Inflation {
  z_stream stream = {};
  bool isReady = false;

  Inflation() {
    constexpr int gzipOnly = 16; // added to the size of the window
    isReady = inflateInit2(&stream, MAX_WBITS + gzipOnly) == Z_OK;
  }
  ~Inflation() {
    if (isReady)
      inflateEnd(&stream);
  }
};
} // namespace

/// Decompresses the content, which may be of several members. An Error where it
/// is cut off or damaged, or larger than the limit.
static Result<std::string> gunzip(std::string_view bytes, size_t mostBytes) {
  Inflation inflation;
  z_stream &stream = inflation.stream;
  if (!inflation.isReady)
    return Error{"no memory to decompress the file"};
  std::string content;
  std::array<char, 1 << 16> piece;
  for (bool inMember = false; inMember || !bytes.empty();) {
    size_t given =
        std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    // zlib's interface is not const, and reads only.
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef *>(piece.data());
    stream.avail_out = piece.size();
    int state = inflate(&stream, Z_NO_FLUSH);
    bytes.remove_prefix(given - stream.avail_in);
    content.append(piece.data(), piece.size() - stream.avail_out);
    if (content.size() > mostBytes)
      return Error{"the file decompresses to more than " +
                   std::to_string(mostBytes >> 20) + " MiB"};
    inMember = state == Z_OK;
    if (state == Z_STREAM_END) {
      inflateReset(&stream);
      continue;
    }
    if (state == Z_BUF_ERROR)
      return Error{
          "the compressed data is truncated; copy or download the file again"};
    if (state != Z_OK)
      return Error{
          "the compressed data is damaged" +
          (stream.msg ? " (" + std::string(stream.msg) + ")" : std::string()) +
          "; copy or download the file again"};
  }
  return content;
}

/// The column of a time bound's seconds.
static constexpr std::string_view timeBoundMember = "time_bound_seconds";

/// More than any published file has, and less than what any machine has.
static constexpr size_t mostBytes = size_t{2} << 30;

std::string tonno::recordingFormats() {
  return "the formats are: cache files of Kernel Tuner and T4 files (JSON "
         "objects), CSV with names of columns in the first line, and tonno's "
         "journals; each may be compressed by gzip";
}

Result<std::string> tonno::recordedText(std::string bytes) {
  if (bytes.starts_with("\x1f\x8b"))
    bytes = TONNO_TRY(gunzip(bytes, mostBytes));
  if (bytes.starts_with("\xef\xbb\xbf"))
    bytes.erase(0, 3);
  return bytes;
}

static Result<Recording> parseText(const std::string &text,
                                   const std::string &name) {
  size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos)
    return Error{"the file is empty"};
  if (text.find('\0') != std::string::npos)
    return Error{"the file is not text; " + recordingFormats()};
  if (text[first] == '[')
    return Error{"the file is a JSON list; " + recordingFormats()};
  if (text[first] != '{')
    return parseCsvFile(text, name);
  if (text.find("\"tune_params_keys\"") != std::string::npos)
    return parseKernelTunerFile(text, name);
  if (text.find("\"results\"") != std::string::npos)
    return parseT4File(text, name);
  return Error{"the JSON is neither a cache file of Kernel Tuner, which has "
               "'tune_params_keys', nor a T4 file, which has 'results'"};
}

Result<Recording> tonno::parseRecording(const std::string &bytes,
                                        const std::string &name) {
  auto text = recordedText(bytes);
  return text ? parseText(*text, name) : text.error();
}

std::string tonno::recordingName(const fs::path &path) {
  std::string name = path.filename().string();
  for (std::string_view ending :
       {".gz", ".json", ".csv", ".t4", ".kernel-tuner"})
    if (name.ends_with(ending) && name.size() > ending.size())
      name.resize(name.size() - ending.size());
  return name;
}

Result<Recording> tonno::readRecording(const fs::path &path) {
  auto bytes = TONNO_TRY(readNamedFile(path));
  auto recording = parseRecording(bytes, recordingName(path));
  if (!recording)
    return recording.error().prefixed("'" + path.string() + "'");
  return recording;
}

namespace {

/// Reads comma-separated values, line by line: fields may be quoted, with
/// quotes in them doubled, commas and newlines kept (RFC 4180). Empty lines are
/// left out.
class CsvTable {
public:
  explicit CsvTable(std::string_view text) : rest(text) {}

  /// Returns the fields of the next line; none at the end. Fails on a quote
  /// that does not end, or ends before its field does.
  Result<std::optional<std::vector<std::string>>> next();

  size_t line() const { return lineNumber; } ///< of what `next` gave, from 1
  /// Returns true if that line has a line end; the last line may lack one.
  bool hasEnd() const { return isEnded; }

private:
  Result<std::string> field();
  Result<std::string> quoted();

  std::string_view rest;
  size_t lineNumber = 0;
  size_t linesPassed = 0;
  bool isEnded = false;
};

} // namespace

Result<std::string> CsvTable::quoted() {
  std::string text;
  rest.remove_prefix(1);
  for (;;) {
    size_t end = rest.find('"');
    if (end == std::string_view::npos)
      return Error{"line " + std::to_string(lineNumber) +
                   ": a quote has no end"};
    linesPassed +=
        static_cast<size_t>(std::ranges::count(rest.substr(0, end), '\n'));
    text += rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (!rest.starts_with('"'))
      break;
    text += '"';
    rest.remove_prefix(1);
  }
  if (!rest.empty() && rest.find_first_of(",\r\n") != 0)
    return Error{"line " + std::to_string(lineNumber) +
                 ": a quote ends before its field does"};
  return text;
}

Result<std::string> CsvTable::field() {
  if (rest.starts_with('"'))
    return quoted();
  size_t end = std::min(rest.find_first_of(",\r\n"), rest.size());
  std::string text(rest.substr(0, end));
  rest.remove_prefix(end);
  return text;
}

Result<std::optional<std::vector<std::string>>> CsvTable::next() {
  std::optional<std::vector<std::string>> fields;
  while (!rest.empty() && !fields) {
    lineNumber = ++linesPassed;
    fields.emplace();
    for (bool goesOn = true; goesOn;) {
      auto text = TONNO_TRY(field());
      fields->push_back(std::move(text));
      goesOn = rest.starts_with(',');
      if (goesOn)
        rest.remove_prefix(1);
    }
    isEnded = !rest.empty();
    if (rest.starts_with('\r'))
      rest.remove_prefix(1);
    if (rest.starts_with('\n'))
      rest.remove_prefix(1);
    if (fields->size() == 1 && fields->front().empty())
      fields.reset();
  }
  return fields;
}

namespace {

/// The meaning of a column of the table.
struct Column {
  enum class Kind { parameter, status, time, cost, usage };
  Kind kind = Kind::parameter;
  double unit = 0;                      ///< in seconds, of the last two
  double RecordedCost::*part = nullptr; ///< of a cost
  std::string member = {};              ///< of a ResourceUsage
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

/// Parses a column's title: "time_ms" is a time, in milliseconds.
static Column parseColumnTitle(const std::string &title) {
  if (title == "status")
    return {Column::Kind::status};
  constexpr std::string_view usage = "usage.";
  if (title.starts_with(usage))
    return {Column::Kind::usage, 0, nullptr, title.substr(usage.size())};
  size_t end = title.rfind('_');
  auto unit = end == std::string::npos ? std::nullopt
                                       : secondsPerUnit(title.substr(end + 1));
  if (!unit)
    return {};
  std::string what = title.substr(0, end);
  if (what == "time")
    return {Column::Kind::time, *unit};
  static constexpr std::pair<std::string_view, double RecordedCost::*> parts[] =
      {{"compile", &RecordedCost::compile},
       {"run", &RecordedCost::run},
       {"cost", &RecordedCost::run},
       {"other", &RecordedCost::other}};
  for (auto [name, part] : parts)
    if (what == name)
      return {Column::Kind::cost, *unit, part};
  return {};
}

Result<void> CsvReader::readHeader(const std::vector<std::string> &names) {
  std::vector<std::string> parameters;
  size_t times = 0, statuses = 0;
  for (const std::string &name : names) {
    const Column &column = columns.emplace_back(parseColumnTitle(name));
    if (column.kind == Column::Kind::parameter)
      parameters.push_back(name);
    times += column.kind == Column::Kind::time;
    statuses += column.kind == Column::Kind::status;
    if (column.kind == Column::Kind::time)
      timeUnit = column.unit;
  }
  if (times == 0)
    return Error{"line 1: no column is a time ('time_s', 'time_ms', 'time_us' "
                 "or 'time_ns'); " +
                 recordingFormats()};
  if (times > 1 || statuses > 1)
    return Error{"line 1: two columns are times or 'status'; leave one time "
                 "and at most one 'status'"};
  hasStatus = statuses == 1;
  builder.emplace(std::move(parameters));
  return {};
}

/// Returns the number that the whole text is; none if it is no such number.
template <typename Number>
static std::optional<Number> parse(const std::string &text) {
  Number value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

static Json parseCsvOption(const std::string &text) {
  if (auto integer = parse<int64_t>(text))
    return *integer;
  if (text == "true" || text == "True")
    return true;
  if (text == "false" || text == "False")
    return false;
  if (auto number = parse<double>(text); number && std::isfinite(*number))
    return *number;
  return text;
}

/// Parses a status, including other tools' names.
static std::optional<Status> parseRecordedStatus(const std::string &text) {
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
  auto known = parseRecordedStatus(status);
  if (!hasStatus)
    known = time.empty() ? Status::fault : Status::ok;
  if (!known)
    return Error{entry.origin + ": the status '" + status +
                 "' is unknown; the statuses are: " + knownStatuses()};
  // The time of a pruned entry is a lower bound, and its best known time.
  entry.status = *known == Status::pruned ? Status::ok : *known;
  if (entry.status != Status::ok)
    return {};
  auto number = parse<double>(time);
  if (!number)
    return Error{entry.origin + ": the entry is ok, but its time is '" + time +
                 "'"};
  entry.seconds = *number * timeUnit;
  return {};
}

Result<void> CsvReader::take(const std::vector<std::string> &fields,
                             const std::string &origin) {
  if (fields.size() != columns.size())
    return Error{origin + ": the line has " + std::to_string(fields.size()) +
                 " fields, where the first line names " +
                 std::to_string(columns.size()) +
                 "; the file may be truncated"};
  RecordedEntry entry;
  entry.origin = origin;
  std::string time, status;
  Json usage = Json::object();
  for (size_t i = 0; i < fields.size(); ++i) {
    const Column &column = columns[i];
    const std::string &text = fields[i];
    switch (column.kind) {
    case Column::Kind::parameter:
      entry.values.push_back(parseCsvOption(text));
      break;
    case Column::Kind::time:
      time = text;
      break;
    case Column::Kind::status:
      status = text;
      break;
    case Column::Kind::usage:
      if (text.empty())
        break;
      if (column.member == timeBoundMember)
        usage["time_bound"] = {
            {"seconds", parseCsvOption(text)}, {"share", 0.0}, {"limit", ""}};
      else
        usage[column.member] = parseCsvOption(text);
      break;
    case Column::Kind::cost:
      auto number = text.empty() ? std::optional(0.0) : parse<double>(text);
      if (!number)
        return Error{origin + ": the measurement time is '" + text +
                     "', which is not a number"};
      entry.cost.*column.part += *number * column.unit;
    }
  }
  auto known = decode<ResourceUsage>(usage);
  if (!known)
    return known.error().prefixed(origin);
  entry.usage = *known;
  TONNO_TRY(readOutcome(time, status, entry));
  return builder->add(std::move(entry));
}

Result<Recording> tonno::parseCsvFile(const std::string &text,
                                      const std::string &name) {
  CsvTable table(text);
  CsvReader reader;
  for (;;) {
    auto fields = TONNO_TRY(table.next());
    if (!fields)
      break;
    TONNO_TRY(reader.builder
                  ? reader.take(*fields, "line " + std::to_string(table.line()))
                  : reader.readHeader(*fields));
  }
  if (!reader.builder)
    return Error{"the file is empty"};
  if (!table.hasEnd())
    reader.builder->note("line " + std::to_string(table.line()) +
                         " has no end; the file may be truncated");
  return std::move(*reader.builder).finish(name);
}
