//===- Stores of records --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CACHE_RECORDSTORE_H
#define TONNO_CACHE_RECORDSTORE_H

#include "tonno/Core/Json.h"
#include "tonno/Core/SharedFile.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tonno {

/// The ending of a damaged record's file, which a store sets aside.
inline constexpr std::string_view corruptEnding = ".corrupt";

/// Keeps JSON records under keys. A store holds copies of facts, never the only
/// one: a lost record is a miss.
class RecordStore {
public:
  virtual ~RecordStore() = default;

  /// Returns the record; none if it does not exist or is corrupt.
  virtual std::optional<Json> find(const std::string &key) = 0;
  virtual Result<void> insert(const std::string &key, const Json &record) = 0;
  /// Returns the file of a record that was inserted; empty if there is none.
  virtual std::string locate(const std::string &) const { return {}; }
  /// Returns the store of records that are of use on this machine only, and
  /// that are looked up while candidates are timed: no network is asked.
  virtual RecordStore &local() { return *this; }
};

/// A store without records, for `--cache=off`.
class NullStore : public RecordStore {
public:
  std::optional<Json> find(const std::string &) override { return {}; }
  Result<void> insert(const std::string &, const Json &) override { return {}; }
};

/// Convert a record to the text of its file, and back. The Error is a truncated
/// file, or another key, schema or checksum.
std::string encodeRecord(const std::string &key, const Json &record);
Result<Json> decodeRecord(const std::string &key, std::string_view text);

/// Return the places in a cache: the directory of the current format, that of
/// temporary files, and the file of a record. A key has at least two digits.
std::filesystem::path getRecordDirectory(const std::filesystem::path &root);
std::filesystem::path getTemporaryDirectory(const std::filesystem::path &root);
std::filesystem::path getRecordPath(const std::filesystem::path &root,
                                    const std::string &key);

/// Returns the directory of the cache: $TONNO_CACHE_DIR, or else
/// `.tonno-cache`, for an empty name; otherwise the name, with $HOME for a
/// leading `~` of `~/`.
std::string resolveCacheDirectory(std::string directory);

/// A store with one file a record: `<root>/v1/<two hex digits>/<key>.json`. Any
/// number of processes may share it: records are written to `<root>/v1/tmp` and
/// renamed; opening the store removes temporaries of killed processes. A record
/// with a wrong checksum or form is a miss with a warning, and is renamed to
/// `*.corrupt` for inspection, unless another process has replaced it
/// meanwhile. Nothing depends on the time of day.
///
/// In a network file system, whose locks may not work between machines, records
/// are written by rename alone, and temporaries of killed processes stay for a
/// day by the server's clock.
class DirectoryStore : public RecordStore {
public:
  enum class Mode { read_write, read_only };
  using Warn = std::function<void(const std::string &)>;

  /// Opens the store. In mode read_write, makes the directory and checks that
  /// it is writable, so that a session fails at its start rather than at its
  /// end.
  /// Warns if the file system is of unknown kind, and treats it as of several
  /// machines. `kind` is for tests.
  static Result<std::unique_ptr<DirectoryStore>>
  open(const std::filesystem::path &root, Mode mode, Warn warn,
       std::optional<FileSystemKind> kind = std::nullopt);

  std::optional<Json> find(const std::string &key) override;
  std::string locate(const std::string &key) const override {
    return mode == Mode::read_write ? getRecordPath(root, key).string() : "";
  }
  /// Stores the record; does nothing in mode read_only.
  Result<void> insert(const std::string &key, const Json &record) override;
  /// Writes a file of the directory as records are written: it appears whole or
  /// not at all. Makes its folder.
  Result<void> writeFile(const std::filesystem::path &path,
                         const std::string &text) const;

private:
  DirectoryStore(std::filesystem::path root, Mode mode, Warn warn)
      : root(std::move(root)), mode(mode), warn(std::move(warn)) {}

  /// Takes a corrupt record out of the way.
  void quarantineRecord(const std::string &key) const;

  std::filesystem::path root;
  Mode mode;
  Warn warn;
  bool isShared = false;  ///< between machines
  bool hasWarned = false; ///< of what can't be read
};

} // namespace tonno

#endif // TONNO_CACHE_RECORDSTORE_H
