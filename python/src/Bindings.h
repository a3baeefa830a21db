//===- The parts of the module --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_BINDINGS_H
#define PYTHON_SRC_BINDINGS_H

#include <nanobind/nanobind.h>

namespace tonno::python {

/// Each adds the bindings of one file to the module tonno._core, on which the
/// package in python/tonno is built.
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
