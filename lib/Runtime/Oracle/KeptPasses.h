//===- Passes that outlive their runner -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_ORACLE_KEPTPASSES_H
#define TONNO_LIB_RUNTIME_ORACLE_KEPTPASSES_H

#include "tonno/Core/Descriptor.h"
#include "tonno/Runtime/OraclePass.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tonno {

/// Returns an empty file in memory for the passes of runners that this process
/// starts, which open it by pathForOthers. Not valid where there is none.
Descriptor makeFileForPasses();

/// Returns the name by which a process of the same user on this machine opens
/// a descriptor of this one.
std::string pathForOthers(const Descriptor &file);

/// Writes passes to such a file, and seals it, so that no candidate changes
/// them. Returns false if that failed: the file stays empty. `key` tells what
/// the passes are of.
bool keepPasses(const std::string &path, const std::string &key,
                std::span<const OraclePass> passes);

/// Returns the passes that were kept under this key; none if the file is not
/// such a file, or not sealed.
std::optional<std::vector<OraclePass>> readPasses(const std::string &path,
                                                  const std::string &key);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_ORACLE_KEPTPASSES_H
