//===- Devices by kind ----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/HostDevice.h"
#include "tonno/Runtime/OpenClProgram.h"
#include "GPU/GpuDevice.h"
#include "Simulation/SimScheduler.h"

#include <algorithm>
#include <charconv>

using namespace tonno;

using DeviceResult = Result<std::unique_ptr<Device>>;
using ListResult = Result<std::vector<DeviceDescription>>;

/// Parses what stands behind the colon of a device's name.
template <typename Number>
static std::optional<Number> parseNumber(const std::string &text) {
  Number number = 0;
  const char *end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    return std::nullopt;
  return number;
}

static DeviceResult createHost(const std::string &which,
                               const DeviceOptions &options) {
  auto core = parseNumber<unsigned>(which);
  if (!which.empty() && !core)
    return Error{"unknown device 'host:" + which +
                 "'; give 'host', or one core of it, such as 'host:0'"};
  return HostDevice::create({}, options.powercap, core);
}

/// Creates a simulated device; `which`, behind the colon, is the seed of its
/// schedules.
static DeviceResult createSim(const std::string &which, const DeviceOptions &) {
  auto seed =
      which.empty() ? std::optional<uint64_t>(1) : parseNumber<uint64_t>(which);
  if (!seed)
    return Error{"'sim:" + which +
                 "' has a seed that is not a number; write for example sim:7"};
  return createSimDevice(*seed);
}

/// Lists the one device of a kind of which there is always one.
template <auto create> static ListResult listOne(const DeviceOptions &options) {
  auto device = TONNO_TRY(create("", options));
  return std::vector{device->description()};
}

template <auto vendor>
static DeviceResult createGpu(const std::string &which,
                              const DeviceOptions &options) {
  return createGpuDevice(vendor(), which, options);
}

template <auto vendor>
static ListResult listGpus(const DeviceOptions &options) {
  return listGpuDevices(vendor(), options);
}

namespace {
struct DeviceKind {
  std::string_view name;
  DeviceResult (*create)(const std::string &which, const DeviceOptions &);
  ListResult (*list)(const DeviceOptions &);
};
} // namespace

static constexpr DeviceKind kinds[] = {
    {"host", createHost, listOne<createHost>},
    {"cuda", createGpu<cudaVendor>, listGpus<cudaVendor>},
    {"hip", createGpu<hipVendor>, listGpus<hipVendor>},
    {"opencl", createOpenClDevice, listOpenClDevices},
    {"sim", createSim, listOne<createSim>},
};

Result<std::unique_ptr<Device>>
tonno::createDevice(std::string_view name, const DeviceOptions &options) {
  size_t colon = std::min(name.find(':'), name.size());
  std::string_view kind = name.substr(0, colon);
  std::string which(name.substr(std::min(colon + 1, name.size())));
  std::string known;
  for (const DeviceKind &each : kinds) {
    if (each.name == kind)
      return each.create(which, options);
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  }
  return Error{"unknown device '" + std::string(name) +
               "'; the devices are: " + known};
}

static DeviceList list(const DeviceKind &kind, const DeviceOptions &options) {
  DeviceList list;
  list.kind = kind.name;
  if (auto devices = kind.list(options))
    list.devices = std::move(*devices);
  else
    list.problem = devices.error().message;
  return list;
}

std::vector<DeviceList> tonno::listDevices(const DeviceOptions &options) {
  std::vector<DeviceList> lists;
  for (const DeviceKind &each : kinds)
    lists.push_back(list(each, options));
  return lists;
}

DeviceList tonno::listDevicesOfKind(std::string_view kind,
                                    const DeviceOptions &options) {
  return list(*std::ranges::find(kinds, kind, &DeviceKind::name), options);
}
