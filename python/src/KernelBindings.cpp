//===- Kernels in Python --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArrayTypes.h"
#include "Bindings.h"
#include "KernelCall.h"
#include "Refusal.h"
#include "Values.h"
#include "XlaHandler.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

static void construct(CallableKernel *self, const std::string &name,
                      const std::string &plan, nb::bytes code, nb::object warn,
                      nb::object fromCapsule) {
  auto decoded = valueOf(decode<LaunchPlan>(valueOf(parseJson(plan))));
  auto kernel = valueOf(LoadedKernel::load(
      name, std::move(decoded),
      {static_cast<const uint8_t *>(code.data()), code.size()}));
  new (self) CallableKernel(std::move(kernel), std::move(warn),
                            std::move(fromCapsule));
}

/// Sets Python's error to the C++ exception that is being handled.
static void translateException() {
  try {
    throw;
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const Refusal &refusal) {
    raise(refusal);
  } catch (const nb::builtin_exception &error) { // those of this file's callees
    PyErr_SetString(PyExc_TypeError, error.what());
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

/// Returns the value of `out`, the only keyword. Throws a TypeError for others.
static nb::handle findOut(PyObject *keywords) {
  if (!keywords || PyDict_GET_SIZE(keywords) == 0)
    return {};
  static PyObject *name = PyUnicode_InternFromString("out");
  PyObject *out = PyDict_GetItemWithError(keywords, name);
  if (!out || PyDict_GET_SIZE(keywords) != 1)
    throw nb::type_error("a kernel takes arrays by position, and out=");
  return out;
}

static PyObject *callKernel(PyObject *self, PyObject *arguments,
                            PyObject *keywords) {
  try {
    if (!nb::inst_ready(self))
      throw Refusal("only kernels for the host can be called; launch this one "
                    "by its vendor's library");
    auto &kernel = *nb::inst_ptr<CallableKernel>(self);
    auto count = static_cast<size_t>(PyTuple_GET_SIZE(arguments));
    return kernel
        .call({count ? &PyTuple_GET_ITEM(arguments, 0) : nullptr, count},
              findOut(keywords))
        .release()
        .ptr();
  } catch (...) {
    translateException();
    return nullptr;
  }
}

static PyType_Slot kernelSlots[] = {
    {Py_tp_call, reinterpret_cast<void *>(&callKernel)}, {0, nullptr}};

/// Returns the name of the dtype of an element type, or null if libraries pack
/// several of its elements into a byte.
static const char *findWholeByteDtype(const std::string &type) {
  std::optional<ElementType> parsed = parseEnum<ElementType>(type);
  if (!parsed)
    throw Refusal("there is no element type '" + type + "'");
  const ArrayType &row = findArrayType(*parsed);
  return row.dlpackCode < 0 ? nullptr : row.name;
}

static nb::object makeXlaHandler() {
  return nb::capsule(reinterpret_cast<void *>(&runForXla));
}

void tonno::python::bindKernels(nb::module_ &module) {
  nb::class_<CallableKernel>(module, "Kernel", nb::type_slots(kernelSlots))
      .def("__init__", &construct, nb::arg("name"), nb::arg("plan"),
           nb::arg("code"), nb::arg("warn"), nb::arg("from_capsule"))
      .def("share_with_xla",
           [](const CallableKernel &self) { shareWithXla(self.loaded()); })
      .def(
          "check_shape",
          [](const CallableKernel &self, size_t parameter,
             const std::vector<int64_t> &shape) {
            self.checkShape(parameter, shape);
          },
          nb::arg("parameter"), nb::arg("shape"))
      .def_prop_ro("num_arguments",
                   [](const CallableKernel &self) {
                     return self.loaded()->numArguments();
                   })
      .def_prop_ro("hash", [](const CallableKernel &self) {
        return self.loaded()->hash();
      });
  module.attr("ARRAY_ALIGNMENT") = arrayAlignment;
  module.attr("XLA_TARGET") = xlaTarget;
  module.attr("XLA_ATTRIBUTE") = xlaAttribute;
  module.def("whole_byte_dtype", &findWholeByteDtype, nb::arg("element_type"),
             nb::sig("def whole_byte_dtype(element_type: str) -> str | None"));
  module.def("xla_handler", &makeXlaHandler,
             nb::sig("def xla_handler() -> object"));
}
