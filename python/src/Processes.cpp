//===- Child processes of Python ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bindings.h"
#include "Refusal.h"
#include "Values.h"

#include "tonno/Process/Subprocess.h"
#include "tonno/Process/Supervisor.h"
#include "tonno/Runtime/HostDevice.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

/// Seconds of a limit that never passes, which the clock can still add.
static constexpr double mostSeconds = 1e8;

static const char *getCauseName(NoAnswer::Cause cause) {
  switch (cause) {
  case NoAnswer::Cause::crashed:
    return "crashed";
  case NoAnswer::Cause::out_of_memory:
    return "out_of_memory";
  case NoAnswer::Cause::killed:
    return "killed";
  case NoAnswer::Cause::ended:
    return "ended";
  case NoAnswer::Cause::closed:
    return "closed";
  case NoAnswer::Cause::timed_out:
    return "timed_out";
  case NoAnswer::Cause::garbled:
    return "garbled";
  case NoAnswer::Cause::cancelled:
    return "cancelled";
  }
  std::abort();
}

namespace {

/// A program that answers requests, and ends with all that it has started.
class ChildProcess {
public:
  explicit ChildProcess(const std::vector<std::string> &argv)
      : process(valueOrThrow(Subprocess::spawn(argv, Ending::asked))) {}

  /// An answer, or why there is none: the cause, and words for the user. In the
  /// second case the process has ended. Raises what a signal handler raises.
  std::tuple<nb::object, std::string, std::string> ask(nb::handle request,
                                                       double seconds);

  void stop() {
    unlocked([this] { return process.terminate(); });
  }

private:
  Subprocess process;
};

} // namespace

std::tuple<nb::object, std::string, std::string>
ChildProcess::ask(nb::handle request, double seconds) {
  seconds = std::min(seconds, mostSeconds);
  bool isRaised = false; // by the handler of a signal, such as Ctrl-C's
  Cancelled cancelled = [&isRaised] {
    nb::gil_scoped_acquire locked;
    isRaised = isRaised || PyErr_CheckSignals() != 0;
    return isRaised;
  };
  Json message = toJson(request);
  NoAnswer failure;
  auto answer = unlocked([&]() -> std::optional<Json> {
    FrameFailure cause;
    if (auto sent = process.send(message, inSeconds(seconds), cancelled);
        sent) {
      auto received = process.receiveWithin(seconds, cancelled);
      if (received)
        return std::move(*received);
      cause = received.error();
    } else {
      cause = sent.error();
    }
    failure = process.terminate(cause);
    return std::nullopt;
  });
  if (isRaised)
    throw nb::python_error();
  if (!answer)
    return {nb::none(), getCauseName(failure.cause), failure.text(seconds)};
  return {toPython(*answer), "", ""};
}

/// Continues in a process that ends with its parent, as all do that it starts;
/// returns the descriptors on which the parent sends requests and takes
/// answers. Removes the folder, if one is named, at the end. Call it before
/// the process has threads.
static std::tuple<int, int> claimChannel(const std::string &folder) {
  auto remove = [folder] {
    std::error_code ignored; // nobody is left to be told
    if (!folder.empty())
      std::filesystem::remove_all(folder, ignored);
  };
  auto starter =
      valueOrThrow(unlocked([&] { return continueSupervised(remove); }));
  FrameChannel channel = valueOrThrow(claimFrameChannel(starter));
  return {channel.input, channel.output};
}

/// Continues in a process that ends with its parent, as all do that it starts,
/// and answers the parent's requests until it closes; returns the exit status.
/// Call it before the process has threads.
static int answerParent(nb::object prepare) {
  auto [input, output] = claimChannel("");
  nb::object answer = prepare();
  return unlocked([&, input = input, output = output] {
    return answerFrames(input, output, [&](const Json &request) {
      nb::gil_scoped_acquire locked;
      return toJson(answer(toPython(request)));
    });
  });
}

void tonno::python::bindProcesses(nb::module_ &module) {
  nb::class_<ChildProcess>(module, "ChildProcess")
      .def(nb::init<const std::vector<std::string> &>(), nb::arg("argv"))
      .def("ask", &ChildProcess::ask, nb::arg("request"), nb::arg("seconds"))
      .def("stop", &ChildProcess::stop);
  module.def("claim_channel", &claimChannel, nb::arg("folder"));
  module.def(
      "avoid_timing_cores",
      [](std::vector<int> cores) { check(avoidTimingCores(std::move(cores))); },
      nb::arg("cores"));
  module.def("answer_parent", &answerParent, nb::arg("prepare"));
}
