//===- Python values as JSON and back -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_VALUES_H
#define PYTHON_SRC_VALUES_H

#include "tonno/Core/Json.h"

#include <nanobind/nanobind.h>

namespace tonno::python {

/// A Python bool, int, float or str, or a list or tuple of such values, as
/// JSON; a dict with text for keys too, as {"mlir": "..."} is. Anything else,
/// an integer of over 64 bits, and a float that is not finite raise.
Json toJson(nanobind::handle value);

/// The inverse. Arrays become tuples, so that values can be compared and most
/// of them be keys; members of objects are in the order of their names.
nanobind::object toPython(const Json &json);

/// How the type of a value prints: for messages.
std::string typeName(nanobind::handle value);

/// Returns what `work` gives, which is done without the interpreter's lock.
template <typename Work> auto unlocked(Work work) {
  nanobind::gil_scoped_release released;
  return work();
}

} // namespace tonno::python

#endif // PYTHON_SRC_VALUES_H
