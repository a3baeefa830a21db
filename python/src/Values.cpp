//===- Python values as JSON and back -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Values.h"
#include "Refusal.h"

#include <nanobind/stl/string.h>

#include <cmath>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

std::string tonno::python::typeName(nb::handle value) {
  auto name = nb::cast<std::string>(nb::str(value.type().attr("__name__")));
  auto home = nb::cast<std::string>(nb::str(value.type().attr("__module__")));
  return home == "builtins" ? name : home + "." + name; // as numpy.bool
}

static std::string toUtf8(nb::handle value) {
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (!text)
    throw nb::python_error(); // half a surrogate pair
  return {text, static_cast<size_t>(size)};
}

static Json toJsonInteger(nb::handle value) {
  int overflow = 0;
  long long integer = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (integer == -1 && PyErr_Occurred())
    throw nb::python_error();
  if (overflow == 0)
    return static_cast<int64_t>(integer);
  throw Refusal(nb::cast<std::string>(nb::str(value)) +
                " does not fit into an integer of 64 bits with a sign");
}

static Json convert(nb::handle value, size_t depth) {
  if (depth > maxJsonDepth)
    throw Refusal("a value can nest at most " + std::to_string(maxJsonDepth) +
                  " levels");
  if (nb::isinstance<nb::bool_>(value))
    return value.is(Py_True);
  if (PyIndex_Check(value.ptr()))
    return toJsonInteger(nb::steal(PyNumber_Index(value.ptr())));
  if (PyFloat_Check(value.ptr())) {
    double number = PyFloat_AsDouble(value.ptr());
    if (!std::isfinite(number))
      throw Refusal("a value must be a finite number, not " +
                    nb::cast<std::string>(nb::str(value)));
    return number;
  }
  if (PyUnicode_Check(value.ptr()))
    return toUtf8(value);
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
    Json array = Json::array();
    for (nb::handle element : value)
      array.push_back(convert(element, depth + 1));
    return array;
  }
  if (PyDict_Check(value.ptr())) {
    Json object = Json::object();
    for (auto [key, member] : nb::borrow<nb::dict>(value)) {
      if (!PyUnicode_Check(key.ptr()))
        throw nb::type_error("the keys of a value must be text");
      object[toUtf8(key)] = convert(member, depth + 1);
    }
    return object;
  }
  throw nb::type_error(
      ("a value must be a bool, int, float, str or a tuple of these, not " +
       typeName(value))
          .c_str());
}

Json tonno::python::toJson(nb::handle value) { return convert(value, 0); }

nb::object tonno::python::toPython(const Json &json) {
  switch (json.type()) {
  case Json::value_t::boolean:
    return nb::bool_(json.get<bool>());
  case Json::value_t::number_integer:
    return nb::int_(json.get<int64_t>());
  case Json::value_t::number_unsigned:
    return nb::int_(json.get<uint64_t>());
  case Json::value_t::number_float:
    return nb::float_(json.get<double>());
  case Json::value_t::string:
    return nb::cast(json.get_ref<const std::string &>());
  case Json::value_t::array: {
    nb::list elements;
    for (const Json &element : json)
      elements.append(toPython(element));
    return nb::tuple(elements);
  }
  case Json::value_t::object: {
    nb::dict members;
    for (const auto &[key, member] : json.items())
      members[nb::cast(key)] = toPython(member);
    return members;
  }
  default:
    return nb::none();
  }
}
