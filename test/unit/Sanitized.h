//===- Limits of tests under sanitizers -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_SANITIZED_H
#define TEST_UNIT_SANITIZED_H

namespace tonno {

/// True in builds with AddressSanitizer or ThreadSanitizer, which reserve
/// terabytes of address space, so that limits on it can't be tested.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool isSanitized = true;
#else
inline constexpr bool isSanitized = false;
#endif
#else
inline constexpr bool isSanitized = false;
#endif

/// True in builds with ThreadSanitizer, which does not see how threads of an
/// uninstrumented library synchronize.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool seesLibrariesRace = true;
#else
inline constexpr bool seesLibrariesRace = false;
#endif
#else
inline constexpr bool seesLibrariesRace = false;
#endif

} // namespace tonno

#endif // TEST_UNIT_SANITIZED_H
