//===- The version of the messages between processes ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_PROTOCOL_H
#define TONNO_PROCESS_PROTOCOL_H

#include "tonno/Core/Json.h"

#include <string>

namespace tonno {

/// Version of the requests and answers of workers and runners, as described in
/// docs/reference/protocol.md. It changes where a peer of before would
/// misunderstand a message.
inline constexpr int protocolVersion = 1;

/// Returns a greeting that states the version.
Json makeGreeting();

/// Returns an Error unless the greeting of `peer` states this version.
Result<void> checkGreeting(const Json &greeting, const std::string &peer);

} // namespace tonno

#endif // TONNO_PROCESS_PROTOCOL_H
