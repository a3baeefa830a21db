//===- Tests for files in OpenCL C ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/OpenClC/OpenClFile.h"
#include "tonno/Core/File.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tonno;
namespace fs = std::filesystem;

namespace {

struct OpenClFileTest : testing::Test {
  fs::path folder =
      fs::path(testing::TempDir()) /
      ("tonno-opencl-" + std::to_string(::getpid()) + "-" +
       testing::UnitTest::GetInstance()->current_test_info()->name());
  OpenClFileTest() { fs::create_directories(folder / "include"); }
  ~OpenClFileTest() override { fs::remove_all(folder); }

  OpenClRequest request(const std::string &text) const {
    write("k.cl", text);
    OpenClRequest made;
    made.file = (folder / "k.cl").string();
    return made;
  }
  void write(const std::string &name, const std::string &text) const {
    EXPECT_TRUE(writeFileAtomically(folder / name, text).ok());
  }
};

const std::string said = "// tonno: --knob=TS=8,16,32\n"
                         "  //tonno:  --global-size=64 / TS\n"
                         "// tonno: --arg=x=[64]\n"
                         "// tonno: --constraint=TS > 4\n";
const std::string kernel = "#if !defined(TS)\n"
                           "#  define TS 16 // words\n"
                           "#endif\n"
                           "__kernel void k(global int *x) { x[0] = TS; }\n";

} // namespace

TEST_F(OpenClFileTest, SaysAllOfAKernel) {
  auto file = readOpenCl(request(said + kernel));
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(file->kernel.name, "k");
  EXPECT_EQ(file->kernel.globalSize, "64 / TS");
  EXPECT_EQ(file->kernel.arguments.at("x"), "[64]");
  ASSERT_EQ(file->kernel.space.knobs().size(), 1u);
  EXPECT_EQ(file->kernel.space.knobs()[0].options,
            (std::vector<Option>{8, 16, 32}));
  EXPECT_EQ(file->kernel.space.knobs()[0].defaultIndex, 1u);
  EXPECT_EQ(file->kernel.space.constraints(),
            std::vector<std::string>{"TS > 4"});
}

TEST_F(OpenClFileTest, IntegerArgumentsAreDimensions) {
  OpenClRequest given = request(said + kernel);
  given.arguments = {"N=96", "L=u32:7", "f=0.5", "0=3", "TS=4", "v=(1, 2)"};
  given.constraints = {"N mod TS == 0"};
  auto file = readOpenCl(given);
  ASSERT_TRUE(file.ok()) << file.error().text();
  // A macro hides an argument of its name, and a number is no name.
  EXPECT_EQ(file->kernel.space.dimensions(),
            (std::vector<Dimension>{{"N", 96}, {"L", 7}}));
  given.constraints = {"M mod TS == 0"};
  auto unknown = readOpenCl(given);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().text(),
            "'--constraint=M mod TS == 0': column 1: there is no knob or "
            "dimension M; the knobs are: TS; the dimensions are: N, L");
}

TEST_F(OpenClFileTest, GivesWayToTheCommandLine) {
  OpenClRequest given = request(said + kernel);
  given.knobs = {"TS=32,64 default 64"};
  given.arguments = {"x=[128]"};
  given.globalSize = "128";
  auto file = readOpenCl(given);
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(file->kernel.globalSize, "128");
  EXPECT_EQ(file->kernel.arguments.at("x"), "[128]");
  EXPECT_EQ(file->kernel.space.knobs()[0].options,
            (std::vector<Option>{32, 64}));
  EXPECT_EQ(file->kernel.space.knobs()[0].defaultIndex, 1u);
}

TEST_F(OpenClFileTest, IsKnownByItsTextWithoutWhatItSays) {
  auto one = readOpenCl(request(said + kernel));
  OpenClRequest given = request(kernel);
  given.knobs = {"TS=8,16"};
  given.globalSize = "64";
  auto other = readOpenCl(given);
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_EQ(one->kernel.textHash, other->kernel.textHash);
  auto changed = readOpenCl(request(said + kernel + "// else\n"));
  ASSERT_TRUE(changed.ok());
  EXPECT_NE(changed->kernel.textHash, one->kernel.textHash);
}

TEST_F(OpenClFileTest, IsKnownByWhatItIncludes) {
  const std::string text = said + "#include \"a.h\"\n#include <b.h>\n" + kernel;
  write("a.h", "#include <c.h>\n");
  write("include/b.h", "int b;\n");
  write("include/c.h", "int c;\n");
  OpenClRequest given = request(text);
  given.buildOptions = "-cl-mad-enable -I " + (folder / "include").string();
  auto before = readOpenCl(given);
  ASSERT_TRUE(before.ok());
  EXPECT_TRUE(before->warnings.empty());
  EXPECT_EQ(before->kernel.options, given.buildOptions);
  EXPECT_EQ(before->kernel.includeFolder, folder.string());
  write("include/c.h", "long c;\n");
  auto after = readOpenCl(given);
  ASSERT_TRUE(after.ok());
  EXPECT_NE(before->kernel.textHash, after->kernel.textHash);
  fs::remove(folder / "include/c.h");
  auto without = readOpenCl(given);
  ASSERT_TRUE(without.ok());
  ASSERT_EQ(without->warnings.size(), 1u);
  EXPECT_NE(without->warnings[0].find("#include <c.h>"), std::string::npos);
}

