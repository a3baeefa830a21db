//===- Cache key of a tuned local size ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/KernelIdentity.h"
#include "tonno/Core/Hash.h"
#include "tonno/Timing/Protocol.h"

#include <sstream>

using namespace tonno;

/// Version of stored results. Incremented when their contents or the
/// measurement change in meaning.
static constexpr int schema = 2;

static std::vector<std::string> optionsThatCount(const std::string &options) {
  std::vector<std::string> kept;
  std::istringstream words(options);
  for (std::string word; words >> word;) {
    if (word == "-I")
      words >> word;
    else if (!word.starts_with("-I") && word != "-cl-kernel-arg-info")
      kept.push_back(word);
  }
  return kept;
}

std::string KernelIdentity::key(const TuningQuestion &question) const {
  Json all = {{"question", "opencl-local-size"},
              {"schema", schema},
              {"source", source},
              {"name", name},
              {"build_options", optionsThatCount(buildOptions)},
              {"platform", platform},
              {"device", device},
              {"driver", driver},
              {"global_size", question.globalSize},
              {"candidates", question.candidatesOrDefault()},
              {"runs", question.runs}};
  if (question.isPaired)
    all["protocol"] = ProtocolOptions();
  return sha256(printed(all));
}
