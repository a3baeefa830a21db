//===- Files, read whole and written whole --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_FILE_H
#define TONNO_CORE_FILE_H

#include "tonno/Core/Descriptor.h"
#include "tonno/Core/Result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tonno {

/// Bound of the files that are read whole; none of tonno's comes near it.
inline constexpr uint64_t mostFileBytes = uint64_t{1} << 30;

/// Reads a regular file; others are refused, since a pipe may block forever,
/// and a device may never end. The Error names the path and the system's
/// reason, or the limit.
Result<std::string> readFile(const std::filesystem::path &path,
                             uint64_t mostBytes = mostFileBytes);

/// Reads a file like readFile; returns none if it does not exist.
Result<std::optional<std::string>>
readFileIfAny(const std::filesystem::path &path,
              uint64_t mostBytes = mostFileBytes);

/// Reads a file named by the user like readFile, or a pipe, such as a shell's
/// `<(...)`.
Result<std::string> readNamedFile(const std::filesystem::path &path,
                                  uint64_t mostBytes = mostFileBytes);

/// Reads all of standard input, a file or a pipe.
Result<std::string> readStandardInput(uint64_t mostBytes = mostFileBytes);

/// Writes every byte, however often a signal interrupts; false leaves the
/// reason in errno. A socket whose peer has ended is a failure, not a SIGPIPE,
/// and so is the limit of a file's size, not a SIGXFSZ.
bool writeAll(int descriptor, std::string_view bytes);

/// A file that appears under its name whole, or not at all: bytes go to a
/// temporary file beside the target; `commit` syncs and renames it. Without
/// `commit` no file is left behind, unless the process is killed. If the target
/// is a symbolic link, replaces the file that the link names. A target that is
/// no regular file (a device, a pipe) is never replaced: bytes are written to
/// it at once. With `aside`, such a target is an error, since no user has named
/// it.
class AtomicFile {
public:
  /// Fails where nothing can be written, a directory among them. The temporary
  /// is made in the directory `aside`, if one is given: of the same file
  /// system.
  static Result<AtomicFile> create(const std::filesystem::path &path,
                                   const std::filesystem::path &aside = {});
  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&) = delete;
  ~AtomicFile();

  Result<void> write(std::string_view bytes);
  Result<void> commit();
  /// Returns true if the target is open and no regular file.
  bool isInPlace() const { return temporary.empty(); }

private:
  AtomicFile(int descriptor, std::filesystem::path temporary,
             std::filesystem::path target);

  int descriptor;
  std::filesystem::path temporary; ///< empty: the target is written at once
  std::filesystem::path target;
};

/// Creates, writes and commits an AtomicFile.
Result<void> writeFileAtomically(const std::filesystem::path &path,
                                 std::string_view bytes,
                                 const std::filesystem::path &aside = {});

/// Waits until no other process has a directory locked, and locks it for as
/// long as the result lives. Does not where the file system has no locks.
Descriptor lockDirectory(const std::filesystem::path &directory);

/// Removes temporary files of a directory whose writers were killed, if the
/// target's name ends in `ending`. Keeps temporaries that are locked, since a
/// process still writes them, and those that cannot be locked.
void removeAbandoned(const std::filesystem::path &directory,
                     std::string_view ending = "");

/// Opens the descriptors 0, 1 and 2 that are closed, so that no file gets their
/// numbers and receives printed output. Reads and writes of them still fail,
/// except that standard error discards its output.
void openStandardDescriptors();

} // namespace tonno

#endif // TONNO_CORE_FILE_H
