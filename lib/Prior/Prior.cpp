//===- Tuning knowledge as a file -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Prior/Prior.h"
#include "tonno/Core/File.h"

#include <cmath>

using namespace tonno;

static constexpr int priorSchema = 1;

void tonno::mapFields(JsonFields &fields, PriorTask &task) {
  fields("features", task.features, {});
  fields("chip", task.chip);
  fields("knobs", task.knobs);
}

void tonno::to_json(Json &json, const PriorPoint &point) {
  json = point.values;
  json.push_back(std::round(point.loss * 1000) / 1000);
}

void tonno::from_json(const Json &json, PriorPoint &point) {
  json.get_to(point.values);
  if (point.values.empty() || !point.values.back().is_number())
    refuseValue(&json, "a point has no loss");
  point.loss = point.values.back().get<double>();
  if (!(point.loss >= 0 && point.loss <= mostLoss))
    refuseValue(&json,
                "a loss is not between 0 and " + printed(Json(mostLoss)));
  point.values.pop_back();
}

void tonno::mapFields(JsonFields &fields, PriorSource &source) {
  fields("name", source.name);
  fields("task", source.task);
  fields("points", source.points);
}

void tonno::mapFields(JsonFields &fields, PriorScales &scales) {
  fields("shared", scales.shared);
  fields("own", scales.own);
  fields("noise", scales.noise);
  fields("mean", scales.mean);
  fields("tile_length", scales.tileLength);
  fields("size_length", scales.sizeLength);
  fields("other_length", scales.otherLength);
  fields("chip_correlation", scales.chipCorrelation);
}

std::string tonno::formatPrior(const Prior &prior) {
  std::string text = "{\"prior\": " + std::to_string(priorSchema) +
                     ",\n\"scales\": " + printed(prior.scales) +
                     ",\n\"coverage\": " + printed(prior.coverage) +
                     ",\n\"sources\": [";
  const char *separator = "\n";
  for (const PriorSource &source : prior.sources) {
    text += separator + ("{\"name\": " + printed(Json(source.name))) +
            ",\n\"task\": " + printed(source.task) + ",\n\"points\": [";
    const char *comma = "\n";
    for (const PriorPoint &point : source.points) {
      text += comma + printed(point);
      comma = ",\n";
    }
    text += "]}";
    separator = ",\n";
  }
  return text + "]}\n";
}

Result<Prior> tonno::parsePrior(const std::string &text,
                                const std::string &name) {
  auto json = TONNO_TRY(parseJson(text));
  if (!json.is_object() || json.value("prior", Json()) != Json(priorSchema))
    return Error{"not a prior of this version; 'tonno-tune learn' writes one"};
  Prior prior;
  prior.name = name;
  prior.scales = TONNO_TRY(decodeMember<PriorScales>(json, "scales"));
  prior.coverage = TONNO_TRY(decodeMember<double>(json, "coverage"));
  prior.sources =
      TONNO_TRY(decodeMember<std::vector<PriorSource>>(json, "sources"));
  for (const PriorSource &source : prior.sources)
    for (const PriorPoint &point : source.points)
      if (point.values.size() != source.task.knobs.size())
        return Error{"a point of '" + source.name + "' has " +
                     std::to_string(point.values.size()) + " values for " +
                     std::to_string(source.task.knobs.size()) + " knobs"};
  return prior;
}

Result<Prior> tonno::readPrior(const std::filesystem::path &path) {
  auto text = TONNO_TRY(readNamedFile(path));
  auto prior = parsePrior(text, path.stem().string());
  if (!prior)
    return prior.error().prefixed("'" + path.string() + "'");
  return prior;
}
