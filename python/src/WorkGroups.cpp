//===- Local sizes of OpenCL kernels --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bindings.h"
#include "Locks.h"
#include "Refusal.h"
#include "Values.h"

#include "tonno/Cache/RecordStore.h"
#include "tonno/WorkGroups/ArgumentBuffers.h"
#include "tonno/WorkGroups/KernelIdentity.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

namespace {

/// A kernel on a queue that Python drives.
class PythonLauncher : public Launcher {
public:
  PythonLauncher(nb::callable drain, nb::callable launch)
      : drainCall(std::move(drain)), launchCall(std::move(launch)) {}

  Result<void> drain() override {
    nb::gil_scoped_acquire locked;
    drainCall();
    return {};
  }

  /// It gives the two times, or why there are none, as text. What it raises no
  /// local size is to blame for, and ends the tuning.
  Result<LaunchTimes> launch(const WorkSize &localSize) override {
    nb::gil_scoped_acquire locked;
    nb::object given = launchCall(nb::tuple(nb::cast(localSize)));
    std::string failure;
    if (nb::try_cast(given, failure))
      return Error{failure};
    auto [waitUs, runUs] = nb::cast<std::tuple<double, double>>(given);
    return LaunchTimes{waitUs, runUs};
  }

private:
  nb::callable drainCall;
  nb::callable launchCall;
};

} // namespace

using Limits = std::tuple<uint64_t, WorkSize, uint64_t, WorkSize, bool>;

static TuningQuestion makeQuestion(const WorkSize &globalSize,
                                   std::optional<std::vector<WorkSize>> sizes,
                                   uint64_t runs, bool isPaired,
                                   const Limits &limits) {
  const auto &[deviceItems, deviceExtents, kernelItems, required,
               isNonUniform] = limits;
  check(checkWorkSize(globalSize, "global size"));
  return {globalSize, std::move(sizes), runs, isPaired,
          WorkGroupLimits{deviceItems, deviceExtents, kernelItems, required,
                          isNonUniform}};
}

/// Ends a wait for the lock at Ctrl-C, by an exception.
static bool isInterrupted() {
  nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals())
    throw nb::python_error();
  return false;
}

static nb::object tune(const TuningQuestion &question, nb::callable drain,
                       nb::callable launch, nb::handle lock) {
  PythonLauncher launcher(std::move(drain), std::move(launch));
  std::optional<FrontendLock> samplingLock = toLock(lock);
  std::optional<Result<AutotuneResult>> result;
  {
    nb::gil_scoped_release unlocked;
    result = tuneWorkGroups(question, launcher, samplingLock, isInterrupted);
  }
  return toPython(valueOrThrow(std::move(*result)));
}

static std::string
computeQuestionKey(const TuningQuestion &question, const std::string &source,
                   const std::string &name, const std::string &buildOptions,
                   const std::string &platform, const std::string &device,
                   const std::string &driver) {
  return KernelIdentity{source, name, buildOptions, platform, device, driver}
      .key(question);
}

using Argument = std::tuple<std::string, std::string, std::string, bool>;
using Buffer = std::tuple<uint64_t, nb::bytes, bool>;

static ArgumentInfo::Space parseAddressSpace(const std::string &name) {
  if (name == "global")
    return ArgumentInfo::Space::global;
  if (name == "constant")
    return ArgumentInfo::Space::constant;
  return name == "local" ? ArgumentInfo::Space::local
                         : ArgumentInfo::Space::value;
}

static std::vector<Buffer> plan(const std::string &kernel,
                                const std::vector<Argument> &arguments,
                                const WorkSize &globalSize) {
  std::vector<ArgumentInfo> infos;
  for (const auto &[name, type, space, isConst] : arguments)
    infos.push_back({name, type, parseAddressSpace(space), isConst});
  std::vector<Buffer> buffers;
  for (const MadeBuffer &each :
       valueOrThrow(planBuffers(kernel, infos, globalSize)))
    buffers.emplace_back(each.bytes,
                         nb::bytes(each.pattern.data(), each.pattern.size()),
                         each.isWritten);
  return buffers;
}

/// Returns the cache's record of a key, and warnings: an unusable cache is one
/// of them.
static nb::tuple findRecord(const std::string &directory,
                            const std::string &key, bool isReadOnly) {
  std::vector<std::string> warnings;
  auto store = DirectoryStore::open(
      resolveCacheDirectory(directory),
      isReadOnly ? DirectoryStore::Mode::read_only
                 : DirectoryStore::Mode::read_write,
      [&](const std::string &text) { warnings.push_back(text); });
  if (!store)
    warnings.push_back(store.error().message + "; decisions are not stored");
  auto record = store ? (*store)->find(key) : std::nullopt;
  auto result = record ? decode<AutotuneResult>(*record)
                       : Result<AutotuneResult>(Error{});
  bool isAnswer = result && result->check();
  return nb::make_tuple(isAnswer ? toPython(*result) : nb::none(), warnings);
}

static std::vector<std::string> insertRecord(const std::string &directory,
                                             const std::string &key,
                                             nb::handle record) {
  auto result = valueOrThrow(decode<AutotuneResult>(toJson(record)));
  std::vector<std::string> warnings;
  auto store = DirectoryStore::open(
      resolveCacheDirectory(directory), DirectoryStore::Mode::read_write,
      [&](const std::string &text) { warnings.push_back(text); });
  auto kept =
      store ? (*store)->insert(key, result) : Result<void>(store.error());
  if (!kept)
    warnings.push_back(kept.error().message + "; decisions are not stored");
  return warnings;
}

void tonno::python::bindWorkGroups(nb::module_ &module) {
  nb::class_<TuningQuestion>(module, "WorkGroupQuestion")
      .def_static("of", &makeQuestion, nb::arg("global_size"),
                  nb::arg("candidates").none(), nb::arg("runs"),
                  nb::arg("is_paired"), nb::arg("limits"))
      .def("tune", &tune, nb::arg("drain"), nb::arg("launch"), nb::arg("lock"),
           nb::sig("def tune(self, drain: typing.Callable[[], None], launch: "
                   "typing.Callable[[tuple[int, ...]], tuple[float, float] | "
                   "str], lock: typing.Any) -> dict[str, typing.Any]"))
      .def(
          "default",
          [](const TuningQuestion &question) {
            return toPython(valueOrThrow(chooseDefaultSize(question)));
          },
          nb::sig("def default(self) -> dict[str, typing.Any]"))
      .def("key", &computeQuestionKey, nb::arg("source"), nb::arg("name"),
           nb::arg("build_options"), nb::arg("platform"), nb::arg("device"),
           nb::arg("driver"));
  module.def("allows_non_uniform",
             [](const std::string &deviceVersion, bool deviceSays,
                const std::string &buildOptions) {
               return allowsNonUniform(deviceVersion, deviceSays, buildOptions);
             });
  module.def("plan_buffers", &plan);
  module.def(
      "find_tuned", &findRecord,
      nb::sig("def find_tuned(directory: str, key: str, is_read_only: bool, "
              "/) -> "
              "tuple[dict[str, typing.Any] | None, list[str]]"));
  module.def("keep_tuned", &insertRecord,
             nb::sig("def keep_tuned(directory: str, key: str, record: "
                     "dict[str, typing.Any], /) -> list[str]"));
}
