//===- The version of the messages between processes ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/Protocol.h"

using namespace tonno;

Json tonno::makeGreeting() { return {{"protocol", protocolVersion}}; }

Result<void> tonno::checkGreeting(const Json &greeting,
                                  const std::string &peer) {
  auto version = decodeMember<int>(greeting, "protocol");
  if (version && *version == protocolVersion)
    return {};
  return Error{peer + " speaks " +
               (version ? "version " + std::to_string(*version)
                        : std::string("no stated version")) +
               " of tonno's protocol, and this program version " +
               std::to_string(protocolVersion) +
               "; use programs of one version of tonno"};
}
