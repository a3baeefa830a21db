//===- The module tonno._core ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AskTell.h"
#include "Bindings.h"
#include "Refusal.h"
#include "Space.h"

#include "tonno/Core/TuneMode.h"
#include "tonno/Core/Version.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

using namespace tonno::python;

/// Returns the name and the description of the mode in force.
static std::pair<std::string, std::string>
findMode(const std::optional<std::string> &given) {
  tonno::ChosenMode chosen = valueOrThrow(tonno::chooseMode("mode", given));
  return {std::string(toString(chosen.mode)), chosen.describe()};
}

// The name is Python's for the module's first function.
NB_MODULE(_core, module) {
  module.def("version", [] { return std::string(tonno::version()); });
  module.def("choose_mode", &findMode, nanobind::arg("given").none());
  // Objects in a program's caches, such as JAX's, live when Python ends: no
  // leak that users could mend. Tests turn the warnings on.
  nanobind::set_leak_warnings(false);
  module.def("set_leak_warnings", &nanobind::set_leak_warnings,
             nanobind::arg("value"));
  bindRefusal();
  bindSpace(module);
  bindAskTell(module);
  bindProcesses(module);
  bindRecordings(module);
  bindStatistics(module);
  bindTiming(module);
  bindEngine(module);
  bindJournals(module);
  bindKernels(module);
  bindLocks(module);
  bindWorkGroups(module);
}
