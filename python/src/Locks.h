//===- Locks of devices ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_LOCKS_H
#define PYTHON_SRC_LOCKS_H

#include "tonno/Engine/Frontend.h"

#include <nanobind/nanobind.h>

namespace tonno::python {

/// Returns the lock that a `tonno.frontends.Lock` describes; none for None.
std::optional<FrontendLock> toLock(nanobind::handle given);

} // namespace tonno::python

#endif // PYTHON_SRC_LOCKS_H
