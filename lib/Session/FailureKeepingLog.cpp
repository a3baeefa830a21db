//===- A file of each failure ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/FailureKeepingLog.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Hash.h"

#include <algorithm>

using namespace tonno;
namespace fs = std::filesystem;

static constexpr std::string_view ending = ".tonno";

/// Returns the name of a failure's file, "matmul-wrong-0123456789ab.tonno",
/// equal for the same configuration of the same kernel.
static std::string fileName(const Reproduction &reproduction) {
  auto isPlain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  };
  std::string name = reproduction.kernel.substr(0, 100);
  std::ranges::replace_if(name, std::not_fn(isPlain), '_');
  Json key = reproduction.source;
  key["values"] = reproduction.values;
  return name + "-" + std::string(toString(reproduction.status)) + "-" +
         sha256(printed(key)).substr(0, 12) + std::string(ending);
}

FailureKeepingLog::FailureKeepingLog(fs::path directory, Reproduction common,
                                     const SearchSpace &space,
                                     TrialLog &observer)
    : directory(std::move(directory)), common(std::move(common)), space(space),
      observer(observer) {
  removeAbandoned(this->directory, ending);
}

Result<void> FailureKeepingLog::keep(const Reproduction &reproduction) const {
  std::error_code ignored; // what can't be made, can't be written
  fs::create_directories(directory, ignored);
  return writeFileAtomically(directory / fileName(reproduction),
                             encodeReproduction(reproduction));
}

void FailureKeepingLog::failed(const Trial &trial, const RunnerSession &session,
                               const RunRequest *request) {
  if (trial.status == Status::different_bits)
    return; // no fault, and its message has the bits
  bool hasBinary = request && !request->candidate.binary.empty();
  if (!hasBinary && common.source.module.empty())
    return; // it was compiled elsewhere, and failed there
  Reproduction reproduction = common;
  reproduction.values = space.values(trial.configuration);
  reproduction.status = trial.status;
  reproduction.message = trial.message;
  if (request) {
    reproduction.runner = session;
    reproduction.request = *request;
    embedFiles(reproduction);
  }
  // Its own session knew more of it.
  std::error_code unknown;
  if (trial.isRecalled &&
      fs::exists(directory / fileName(reproduction), unknown)) {
    ++kept;
    return;
  }
  auto written = keep(reproduction);
  // Lost trials cannot be reproduced.
  kept += written.ok() && trial.status != Status::lost;
  if (!written && !std::exchange(hasWarned, true))
    observer.warn(written.error().message + "; failures are not kept");
}