/// Compilers look beside the including file first.
TEST_F(OpenClFileTest, IsKnownByWhatIsBesideAHeader) {
  fs::create_directories(folder / "sub");
  const std::string text = said + "#include \"sub/a.h\"\n" + kernel;
  write("sub/a.h", "#include \"b.h\"\n#include \"../sub/a.h\"\n");
  write("sub/b.h", "int b;\n");
  write("b.h", "int other;\n");
  auto before = readOpenCl(request(text));
  ASSERT_TRUE(before.ok());
  EXPECT_EQ(before->warnings, std::vector<std::string>());
  write("b.h", "int unseen;\n");
  auto same = readOpenCl(request(text));
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->kernel.textHash, before->kernel.textHash);
  write("sub/b.h", "long b;\n");
  auto after = readOpenCl(request(text));
  ASSERT_TRUE(after.ok());
  EXPECT_NE(after->kernel.textHash, before->kernel.textHash);
}

/// However an #include is written.
TEST_F(OpenClFileTest, FindsAllThatIsIncluded) {
  for (const char *directive :
       {"/* a\n comment */ #include \"a.h\"\n", "#inc\\\nlude \"a.h\"\n",
        "#include \\ \r\n \"a.h\" // words\n", "# /**/ include <a.h>\n",
        "%:include\"a.h\"\n", "#import \"a.h\"\n",
        "#if 0\n#if 1\n#else\n#endif\n#else\n#include \"a.h\"\n#endif\n",
        "constant char quote = '\"'; /*\n*/\n#include \"a.h\"\n",
        "constant char text[] = \"\\\"/*\";\n#include \"a.h\"\n"}) {
    const std::string text = said + directive + kernel;
    write("a.h", "int a;\n");
    auto before = readOpenCl(request(text));
    write("a.h", "long a;\n");
    auto after = readOpenCl(request(text));
    ASSERT_TRUE(before.ok() && after.ok()) << directive;
    EXPECT_NE(before->kernel.textHash, after->kernel.textHash) << directive;
    EXPECT_TRUE(after->warnings.empty()) << directive;
  }
  for (const char *directive : {"#include NAME\n", "#include_next <a.h>\n"}) {
    auto unknown = readOpenCl(request(said + directive + kernel));
    ASSERT_TRUE(unknown.ok());
    EXPECT_EQ(unknown->warnings.size(), 1u) << directive;
  }
}

/// Comments and `#if 0` say nothing, whether an #include, a macro or a kernel.
TEST_F(OpenClFileTest, LeavesOutWhatCompilersDo) {
  for (const char *text :
       {"// #include \"none.h\"\n", "/*\n#include \"none.h\"\n*/\n",
        "#if 0\n#if A\n#endif\n#include \"none.h\"\n#endif\n",
        "/*\n#define TS 8\n*/\n", "#if 0\n#define TS 8\n#endif\n",
        "// was: kernel void old(global int *x) {}\n",
        "/* kernel void older(global int *x) {} */\n",
        "#if 0 // once\nkernel void oldest(global int *x) {}\n#endif\n"}) {
    auto file = readOpenCl(request(said + text + kernel));
    ASSERT_TRUE(file.ok()) << text << file.error().text();
    EXPECT_TRUE(file->warnings.empty()) << text;
    EXPECT_EQ(file->kernel.includeFolder, "") << text;
    EXPECT_EQ(file->kernel.name, "k") << text;
    EXPECT_EQ(file->kernel.space.knobs()[0].defaultIndex, 1u) << text;
  }
}

/// Another checkout must hit the same cache entries.
TEST_F(OpenClFileTest, IsTheSameInAnotherFolder) {
  const std::string text = said + "#include \"a.h\"\n" + kernel;
  write("a.h", "int a;\n");
  auto one = readOpenCl(request(text));
  fs::path all = folder;
  folder = all / "with a blank";
  fs::create_directories(folder);
  write("a.h", "int a;\n");
  auto other = readOpenCl(request(text));
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_EQ(one->kernel.textHash, other->kernel.textHash);
  EXPECT_EQ(one->kernel.options, "");
  EXPECT_EQ(other->kernel.options, "");
  EXPECT_EQ(other->kernel.includeFolder, folder.string());
  // A folder with a blank in the user's build options is found, too.
  OpenClRequest given = request(said + "#include <b.h>\n" + kernel);
  fs::create_directories(folder / "include");
  write("include/b.h", "int b;\n");
  given.buildOptions = "-I \"" + (folder / "include").string() + "\"";
  auto quoted = readOpenCl(given);
  ASSERT_TRUE(quoted.ok());
  EXPECT_TRUE(quoted->warnings.empty());
  folder = all;
}

