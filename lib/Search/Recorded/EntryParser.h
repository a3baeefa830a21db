//===- JSON files of very many entries ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_ENTRYPARSER_H
#define TONNO_LIB_SEARCH_ENTRYPARSER_H

#include "tonno/Core/Json.h"

#include <functional>

namespace tonno {

/// One of the many.
struct JsonEntry {
  std::string key;   ///< empty in an array
  size_t number = 0; ///< from 1
  const Json &members;
  const Json &header; ///< what stood before the entries
};

/// Where they stand.
struct EntryPlace {
  std::string member;                        ///< of the outermost object
  Json::value_t kind = Json::value_t::array; ///< or an object
};

/// Why a file was not read to its end.
struct EntryFailure {
  std::string message;
  bool isAtEnd = false; ///< more was expected there
};

/// Parses an object of which one member has the entries, which are given to
/// `take` one by one, in their order, also where two have the same key;
/// whatever error that returns ends it, as does a member of another kind. What
/// JSON has no word for and Python writes nonetheless, `NaN` and `Infinity`, is
/// null. Gives the rest of the object. (parseJson would sort entries, lose
/// those with equal keys, and hold all of what may be 100 MB of text.)
Result<Json, EntryFailure>
parseEntries(const std::string &text, const EntryPlace &place,
             const std::function<Result<void>(const JsonEntry &)> &take);

} // namespace tonno

#endif // TONNO_LIB_SEARCH_ENTRYPARSER_H
