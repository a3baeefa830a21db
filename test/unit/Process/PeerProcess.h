//===- The child that the tests talk to -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_CORE_PEERPROCESS_H
#define TONNO_TEST_UNIT_CORE_PEERPROCESS_H

#include "tonno/Process/Subprocess.h"

#include <gtest/gtest.h>

namespace tonno {

/// Starts Peer.cpp.
inline Subprocess startPeer() {
  auto child = Subprocess::spawn({PEER});
  EXPECT_TRUE(child.ok()) << child.error().message;
  return std::move(*child);
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_CORE_PEERPROCESS_H
