//===- Machine-wide identities of devices ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/DeviceIdentity.h"
#include "tonno/Core/File.h"

using namespace tonno;

DeviceIdentity tonno::getHostIdentity() {
  auto machine = readFile("/etc/machine-id");
  return {"host",
          machine ? machine->substr(0, machine->find('\n')) : unknownUuid};
}

DeviceIdentity tonno::getOpenClIdentity(const std::string &platform,
                                        size_t index,
                                        const std::optional<OpenClUuid> &uuid) {
  if (!uuid)
    return {"opencl", platform + ":" + std::to_string(index)};
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : *uuid)
    text += {digits[byte >> 4], digits[byte & 15]};
  return {"opencl", std::move(text)};
}
