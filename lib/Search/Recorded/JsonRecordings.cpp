//===- Recorded spaces of Kernel Tuner and in T4 --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/JsonBuilder.h"
#include "tonno/Core/Statistics.h"
#include "tonno/Search/Recording.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <ranges>

using namespace tonno;

namespace {

/// The cost of an entry as stated by a Kernel Tuner file, or by a T4 file made
/// from one: in milliseconds, except `compile`, which may be in seconds.
struct StatedCost {
  RecordedCost cost;
  std::optional<double> clock; ///< in seconds, when it ended
};

/// An entry of a file.
struct JsonEntry {
  std::string key;   ///< empty in an array
  size_t number = 0; ///< from 1
  const Json &members;
  const Json &header; ///< what stood before the entries
};

/// The location of the entries in a file.
struct EntryLocation {
  std::string member;                        ///< of the outermost object
  Json::value_t kind = Json::value_t::array; ///< or an object
};

/// Why a file was not read to its end.
struct EntryFailure {
  std::string message;
  bool isAtEnd = false; ///< more was expected there
};

/// Entries as a Kernel Tuner or a T4 file states them, all read before it is
/// known in which unit compiling is.
class StatedEntries {
public:
  /// The parameters in their order; empty until an entry states them.
  std::vector<std::string> parameters;

  /// Adds an entry, whose cost and clock are as StatedCost has them.
  void add(RecordedEntry entry, std::optional<double> clock) {
    costs.push_back({entry.cost, clock});
    entries.push_back(std::move(entry));
  }
  void exclude() { ++excluded; }
  size_t size() const { return entries.size() + excluded; }

  std::vector<std::string> notes; ///< see Recording::notes

  /// Returns the recording; fails without any entry. `unit` is the stated unit
  /// of times, in seconds; the default is milliseconds, except as inferred by
  /// compileUnit.
  Result<Recording> finish(std::string name,
                           std::optional<double> unit = std::nullopt) &&;

private:
  std::vector<RecordedEntry> entries;
  std::vector<StatedCost> costs;
  size_t excluded = 0;
};

} // namespace

/// Returns the median distance, in log ratios, between the stated costs and the
/// time that passed between entries.
static double misfit(const std::vector<StatedCost> &costs, double compileUnit) {
  std::vector<double> ratios;
  for (size_t i = 1; i < costs.size(); ++i) {
    if (!costs[i].clock || !costs[i - 1].clock)
      continue;
    double passed = *costs[i].clock - *costs[i - 1].clock;
    const RecordedCost &cost = costs[i].cost;
    double stated = cost.compile * compileUnit + (cost.run + cost.other) * 1e-3;
    if (passed > 0 && stated > 0)
      ratios.push_back(std::fabs(std::log(stated / passed)));
  }
  constexpr size_t fewest = 5; // for a meaningful median
  return ratios.size() < fewest ? -1 : median(ratios);
}

/// Infers the unit of compile times, in seconds; `stated` is the file's unit of
/// all times. Kernel Tuner wrote `compile_time` in seconds, later in
/// milliseconds, and files do not state which; T4 files made from them state
/// milliseconds for all times.
///
/// If milliseconds or no unit is stated and entries have timestamps, chooses
/// the unit with which costs best match the timestamps' differences, by the
/// median of the ratios. If that is inconclusive, uses the stated unit, or
/// without one, seconds if the median of nonzero times is below 10, since no
/// kernel compiler finishes within 10 ms.
static double compileUnit(const std::vector<StatedCost> &costs,
                          std::optional<double> stated) {
  constexpr double second = 1, millisecond = 1e-3;
  if (stated && *stated != millisecond)
    return *stated;
  double inSeconds = misfit(costs, second);
  double inMilliseconds = misfit(costs, millisecond);
  constexpr double clearly = 0.1; // where compiling took time that shows
  if (inSeconds >= 0 && inMilliseconds >= 0 &&
      std::fabs(inSeconds - inMilliseconds) > clearly)
    return inSeconds < inMilliseconds ? second : millisecond;
  if (stated)
    return *stated;
  std::vector<double> compiles;
  for (const StatedCost &each : costs)
    if (each.cost.compile > 0)
      compiles.push_back(each.cost.compile);
  constexpr double fastest = 10;
  bool isSeconds = !compiles.empty() && median(compiles) < fastest;
  return isSeconds ? second : millisecond;
}

