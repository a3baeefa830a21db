//===- A space, as users see it -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/SpaceReport.h"
#include "tonno/Search/CandidatePool.h"
#include "tonno/Space/Encoding.h"

#include <chrono>
#include <cmath>
#include <cstdio>

using namespace tonno;

SpaceReport tonno::reportSpace(const SearchSpace &space, size_t draws,
                               uint64_t seed) {
  using Clock = std::chrono::steady_clock;
  auto begin = Clock::now();
  std::shared_ptr<const LegalSpace> legal = LegalSpace::create(space);
  SpaceReport report = {space, legal->count(), {}, legal->bytes(), 0, {}};
  report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  for (size_t constraint : legal->tangledConstraints())
    report.tangled.push_back(space.constraints()[constraint]);
  FreshPoints fresh(legal);
  Random random(seed);
  while (report.drawn.size() < draws) {
    std::optional<Configuration> point = fresh.draw(random);
    if (!point)
      break;
    fresh.take(*point);
    report.drawn.push_back(*std::move(point));
  }
  return report;
}

static std::string formatted(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// Formats an estimate: "1.2e+05".
static std::string estimateText(double count) {
  return std::isfinite(count) ? formatted("%.3g", count)
                              : formatCount(~PointCount(0));
}

static std::string formatOption(const Option &option) {
  return option.is_string() ? option.get<std::string>() : printed(option);
}

static std::string_view getKindName(KnobKind kind) {
  // In the order of KnobKind.
  static constexpr std::string_view names[] = {"ordered", "boolean",
                                               "categorical", "permutation"};
  return names[static_cast<size_t>(kind)];
}

/// Formats options: "16, 32, 64"; of many, the first ones and the last.
static std::string optionsText(const Knob &knob) {
  constexpr size_t mostShown = 12;
  const std::vector<Option> &options = knob.options;
  bool isWhole = options.size() <= mostShown;
  std::string text;
  for (size_t i = 0; i < (isWhole ? options.size() : mostShown - 2); ++i)
    text += (i ? ", " : "") + formatOption(options[i]);
  return isWhole ? text
                 : text + ", ..., " + formatOption(options.back()) + " (" +
                       std::to_string(options.size()) + ")";
}

/// Formats a count: "1320, 52.8 % (exact)"; "unknown, at least 7 (approximate,
/// ...)".
static std::string legalText(const LegalCount &legal) {
  std::string exactness(toString(legal.exactness));
  if (legal.exactness == Exactness::exact)
    return formatCount(legal.exact) + ", " +
           formatted("%.3g", 100 * legal.share) + " % (" + exactness + ")";
  std::string text;
  if (legal.isLeast)
    text = "unknown, at least " + formatted("%.0f", legal.points) + " (" +
           exactness + ", with 95 % certainty at most " +
           estimateText(legal.high);
  else
    text = (std::isfinite(legal.points) ? "about " : "") +
           estimateText(legal.points) + ", " +
           formatted("%.3g", 100 * legal.share) + " % (" + exactness +
           ", 95 % interval [" + estimateText(legal.low) + ", " +
           estimateText(legal.high) + "]";
  if (legal.exactness == Exactness::approximate)
    text += "; draws are worth " + formatted("%.0f", legal.effectiveSamples) +
            " uniform ones";
  return text + ")";
}

static std::string pointText(const SearchSpace &space,
                             const Configuration &point) {
  std::string text;
  for (size_t i = 0; i < space.knobs().size(); ++i)
    text += (i ? " " : "") + space.knobs()[i].name + "=" +
            formatOption(space.knobs()[i].options[point.indices[i]]);
  return text;
}

std::string tonno::printSpace(const SpaceReport &report) {
  const SearchSpace &space = report.space;
  Encoding encoding(space);
  size_t width = 0;
  for (const Knob &knob : space.knobs())
    width = std::max(width, knob.name.size());
  std::string text = std::to_string(space.knobs().size()) +
                     (space.knobs().size() == 1 ? " knob, " : " knobs, ") +
                     formatCount(space.count()) + " configurations\n";
  for (size_t i = 0; i < space.knobs().size(); ++i) {
    const Knob &knob = space.knobs()[i];
    text += "  knob        " + knob.name +
            std::string(width - knob.name.size(), ' ') + "  " +
            optionsText(knob) + "; default " +
            formatOption(knob.options[knob.defaultIndex]) + "; " +
            std::string(getKindName(encoding.kind(i))) + "\n";
  }
  if (!space.dimensions().empty())
    text += "  dimensions  " + formatDimensions(space.dimensions()) + "\n";
  for (const std::string &constraint : space.constraints())
    text += "  constraint  " + constraint + "\n";
  if (auto broken = space.brokenConstraint(space.defaultConfiguration()))
    text += "  note        the defaults break " + space.constraints()[*broken] +
            "\n";
  text += "  legal       " + legalText(report.legal) + "\n";
  for (const std::string &constraint : report.tangled)
    text += "  by trying   " + constraint + "\n";
  if (!space.constraints().empty())
    text += "  diagram     " +
            std::to_string((report.diagramBytes + 1023) / 1024) + " kB, in " +
            formatted("%.2g", report.seconds) + " s\n";
  for (const Configuration &point : report.drawn)
    text += "  drawn       " + pointText(space, point) + "\n";
  return text;
}

void tonno::to_json(Json &json, const SpaceReport &report) {
  json = report.space;
  Encoding encoding(report.space);
  for (size_t i = 0; i < report.space.knobs().size(); ++i)
    json["knobs"][i]["kind"] = getKindName(encoding.kind(i));
  json["constraints"] = report.space.constraints();
  json["default_is_legal"] =
      report.space.isLegal(report.space.defaultConfiguration());
  json["size"] = countToJson(report.space.count());
  const LegalCount &legal = report.legal;
  bool isExact = legal.exactness == Exactness::exact;
  auto counted = [&](double estimate) {
    return isExact ? countToJson(legal.exact) : countToJson(estimate);
  };
  json["legal"] = {{"points", counted(legal.points)},
                   {"share", legal.share},
                   {"low", counted(legal.low)},
                   {"high", counted(legal.high)},
                   {"exactness", toString(legal.exactness)}};
  if (legal.exactness == Exactness::approximate) {
    json["legal"]["effective_samples"] = legal.effectiveSamples;
    json["legal"]["is_least"] = legal.isLeast;
  }
  json["tangled_constraints"] = report.tangled;
  json["diagram_bytes"] = report.diagramBytes;
  json["seconds"] = report.seconds;
  json["drawn"] = Json::array();
  for (const Configuration &point : report.drawn)
    json["drawn"].push_back(report.space.values(point));
}
