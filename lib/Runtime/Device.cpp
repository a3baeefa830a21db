//===- Device.cpp - The devices by kind -----------------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/Device.h"
#include "tonno/Runtime/HostDevice.h"

using namespace tonno;

Result<std::unique_ptr<Device>> tonno::createDevice(std::string_view kind) {
  if (kind == "host")
    return HostDevice::create();
  return Error{"unknown device '" + std::string(kind) +
               "'; the devices are: host"};
}

void tonno::to_json(Json &json, const DeviceDescription &description) {
  json = Json{{"kind", description.kind},
              {"name", description.name},
              {"uuid", description.uuid},
              {"cache_bytes", description.cacheBytes}};
}

void tonno::from_json(const Json &json, DeviceDescription &description) {
  json.at("kind").get_to(description.kind);
  json.at("name").get_to(description.name);
  json.at("uuid").get_to(description.uuid);
  json.at("cache_bytes").get_to(description.cacheBytes);
}
