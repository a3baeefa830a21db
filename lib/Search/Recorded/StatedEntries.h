//===- Entries whose unit is yet to be found ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_STATEDENTRIES_H
#define TONNO_LIB_SEARCH_STATEDENTRIES_H

#include "tonno/Search/RecordingBuilder.h"
#include "CostUnits.h"

namespace tonno {

/// Entries as a Kernel Tuner or a T4 file states them, all read before it is
/// known in which unit compiling is.
class StatedEntries {
public:
  /// In their order; none until an entry is read that tells them.
  std::vector<std::string> parameters;

  /// An entry with its cost and clock as StatedCost has them, or the Error that
  /// the cost is.
  Result<void> add(RecordedEntry entry, const Result<RecordedCost> &cost,
                   std::optional<double> clock);
  void exclude() { ++excluded; }
  size_t size() const { return entries.size() + excluded; }

  std::vector<std::string> notes; ///< see Recording::notes

  /// `unit` is what the file states, in seconds; without one it is
  /// milliseconds, but for compileUnit. Without any entry it is an Error.
  Result<Recording> finish(std::string name,
                           std::optional<double> unit = std::nullopt) &&;

private:
  std::vector<RecordedEntry> entries;
  std::vector<StatedCost> costs;
  size_t excluded = 0;
};

/// The number of this name: 0 where there is none, an Error where it is
/// something else. A null is 0, too.
Result<double> numberAt(const Json &object, const char *name,
                        const std::string &origin);

/// The values of these parameters, of which none may lack and, with `exactly`,
/// none be beside.
Result<std::vector<Json>> valuesOf(const Json &configuration,
                                   const std::vector<std::string> &parameters,
                                   const std::string &origin, bool exactly);

/// The clock of the entry's "timestamp", if it has one.
std::optional<double> clockOf(const Json &entry);

} // namespace tonno

#endif // TONNO_LIB_SEARCH_STATEDENTRIES_H