/// Parses "2023-01-26 01:05:09.730633+00:00", or with T, to seconds of an
/// arbitrary epoch; none for other text.
static std::optional<double> parseTimestamp(const std::string &text) {
  int year = 0, hours = 0, minutes = 0;
  unsigned month = 0, day = 0;
  double seconds = 0;
  // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion)
  if (std::sscanf(text.c_str(), "%4d-%2u-%2u%*[ T]%2d:%2d:%12lf", &year, &month,
                  &day, &hours, &minutes, &seconds) != 6)
    return std::nullopt;
  std::chrono::year_month_day date{std::chrono::year(year),
                                   std::chrono::month(month),
                                   std::chrono::day(day)};
  if (!date.ok() || !std::isfinite(seconds))
    return std::nullopt;
  auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return (static_cast<double>(days) * 24 + hours) * 3600 + minutes * 60 +
         seconds;
}

/// Returns the value of a key; none of one that is not there.
template <typename Value>
static std::optional<Value> findIn(const std::map<std::string, Value> &table,
                                   const std::string &key) {
  auto found = table.find(key);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> tonno::secondsPerUnit(const std::string &unit) {
  static const std::map<std::string, double> known = {{"s", 1},
                                                      {"second", 1},
                                                      {"ms", 1e-3},
                                                      {"milisecond", 1e-3},
                                                      {"millisecond", 1e-3},
                                                      {"us", 1e-6},
                                                      {"microsecond", 1e-6},
                                                      {"ns", 1e-9},
                                                      {"nanosecond", 1e-9}};
  bool isPlural = unit.ends_with("seconds");
  return findIn(known, isPlural ? unit.substr(0, unit.size() - 1) : unit);
}

namespace {

class EntryParser : public JsonBuilder {
public:
  using Take = std::function<Result<void>(const JsonEntry &)>;

  EntryParser(size_t size, const EntryLocation &entries, const Take &give)
      : size(size), stated(entries), give(give) {}

  bool isAtEnd = false; ///< it ended early, where the text does

  bool binary(binary_t &) override { return false; } // not of text
  bool key(string_t &value) override {
    if (isAmongEntries()) {
      entryKey = std::move(value);
      return true;
    }
    isMember = containers().size() == 1 && value == stated.member;
    return JsonBuilder::key(value);
  }
  bool parse_error(size_t position, const std::string &last,
                   const nlohmann::detail::exception &error) override {
    isAtEnd = position > size;
    (void)JsonBuilder::parse_error(position, last, error);
    return isAtEnd ? fail(failure()) : fail("not JSON (" + failure() + ")");
  }

protected:
  Json &put(Json value) override {
    if (isAmongEntries())
      return entry = std::move(value);
    return JsonBuilder::put(std::move(value));
  }
  bool begun() override {
    if (containers().size() != 2 || !isMember)
      return true;
    entries = containers().back();
    return isOfKind(*entries);
  }
  void ending() override {
    if (isAmongEntries())
      entries = nullptr;
  }
  bool ended() override {
    if (containers().size() == 1 && isMember)
      return isOfKind(built()[stated.member]);
    if (!isAmongEntries())
      return true;
    auto taken = give({entryKey, ++count, entry, built()});
    return taken || fail(taken.error().message);
  }

private:
  /// Returns true if the next value is an entry.
  bool isAmongEntries() const {
    return entries && containers().back() == entries;
  }
  bool isOfKind(const Json &container) {
    bool isObject = stated.kind == Json::value_t::object;
    return container.type() == stated.kind ||
           fail("'" + stated.member + "' is not " +
                (isObject ? "an object" : "a list"));
  }

  size_t size; ///< of the text
  const EntryLocation &stated;
  const Take &give;
  bool isMember = false;         ///< the last key was that of the entries
  const Json *entries = nullptr; ///< while they last
  Json entry;
  std::string entryKey;
  size_t count = 0;
};

} // namespace

/// Returns the text with null in place of these words outside of strings.
static std::string withoutNaN(const std::string &text) {
  std::string clean;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (inString && text[i] == '\\' && i + 1 < text.size()) {
      clean.append(text, i++, 2);
      continue;
    }
    inString ^= text[i] == '"';
    size_t length = 0;
    if (!inString)
      for (std::string_view word : {"NaN", "Infinity", "-Infinity"})
        if (text.compare(i, word.size(), word) == 0)
          length = word.size();
    if (length == 0)
      clean += text[i];
    else {
      clean += "null";
      i += length - 1;
    }
  }
  return clean;
}

