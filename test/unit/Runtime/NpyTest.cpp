//===- Tests for NumPy files ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Oracle/InputData.h"
#include "TemporaryDirectory.h"

#include <filesystem>
#include <gmock/gmock.h>

using namespace tonno;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

/// Returns a file in NumPy's format.
static std::string npy(const std::string &header, const std::string &data,
                       char version = 1) {
  std::string text = header + " \n";
  std::string bytes = "\x93NUMPY"s + version + '\0';
  bytes += static_cast<char>(text.size());
  bytes += '\0';
  if (version > 1)
    bytes += "\0\0"s;
  return bytes + text + data;
}

static std::string header(const std::string &type, const std::string &shape,
                          const std::string &isFortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + isFortran +
         ", 'shape': " + shape + ", }";
}

static const TemporaryDirectory npyDirectory;
static const std::string npyPath = npyDirectory / "array.npy";

static Result<NpyArray> read(const std::string &bytes) {
  writeText(npyPath, bytes);
  auto array = readNpy(npyPath);
  std::filesystem::remove(npyPath);
  return array;
}

static std::vector<double> valuesOf(const std::string &bytes) {
  auto array = read(bytes);
  EXPECT_TRUE(array.ok()) << array.error().message;
  return array ? array->values : std::vector<double>();
}

static std::string refusal(const std::string &bytes) {
  auto array = read(bytes);
  if (array)
    return "accepted";
  EXPECT_THAT(array.error().message, HasSubstr(npyPath));
  return array.error().message;
}

TEST(Npy, EveryTypeIsRead) {
  struct Row {
    const char *type;
    std::string data;
    double first, second;
  };
  for (const Row &row :
       {Row{"<f2", "\x00\x3C\x01\x00"s, 1, 0x1p-24},
        Row{"<f4", "\x00\x00\xC0\x3F\x00\x00\x00\x80"s, 1.5, 0},
        Row{"<f8", "\0\0\0\0\0\0\xF8\x3F\0\0\0\0\0\0\0\xC0"s, 1.5, -2},
        Row{"|i1", "\x7F\x80"s, 127, -128}, Row{"|u1", "\x7F\xFF"s, 127, 255},
        Row{"|b1", "\x01\x00"s, 1, 0}, Row{"<i2", "\x01\x02\xFF\xFF"s, 513, -1},
        Row{"<i4", "\x00\x00\x01\x00\xFE\xFF\xFF\xFF"s, 65536, -2},
        Row{"<i8", "\0\0\0\0\x01\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s,
            0x1p32, -1}})
    EXPECT_THAT(valuesOf(npy(header(row.type, "(2,)"), row.data)),
                ElementsAre(row.first, row.second))
        << row.type;
}

TEST(Npy, ElementsThatNumpyDoesNotHaveAreThoseOfTheBuffer) {
  auto parse = [](const char *type, const std::string &data,
                  ElementType wanted) {
    auto array = parseNpy(npy(header(type, "(2,)"), data), wanted);
    return array ? array->values : std::vector<double>();
  };
  EXPECT_THAT(parse("<V1", "\x38\xFE"s, ElementType::f8E4M3FN),
              ElementsAre(1, -448));
  EXPECT_THAT(parse("|V1", "\x3C\x01"s, ElementType::f8E5M2),
              ElementsAre(1, 0x1p-16));
  EXPECT_THAT(parse("<V1", "\x07\x0A"s, ElementType::f4E2M1FN),
              ElementsAre(6, -1));
  EXPECT_THAT(parse("<V1", "\x07\x0D"s, ElementType::i4), ElementsAre(7, -3));
  EXPECT_THAT(parse("<V2", "\x80\x3F\x00\xC0"s, ElementType::bf16),
              ElementsAre(1, -2));
  EXPECT_THAT(parse("<V1", "\x38\xFE"s, ElementType::i8), ElementsAre());
  EXPECT_THAT(parse("<V2", "\x80\x3F\x00\xC0"s, ElementType::f8E5M2),
              ElementsAre());
}

TEST(Npy, ShapesAreRead) {
  EXPECT_THAT(read(npy(header("|i1", "()"), "\5"))->shape, ElementsAre());
  EXPECT_THAT(read(npy(header("|i1", "(2, 3)"), "abcdef"))->shape,
              ElementsAre(2, 3));
  auto empty = read(npy(header("|i1", "(2, 0)"), ""));
  ASSERT_TRUE(empty.ok());
  EXPECT_THAT(empty->shape, ElementsAre(2, 0));
  EXPECT_THAT(empty->values, ElementsAre());
}

