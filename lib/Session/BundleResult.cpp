//===- What running a bundle found ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/BundleResult.h"

#include <algorithm>

using namespace tonno;

static constexpr const char *resultFormat = "tonno results 1";

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
  if (result.decision.trials > result.trials.size())
    throw WrongValue("'decision.trials' is " +
                         std::to_string(result.decision.trials) +
                         ", but 'trials' has " +
                         std::to_string(result.trials.size()) + " rows",
                     json);
}

} // namespace tonno

const BundleResult *BundleResults::find(std::string_view kernel) const {
  auto found = std::ranges::find(kernels, kernel, &BundleResult::kernel);
  return found == kernels.end() ? nullptr : &*found;
}

std::string tonno::encodeResults(const BundleResults &results) {
  Json json = {{"format", resultFormat},
               {"kernels", Json::array()},
               {"failures", results.failures}};
  for (const BundleResult &result : results.kernels)
    json["kernels"].push_back(result);
  return printed(json, 2) + "\n";
}

Result<BundleResults> tonno::decodeResults(std::string_view text) {
  auto json = parseJson(text);
  if (!json || !json->is_object() ||
      json->value("format", Json()) != resultFormat)
    return Error{"these are no results of tonno-runner --bundle, or of another "
                 "version"};
  auto damaged = [](const Error &why) {
    return Error{"these results are damaged: " + why.message};
  };
  auto rows = decodeMember<std::vector<Json>>(*json, "kernels");
  auto failures =
      decodeMember<std::map<std::string, std::string>>(*json, "failures");
  if (!rows || !failures)
    return damaged(rows ? failures.error() : rows.error());
  BundleResults results{{}, std::move(*failures)};
  for (const Json &row : *rows) {
    auto kernel = decode<BundleResult>(row);
    auto name = row.is_object() ? decodeMember<std::string>(row, "kernel")
                                : Result<std::string>(std::string());
    if (!kernel)
      return damaged(
          kernel.error().prefixed(name ? "kernel @" + *name : "a kernel"));
    results.kernels.push_back(std::move(*kernel));
  }
  if (results.isEmpty())
    return Error{"these are results of no kernel"};
  return results;
}

Result<void> tonno::checkSameProblem(const BundleResult &result,
                                     const ProblemIdentity &identity,
                                     const SearchSpace &space) {
  auto differs = [&](const char *what) {
    return Error{"the results are not of this kernel @" + result.kernel + ": " +
                 what + " differs; make the bundle anew and run it again"};
  };
  const ProblemIdentity &measured = result.identity;
  if (measured.triple != identity.triple || measured.chip != identity.chip ||
      measured.features != identity.features)
    return differs("what it is compiled for");
  if (measured.kernelHash != identity.kernelHash)
    return differs("its code, or what was said of its arguments,");
  if (!(result.space == space))
    return differs("its search space");
  if (measured.backend != identity.backend)
    return differs("the compiler");
  if (measured.policy != identity.policy)
    return differs("how candidates are judged");
  return {};
}