static bool mayHaveNaN(const std::string &text) {
  return text.find("NaN") != std::string::npos ||
         text.find("Infinity") != std::string::npos;
}

/// Parses an object with the entries in one of its members. Passes each entry
/// to `take`, in file order, duplicates included; stops at the first error of
/// `take`, and at a member of another kind. Reads `NaN` and `Infinity`, which
/// Python writes although JSON has neither, as null. Returns the rest of the
/// object. (parseJson would sort entries, drop duplicate keys, and hold all of
/// a text that may have 100 MB.)
static Result<Json, EntryFailure>
parseEntries(const std::string &given, const EntryLocation &place,
             const std::function<Result<void>(const JsonEntry &)> &take) {
  std::string clean = mayHaveNaN(given) ? withoutNaN(given) : std::string();
  const std::string &text = clean.empty() ? given : clean;
  EntryParser parser(text.size(), place, take);
  if (!Json::sax_parse(text.begin(), text.end(), &parser))
    return EntryFailure{parser.failure(), parser.isAtEnd};
  return parser.take();
}

Result<Recording> StatedEntries::finish(std::string name,
                                        std::optional<double> unit) && {
  if (parameters.empty())
    return Error{"the file has no entries"};
  double whole = unit.value_or(1e-3);
  double compile = compileUnit(costs, unit);
  if (unit && compile != *unit)
    notes.emplace_back("compile times are read as seconds, not as the stated "
                       "milliseconds: the timestamps show it");
  RecordingBuilder builder(std::move(parameters));
  for (RecordedEntry &entry : entries) {
    entry.cost.compile *= compile;
    entry.cost.run *= whole;
    entry.cost.other *= whole;
    TONNO_TRY(builder.add(std::move(entry)));
  }
  for (size_t i = 0; i < excluded; ++i)
    builder.exclude();
  for (std::string &note : notes)
    builder.note(std::move(note));
  return std::move(builder).finish(std::move(name));
}

/// Returns the sum of the numbers of these names: 0 for one that is not there
/// or null, an Error for one that is something else.
static Result<double> sumMembers(const Json &object,
                                 std::initializer_list<const char *> names,
                                 const std::string &origin) {
  double sum = 0;
  for (const char *name : names)
    if (auto found = object.find(name);
        found != object.end() && !found->is_null()) {
      if (!found->is_number())
        return Error{origin + ": '" + name + "' is " + printed(*found) +
                     ", which is not a number"};
      sum += found->get<double>();
    }
  return sum;
}

/// Returns the values of these parameters. Fails if one is missing, or, with
/// `exactly`, if there are others.
static Result<std::vector<Json>>
getParameterValues(const Json &configuration,
                   const std::vector<std::string> &parameters,
                   const std::string &origin, bool exactly) {
  std::vector<Json> values;
  for (const std::string &name : parameters) {
    auto found = configuration.find(name);
    if (found == configuration.end())
      return Error{origin + ": the parameter '" + name +
                   "' is missing, which other entries have"};
    values.push_back(*found);
  }
  if (exactly && configuration.size() != parameters.size())
    for (const auto &[name, value] : configuration.items())
      if (std::ranges::find(parameters, name) == parameters.end())
        return Error{origin + ": the entry has a parameter '" + name +
                     "', which other entries do not have"};
  return values;
}

/// Returns the time of the entry's "timestamp", if it has one.
static std::optional<double> parseEntryTimestamp(const Json &entry) {
  auto found = entry.find("timestamp");
  if (found == entry.end() || !found->is_string())
    return std::nullopt;
  return parseTimestamp(found->get_ref<const std::string &>());
}

/// Returns the parameters of a cache file of Kernel Tuner.
static Result<std::vector<std::string>>
parseParameterNames(const Json &header) {
  auto names =
      decodeMember<std::vector<std::string>>(header, "tune_params_keys");
  if (!names || names->empty())
    return Error{"not a cache file of Kernel Tuner: no list 'tune_params_keys' "
                 "before 'cache'"};
  return std::move(*names);
}