TEST(Npy, FortransOrderBecomesRowMajor) {
  auto array = read(npy(header("|i1", "(2, 3)", "True"), "\1\4\2\5\3\6"));
  ASSERT_TRUE(array.ok()) << array.error().message;
  EXPECT_THAT(array->shape, ElementsAre(2, 3));
  EXPECT_THAT(array->values, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Npy, EveryVersionIsRead) {
  for (char version : {1, 2, 3})
    EXPECT_THAT(valuesOf(npy(header("|i1", "(1,)"), "\7", version)),
                ElementsAre(7))
        << int(version);
  EXPECT_THAT(refusal(npy(header("|i1", "(1,)"), "\7", 4)),
              HasSubstr("not an array in NumPy's format"));
}

TEST(Npy, KeysComeInAnyOrder) {
  EXPECT_THAT(valuesOf(npy("{\"shape\":(1,),\"descr\":\"|i1\","
                           "\"fortran_order\":False}",
                           "\7")),
              ElementsAre(7));
}

TEST(Npy, OtherTypesAreNamed) {
  for (const char *type : {">f4", "<c8", "<u4", "|S3", "<f16", "|O", ""})
    EXPECT_THAT(refusal(npy(header(type, "(1,)"), "12345678")),
                AllOf(HasSubstr("'" + std::string(type) + "'"),
                      HasSubstr("f2, f4, f8")));
}

TEST(Npy, SizesThatDisagreeAreSaid) {
  EXPECT_THAT(refusal(npy(header("<f4", "(3,)"), "1234")),
              HasSubstr("states 12 bytes of elements, but the file has 4"));
  EXPECT_THAT(refusal(npy(header("<f4", "()"), "12345")),
              HasSubstr("states 4 bytes of elements, but the file has 5"));
  EXPECT_THAT(refusal(npy(header("<f8", "(4294967296, 4294967296)"), "")),
              HasSubstr("more than 128 TiB of memory"));
  EXPECT_THAT(
      refusal(npy(header("<f8", "(4294967296, 4294967296)", "True"), "")),
      HasSubstr("more than 128 TiB of memory"));
}

TEST(Npy, HeadersThatAreNoneAreRefused) {
  for (
      const std::string &text :
      {""s, "{"s, "{}"s, "[]"s, "{'descr': '|i1'}"s,
       "{'descr': '|i1', 'fortran_order': False}"s,
       "{'descr': '|i1', 'fortran_order': False, 'fortran_order': False}"s,
       "{'descr': '|i1', 'fortran_order': 0, 'shape': ()}"s,
       "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}"s,
       "{'descr': '|i1', 'fortran_order': False, 'shape': (1"s,
       "{'descr': '|i1', 'fortran_order': False, 'shape': (-1,)}"s,
       "{'descr': '|i1', 'fortran_order': False, 'shape': (1 1)}"s,
       "{'descr': '|i1', 'fortran_order': False, 'shape': (99999999999999999999,)}"s,
       "{'descr': '|i1', 'fortran_order': False, 'shape': (), 'more': 1}"s,
       "{'descr': '|i1, 'fortran_order': False, 'shape': ()}"s})
    EXPECT_THAT(refusal(npy(text, "1")), HasSubstr("not an array")) << text;
}

TEST(Npy, FilesCutShortAnywhereAreErrors) {
  std::string whole = npy(header("<i2", "(2, 3)"), "abcdefghijkl");
  ASSERT_TRUE(read(whole).ok());
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(refusal(whole.substr(0, length)), "accepted") << length;
}

TEST(Npy, IntegersThatAreNoDoublesAreRefused) {
  EXPECT_THAT(valuesOf(npy(header("<i8", "()"), "\0\0\0\0\0\0\x20\0"s)),
              ElementsAre(0x1p53));
  EXPECT_THAT(refusal(npy(header("<i8", "()"), "\2\0\0\0\0\0\x20\0"s)),
              HasSubstr("integers beyond 2^53"));
}

TEST(Npy, FilesThatAreNotThereAreNamed) {
  auto array = readNpy("gone.npy");
  ASSERT_FALSE(array.ok());
  EXPECT_THAT(array.error().message, HasSubstr("gone.npy"));
}

TEST(Npy, HasAtMost64Dimensions) {
  std::string shape;
  for (int i = 0; i < 64; ++i)
    shape += "1,";
  std::string one(1, '\1');
  auto bytes = [&](const std::string &extents) {
    return npy(header("|i1", "(" + extents + ")", "True"), one);
  };
  EXPECT_THAT(valuesOf(bytes(shape)), ElementsAre(1));
  EXPECT_THAT(refusal(bytes(shape + "1,")), HasSubstr("not an array"));
}
