//===- Values from bytes that mean harm -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Json.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

/// Opens containers without end.
struct Nest {
  const char *name;
  std::string text; ///< of one level
  bool isCbor;
};

class NestedTest : public testing::TestWithParam<Nest> {};

} // namespace

static Result<Json> parse(const std::string &bytes, bool isCbor) {
  if (!isCbor)
    return parseJson(bytes);
  return parseCbor(
      {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
}

static std::string repeated(const std::string &text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i)
    all += text;
  return all;
}

TEST_P(NestedTest, IsRefusedBeforeTheStackIsFull) {
  auto json = parse(repeated(GetParam().text, 1000000), GetParam().isCbor);
  ASSERT_FALSE(json.ok());
  EXPECT_THAT(json.error().message, HasSubstr("deeper than 64 levels"));
}

INSTANTIATE_TEST_SUITE_P(
    All, NestedTest,
    testing::Values(Nest{"TextLists", "[", false},
                    Nest{"TextObjects", "{\"a\":", false},
                    Nest{"Lists", "\x81", true},
                    Nest{"Maps", "\xa1\x61\x61", true},
                    Nest{"ListsWithoutLength", "\x9f", true},
                    Nest{"MapsWithoutLength", "\xbf\x61\x61", true},
                    Nest{"ListsInMaps", "\xa1\x61\x61\x81", true}),
    [](const auto &info) { return info.param.name; });

TEST(ParseJson, SixtyFourLevelsAreEnough) {
  for (size_t depth : {maxJsonDepth, maxJsonDepth + 1}) {
    bool fits = depth == maxJsonDepth;
    EXPECT_EQ(parseJson(repeated("[", depth) + repeated("]", depth)).ok(),
              fits);
    EXPECT_EQ(parse(repeated("\x81", depth) + "\x01", true).ok(), fits);
  }
  // The number of siblings is not limited.
  auto wide = parseJson("[" + repeated("[],", 1000) + "{}]");
  ASSERT_TRUE(wide.ok());
  EXPECT_EQ(wide->size(), 1001u);
}

TEST(ParseJson, GivesWhatTheLibraryGives) {
  for (
      const char *text :
      {R"({"a":{"b":[1,-2,3.5,{"c":null}],"d":{}},"e":[],"f":"g\u00e9","h":true})",
       R"({"twice":1,"twice":[2]})", "[[],[[]],[{},[{}]]]", "7", "\"x\"",
       "18446744073709551615", "1e-400"}) {
    auto parsed = parseJson(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().message;
    Json expected = Json::parse(text);
    EXPECT_EQ(*parsed, expected) << text;
    EXPECT_EQ(parsed->dump(), expected.dump());
    std::vector<uint8_t> cbor = Json::to_cbor(expected);
    auto back = parseCbor(cbor);
    ASSERT_TRUE(back.ok()) << text << ": " << back.error().message;
    EXPECT_EQ(back->dump(), expected.dump());
  }
  auto binary = parseCbor(Json::to_cbor(Json::binary({1, 2, 255})));
  ASSERT_TRUE(binary.ok());
  EXPECT_EQ(*binary, Json(Json::binary({1, 2, 255})));
}

TEST(ParseJson, WhatIsNoJsonIsAnError) {
  for (const char *text : {"", "[1", "{\"a\"", "{\"a\":1,}", "[1]]", "1e400",
                           "\"\xff\"", "nul", "[1 2]"}) {
    auto parsed = parseJson(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_FALSE(parsed.error().message.empty()) << text;
  }
}

TEST(ParseCbor, LengthsAreNotBelieved) {
  // Each header announces up to 2^64 - 1 elements, which do not follow. (The
  // library's own builder throws if they exceed memory.)
  for (const char *head : {"\x9b", "\xbb", "\x5b", "\x7b"})
    for (const char *length : {"\xff\xff\xff\xff\xff\xff\xff\xff",
                               "\x7f\xff\xff\xff\xff\xff\xff\xff",
                               "\x01\x01\x01\x01\x01\x01\x01\x01"}) {
      auto json = parse(std::string(head) + length + "\x01", true);
      ASSERT_FALSE(json.ok());
      EXPECT_FALSE(json.error().message.empty());
    }
}

TEST(ParseCbor, WhatIsNoCborIsAnError) {
  for (const char *bytes : {"", "\xff", "\x01\x01", "\xc1\x01", "\x82\x01",
                            "\xa1\x01\x01", "\x1c", "\x61"})
    EXPECT_FALSE(parse(bytes, true).ok());
}

TEST(Printed, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(printed({{"a", "caf\xE9"}}), "{\"a\":\"caf\xEF\xBF\xBD\"}");
  EXPECT_EQ(printed({{"a", 1}}, 2), "{\n  \"a\": 1\n}");
}
