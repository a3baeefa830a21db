//===- The parts of the module --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_BINDINGS_H
#define PYTHON_SRC_BINDINGS_H

#include <nanobind/nanobind.h>

namespace tonno::python {

/// What each file of bindings adds to the module, which is tonno._core: the
/// package in python/tonno makes of it what users see.
void bindEngine(nanobind::module_ &module);
void bindJournals(nanobind::module_ &module);
void bindKernels(nanobind::module_ &module);
void bindLocks(nanobind::module_ &module);
void bindProcesses(nanobind::module_ &module);
void bindRecordings(nanobind::module_ &module);
void bindStatistics(nanobind::module_ &module);
void bindTiming(nanobind::module_ &module);
void bindWorkGroups(nanobind::module_ &module);

} // namespace tonno::python

#endif // PYTHON_SRC_BINDINGS_H
