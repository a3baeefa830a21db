//===- Kernels in Python --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArrayTypes.h"
#include "Bindings.h"
#include "GpuKernelCall.h"
#include "KernelCall.h"
#include "Refusal.h"
#include "Values.h"
#include "XlaHandler.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <span>
#include <variant>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

/// The C++ part of a Python kernel.
using PythonKernel = std::variant<CallableKernel, CallableGpuKernel>;

static LaunchPlan readPlan(const std::string &text) {
  return valueOrThrow(decode<LaunchPlan>(valueOrThrow(parseJson(text))));
}

static std::span<const uint8_t> getCodeBytes(const nb::bytes &code) {
  return {static_cast<const uint8_t *>(code.data()), code.size()};
}

static void construct(PythonKernel *self, const std::string &name,
                      const std::string &plan, nb::bytes code, nb::object warn,
                      nb::object warnOfLoad, nb::object fromCapsule) {
  auto kernel = valueOrThrow(
      LoadedKernel::load(name, readPlan(plan), getCodeBytes(code)));
  new (self) PythonKernel(std::in_place_type<CallableKernel>, std::move(kernel),
                          std::move(warn), std::move(warnOfLoad),
                          std::move(fromCapsule));
}

static void constructForGpu(PythonKernel *self, const std::string &name,
                            const std::string &plan, nb::bytes code,
                            const std::string &target, const std::string &chip,
                            const std::string &driver, nb::object libraries) {
  Artifact artifact;
  artifact.target = target;
  artifact.chip = chip;
  artifact.binary.assign(getCodeBytes(code).begin(), getCodeBytes(code).end());
  artifact.plan = readPlan(plan);
  auto kernel =
      valueOrThrow(GpuKernel::make(name, std::move(artifact), driver));
  new (self) PythonKernel(std::in_place_type<CallableGpuKernel>,
                          std::move(kernel), std::move(libraries));
}

/// Returns the kernel for the host. Throws a Refusal for a GPU's.
static const CallableKernel &onHost(const PythonKernel &kernel) {
  if (const auto *callable = std::get_if<CallableKernel>(&kernel))
    return *callable;
  throw Refusal("kernel '" +
                std::get<CallableGpuKernel>(kernel).loaded().name() +
                "' is for a GPU");
}

static const CompiledKernel &compiled(const PythonKernel &kernel) {
  if (const auto *callable = std::get_if<CallableKernel>(&kernel))
    return *callable->loaded();
  return std::get<CallableGpuKernel>(kernel).loaded();
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

namespace {

/// The keywords of a call.
struct Keywords {
  nb::handle out, stream;
};

} // namespace

/// Throws a TypeError for other keywords.
static Keywords findKeywords(PyObject *given) {
  static PyObject *outName = PyUnicode_InternFromString("out");
  if (!given || PyDict_GET_SIZE(given) == 0)
    return {};
  Py_ssize_t count = PyDict_GET_SIZE(given);
  Keywords keywords;
  keywords.out = PyDict_GetItemWithError(given, outName);
  if (keywords.out.is_valid() && count == 1)
    return keywords;
  static PyObject *streamName = PyUnicode_InternFromString("stream");
  keywords.stream = PyDict_GetItemWithError(given, streamName);
  if (keywords.out.is_valid() + keywords.stream.is_valid() != count)
    throw nb::type_error("a kernel takes arrays by position, out= and stream=");
  return keywords;
}

static nb::object call(CallableKernel &kernel,
                       std::span<PyObject *const> arguments,
                       const Keywords &keywords) {
  if (keywords.stream.is_valid() && !keywords.stream.is_none())
    throw nb::type_error(("kernel '" + kernel.loaded()->name() +
                          "' runs on the host and takes no stream=")
                             .c_str());
  return kernel.call(arguments, keywords.out);
}

static PyObject *callKernel(PyObject *self, PyObject *arguments,
                            PyObject *keywords) {
  try {
    if (!nb::inst_ready(self))
      throw Refusal(
          "the kernel was not constructed; mlir.compile makes kernels");
    auto &kernel = *nb::inst_ptr<PythonKernel>(self);
    auto count = static_cast<size_t>(PyTuple_GET_SIZE(arguments));
    std::span<PyObject *const> given = {
        count ? &PyTuple_GET_ITEM(arguments, 0) : nullptr, count};
    Keywords found = findKeywords(keywords);
    auto *onHost = std::get_if<CallableKernel>(&kernel);
    nb::object result = onHost ? call(*onHost, given, found)
                               : std::get<CallableGpuKernel>(kernel).call(
                                     given, found.out, found.stream);
    return result.release().ptr();
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
    throw Refusal("unknown element type '" + type + "'");
  const ArrayType &row = findArrayType(*parsed);
  return row.dlpackCode < 0 ? nullptr : row.name;
}

static nb::object makeXlaHandler() {
  return nb::capsule(reinterpret_cast<void *>(&runForXla));
}

void tonno::python::bindKernels(nb::module_ &module) {
  nb::class_<PythonKernel>(module, "Kernel", nb::type_slots(kernelSlots))
      .def("__init__", &construct, nb::arg("name"), nb::arg("plan"),
           nb::arg("code"), nb::arg("warn"), nb::arg("warn_of_load"),
           nb::arg("from_capsule"))
      .def("__init__", &constructForGpu, nb::arg("name"), nb::arg("plan"),
           nb::arg("code"), nb::arg("target"), nb::arg("chip"),
           nb::arg("driver"), nb::arg("libraries"))
      .def(
          "share_with_xla",
          [](const PythonKernel &self) { shareWithXla(onHost(self).loaded()); })
      .def(
          "load_constants",
          [](PythonKernel &self, nb::tuple arguments) {
            auto *callable = std::get_if<CallableKernel>(&self);
            size_t count = arguments.size();
            if (callable)
              callable->load(
                  {count ? &PyTuple_GET_ITEM(arguments.ptr(), 0) : nullptr,
                   count});
          },
          nb::arg("arguments"),
          nb::sig("def load_constants(self, arguments: tuple[object, ...]) -> "
                  "None"))
      .def(
          "check_shape",
          [](const PythonKernel &self, size_t parameter,
             const std::vector<int64_t> &shape) {
            onHost(self).checkShape(parameter, shape);
          },
          nb::arg("parameter"), nb::arg("shape"))
      .def_prop_ro("num_arguments",
                   [](const PythonKernel &self) {
                     return compiled(self).numArguments();
                   })
      .def_prop_ro("hash", [](const PythonKernel &self) {
        return compiled(self).hash();
      });
  module.attr("ARRAY_ALIGNMENT") = arrayAlignment;
  module.attr("XLA_TARGET") = xlaTarget;
  module.attr("XLA_ATTRIBUTE") = xlaAttribute;
  module.def("whole_byte_dtype", &findWholeByteDtype, nb::arg("element_type"),
             nb::sig("def whole_byte_dtype(element_type: str) -> str | None"));
  module.def("xla_handler", &makeXlaHandler,
             nb::sig("def xla_handler() -> object"));
}
