//===- Messages between tonno's processes ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_FRAME_H
#define TONNO_PROCESS_FRAME_H

#include "tonno/Core/Json.h"

#include <chrono>
#include <functional>

namespace tonno {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

inline Deadline inSeconds(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(seconds));
}
inline constexpr Deadline noDeadline = Deadline::max();

/// Why no message was read, or none was taken.
enum class FrameFailure {
  closed, ///< the peer ended, between or within messages
  timed_out,
  malformed, ///< no frame, cut off, or nested too deeply
  cancelled, ///< by the waiting side
};

/// Returns true to stop waiting; polled several times a second. If empty,
/// never.
using Cancelled = std::function<bool()>;

/// Writes a frame: 4 bytes "TNO1", the length as 4 bytes little-endian, and the
/// message as CBOR, which carries binaries unescaped.
Result<void> writeFrame(int descriptor, const Json &message);

/// Sends a frame to a socket whose peer may not read; fails at the deadline.
Result<void, FrameFailure> sendFrame(int socket, const Json &message,
                                     Deadline deadline,
                                     const Cancelled &cancelled);

/// Waits until the deadline for a message to begin, or for the peer's end.
Result<void, FrameFailure> waitForFrame(int descriptor, Deadline deadline,
                                        const Cancelled &cancelled);

/// Waits for one whole message until the deadline.
Result<Json, FrameFailure> readFrame(int descriptor,
                                     Deadline deadline = noDeadline,
                                     const Cancelled &cancelled = {});

/// Answers each message of a peer until it closes; returns the exit status: 0,
/// or 1 where a message could not be read, or an answer not written.
int answerFrames(int input, int output,
                 const std::function<Json(const Json &)> &answer);

} // namespace tonno

#endif // TONNO_PROCESS_FRAME_H
