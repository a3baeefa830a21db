//===- Files as they are published ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PrintedRecordings.h"
#include "RecordedFiles.h"

#include "tonno/Core/File.h"
#include "TemporaryDirectory.h"

#include <fstream>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

/// Returns "a,time_ms\n1,2\n", compressed by gzip.
static std::string compressed() {
  static constexpr unsigned char bytes[] = {
      0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0xd4,
      0x29, 0xc9, 0xcc, 0x4d, 0x8d, 0xcf, 0x2d, 0xe6, 0x32, 0xd4, 0x31, 0xe2,
      0x02, 0x00, 0x25, 0x8a, 0x91, 0x02, 0x0e, 0x00, 0x00, 0x00};
  return {reinterpret_cast<const char *>(bytes), sizeof bytes};
}

TEST(RecordingFile, MayBeCompressed) {
  EXPECT_EQ(accepted(compressed()).bestSeconds(), 2e-3);
  // The second of two members is a copy of the first, whose header is a line
  // with too few values.
  EXPECT_THAT(refusal(compressed() + compressed()), HasSubstr("line 3"));
}

TEST(RecordingFile, CompressedDataMayBeCutOffOrDamaged) {
  std::string bytes = compressed();
  for (size_t size = 2; size < bytes.size(); ++size)
    EXPECT_THAT(refusal(bytes.substr(0, size)), HasSubstr("truncated")) << size;
  bytes[bytes.size() - 6] ^= 1; // of the checksum
  EXPECT_THAT(refusal(bytes), HasSubstr("damaged"));
  EXPECT_THAT(refusal(compressed() + "more"), HasSubstr("damaged"));
}

TEST(RecordingFile, ErrorsNameTheFile) {
  TemporaryDirectory directory;
  fs::path path = directory.path() / "kernel__GPU.csv.gz";
  EXPECT_THAT(readRecording(path).error().message, HasSubstr(path.string()));
  std::ofstream(path) << compressed();
  auto recording = readRecording(path);
  ASSERT_TRUE(recording.ok());
  EXPECT_EQ(recording->name(), "kernel__GPU");
  std::ofstream(path) << "a,time_ms\n";
  EXPECT_THAT(readRecording(path).error().message,
              AllOf(HasSubstr(path.string()), HasSubstr("no entries")));
}

TEST(RecordingFile, WhatIsOfNoFormatIsToldThoseThatAre) {
  for (const std::string &text :
       {std::string("[{\"configuration\": {}}]"), std::string("[]"),
        std::string("# A readme\n\nIt tells, at length, of it.\n"),
        std::string("\x7f"
                    "ELF\0\1",
                    6)})
    EXPECT_THAT(refusal(text),
                AllOf(HasSubstr("cache files of Kernel Tuner"), HasSubstr("T4"),
                      HasSubstr("CSV"), HasSubstr("journals")))
        << text;
}

TEST(RecordingFile, AByteOrderMarkIsNoPartOfAName) {
  Recording recording = accepted("\xef\xbb\xbf"
                                 "a,time_ms\n1,2\n");
  EXPECT_EQ(recording.space().knobs()[0].name, "a");
  EXPECT_THAT(refusal("\xef\xbb\xbf{}"), HasSubstr("neither"));
}

TEST(RecordingFile, OtherJsonIsRefused) {
  EXPECT_THAT(refusal("{}"), HasSubstr("neither"));
  EXPECT_THAT(refusal(" {\"a\": [1]}"), HasSubstr("neither"));
}

/// The five published spaces that the project's targets refer to.
TEST(RecordingFile, PublishedSpacesAreRead) {
  if (!replayData())
    GTEST_SKIP() << "TONNO_REPLAY_DATA is not set";
  struct Known {
    const char *name;
    size_t parameters, rows, failed;
    double bestMilliseconds;
  };
  for (const Known &known :
       {Known{"convolution_milo__A100", 7, 4362, 161, 0.5536},
        {"convolution_milo__MI250X", 7, 4362, 0, 0.6588},
        {"gemm__RTX_3090", 10, 17956, 0, 5.6578},
        {"convolution__RTX_2080_Ti", 6, 6768, 1512, 0.90026},
        {"pnpoly__RTX_3090", 4, 4092, 318, 8.7142}}) {
    auto recording = readRecording(fs::path(replayData()) /
                                   (std::string(known.name) + ".csv.gz"));
    ASSERT_TRUE(recording.ok()) << recording.error().message;
    EXPECT_EQ(recording->name(), known.name);
    EXPECT_EQ(recording->space().knobs().size(), known.parameters);
    EXPECT_EQ(recording->trials().size(), known.rows);
    EXPECT_EQ(recording->trials().size() - recording->okCount(), known.failed);
    EXPECT_NEAR(recording->bestSeconds() * 1e3, known.bestMilliseconds, 5e-5);
    EXPECT_EQ(recording->notes().size() + recording->excluded(), 0u);
    EXPECT_EQ(accepted(printCsvFile(*recording)).trials(), recording->trials());
  }
}

TEST(RecordingFile, TheTwoPublishedFormsOfOneRecordingAgree) {
  if (!replayData())
    GTEST_SKIP() << "TONNO_REPLAY_DATA is not set";
  fs::path folder = fs::path(replayData()) / "formats";
  auto cache = readRecording(folder / "pnpoly__RTX_3090.kernel-tuner.json.gz");
  auto t4 = readRecording(folder / "pnpoly__RTX_3090.t4.json.gz");
  ASSERT_TRUE(cache.ok()) << cache.error().message;
  ASSERT_TRUE(t4.ok()) << t4.error().message;
  EXPECT_EQ(cache->name(), "pnpoly__RTX_3090");
  EXPECT_EQ(t4->name(), cache->name());
  EXPECT_EQ(t4->space(), cache->space()); // whose knobs are sorted by name
  ASSERT_EQ(t4->trials().size(), cache->trials().size());
  EXPECT_EQ(cache->trials().size(), 4092u);
  EXPECT_EQ(cache->okCount(), 3762u);
  for (size_t i = 0; i < cache->trials().size(); ++i) {
    const RecordedTrial &one = cache->trials()[i], &other = t4->trials()[i];
    EXPECT_EQ(one.configuration, other.configuration);
    EXPECT_EQ(one.status, other.status);
    EXPECT_EQ(one.seconds, other.seconds);
    EXPECT_EQ(one.cost.compile, other.cost.compile);
  }
  // The file's timestamps imply that compiling took milliseconds: 4092 in 20
  // minutes.
  EXPECT_NEAR(cache->trials()[1].cost.compile, 0.1143, 1e-4);
  EXPECT_NEAR(cache->trials()[1].cost.run, 0.42945, 1e-5);
}
