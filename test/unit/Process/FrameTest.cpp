//===- Tests for message frames -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/Frame.h"

#include "Eventually.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace tonno;

namespace {

class FrameTest : public testing::Test {
protected:
  FrameTest() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0); }
  ~FrameTest() override {
    ::close(ends[0]);
    closePeer();
  }

  void closePeer() {
    if (ends[1] >= 0)
      ::close(ends[1]);
    ends[1] = -1;
  }

  void sendBytes(const std::string &bytes) {
    ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }

  /// Returns the reason why there is no message; waits with a limit, or the
  /// test would hang.
  FrameFailure failure(double seconds = 60) {
    auto message = readFrame(ends[0], inSeconds(seconds));
    EXPECT_FALSE(message.ok());
    return message ? FrameFailure{} : message.error();
  }

  int ends[2];
};

} // namespace

static std::string frame(uint32_t length, const std::string &body) {
  std::string bytes = "TNO1";
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<char>(length >> shift));
  return bytes + body;
}

TEST_F(FrameTest, MessagesComeBackInOrder) {
  Json first = {{"binary", Json::binary({0, 255, 128})}, {"x", 1.5}};
  ASSERT_TRUE(writeFrame(ends[1], first).ok());
  ASSERT_TRUE(writeFrame(ends[1], Json("second")).ok());
  EXPECT_EQ(*readFrame(ends[0], inSeconds(60)), first);
  EXPECT_EQ(*readFrame(ends[0], inSeconds(60)), Json("second"));
}

TEST_F(FrameTest, StartsWithMagicAndLengthLittleEndian) {
  ASSERT_TRUE(writeFrame(ends[1], Json(std::string(300, 'x'))).ok());
  unsigned char header[8];
  ASSERT_EQ(::read(ends[0], header, 8), 8);
  EXPECT_EQ(std::string(header, header + 4), "TNO1");
  // 300 letters and three bytes of CBOR's head: 303 = 0x012F.
  EXPECT_EQ(header[4], 0x2F);
  EXPECT_EQ(header[5], 0x01);
  EXPECT_EQ(header[6], 0);
  EXPECT_EQ(header[7], 0);
}

TEST_F(FrameTest, MessageLargerThanTheSocketsBuffer) {
  Json large = Json::binary(std::vector<uint8_t>(8 << 20, 7));
  std::thread writer([&] { EXPECT_TRUE(writeFrame(ends[1], large).ok()); });
  auto message = readFrame(ends[0], inSeconds(60));
  writer.join();
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(*message, large);
}

TEST_F(FrameTest, WorksOverPipes) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  ASSERT_TRUE(writeFrame(pipe[1], Json(42)).ok());
  EXPECT_EQ(*readFrame(pipe[0], inSeconds(60)), Json(42));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_F(FrameTest, ClosedBetweenMessages) {
  closePeer();
  EXPECT_EQ(failure(), FrameFailure::closed);
}

TEST_F(FrameTest, ClosedWithinTheHeader) {
  sendBytes("TNO");
  closePeer();
  EXPECT_EQ(failure(), FrameFailure::closed);
}

TEST_F(FrameTest, ClosedWithinTheBody) {
  sendBytes(frame(100, "abc"));
  closePeer();
  EXPECT_EQ(failure(), FrameFailure::closed);
}

TEST_F(FrameTest, OtherProtocolIsMalformed) {
  sendBytes("Hello, world\n");
  EXPECT_EQ(failure(), FrameFailure::malformed);
}

TEST_F(FrameTest, OtherVersionIsMalformed) {
  sendBytes("TNO2" + frame(1, "\x01").substr(4));
  EXPECT_EQ(failure(), FrameFailure::malformed);
}

TEST_F(FrameTest, AbsurdLengthIsRefusedBeforeItIsReadFor) {
  sendBytes(frame(0xFFFFFFFF, ""));
  EXPECT_EQ(failure(), FrameFailure::malformed);
}

TEST_F(FrameTest, BodyThatIsNotCborIsMalformed) {
  sendBytes(frame(3, "\xFF\xFF\xFF"));
  EXPECT_EQ(failure(), FrameFailure::malformed);
}

