//===- Cache files of Kernel Tuner ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/RecordingFile.h"
#include "EntryParser.h"
#include "StatedEntries.h"

#include <algorithm>
#include <charconv>
#include <ranges>

using namespace tonno;

namespace {

class KernelTunerReader {
public:
  Result<void> take(const JsonEntry &entry);

  StatedEntries entries;

private:
  Result<void> readParameters(const Json &header);
};

} // namespace

Result<void> KernelTunerReader::readParameters(const Json &header) {
  auto names =
      decodeMember<std::vector<std::string>>(header, "tune_params_keys");
  if (!names || names->empty())
    return Error{"it has no list 'tune_params_keys' before 'cache': it is no "
                 "cache file of Kernel Tuner"};
  entries.parameters = std::move(*names);
  return {};
}

/// Whether a part of an entry's key surely is of another value. Python writes
/// numbers in ways of its own, and what has commas has no parts.
static bool isOther(std::string_view part, const Json &value) {
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

/// Whether the key is of other values: those that Kernel Tuner itself goes by.
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
    if (isOther(parts[i], values[i]))
      return true;
  return false;
}

/// The name of the error that Kernel Tuner's entry is, if it is one: newer
/// files have it on its own, older ones in place of the objective.
static std::optional<std::string> errorOf(const Json &entry) {
  for (const auto &[name, value] : entry.items())
    if (value.is_string())
      if (const auto &text = value.get_ref<const std::string &>();
          name == "__error__" || text == "InvalidConfig" ||
          text == "CompilationFailedConfig" || text == "RuntimeFailedConfig" ||
          text == "ErrorConfig")
        return text;
  return std::nullopt;
}

/// Of a time that is no error's name.
static Result<void> readTime(const Json &entry, RecordedEntry &recorded) {
  auto time = entry.find("time");
  if (time == entry.end())
    return Error{recorded.origin + ": it has neither 'time' nor an error"};
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

static Result<RecordedCost> costOf(const Json &entry,
                                   const std::string &origin) {
  auto compile = numberAt(entry, "compile_time", origin);
  auto verification = numberAt(entry, "verification_time", origin);
  auto benchmark = numberAt(entry, "benchmark_time", origin);
  auto framework = numberAt(entry, "framework_time", origin);
  for (auto *part : {&compile, &verification, &benchmark, &framework})
    if (!*part)
      return part->error();
  return RecordedCost{*compile, *verification + *benchmark, *framework};
}

Result<void> KernelTunerReader::take(const JsonEntry &entry) {
  if (entries.parameters.empty())
    if (auto read = readParameters(entry.header); !read)
      return read;
  RecordedEntry recorded;
  recorded.origin =
      "entry " + std::to_string(entry.number) + " \"" + entry.key + "\"";
  if (!entry.members.is_object())
    return Error{recorded.origin + ": it is no object"};
  auto values = valuesOf(entry.members, entries.parameters, recorded.origin,
                         /*exactly=*/false); // measurements stand beside them
  if (!values)
    return values.error();
  if (contradicts(entry.key, *values))
    return Error{recorded.origin + ": its parameters are " +
                 printed(Json(*values)) + ", which its key contradicts"};
  recorded.values = std::move(*values);
  if (auto error = errorOf(entry.members)) {
    if (*error == "InvalidConfig") {
      entries.exclude();
      return {};
    }
    recorded.status = *error == "CompilationFailedConfig"
                          ? Status::compile_error
                          : Status::fault;
  } else if (auto read = readTime(entry.members, recorded); !read)
    return read;
  auto cost = costOf(entry.members, recorded.origin);
  return entries.add(std::move(recorded), cost, clockOf(entry.members));
}

/// Both name the parameters, and a reader may go by either.
static Result<void> checkParameters(const Json &header,
                                    const std::vector<std::string> &names) {
  auto stated = header.find("tune_params");
  if (names.empty() || stated == header.end() || !stated->is_object())
    return {};
  for (const auto &[name, values] : stated->items())
    if (std::ranges::find(names, name) == names.end())
      return Error{"its 'tune_params' has '" + name +
                   "', which 'tune_params_keys' does not have"};
  for (const std::string &name : names)
    if (!stated->contains(name))
      return Error{"its 'tune_params_keys' has '" + name +
                   "', which 'tune_params' does not have"};
  return {};
}

using Read = Result<Json, EntryFailure>;

static Read read(const std::string &text, KernelTunerReader &reader) {
  return parseEntries(
      text, {"cache", Json::value_t::object},
      [&reader](const JsonEntry &entry) { return reader.take(entry); });
}

/// As Kernel Tuner reads a file: one that it has not closed, it closes.
static Read readClosed(const std::string &text, KernelTunerReader &reader) {
  Read whole = read(text, reader);
  size_t end = text.find_last_not_of(" \t\r\n");
  for (const char *brackets : {"}}", "}"})
    if (!whole && whole.error().isAtEnd) {
      std::string closed = text.substr(0, end + 1);
      if (closed.ends_with(','))
        closed.pop_back();
      KernelTunerReader again;
      if (Read mended = read(closed + brackets, again)) {
        whole = std::move(mended);
        reader = std::move(again);
        reader.entries.notes.emplace_back(
            "it was not closed: Kernel Tuner still writes it, or was killed");
      }
    }
  return whole;
}

Result<Recording> tonno::parseKernelTunerFile(const std::string &text,
                                              const std::string &name) {
  KernelTunerReader reader;
  Read header = readClosed(text, reader);
  if (!header && header.error().isAtEnd)
    return Error{"it is cut off within entry " +
                 std::to_string(reader.entries.size() + 1) +
                 ": remove what follows the last whole entry, or copy the file "
                 "again (" +
                 header.error().message + ")"};
  if (!header)
    return Error{header.error().message};
  if (!header->is_object() || !header->contains("cache"))
    return Error{"it has no object 'cache': it is no cache file of Kernel "
                 "Tuner"};
  if (auto agrees = checkParameters(*header, reader.entries.parameters);
      !agrees)
    return agrees.error();
  return std::move(reader.entries).finish(name);
}
