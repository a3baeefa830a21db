//===- Files of recorded spaces -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/RecordingFile.h"
#include "tonno/Core/File.h"
#include "Gzip.h"

using namespace tonno;
namespace fs = std::filesystem;

/// More than any published file has, and less than what any machine has.
static constexpr size_t mostBytes = size_t{2} << 30;

std::string tonno::recordingFormats() {
  return "what is read are cache files of Kernel Tuner and T4 files, which are "
         "JSON objects, CSV, whose first line names its columns, and tonno's "
         "journals, each compressed with gzip or not";
}

Result<std::string> tonno::recordedText(std::string bytes) {
  if (isGzip(bytes)) {
    auto content = gunzip(bytes, mostBytes);
    if (!content)
      return content;
    bytes = std::move(*content);
  }
  if (bytes.starts_with("\xef\xbb\xbf"))
    bytes.erase(0, 3);
  return bytes;
}

static Result<Recording> parseText(const std::string &text,
                                   const std::string &name) {
  size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos)
    return Error{"it is empty"};
  if (text.find('\0') != std::string::npos)
    return Error{"it is no text; " + recordingFormats()};
  if (text[first] == '[')
    return Error{"it is a JSON list; " + recordingFormats()};
  if (text[first] != '{')
    return parseCsvFile(text, name);
  if (text.find("\"tune_params_keys\"") != std::string::npos)
    return parseKernelTunerFile(text, name);
  if (text.find("\"results\"") != std::string::npos)
    return parseT4File(text, name);
  return Error{
      "it is JSON, but neither a cache file of Kernel Tuner, which has "
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
  auto bytes = readNamedFile(path);
  if (!bytes)
    return bytes.error();
  auto recording = parseRecording(*bytes, recordingName(path));
  if (!recording)
    return recording.error().prefixed("'" + path.string() + "'");
  return recording;
}