TEST_F(FrameTest, BytesBehindTheMessageAreMalformed) {
  sendBytes(frame(2, "\x01\x01")); // two integers
  EXPECT_EQ(failure(), FrameFailure::malformed);
}

TEST_F(FrameTest, DeepNestIsMalformed) {
  std::string nest(60000, '\x81'); // lists of one list
  sendBytes(frame(static_cast<uint32_t>(nest.size()), nest));
  EXPECT_EQ(failure(), FrameFailure::malformed);
}

TEST_F(FrameTest, LengthThatNoMemoryHasIsMalformed) {
  std::string list = "\x9b\x7f" + std::string(7, '\xff'); // of 2^63 - 1
  sendBytes(frame(static_cast<uint32_t>(list.size()), list));
  EXPECT_EQ(failure(), FrameFailure::malformed);
}

TEST_F(FrameTest, MemoryIsTakenForWhatHasCome) {
  rusage before = {}, after = {};
  ::getrusage(RUSAGE_SELF, &before);
  sendBytes(frame(1u << 30, "abc"));
  closePeer();
  EXPECT_EQ(failure(), FrameFailure::closed);
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 << 10); // kilobytes
}

TEST_F(FrameTest, EmptyBodyIsMalformed) {
  sendBytes(frame(0, ""));
  EXPECT_EQ(failure(), FrameFailure::malformed);
}

TEST_F(FrameTest, TimesOutBeforeAMessage) {
  EXPECT_EQ(failure(0.01), FrameFailure::timed_out);
}

TEST_F(FrameTest, TimesOutWithinAMessage) {
  sendBytes(frame(100, "abc"));
  EXPECT_EQ(failure(0.01), FrameFailure::timed_out);
}

TEST_F(FrameTest, TricklingPeerDoesNotMoveTheDeadline) {
  std::atomic<bool> isOver = false, gaveUp = false;
  std::thread peer([&] {
    sendBytes(frame(1u << 20, ""));
    gaveUp = !eventually([&] {
      // A minute of these is far from a whole message.
      (void)::send(ends[1], "x", 1, MSG_DONTWAIT);
      return isOver.load();
    });
  });
  EXPECT_EQ(failure(0.1), FrameFailure::timed_out);
  EXPECT_FALSE(gaveUp); // the deadline passed while bytes went on coming
  isOver = true;
  peer.join();
}

TEST_F(FrameTest, PassedDeadlineStillTakesWhatIsThere) {
  ASSERT_TRUE(writeFrame(ends[1], Json(1)).ok());
  EXPECT_TRUE(readFrame(ends[0], inSeconds(-1)).ok());
}

TEST_F(FrameTest, WritingToADeadPeerIsAnErrorAndNoSignal) {
  ::close(ends[0]);
  ends[0] = -1;
  auto sent = writeFrame(ends[1], Json(1));
  ASSERT_FALSE(sent.ok());
  EXPECT_NE(sent.error().message.find("cannot send"), std::string::npos);
}

TEST_F(FrameTest, PeerThatReadsNothingIsWaitedForUntilTheDeadline) {
  Json large(std::string(10 << 20, 'x'));
  auto sent = sendFrame(ends[0], large, inSeconds(0.05), {});
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error(), FrameFailure::timed_out);
}

TEST_F(FrameTest, SendingToADeadPeerTellsThatItIsClosed) {
  closePeer();
  auto sent = sendFrame(ends[0], Json(1), noDeadline, {});
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error(), FrameFailure::closed);
}

TEST_F(FrameTest, WhoWaitsMayGiveUp) {
  int asked = 0;
  auto later = [&] { return ++asked > 2; };
  auto message = readFrame(ends[0], noDeadline, later);
  ASSERT_FALSE(message.ok());
  EXPECT_EQ(message.error(), FrameFailure::cancelled);
  sendBytes(frame(100, "abc"));
  message = readFrame(ends[0], noDeadline, later);
  EXPECT_EQ(message.error(), FrameFailure::cancelled);
  asked = 0;
  auto sent =
      sendFrame(ends[0], Json(std::string(10 << 20, 'x')), noDeadline, later);
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error(), FrameFailure::cancelled);
}
