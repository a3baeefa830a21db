//===- Errors become exceptions -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Refusal.h"

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

static std::string describe(const ConstraintError &error,
                            const std::vector<std::string> &constraints) {
  if (error.column == 0)
    return error.message;
  return "constraint \"" + constraints[error.index] + "\", " + error.text();
}

Refusal::Refusal(const ConstraintError &error,
                 const std::vector<std::string> &constraints)
    : runtime_error(describe(error, constraints)), constraintFault(error) {
  if (error.column != 0)
    constraintText = constraints[error.index];
}

void tonno::python::raise(const Refusal &refusal) {
  nb::module_ errors = nb::module_::import_("tonno.errors");
  const ConstraintError &fault = refusal.fault();
  bool isConstraint = fault.column != 0;
  nb::object type = errors.attr(isConstraint ? "ConstraintError" : "Error");
  nb::object error = isConstraint
                         ? type(refusal.what(), refusal.constraint().c_str(),
                                fault.column, fault.index)
                         : type(refusal.what());
  PyErr_SetObject(type.ptr(), error.ptr());
}

void tonno::python::bindRefusal() {
  nb::register_exception_translator(
      [](const std::exception_ptr &thrown, void *) {
        try {
          std::rethrow_exception(thrown);
        } catch (const Refusal &refusal) {
          raise(refusal);
        }
      });
}
