//===- Locks of devices ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Locks.h"
#include "Bindings.h"

#include "tonno/Runtime/Device.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

static std::pair<std::string, std::string>
toPair(const DeviceIdentity &identity) {
  return {identity.kind, identity.uuid};
}

/// Returns the identity of the GPU with this index among those that the driver
/// shows this process; none if the driver does not tell.
static std::optional<std::pair<std::string, std::string>>
getGpuIdentity(bool isAmd, size_t index) {
  DeviceList list = listDevicesOfKind(isAmd ? "hip" : "cuda");
  if (index >= list.devices.size())
    return std::nullopt;
  return toPair(list.devices[index].identity());
}

std::optional<FrontendLock> tonno::python::toLock(nb::handle given) {
  if (given.is_none())
    return std::nullopt;
  auto [kind, uuid] = nb::cast<std::pair<std::string, std::string>>(
      nb::object(given.attr("device")));
  FrontendLock lock;
  lock.device = {std::move(kind), std::move(uuid)};
  lock.waiting =
      [waiting = nb::object(given.attr("waiting"))](const std::string &holder) {
        nb::gil_scoped_acquire locked;
        waiting(holder);
      };
  lock.coversBuilding = [covers = nb::object(given.attr("covers_building"))] {
    nb::gil_scoped_acquire locked;
    return nb::cast<bool>(covers());
  };
  lock.toldSeconds = nb::cast<double>(given.attr("told_seconds"));
  lock.threadSeconds = nb::cast<double>(given.attr("thread_seconds"));
  return lock;
}

/// Returns the identity of an OpenCL device that is no CPU.
static std::pair<std::string, std::string>
getOpenClPair(const std::string &platform, size_t index,
              const std::optional<nb::bytes> &uuid) {
  std::optional<OpenClUuid> read;
  if (uuid && uuid->size() == std::tuple_size_v<OpenClUuid>) {
    read.emplace();
    std::memcpy(read->data(), uuid->c_str(), read->size());
  }
  return toPair(getOpenClIdentity(platform, index, read));
}

void tonno::python::bindLocks(nb::module_ &module) {
  FrontendLock defaults;
  module.attr("TOLD_SECONDS") = defaults.toldSeconds;
  module.attr("THREAD_SECONDS") = defaults.threadSeconds;
  module.def("host_identity", [] { return toPair(getHostIdentity()); });
  module.def("gpu_identity", &getGpuIdentity, nb::arg("is_amd"),
             nb::arg("index"));
  module.def("opencl_identity", &getOpenClPair, nb::arg("platform"),
             nb::arg("index"), nb::arg("uuid").none());
}
