//===- Messages between tonno's processes ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/Frame.h"
#include "tonno/Core/File.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace tonno;

static constexpr std::array<char, 4> magic = {'T', 'N', 'O', '1'};
/// Longest frame. No artifact comes near, so a longer one is corrupt.
static constexpr uint32_t maxLength = 1u << 30;
/// Bytes that are allocated ahead of the data received.
static constexpr size_t mostAhead = 1u << 20;

static Result<std::string> encodeFrame(const Json &message) {
  std::vector<uint8_t> body = Json::to_cbor(message);
  if (body.size() > maxLength)
    return Error{"a message of " + std::to_string(body.size()) +
                 " bytes is too long to send"};
  auto length = static_cast<uint32_t>(body.size());
  std::string frame(magic.begin(), magic.end());
  for (int shift = 0; shift < 32; shift += 8)
    frame.push_back(static_cast<char>(length >> shift));
  frame.append(reinterpret_cast<const char *>(body.data()), body.size());
  return frame;
}

Result<void> tonno::writeFrame(int descriptor, const Json &message) {
  auto frame = TONNO_TRY(encodeFrame(message));
  if (!writeAll(descriptor, frame))
    return Error{std::string("cannot send a message: ") + std::strerror(errno)};
  return {};
}

/// Returns the milliseconds until the deadline for poll(2): -1 for none, else
/// rounded up.
static int remainingMilliseconds(Deadline deadline) {
  if (deadline == noDeadline)
    return -1;
  auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1 << 30));
}

/// Waits until the descriptor is ready, closed, or has an error.
static Result<void, FrameFailure> waitFor(int descriptor, short events,
                                          Deadline deadline,
                                          const Cancelled &cancelled) {
  // A signal that cancels ends poll, unless it comes just before.
  constexpr int sliceMilliseconds = 200;
  for (;;) {
    if (cancelled && cancelled())
      return FrameFailure::cancelled;
    int left = remainingMilliseconds(deadline);
    bool isSlice = cancelled && (left < 0 || left > sliceMilliseconds);
    pollfd ready = {descriptor, events, 0};
    int polled = ::poll(&ready, 1, isSlice ? sliceMilliseconds : left);
    if (polled > 0 || (polled < 0 && errno != EINTR))
      return {};
    if (polled == 0 && !isSlice)
      return FrameFailure::timed_out;
  }
}

Result<void, FrameFailure> tonno::waitForFrame(int descriptor,
                                               Deadline deadline,
                                               const Cancelled &cancelled) {
  return waitFor(descriptor, POLLIN, deadline, cancelled);
}

Result<void, FrameFailure> tonno::sendFrame(int socket, const Json &message,
                                            Deadline deadline,
                                            const Cancelled &cancelled) {
  auto frame = encodeFrame(message);
  if (!frame)
    return FrameFailure::malformed;
  std::string_view rest = *frame;
  while (!rest.empty()) {
    ssize_t n =
        ::send(socket, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      rest.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {
      TONNO_TRY(waitFor(socket, POLLOUT, deadline, cancelled));
    } else if (errno != EINTR) {
      return FrameFailure::closed;
    }
  }
  return {};
}

static Result<void, FrameFailure> readAll(int descriptor, char *bytes,
                                          size_t count, Deadline deadline,
                                          const Cancelled &cancelled) {
  while (count > 0) {
    TONNO_TRY(waitFor(descriptor, POLLIN, deadline, cancelled));
    ssize_t n = ::read(descriptor, bytes, count);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return FrameFailure::closed;
    bytes += n;
    count -= static_cast<size_t>(n);
  }
  return {};
}

Result<Json, FrameFailure> tonno::readFrame(int descriptor, Deadline deadline,
                                            const Cancelled &cancelled) {
  std::array<char, 8> header;
  TONNO_TRY(
      readAll(descriptor, header.data(), header.size(), deadline, cancelled));
  if (!std::equal(magic.begin(), magic.end(), header.begin()))
    return FrameFailure::malformed;
  uint32_t length = 0;
  for (int i = 0; i < 4; ++i)
    length |= static_cast<uint32_t>(static_cast<uint8_t>(header[4 + i]))
              << (8 * i);
  if (length > maxLength)
    return FrameFailure::malformed;
  std::vector<uint8_t> body;
  while (body.size() < length) {
    size_t before = body.size();
    body.resize(std::min<size_t>(length, before + mostAhead));
    TONNO_TRY(readAll(descriptor,
                      reinterpret_cast<char *>(body.data() + before),
                      body.size() - before, deadline, cancelled));
  }
  auto message = parseCbor(body);
  if (!message)
    return FrameFailure::malformed;
  return *std::move(message);
}

int tonno::answerFrames(int input, int output,
                        const std::function<Json(const Json &)> &answer) {
  for (;;) {
    auto request = readFrame(input);
    if (!request)
      return request.error() == FrameFailure::closed ? 0 : 1;
    if (!writeFrame(output, answer(*request)))
      return 1;
  }
}