/// Returns true if a part of an entry's key certainly states another value.
/// Python's formats of numbers vary, and values with commas cannot be split.
static bool isDifferentValue(std::string_view part, const Json &value) {
  if (value.is_string())
    return part != value.get_ref<const std::string &>();
  if (value.is_boolean())
    return part != (value.get<bool>() ? "True" : "False") &&
           part != (value.get<bool>() ? "true" : "false");
  double number = 0;
  auto [end, error] =
      std::from_chars(part.data(), part.data() + part.size(), number);
  return value.is_number() &&
         (error != std::errc() || end != part.data() + part.size() ||
          number != value.get<double>());
}

/// Returns true if the key contradicts the values; Kernel Tuner itself goes by
/// the values of the key.
static bool contradicts(const std::string &key,
                        const std::vector<Json> &values) {
  std::vector<std::string_view> parts;
  for (auto part : std::views::split(key, ','))
    parts.emplace_back(part.begin(), part.end());
  if (parts.size() != values.size())
    return std::ranges::all_of(values, [](const Json &value) {
      return value.is_number() || value.is_boolean();
    });
  for (size_t i = 0; i < values.size(); ++i)
    if (isDifferentValue(parts[i], values[i]))
      return true;
  return false;
}

/// Returns the name of the error of Kernel Tuner's entry, if it is one: a
/// member of its own in newer files, in place of the objective in older ones.
static std::optional<std::string> findErrorName(const Json &entry) {
  for (const auto &[name, value] : entry.items())
    if (value.is_string())
      if (const auto &text = value.get_ref<const std::string &>();
          name == "__error__" || text == "InvalidConfig" ||
          text == "CompilationFailedConfig" || text == "RuntimeFailedConfig" ||
          text == "ErrorConfig")
        return text;
  return std::nullopt;
}

/// Reads the time of an entry that is no error.
static Result<void> readTime(const Json &entry, RecordedEntry &recorded) {
  auto time = entry.find("time");
  if (time == entry.end())
    return Error{recorded.origin +
                 ": the entry has neither 'time' nor an error"};
  constexpr double oldFailure = 1e20;
  if (time->is_null() || (time->is_number() && *time >= oldFailure))
    recorded.status = Status::fault;
  else if (!time->is_number())
    return Error{recorded.origin + ": 'time' is " + printed(*time) +
                 ", which is neither a number nor a known error"};
  else
    recorded.seconds = time->get<double>() * 1e-3;
  return {};
}

/// Adds an entry of a cache file of Kernel Tuner.
static Result<void> addKernelTunerEntry(const JsonEntry &entry,
                                        StatedEntries &entries) {
  const Json &members = entry.members;
  if (entries.parameters.empty())
    entries.parameters = TONNO_TRY(parseParameterNames(entry.header));
  RecordedEntry recorded;
  recorded.origin =
      "entry " + std::to_string(entry.number) + " \"" + entry.key + "\"";
  if (!members.is_object())
    return Error{recorded.origin + ": not an object"};
  recorded.values = TONNO_TRY(
      getParameterValues(members, entries.parameters, recorded.origin,
                         /*exactly=*/false)); // measurements stand beside them
  if (contradicts(entry.key, recorded.values))
    return Error{recorded.origin + ": the parameters are " +
                 printed(Json(recorded.values)) +
                 ", which the key contradicts"};
  if (auto error = findErrorName(members)) {
    if (*error == "InvalidConfig") {
      entries.exclude();
      return {};
    }
    recorded.status = *error == "CompilationFailedConfig"
                          ? Status::compile_error
                          : Status::fault;
  } else {
    TONNO_TRY(readTime(members, recorded));
  }
  auto sum = [&](std::initializer_list<const char *> names) {
    return sumMembers(members, names, recorded.origin);
  };
  recorded.cost = {TONNO_TRY(sum({"compile_time"})),
                   TONNO_TRY(sum({"verification_time", "benchmark_time"})),
                   TONNO_TRY(sum({"framework_time"}))};
  entries.add(std::move(recorded), parseEntryTimestamp(members));
  return {};
}

