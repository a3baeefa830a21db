//===- Parts of the calls of all kernels ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_CALLBUFFERS_H
#define PYTHON_SRC_CALLBUFFERS_H

#include "KernelParameter.h"

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tonno::python {

/// Storage for one value a buffer: on the stack for usual kernels.
template <typename T> class PerBuffer {
public:
  explicit PerBuffer(size_t count) : count(count) {
    if (count > few.size())
      many.resize(count);
    values = count > few.size() ? many.data() : few.data();
  }
  PerBuffer(const PerBuffer &) = delete;
  PerBuffer &operator=(const PerBuffer &) = delete;

  T &operator[](size_t i) { return values[i]; }
  T *data() { return values; }
  std::span<T> all() { return {values, count}; }

private:
  std::array<T, 8> few;
  std::vector<T> many;
  T *values;
  size_t count;
};

/// Returns the parameters of a kernel: arguments, then results.
std::vector<KernelParameter> makeParameters(const CompiledKernel &kernel);

/// The memory of an array.
struct Range {
  const char *begin, *end;

  Range(const void *data, uint64_t bytes)
      : begin(static_cast<const char *>(data)), end(begin + bytes) {}
  bool overlaps(const Range &other) const {
    bool haveBytes = begin != end && other.begin != other.end;
    return haveBytes && begin < other.end && other.begin < end;
  }
};

/// Throws a Refusal if an array that is written overlaps another one.
/// `getRange` returns the memory of each of the parameters.
template <typename GetRange>
void checkOverlaps(std::span<const KernelParameter> parameters,
                   GetRange getRange) {
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].writes())
      for (size_t j = 0; j < parameters.size(); ++j)
        if (i != j && getRange(i).overlaps(getRange(j)))
          parameters[i].refuse("is written, and overlaps " +
                               parameters[j].label() +
                               "; pass arrays that share no memory");
}

/// Throws a TypeError if a call brings another number of arrays.
void checkCount(size_t given, size_t expected, const char *noun,
                const std::string &kernel);

/// The arrays of `out=`, one for each result.
class OutArrays {
public:
  /// Throws a TypeError for another number of arrays.
  OutArrays(nanobind::handle out, size_t numResults, const std::string &kernel);

  /// Returns false if the call is without `out=`.
  bool areGiven() const { return array.is_valid() || arrays.is_valid(); }
  nanobind::handle operator[](size_t result) const {
    return array.is_valid()
               ? array
               : nanobind::handle(PyTuple_GET_ITEM(
                     arrays.ptr(), static_cast<Py_ssize_t>(result)));
  }

private:
  nanobind::handle array;  ///< the only one, the caller's
  nanobind::object arrays; ///< a tuple
};

/// Returns None, the one array or a tuple of arrays.
template <typename Make>
nanobind::object collectResults(size_t numResults, Make makeArray) {
  if (numResults == 0)
    return nanobind::none();
  if (numResults == 1)
    return makeArray(0);
  nanobind::list results;
  for (size_t i = 0; i < numResults; ++i)
    results.append(makeArray(i));
  return nanobind::tuple(results);
}

} // namespace tonno::python

#endif // PYTHON_SRC_CALLBUFFERS_H
