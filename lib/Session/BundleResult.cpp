//===- BundleResult.cpp - What running a bundle found ---------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Session/BundleResult.h"

using namespace tonno;

static constexpr const char *formatName = "tonno results 1";

namespace tonno {

static void to_json(Json &json, const BundleResult &result) {
  json =
      Json{{"kernel", result.kernel},           {"identity", result.identity},
           {"device", result.device},           {"space", result.space},
           {"search", result.search},           {"decision", result.decision},
           {"conclusive", result.isConclusive}, {"trials", result.trials}};
}

static void from_json(const Json &json, BundleResult &result) {
  json.at("kernel").get_to(result.kernel);
  json.at("identity").get_to(result.identity);
  json.at("device").get_to(result.device);
  json.at("space").get_to(result.space);
  result.search = json.at("search");
  json.at("decision").get_to(result.decision);
  json.at("conclusive").get_to(result.isConclusive);
  json.at("trials").get_to(result.trials);
}

} // namespace tonno

std::string tonno::encodeResults(const std::vector<BundleResult> &results) {
  Json json = {{"format", formatName}, {"kernels", Json::array()}};
  for (const BundleResult &result : results)
    json["kernels"].push_back(result);
  return json.dump(2) + "\n";
}

Result<std::vector<BundleResult>> tonno::decodeResults(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("format", Json()) != formatName)
    return Error{"these are no results of tonno-runner --bundle, or of another "
                 "version"};
  return decodeMember<std::vector<BundleResult>>(json, "kernels");
}

Result<void> tonno::checkSameProblem(const BundleResult &result,
                                     const ProblemIdentity &identity,
                                     const SearchSpace &space) {
  auto differs = [&](const char *what) {
    return Error{"the results are not of this kernel @" + result.kernel + ": " +
                 what + " differs; make the bundle anew and run it again"};
  };
  const ProblemIdentity &measured = result.identity;
  if (measured.kernelHash != identity.kernelHash)
    return differs("its code");
  if (!(result.space == space))
    return differs("its search space");
  if (measured.triple != identity.triple || measured.chip != identity.chip ||
      measured.features != identity.features)
    return differs("what it is compiled for");
  if (measured.backend != identity.backend)
    return differs("the compiler");
  if (measured.policy != identity.policy)
    return differs("how candidates are judged");
  return {};
}