/// Checks that 'tune_params' and 'tune_params_keys' name the same parameters,
/// since readers may use either.
static Result<void> checkParameters(const Json &header,
                                    const std::vector<std::string> &names) {
  auto stated = header.find("tune_params");
  if (names.empty() || stated == header.end() || !stated->is_object())
    return {};
  for (const auto &[name, values] : stated->items())
    if (std::ranges::find(names, name) == names.end())
      return Error{"'tune_params' has '" + name +
                   "', which 'tune_params_keys' does not have"};
  for (const std::string &name : names)
    if (!stated->contains(name))
      return Error{"'tune_params_keys' has '" + name +
                   "', which 'tune_params' does not have"};
  return {};
}

using Read = Result<Json, EntryFailure>;

static Read read(const std::string &text, StatedEntries &entries) {
  return parseEntries(text, {"cache", Json::value_t::object},
                      [&entries](const JsonEntry &entry) {
                        return addKernelTunerEntry(entry, entries);
                      });
}

/// Reads a file like Kernel Tuner does: closes an unclosed one.
static Read readClosed(const std::string &text, StatedEntries &entries) {
  Read whole = read(text, entries);
  size_t end = text.find_last_not_of(" \t\r\n");
  for (const char *brackets : {"}}", "}"})
    if (!whole && whole.error().isAtEnd) {
      std::string closed = text.substr(0, end + 1);
      if (closed.ends_with(','))
        closed.pop_back();
      StatedEntries again;
      if (Read mended = read(closed + brackets, again)) {
        whole = std::move(mended);
        entries = std::move(again);
        entries.notes.emplace_back("the file is incomplete: Kernel Tuner is "
                                   "still writing it, or was killed");
      }
    }
  return whole;
}

Result<Recording> tonno::parseKernelTunerFile(const std::string &text,
                                              const std::string &name) {
  StatedEntries entries;
  Read header = readClosed(text, entries);
  if (!header && header.error().isAtEnd)
    return Error{
        "the file is truncated within entry " +
        std::to_string(entries.size() + 1) +
        "; remove all after the last complete entry, or copy the file again (" +
        header.error().message + ")"};
  if (!header)
    return Error{header.error().message};
  if (!header->is_object() || !header->contains("cache"))
    return Error{"not a cache file of Kernel Tuner: no object 'cache'"};
  TONNO_TRY(checkParameters(*header, entries.parameters));
  return std::move(entries).finish(name);
}

static const std::map<std::string, Status> statusOfInvalidity = {
    {"correct", Status::ok},        {"compile", Status::compile_error},
    {"runtime", Status::fault},     {"timeout", Status::hang},
    {"correctness", Status::wrong}, {"constraints", Status::unlaunchable}};

/// Returns the measurement of the kernel's time.
static const Json *findTime(const Json &entry) {
  auto measurements = entry.find("measurements");
  if (measurements == entry.end() || !measurements->is_array())
    return nullptr;
  auto objectives = decodeMember<std::vector<std::string>>(entry, "objectives");
  const Json *found = nullptr;
  for (const Json &each : *measurements) {
    auto name = decodeMember<std::string>(each, "name");
    auto unit = decodeMember<std::string>(each, "unit");
    if (name && *name == "time")
      return &each;
    if (name && unit && secondsPerUnit(*unit) && objectives &&
        objectives->size() == 1 && objectives->front() == *name)
      found = &each;
  }
  return found;
}

/// Reads the time of a result. `unit` is the unit of times without one, in
/// seconds.
static Result<void> readMeasurement(const Json &entry, double unit,
                                    RecordedEntry &recorded) {
  const Json *time = findTime(entry);
  if (!time || !time->contains("value"))
    return Error{recorded.origin + ": the entry has no measurement 'time', and "
                                   "no objective in a unit of time"};
  if (auto stated = decodeMember<std::string>(*time, "unit");
      stated && !stated->empty()) {
    auto known = secondsPerUnit(*stated);
    if (!known)
      return Error{recorded.origin + ": the time is in '" + *stated +
                   "', which is not a unit of time"};
    unit = *known;
  }
  const Json &value = (*time)["value"];
  auto several = decode<std::vector<double>>(value);
  if (value.is_number())
    recorded.seconds = value.get<double>() * unit;
  else if (several && !several->empty())
    recorded.seconds = median(std::move(*several)) * unit;
  else
    return Error{recorded.origin + ": the entry is correct, but its time is " +
                 printed(value)};
  return {};
}

