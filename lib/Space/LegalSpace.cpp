//===- The legal points, counted ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/LegalSpace.h"
#include "tonno/Core/Statistics.h"
#include "ConstraintDiagram.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

EnumNames tonno::getEnumNames(Exactness) {
  static constexpr std::string_view names[] = {"exact", "estimated",
                                               "approximate"};
  return {"exactness", names};
}

static ScaledNumber countConfigurations(const SearchSpace &space) {
  ScaledNumber size = 1;
  for (const Knob &knob : space.knobs())
    size = size * static_cast<double>(knob.options.size());
  return size;
}

LegalSpace::LegalSpace(SearchSpace space) : searchSpace(std::move(space)) {}

size_t LegalSpace::bytes() const { return diagram->bytes(); }

void LegalSpace::setExactCount() {
  auto points = static_cast<double>(diagram->points());
  setCount(points, 1, points, points, Exactness::exact);
  legalCount.exact = diagram->count();
}

void LegalSpace::setCount(double points, double share, double low, double high,
                          Exactness exactness) {
  ScaledNumber size = countConfigurations(searchSpace);
  bool isFinite = std::isfinite(static_cast<double>(size));
  legalCount.points = points;
  legalCount.exact = 0;
  legalCount.share =
      isFinite ? ScaledNumber(points) / size : diagram->points() * share / size;
  legalCount.low = low;
  legalCount.high = high;
  legalCount.exactness = exactness;
}

std::shared_ptr<const LegalSpace>
LegalSpace::of(const SearchSpace &space, std::vector<Configuration> points) {
  std::shared_ptr<LegalSpace> legal(new LegalSpace(space));
  legal->diagram = std::make_shared<const Diagram>(
      Diagram::of(std::move(points), space.knobs().size()));
  legal->isList = true;
  legal->setExactCount();
  return legal;
}

std::shared_ptr<const LegalSpace> LegalSpace::create(const SearchSpace &space,
                                                     Limits limits) {
  std::shared_ptr<LegalSpace> legal(new LegalSpace(space));
  RelaxedDiagram relaxed = RelaxedDiagram::create(space, limits);
  legal->diagram = std::make_shared<const Diagram>(std::move(relaxed.diagram));
  legal->workDone.inAll = relaxed.work;
  legal->setExactCount();
  if (relaxed.tangled.empty() || legal->diagram->isEmpty())
    return legal;
  legal->tangled = std::move(relaxed.tangled);
  legal->estimate(limits);
  return legal;
}

/// Computes Wilson's interval of a share from `hits` among `draws`, which also
/// covers tiny shares and zero hits (E. B. Wilson, 1927).
static Interval wilsonInterval(double hits, double draws) {
  constexpr double z = 1.96;
  double middle = hits + z * z / 2;
  double width = z * std::sqrt(hits * (1 - hits / draws) + z * z / 4);
  double low = hits > 0 ? middle - width : 0;
  return {low / (draws + z * z), (middle + width) / (draws + z * z)};
}

/// Returns this share of the diagram's points.
double LegalSpace::partOfDiagram(double share) const {
  return std::copysign(
      static_cast<double>(diagram->points() * std::fabs(share)), share);
}

/// Estimates the share of the diagram's points that are legal; lists legal
/// points where that is too small to draw them so.
void LegalSpace::estimate(const Limits &limits) {
  constexpr size_t fewest = 16; // legal ones; with fewer rejecting takes long
  constexpr size_t enough = 1500, fewDraws = 20000;
  const size_t perDraw = 1 + searchSpace.knobs().size();
  size_t mostDraws = limits.mostDrawn / perDraw;
  Random random(1);
  Configuration point = searchSpace.defaultConfiguration();
  std::vector<Configuration> found;
  size_t hits = 0, draws = 0;
  while (draws < mostDraws && (draws < fewDraws || hits < enough)) {
    ++draws;
    diagram->draw(random, point);
    if (!searchSpace.isLegal(point))
      continue;
    ++hits;
    if (hits <= fewest)
      found.push_back(point);
  }
  workDone.drawn = draws * perDraw;
  accepted = static_cast<double>(hits) / static_cast<double>(draws);
  Interval share =
      wilsonInterval(static_cast<double>(hits), static_cast<double>(draws));
  setCount(partOfDiagram(accepted), accepted, partOfDiagram(share.low),
           partOfDiagram(share.high), Exactness::estimated);
  if (hits < fewest)
    listFound(limits, std::move(found));
}

