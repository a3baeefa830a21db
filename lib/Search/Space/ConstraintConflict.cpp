//===- Why a space is empty -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/ConstraintConflict.h"
#include "tonno/Search/LegalSpace.h"

using namespace tonno;

/// Whether it is proved that nothing satisfies these constraints. What can't be
/// used without the others proves nothing.
static bool isEmpty(const SearchSpace &space, const std::vector<size_t> &kept) {
  std::vector<std::string> texts;
  for (size_t constraint : kept)
    texts.push_back(space.constraints()[constraint]);
  auto part = SearchSpace::create(space.knobs(), std::move(texts));
  if (!part)
    return false;
  LegalSpace::Limits limits;
  limits.mostWork = limits.mostInAll = 60000;
  limits.orders = 2;
  limits.mostDrawn = limits.mostAhead = 20000;
  LegalCount count = LegalSpace::create(*part, limits)->count();
  return count.exactness == Exactness::exact && count.points == 0;
}

std::optional<std::vector<size_t>>
tonno::conflictingConstraints(const SearchSpace &space) {
  std::vector<size_t> kept;
  for (size_t i = 0; i < space.constraints().size(); ++i)
    kept.push_back(i);
  if (!isEmpty(space, kept))
    return std::nullopt;
  // Leaves out what is not needed, halves first.
  for (size_t length = (kept.size() + 1) / 2;; length = (length + 1) / 2) {
    for (size_t begin = 0; begin < kept.size();) {
      std::vector<size_t> fewer = kept;
      auto first = fewer.begin() + static_cast<ptrdiff_t>(begin);
      auto end = fewer.begin() +
                 static_cast<ptrdiff_t>(std::min(begin + length, kept.size()));
      fewer.erase(first, end);
      if (isEmpty(space, fewer))
        kept = std::move(fewer);
      else
        begin += length;
    }
    if (length <= 1)
      return kept;
  }
}

std::string tonno::describeConflict(const SearchSpace &space) {
  auto conflict = conflictingConstraints(space);
  if (!conflict)
    return "constraints";
  std::string text = conflict->size() == 1 ? "constraint " : "constraints ";
  for (size_t i = 0; i < conflict->size(); ++i) {
    if (i > 0)
      text += i + 1 == conflict->size() ? " and " : ", ";
    text += "\"" + space.constraints()[(*conflict)[i]] + "\"";
  }
  return text + (conflict->size() == 1 ? "" : " together");
}