/// Returns the cost that `times` states, in the file's unit.
static Result<RecordedCost> parseCost(const Json &times,
                                      const std::string &origin) {
  auto sum = [&](std::initializer_list<const char *> names) {
    return sumMembers(times, names, origin);
  };
  bool isOfSchema = times.contains("compilation_time");
  RecordedCost cost = {
      TONNO_TRY(sum({isOfSchema ? "compilation_time" : "compilation"})),
      TONNO_TRY(sum({"validation", "benchmark"})),
      TONNO_TRY(sum({"framework"}))};
  if (!times.contains("benchmark"))
    if (auto runs = decodeMember<std::vector<double>>(times, "runtimes"))
      cost.run += std::accumulate(runs->begin(), runs->end(), 0.0);
  return cost;
}

/// Adds a result of a T4 file; `timeUnit` is the unit of times without one.
static Result<void> addT4Result(const JsonEntry &entry, double timeUnit,
                                StatedEntries &entries) {
  const Json &members = entry.members;
  RecordedEntry recorded;
  recorded.origin = "result " + std::to_string(entry.number);
  auto configuration =
      members.is_object() ? members.find("configuration") : members.end();
  if (configuration == members.end() || !configuration->is_object() ||
      configuration->empty())
    return Error{recorded.origin + ": the entry has no 'configuration'"};
  if (entries.parameters.empty())
    for (const auto &[name, value] : configuration->items())
      entries.parameters.push_back(name);
  recorded.values = TONNO_TRY(
      getParameterValues(*configuration, entries.parameters, recorded.origin,
                         /*exactly=*/true));
  auto invalidity = decodeMember<std::string>(members, "invalidity");
  auto status =
      invalidity ? findIn(statusOfInvalidity, *invalidity) : std::nullopt;
  if (!status)
    return Error{recorded.origin + ": 'invalidity' is " +
                 printed(members.value("invalidity", Json())) +
                 "; the values are: correct, compile, runtime, timeout, "
                 "correctness and constraints"};
  recorded.status = *status;
  if (*status == Status::unlaunchable) {
    entries.exclude();
    return {};
  }
  if (*status == Status::ok)
    TONNO_TRY(readMeasurement(members, timeUnit, recorded));
  if (auto times = members.find("times");
      times != members.end() && times->is_object())
    recorded.cost = TONNO_TRY(parseCost(*times, recorded.origin));
  entries.add(std::move(recorded), parseEntryTimestamp(members));
  return {};
}

/// Reads all members but the results.
static Result<Json> readHeader(const std::string &text) {
  auto header = parseEntries(text, {"results", Json::value_t::array},
                             [](const JsonEntry &) { return Result<void>(); });
  if (!header)
    return Error{header.error().isAtEnd
                     ? "the file is truncated; copy or download it again (" +
                           header.error().message + ")"
                     : header.error().message};
  if (!header->is_object() || !header->contains("results"))
    return Error{"not a T4 file: no list 'results'"};
  return std::move(*header);
}

/// Reads what our own files state of the kernel and the device.
static Result<RecordingOrigin> readOrigin(const Json &metadata) {
  RecordingOrigin origin;
  auto own = metadata.find("tonno");
  if (own == metadata.end() || !own->is_object())
    return origin;
  if (own->contains("features"))
    origin.features = TONNO_TRY(decodeMember<KernelFeatures>(*own, "features"));
  auto problem = own->value("problem", Json::object());
  if (problem.is_object()) {
    origin.device = problem.value("device", std::string());
    origin.chip = problem.value("chip", std::string());
  }
  return origin;
}

Result<Recording> tonno::parseT4File(const std::string &text,
                                     const std::string &name) {
  auto header = TONNO_TRY(readHeader(text));
  auto metadata = header.value("metadata", Json::object());
  auto stated = decodeMember<std::string>(metadata, "timeunit");
  std::optional<double> unit = stated ? secondsPerUnit(*stated) : std::nullopt;
  if (stated && !unit)
    return Error{"'timeunit' is '" + *stated +
                 "', which is not a unit of time"};
  constexpr double millisecond = 1e-3;
  StatedEntries entries;
  auto read = parseEntries(
      text, {"results", Json::value_t::array}, [&](const JsonEntry &entry) {
        return addT4Result(entry, unit.value_or(millisecond), entries);
      });
  if (!read)
    return Error{read.error().message};
  auto recording = TONNO_TRY(std::move(entries).finish(name, unit));
  recording.setOrigin(TONNO_TRY(readOrigin(metadata)));
  return recording;
}
