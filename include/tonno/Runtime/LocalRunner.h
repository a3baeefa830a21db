//===- A runner in this process -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_LOCALRUNNER_H
#define TONNO_RUNTIME_LOCALRUNNER_H

#include "tonno/Runtime/Device.h"

#include <functional>

namespace tonno {

/// A runner in this process: a candidate that crashes takes it along.
class LocalRunner : public Runner {
public:
  /// The reference runs on `host`. `announce` gets the number of each entrant
  /// of the finals before it runs, where a request asks for that.
  LocalRunner(
      std::unique_ptr<Device> device, std::unique_ptr<Device> host,
      std::function<void(size_t)> announce = [](size_t) {});
  ~LocalRunner() override;

  Result<DeviceDescription> device() override;
  Result<void> open(const RunnerSession &session) override;
  RunResult run(const RunRequest &request) override;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tonno

#endif // TONNO_RUNTIME_LOCALRUNNER_H
