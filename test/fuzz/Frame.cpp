//===- Bytes where a frame is expected ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/Frame.h"
#include "tonno/Core/File.h"
#include "Fuzz.h"

#include <unistd.h>

using namespace tonno;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr size_t pipeBytes = 65536; // more would wait for a reader
  int ends[2];
  if (size > pipeBytes || ::pipe(ends) != 0)
    return 0;
  require(writeAll(ends[1], textOf(data, size)), "the bytes are written");
  ::close(ends[1]);
  size_t messages = 0;
  for (;; ++messages) {
    auto message = readFrame(ends[0]);
    if (!message) {
      require(message.error() != FrameFailure::timed_out, "there is no limit");
      break;
    }
  }
  require(messages * 9 <= size, "each frame has a head and a body");
  ::close(ends[0]);
  return 0;
}