/// Lists the legal points where that takes bounded work. Else the space is made
/// of those that were found.
void LegalSpace::listFound(const Limits &limits,
                           std::vector<Configuration> found) {
  constexpr size_t most = size_t(1) << 17, mostKept = 4096;
  LegalPoints points(searchSpace, limits.mostListing);
  std::vector<Configuration> all;
  while (all.size() <= most) {
    auto point = points.next();
    if (!point)
      break;
    all.push_back(*std::move(point));
  }
  bool isWhole = all.size() <= most && !points.hasReachedStepLimit();
  if (!isWhole) {
    all.resize(std::min(all.size(), mostKept));
    all.insert(all.end(), found.begin(), found.end());
    if (all.empty()) {
      std::vector<bool> noneFixed(searchSpace.knobs().size());
      bool hasReachedStepLimit = false;
      if (auto first = searchSpace.firstLegal(noneFixed, &hasReachedStepLimit))
        all.push_back(*std::move(first));
      else
        isWhole = !hasReachedStepLimit;
    }
  }
  double high = legalCount.high;
  diagram = std::make_shared<const Diagram>(
      Diagram::of(std::move(all), searchSpace.knobs().size()));
  setExactCount();
  if (isWhole) {
    tangled.clear();
    return;
  }
  setCount(legalCount.points, 1, legalCount.points,
           std::max(high, legalCount.points), Exactness::approximate);
  legalCount.effectiveSamples = legalCount.points;
  legalCount.isLeast = true;
}

size_t LegalSpace::limitDraws(size_t draws) const {
  constexpr double mostTries = 1 << 17, fewest = 4;
  if (legalCount.exactness != Exactness::estimated)
    return draws;
  // Many constraints take their time too.
  double perDraw =
      (1 + static_cast<double>(searchSpace.constraints().size()) / 16) /
      accepted;
  double most = std::max(fewest, mostTries / perDraw);
  return std::min(draws, static_cast<size_t>(most));
}

bool LegalSpace::contains(const Configuration &point) const {
  return isList ? diagram->contains(point) : searchSpace.isLegal(point);
}

std::optional<std::vector<Configuration>> LegalSpace::list(size_t most) const {
  if (legalCount.exactness == Exactness::exact)
    return legalCount.points <= static_cast<double>(most)
               ? std::optional(diagram->list())
               : std::nullopt;
  constexpr uint64_t mostSteps = uint64_t(1) << 26; // a second or two
  LegalPoints points(searchSpace, mostSteps);
  std::vector<Configuration> all;
  while (auto point = points.next()) {
    if (all.size() == most)
      return std::nullopt;
    all.push_back(*std::move(point));
  }
  return points.hasReachedStepLimit() ? std::nullopt
                                      : std::optional(std::move(all));
}

/// Returns true if no point provably satisfies these constraints. A constraint
/// that is invalid without the others proves nothing.
static bool isEmpty(const SearchSpace &space, const std::vector<size_t> &kept) {
  std::vector<std::string> texts;
  for (size_t constraint : kept)
    texts.push_back(space.constraints()[constraint]);
  auto part =
      SearchSpace::create(space.knobs(), std::move(texts), space.dimensions());
  if (!part)
    return false;
  LegalSpace::Limits limits;
  limits.mostWork = limits.mostInAll = 60000;
  limits.orders = 2;
  limits.mostDrawn = 20000;
  limits.mostListing = 200000;
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
  // Drop constraints that are not needed for the conflict, halves first.
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
  if (conflict->size() > 1)
    text += " together";
  std::string sizes =
      formatDimensions(space.getConstraintDimensions(*conflict), ", ");
  return sizes.empty() ? text : text + " where " + sizes;
}
