//===- Best configurations at other shapes --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/SiblingStore.h"
#include "tonno/Core/Hash.h"
#include "tonno/Space/LegalSpace.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace tonno;

/// The number of most recent siblings that a family's record keeps.
static constexpr size_t mostSiblings = 32;
/// The number of siblings whose points are used.
static constexpr size_t mostAsked = 3;

namespace {

/// A kernel as its family's record has it.
struct Sibling {
  std::string device;
  std::vector<std::vector<int64_t>> shapes;
  std::string best; ///< the key of the best configurations
};

void mapFields(JsonFields &fields, Sibling &sibling) {
  fields("device", sibling.device);
  fields("shapes", sibling.shapes);
  fields("best", sibling.best);
}

} // namespace

std::string SiblingContext::key() const {
  std::set<std::string> names;
  for (const Knob &knob : space.knobs())
    names.insert(knob.name);
  return sha256(printed(Json{{"schema", 1},
                             {"siblings", family.hash},
                             {"triple", identity.triple},
                             {"knobs", names}}));
}

/// Reads a family's siblings, skipping invalid ones.
static std::vector<Sibling> readSiblings(RecordStore &store,
                                         const std::string &key) {
  std::vector<Sibling> siblings;
  auto record = store.find(key);
  if (!record)
    return siblings;
  auto list = decodeMember<std::vector<Json>>(*record, "siblings");
  if (!list)
    return siblings;
  for (const Json &each : *list)
    if (auto sibling = decode<Sibling>(each))
      siblings.push_back(std::move(*sibling));
  return siblings;
}

/// Returns the sum of the absolute binary logarithms of the sizes' ratios; none
/// if ranks differ.
static std::optional<double>
distance(const std::vector<std::vector<int64_t>> &one,
         const std::vector<std::vector<int64_t>> &other) {
  if (one.size() != other.size())
    return std::nullopt;
  double sum = 0;
  for (size_t i = 0; i < one.size(); ++i) {
    if (one[i].size() != other[i].size())
      return std::nullopt;
    for (size_t j = 0; j < one[i].size(); ++j)
      if (one[i][j] > 0 && other[i][j] > 0)
        sum += std::abs(std::log2(static_cast<double>(one[i][j]) /
                                  static_cast<double>(other[i][j])));
  }
  return sum;
}

/// Formats shapes: "512x512, 512x64".
static std::string text(const std::vector<std::vector<int64_t>> &shapes) {
  std::string text;
  for (const std::vector<int64_t> &shape : shapes) {
    text += text.empty() ? "" : ", ";
    for (size_t i = 0; i < shape.size(); ++i)
      text += (i ? "x" : "") + std::to_string(shape[i]);
  }
  return text;
}

/// Returns the siblings, the nearest first; ties are ordered by age, the latest
/// first.
static std::vector<Sibling> nearestSiblings(RecordStore &store,
                                            const SiblingContext &place) {
  struct Place {
    bool isElsewhere;
    double distance;
    size_t index;
    auto operator<=>(const Place &) const = default;
  };
  std::vector<Sibling> all = readSiblings(store, place.key());
  std::vector<Place> order;
  for (size_t i = 0; i < all.size(); ++i) {
    auto far = distance(all[i].shapes, place.family.shapes);
    if (far && all[i].best != place.identity.bestKey())
      order.push_back({all[i].device != place.identity.device, *far, i});
  }
  std::ranges::sort(order);
  std::vector<Sibling> nearest;
  for (const Place &each : order)
    nearest.push_back(std::move(all[each.index]));
  return nearest;
}

namespace {

/// A sibling's best configurations, the best first.
struct Answer {
  std::vector<Json> best;
  std::string where;
};

} // namespace

static std::vector<Answer> loadSiblingResults(RecordStore &store,
                                              const SiblingContext &place) {
  std::vector<Answer> answers;
  for (const Sibling &sibling : nearestSiblings(store, place)) {
    auto record = store.find(sibling.best);
    auto best = record ? decodeMember<std::vector<Json>>(*record, "best")
                       : Result<std::vector<Json>>(Error{""});
    if (!best || best->empty())
      continue;
    bool isElsewhere = sibling.device != place.identity.device;
    answers.push_back(
        {std::move(*best), "for " + text(sibling.shapes) +
                               (isElsewhere ? " on " + sibling.device : "")});
    if (answers.size() == mostAsked)
      break;
  }
  return answers;
}

SiblingPoints
tonno::findBestOfSiblings(RecordStore &store, const SiblingContext &place,
                          const std::shared_ptr<const LegalSpace> &space,
                          size_t most) {
  std::vector<Answer> answers = loadSiblingResults(store, place);
  size_t ranks = 0;
  for (const Answer &answer : answers)
    ranks = std::max(ranks, answer.best.size());
  PointTransfer transfer(space);
  SiblingPoints found;
  std::set<Configuration> known = {space->space().defaultConfiguration()};
  std::set<std::string> siblings;
  for (size_t rank = 0; rank < ranks; ++rank)
    for (const Answer &answer : answers) {
      if (found.points.size() == most)
        return found;
      if (rank >= answer.best.size())
        continue;
      auto point = transfer.transfer(answer.best[rank]);
      if (!point || !known.insert(*point).second)
        continue;
      found.points.push_back(
          {std::move(*point), "number " + std::to_string(rank + 1) +
                                  " of the best " + answer.where});
      if (siblings.insert(answer.where).second)
        found.siblings.push_back(answer.where);
    }
  return found;
}

Result<void> tonno::registerSibling(RecordStore &store,
                                    const SiblingContext &place) {
  std::string key = place.key();
  Sibling own = {place.identity.device, place.family.shapes,
                 place.identity.bestKey()};
  std::vector<Sibling> siblings = readSiblings(store, key);
  std::erase_if(siblings,
                [&](const Sibling &each) { return each.best == own.best; });
  siblings.insert(siblings.begin(), std::move(own));
  if (siblings.size() > mostSiblings)
    siblings.resize(mostSiblings);
  return store.insert(key, Json{{"siblings", siblings}});
}
