//===- Reproduction.cpp - A failure to have again -------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Session/Reproduction.h"
#include "tonno/Session/SealedFile.h"

using namespace tonno;

static constexpr SealedFormat format = {"reproduction", 1};

namespace tonno {

static void to_json(Json &json, const Reproduction &reproduction) {
  json = Json{
      {"kernel", reproduction.kernel},     {"values", reproduction.values},
      {"status", reproduction.status},     {"message", reproduction.message},
      {"versions", reproduction.versions}, {"device", reproduction.device},
      {"source", reproduction.source}};
  putOptional(json, "runner", reproduction.runner);
  putOptional(json, "request", reproduction.request);
}

static void from_json(const Json &json, Reproduction &reproduction) {
  json.at("kernel").get_to(reproduction.kernel);
  reproduction.values = json.at("values");
  json.at("status").get_to(reproduction.status);
  json.at("message").get_to(reproduction.message);
  json.at("versions").get_to(reproduction.versions);
  json.at("device").get_to(reproduction.device);
  json.at("source").get_to(reproduction.source);
  getOptional(json, "runner", reproduction.runner);
  getOptional(json, "request", reproduction.request);
}

} // namespace tonno

std::string tonno::encodeReproduction(const Reproduction &reproduction) {
  return seal(format, reproduction);
}

Result<Reproduction> tonno::decodeReproduction(std::string_view bytes) {
  auto json = unseal(format, bytes);
  if (!json)
    return json.error();
  auto reproduction = decode<Reproduction>(*json);
  if (reproduction &&
      reproduction->runner.has_value() != reproduction->request.has_value())
    return Error{"it does not say how the candidate was run"};
  return reproduction;
}
