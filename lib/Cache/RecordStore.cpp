//===- RecordStore.cpp - Where records are kept ---------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Cache/RecordStore.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Hash.h"

using namespace tonno;
namespace fs = std::filesystem;

static constexpr int schema = 1;

/// Messages repeat names of files, which are bytes: what is no UTF-8 is
/// replaced, since `dump()` alone throws.
static std::string toText(const Json &json, int indent = -1) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace);
}

/// A record's file as `insert` writes it.
static Json fileOf(const std::string &key, const Json &record) {
  return {{"schema", schema},
          {"key", key},
          {"record", record},
          {"checksum", sha256(toText(record))}};
}

fs::path DirectoryStore::pathOf(const std::string &key) const {
  return root / ("v" + std::to_string(schema)) / key.substr(0, 2) /
         (key + ".json");
}

Result<std::unique_ptr<DirectoryStore>>
DirectoryStore::open(const fs::path &root, Mode mode, Warn warn) {
  if (mode == Mode::read_write) {
    std::error_code failure;
    fs::path directory = root / ("v" + std::to_string(schema));
    fs::create_directories(directory, failure);
    if (failure)
      return Error{"cannot make the cache directory '" + root.string() +
                   "': " + failure.message()};
    if (auto probe = AtomicFile::create(directory / "probe"); !probe)
      return Error{"the cache directory '" + root.string() +
                   "' can't be written (" + probe.error().message + ")"};
  }
  return std::unique_ptr<DirectoryStore>(
      new DirectoryStore(root, mode, std::move(warn)));
}

std::optional<Json> DirectoryStore::find(const std::string &key) {
  fs::path path = pathOf(key);
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    return std::nullopt;
  std::string why;
  if (auto text = readFile(path); !text) {
    warn(text.error().message + "; taken as a cache miss");
    return std::nullopt;
  } else if (auto file = parseJson(*text); !file) {
    why = file.error().message;
  } else if (auto record = file->find("record");
             !file->is_object() || record == file->end()) {
    why = "not a record";
  } else if (*file != fileOf(key, *record)) {
    why = "its key, schema or checksum is wrong";
  } else {
    return *record;
  }
  fs::path aside = path;
  aside += ".corrupt";
  if (mode == Mode::read_write)
    fs::rename(path, aside, ignored);
  warn("cache record '" + path.string() + "' is corrupt (" + why +
       "); taken as a miss");
  return std::nullopt;
}

Result<void> DirectoryStore::insert(const std::string &key,
                                    const Json &record) {
  if (mode == Mode::read_only)
    return {};
  fs::path path = pathOf(key);
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  return writeFileAtomically(path, toText(fileOf(key, record), 2) + "\n");
}
