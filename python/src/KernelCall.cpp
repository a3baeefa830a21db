//===- Calls of a kernel from Python --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelCall.h"
#include "CallBuffers.h"
#include "Refusal.h"
#include "Values.h"

#include <algorithm>
#include <cstring>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

/// One call: what it binds lives until it ends.
class CallableKernel::Call {
public:
  explicit Call(CallableKernel &callee)
      : callee(callee), numBuffers(callee.kernel->numBuffers()),
        data(callee.kernel->plan().buffers.size()), bound(numBuffers),
        copies(numBuffers), slots(numBuffers) {}

  /// Binds an array of the caller's to a parameter.
  void bind(size_t index, nb::handle array) {
    const KernelParameter &parameter = callee.parameters[index];
    bound[index] = parameter.bind(array, slots[index]);
    data[index] = bound[index].data;
    if (!parameter.isAligned(data[index]))
      copyIn(index);
  }

  /// Allocates the memory of a result.
  void allocate(size_t index) {
    const KernelParameter &parameter = callee.parameters[index];
    copies[index] = allocateAligned(
        parameter.bytes(), std::max(parameter.alignment(), arrayAlignment));
    data[index] = copies[index].get();
  }

  /// Returns the memory that was allocated for a parameter.
  AlignedMemory takeMemory(size_t index) { return std::move(copies[index]); }

  /// Checks the first arrays, which are the caller's.
  void checkOverlaps(size_t count) {
    std::span<const KernelParameter> parameters = callee.parameters;
    python::checkOverlaps(parameters.first(count), [&](size_t i) {
      return Range(bound[i].data, parameters[i].bytes());
    });
  }

  void load() {
    nb::gil_scoped_release released;
    callee.kernel->runAtLoad(data.data());
  }

  void run() {
    {
      nb::gil_scoped_release released;
      callee.kernel->run(data.data());
    }
    for (size_t i = 0; i < numBuffers; ++i)
      if (bound[i].data && copies[i] && callee.parameters[i].writes())
        std::memcpy(bound[i].data, copies[i].get(),
                    callee.parameters[i].bytes());
  }

private:
  /// Replaces a misaligned array by an aligned copy, and warns once.
  void copyIn(size_t index) {
    const KernelParameter &parameter = callee.parameters[index];
    if (parameter.writes() && !parameter.isDense())
      parameter.refuse("is aligned to " +
                       std::to_string(parameter.alignment()) +
                       " bytes, and the given array is not; allocate an "
                       "array that is");
    if (!callee.hasWarned[index] && !parameter.isScalar()) {
      callee.hasWarned[index] = true;
      callee.warn(parameter.label(), parameter.alignment());
    }
    void *given = data[index];
    allocate(index);
    if (parameter.reads())
      std::memcpy(data[index], given, parameter.bytes());
  }

  CallableKernel &callee;
  size_t numBuffers;
  PerBuffer<void *> data;
  PerBuffer<BoundArray> bound;
  PerBuffer<AlignedMemory> copies;
  PerBuffer<ScalarSlot> slots;
};

CallableKernel::CallableKernel(std::shared_ptr<LoadedKernel> loaded,
                               nb::object warn, nb::object warnOfLoad,
                               nb::object fromCapsule)
    : kernel(std::move(loaded)), hasWarned(kernel->numBuffers()),
      warn(std::move(warn)), warnOfLoad(std::move(warnOfLoad)),
      fromCapsule(std::move(fromCapsule)) {
  importNumpy();
  parameters = makeParameters(*kernel);
}

void CallableKernel::load(std::span<PyObject *const> arguments) {
  checkCount(arguments.size(), kernel->numArguments(), "argument",
             kernel->name());
  Call call(*this);
  for (size_t i = 0; i < arguments.size(); ++i)
    call.bind(i, arguments[i]);
  call.load();
}

nb::object CallableKernel::call(std::span<PyObject *const> arguments,
                                nb::handle out) {
  size_t numArguments = kernel->numArguments(),
         numResults = parameters.size() - numArguments;
  checkCount(arguments.size(), numArguments, "argument", kernel->name());
  if (callsThatLoad < 2 && kernel->loadsInEachCall() && ++callsThatLoad == 2)
    warnOfLoad(kernel->name());
  Call call(*this);
  for (size_t i = 0; i < numArguments; ++i)
    call.bind(i, arguments[i]);

  if (OutArrays outs(out, numResults, kernel->name()); outs.areGiven()) {
    for (size_t i = 0; i < numResults; ++i)
      call.bind(numArguments + i, outs[i]);
    call.checkOverlaps(parameters.size());
    call.run();
    return nb::borrow(out);
  }

  call.checkOverlaps(numArguments);
  for (size_t i = numArguments; i < parameters.size(); ++i)
    call.allocate(i);
  nb::object library = findArrayLibrary(arguments);
  call.run();
  auto makeArray = [&](size_t i) -> nb::object {
    const KernelParameter &result = parameters[numArguments + i];
    AlignedMemory memory = call.takeMemory(numArguments + i);
    if (library.is_valid())
      return fromCapsule(library, result.makeDlpackCapsule(std::move(memory)));
    return result.makeNumpyArray(std::move(memory));
  };
  return collectResults(numResults, makeArray);
}
