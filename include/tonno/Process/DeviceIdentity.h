//===- Machine-wide identities of devices ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_DEVICEIDENTITY_H
#define TONNO_PROCESS_DEVICEIDENTITY_H

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace tonno {

/// Identifies a device among all of the machine.
struct DeviceIdentity {
  std::string kind; ///< "host", "cuda", "hip", "opencl"
  std::string uuid;
  /// One core of the host; none: all of the device.
  std::optional<unsigned> core = {};

  bool operator==(const DeviceIdentity &) const = default;
};

/// The UUID of a host that states none, as in some containers.
inline constexpr const char *unknownUuid = "unknown";

/// Returns the identity of this machine's CPUs.
DeviceIdentity getHostIdentity();

/// The identifier that `cl_khr_device_uuid` reports.
using OpenClUuid = std::array<unsigned char, 16>;

/// Returns the identity of the device with this index among all of its
/// platform; `uuid` is none where the driver has no such extension.
DeviceIdentity getOpenClIdentity(const std::string &platform, size_t index,
                                 const std::optional<OpenClUuid> &uuid);

} // namespace tonno

#endif // TONNO_PROCESS_DEVICEIDENTITY_H
