//===- Candidates to be run on another machine ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Bundle.h"
#include "tonno/Session/SealedFile.h"

using namespace tonno;

static constexpr SealedFormat bundleFormat = {"bundle", 1};

void RecordingCompiler::submit(const Json &values) {
  submitted.push_back(values);
  compiler.submit(values);
}

Compilation RecordingCompiler::next() {
  Compilation compilation = compiler.next();
  kernel.candidates.push_back({std::move(submitted.front()), compilation});
  submitted.pop_front();
  return compilation;
}

namespace tonno {

static void to_json(Json &json, const BundledKernel &kernel) {
  json = Json{{"kernel", kernel.kernel},
              {"space", kernel.space},
              {"compiled", kernel.compiled},
              {"identity", kernel.identity},
              {"problem", kernel.problem},
              {"protocol", kernel.protocol},
              {"strategy", kernel.effort.strategy},
              {"budget_trials", kernel.effort.budget.trials},
              {"budget_seconds", kernel.effort.budget.seconds},
              {"seed", kernel.seed},
              {"oracle", kernel.oracle},
              {"complete", kernel.isComplete},
              {"candidates", Json::array()}};
  for (const BundledCandidate &candidate : kernel.candidates)
    json["candidates"].push_back(
        {{"values", candidate.values}, {"compiled", candidate.compilation}});
}

static void from_json(const Json &json, BundledKernel &kernel) {
  json.at("kernel").get_to(kernel.kernel);
  json.at("space").get_to(kernel.space);
  json.at("compiled").get_to(kernel.compiled);
  json.at("identity").get_to(kernel.identity);
  json.at("problem").get_to(kernel.problem);
  json.at("protocol").get_to(kernel.protocol);
  json.at("strategy").get_to(kernel.effort.strategy);
  json.at("budget_trials").get_to(kernel.effort.budget.trials);
  json.at("budget_seconds").get_to(kernel.effort.budget.seconds);
  json.at("seed").get_to(kernel.seed);
  // Earlier versions' bundles, which are refused with a reason, have none.
  kernel.oracle = json.value("oracle", OracleOptions());
  json.at("complete").get_to(kernel.isComplete);
  kernel.candidates.clear();
  for (const Json &candidate : json.at("candidates"))
    kernel.candidates.push_back(
        {candidate.at("values"), candidate.at("compiled").get<Compilation>()});
}

static void from_json(const Json &json, Bundle &bundle) {
  json.at("target").get_to(bundle.target);
  bundle.kernels.clear();
  for (const Json &kernel : json.at("kernels"))
    from_json(kernel, bundle.kernels.emplace_back());
}

} // namespace tonno

std::string tonno::encodeBundle(const Bundle &bundle) {
  Json json = {{"target", bundle.target}, {"kernels", Json::array()}};
  for (const BundledKernel &kernel : bundle.kernels)
    json["kernels"].push_back(kernel);
  return seal(bundleFormat, json);
}

Result<Bundle> tonno::decodeBundle(std::string_view bytes) {
  auto json = unseal(bundleFormat, bytes);
  return json ? decode<Bundle>(*json) : json.error();
}
