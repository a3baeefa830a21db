//===- What tonno's processes tell each other -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/Compiler.h"
#include "tonno/Engine/Runner.h"
#include "Fuzz.h"

using namespace tonno;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto json = parseCbor({data, size});
  if (!json)
    return 0;
  requireSameAgain<CompilerSession>(*json);
  requireSameAgain<CompilerDescription>(*json);
  requireSameAgain<Compilation>(*json);
  requireSameAgain<LocatedError>(*json);
  requireSameAgain<DeviceDescription>(*json);
  requireSameAgain<RunnerSession>(*json);
  requireSameAgain<RunRequest>(*json);
  requireSameAgain<RunResult>(*json);
  (void)decodeMember<RunResult>(*json, "result").ok();
  (void)printed(*json);
  return 0;
}
