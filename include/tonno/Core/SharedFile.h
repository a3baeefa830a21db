//===- Files in directories of several machines ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_SHAREDFILE_H
#define TONNO_CORE_SHAREDFILE_H

#include "tonno/Core/Result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace tonno {

/// The kinds of file systems, by what their locks are worth.
enum class FileSystemKind {
  local,   ///< of one machine
  network, ///< of several machines, between which locks may not work
  unknown,
};

/// Returns the kind of the file system that a directory is in, by statfs.
/// `unknown` for FUSE, whose file systems are of both kinds.
FileSystemKind getFileSystemKind(const std::filesystem::path &directory);

/// Returns the kind of a file system by the type that statfs states.
FileSystemKind classifyFileSystem(unsigned long type);

/// Writes a file that appears whole, or not at all: like writeFileAtomically,
/// but without locks. The temporary is in the directory `aside`, of the same
/// file system, and stays there if the process is killed. A server that answers
/// a rename twice is no failure.
Result<void> writeSharedFile(const std::filesystem::path &path,
                             std::string_view bytes,
                             const std::filesystem::path &aside);

/// Removes temporaries of writeSharedFile that were written a day before the
/// newest file in the directory, which this function makes: both dates are the
/// server's. The Error says why nothing can be written there.
Result<void> removeOldTemporaries(const std::filesystem::path &aside);

} // namespace tonno

#endif // TONNO_CORE_SHAREDFILE_H
