//===- What the correctness gate lets pass --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/OracleOptions.h"

using namespace tonno;

void tonno::to_json(Json &json, const OracleOptions &options) {
  json = Json{{"allow_nondeterminism", options.allowNondeterminism},
              {"allow_lower_precision", options.allowLowerPrecision},
              {"allow_nan", options.allowNan}};
}

void tonno::from_json(const Json &json, OracleOptions &options) {
  json.at("allow_nondeterminism").get_to(options.allowNondeterminism);
  json.at("allow_lower_precision").get_to(options.allowLowerPrecision);
  json.at("allow_nan").get_to(options.allowNan);
}