TEST_F(OpenClFileTest, RefusesMacrosThatAreDefinedAnyway) {
  auto refusal = [&](const std::string &text) {
    auto file = readOpenCl(request(said + text + kernel));
    return file.ok() ? "nothing was refused" : file.error().text();
  };
  const std::string why = "knob 'TS' is defined here unconditionally";
  for (const char *text :
       {"#define TS 8\n", "#define\tTS 8\n", "#\tdefine \tTS\t8\n",
        "#ifndef A\n#endif\t// TS\n#define TS 8\n"})
    EXPECT_NE(refusal(text).find(why), std::string::npos) << text;
  write("tiles.h", "#ifndef TILES_H\n#define TILES_H\n#define TS 8\n#endif\n");
  EXPECT_NE(refusal("#include \"tiles.h\"\n").find("tiles.h:3:1: " + why),
            std::string::npos)
      << refusal("#include \"tiles.h\"\n");
  EXPECT_EQ(refusal("#ifndef TS\n#include \"tiles.h\"\n#endif\n"),
            "nothing was refused");
}

TEST_F(OpenClFileTest, HasDefaultsWhereNobodyElseHasDefinedThem) {
  const std::string use = "kernel void k(global int *x) { x[0] = TS; }\n";
  for (const char *text :
       {"#ifdef TS\n#else\n#define TS /* words */ 32\n#endif\n",
        "#if defined(TS)\n#else\n#define TS 32\n#endif\n",
        "#ifdef A\n#elif !defined TS\n#define TS 32\n#endif\n",
        "#ifndef TS\n#ifdef A\n#define TS 32\n#endif\n#endif\n"}) {
    auto file = readOpenCl(request(said + text + use));
    ASSERT_TRUE(file.ok()) << text << file.error().text();
    EXPECT_TRUE(file->warnings.empty()) << text;
    EXPECT_EQ(file->kernel.space.knobs()[0].defaultIndex, 2u) << text;
  }
}

/// The outcome of any other condition is unknown before a driver builds it.
TEST_F(OpenClFileTest, WarnsOfMacrosThatMayBeDefinedAnyway) {
  for (const char *text :
       {"#ifdef AMD\n#define TS 8\n#endif\n",
        "#ifdef TS\n#define TS 8\n#endif\n",
        "#ifndef TS\n#else\n#define TS 8\n#endif\n",
        "#if !defined(TS) || TS > 8\n#define TS 8\n#endif\n"}) {
    auto file = readOpenCl(request(text + said + kernel));
    ASSERT_TRUE(file.ok()) << text << file.error().text();
    ASSERT_EQ(file->warnings.size(), 1u) << text;
    EXPECT_NE(
        file->warnings[0].find("under this condition, knob 'TS' is defined"),
        std::string::npos)
        << file->warnings[0];
    EXPECT_EQ(file->kernel.space.knobs()[0].defaultIndex, 1u) << text;
  }
}

TEST_F(OpenClFileTest, HasDefaultsOfWhatItIncludes) {
  write("tiles.h", "#ifndef TS\n#define TS 32\n#endif\n");
  auto file = readOpenCl(request(said + "#include \"tiles.h\"\n" + kernel));
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ(file->kernel.space.knobs()[0].defaultIndex, 2u);
}

TEST_F(OpenClFileTest, IsWrittenWithTheWinnersDefaults) {
  auto file = readOpenCl(request(said + kernel));
  ASSERT_TRUE(file.ok());
  std::string tuned = tunedSource(file->kernel, {{"TS", 32}}, "Tuned");
  EXPECT_EQ(tuned,
            "// Tuned\n#ifndef TS\n#define TS 32\n#endif\n" + said + kernel);
  auto again = readOpenCl(request(tuned));
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(again->kernel.space.knobs()[0].defaultIndex, 2u);
}

TEST_F(OpenClFileTest, RefusesKnobsThatAreNoMacros) {
  OpenClRequest given = request(kernel);
  given.globalSize = "64";
  for (auto [knob, why] :
       {std::pair("2D=1,2", "a macro cannot have this name"),
        std::pair("TS=\"a b\",\"c\"", "cannot be the value of a macro"),
        std::pair("TS=[[1, 2], [3, 4]]", "cannot be the value of a macro"),
        std::pair("TS=", "write NAME=domain"),
        std::pair("OTHER=1,2", "is not used in the file")}) {
    given.knobs = {knob};
    auto file = readOpenCl(given);
    ASSERT_FALSE(file.ok()) << knob;
    EXPECT_NE(file.error().message.find(why), std::string::npos)
        << file.error().message;
  }
  given.knobs = {"TS=16,8", "TS=16,8"};
  EXPECT_FALSE(readOpenCl(given).ok());
}
