//===- Limits of the user on resources ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_USAGELIMIT_H
#define TONNO_CORE_USAGELIMIT_H

#include "tonno/Core/Json.h"
#include "tonno/Core/ResourceUsage.h"
#include "tonno/Core/Result.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tonno {

/// The resources that a user may limit: members of ResourceUsage that are known
/// once a candidate is compiled.
enum class Resource {
  workspace, ///< in bytes, like the next four
  code_size,
  shared,
  stack,
  spills,
  registers, ///< a number
  energy,    ///< in microjoules of a launch; measured, not known before
};

EnumNames getEnumNames(Resource);

/// Returns the bytes or the number of a resource, none if they are unknown.
std::optional<uint64_t> getUsed(const ResourceUsage &usage, Resource resource);

/// The most of a resource that candidates may use.
struct UsageLimit {
  Resource resource = Resource::workspace;
  uint64_t most = 0;

  auto operator<=>(const UsageLimit &) const = default;
};

void mapFields(JsonFields &fields, UsageLimit &limit);

/// Parses "workspace <= 1MB". Bytes may have the units B, kB, MB and GB, powers
/// of 1000, and KiB, MiB and GiB, powers of 1024. The Error states what a limit
/// looks like, or the known resources.
Result<UsageLimit> parseUsageLimit(std::string_view text);

/// Parses "1.05x", a positive factor.
std::optional<double> parseMultiple(std::string_view text);

/// Parses "time <= 1.05x", a multiple of the default's time; none if the text
/// does not limit the time.
std::optional<Result<double>> parseTimeLimit(std::string_view text);

/// Returns the names of the resources: "workspace, code-size, ...".
std::string listResources();

/// Returns the limit in the form that `parseUsageLimit` takes, in bytes.
std::string toString(const UsageLimit &limit);

/// Returns an amount in words: "4096 bytes".
std::string describeAmount(Resource resource, uint64_t amount);

/// Returns why a candidate is over the first limit that it is over, none if it
/// is within all of them. A resource that is unknown is over any limit.
std::optional<std::string> findExcess(const ResourceUsage &usage,
                                      std::span<const UsageLimit> limits);

} // namespace tonno

#endif // TONNO_CORE_USAGELIMIT_H
