//===- PTX to machine code ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/PtxAssembler.h"
#include "TemporaryDirectory.h"

#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

using namespace tonno;
using Kind = AssemblyFailure::Kind;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

namespace {

/// A folder with the tools that a test puts there, and no others.
class PtxAssemblerTest : public testing::Test {
protected:
  CudaSearch search() const { return {{root.path().string()}, false}; }

  void putLibrary(const char *name = "libnvJitLink.so.12") {
    fs::create_directories(root.path() / "lib64");
    fs::create_symlink(FAKE_NVJITLINK, root.path() / "lib64" / name);
  }

  /// Installs a ptxas of a release that runs a shell script with $input and
  /// $output.
  void putPtxas(const std::string &release, const std::string &script) {
    fs::create_directories(root.path() / "bin");
    fs::path path = root.path() / "bin/ptxas";
    std::ofstream(path) << "#!/bin/sh\n"
                        << "if [ \"$1\" = --version ]; then\n"
                        << "  echo 'tools, release " << release << ", V"
                        << release << ".140'; exit\n"
                        << "fi\n"
                        << "input=$4 output=$6\n"
                        << script;
    fs::permissions(path, fs::perms::owner_all);
  }

  TemporaryDirectory root;
};

} // namespace

static const GpuChip &chip(const char *name) { return **findGpuChip(name); }

static const char *kernel = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 p) {
  .reg .b64 %rd<2>;
  .reg .f32 %f<2>;
  ld.param.u64 %rd1, [p];
  ld.global.f32 %f1, [%rd1];
  add.f32 %f1, %f1, %f1;
  st.global.f32 [%rd1], %f1;
  ret;
}
)";

//===----------------------------------------------------------------------===//
// Fake library
//===----------------------------------------------------------------------===//

TEST_F(PtxAssemblerTest, FindsPackagesForPythonBesideTheProgram) {
  fs::path packages = root.path() / "lib/python3.13/site-packages/nvidia";
  fs::create_directories(packages / "cu12/lib");
  fs::create_directories(packages / "cu13/lib");
  fs::create_symlink(FAKE_NVJITLINK, packages / "cu13/lib/libnvJitLink.so.13");
  auto roots = nvidiaPackagesBeside(root.path() / "bin/tonno-worker");
  ASSERT_EQ(roots, (std::vector<std::string>{(packages / "cu13").string(),
                                             (packages / "cu12").string()}));
  EXPECT_EQ(nvJitLinkLibraries({roots, false}).front(),
            (packages / "cu13/lib/libnvJitLink.so.13").string());
  EXPECT_TRUE(nvidiaPackagesBeside("/nowhere/bin/tonno-worker").empty());
}

TEST_F(PtxAssemblerTest, LibraryWithVersionedNamesIsUsed) {
  putLibrary();
  auto assembler = loadNvJitLink(search());
  ASSERT_TRUE(assembler);
  EXPECT_EQ(assembler->version(), (CudaVersion{12, 2}));
  EXPECT_THAT(assembler->description(), HasSubstr("nvJitLink 12.2 of "));
  auto made = assembler->assemble("some PTX", chip("sm_90"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->cubin, "some PTX");
  EXPECT_EQ(spillsInLog(made->log).at("a"), 4u);
}

TEST_F(PtxAssemblerTest, LibraryTooOldForAChipIsUnsupportedNotRefused) {
  putLibrary();
  auto assembler = loadNvJitLink(search());
  ASSERT_TRUE(assembler);
  for (const char *name : {"sm_100", "sm_120"}) {
    auto made = assembler->assemble("some PTX", chip(name));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, Kind::unsupported);
    EXPECT_EQ(made.error().message,
              std::string(name) + " needs CUDA 12.8 or newer; this is 12.2");
  }
}

TEST_F(PtxAssemblerTest, LibraryThatKnowsNoSuchChipIsUnsupported) {
  putLibrary();
  auto assembler = loadNvJitLink(search());
  ASSERT_TRUE(assembler);
  auto made = assembler->assemble("some PTX", chip("sm_86"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, Kind::unsupported);
  EXPECT_EQ(made.error().message, "nvJitLink 12.2 does not know sm_86");
  made = assembler->assemble("some PTX", chip("sm_89"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, Kind::unsupported);
  EXPECT_EQ(made.error().message, "nvJitLink cannot start: error 6");
}

TEST_F(PtxAssemblerTest, RefusalsOfTheLibraryHaveItsWords) {
  putLibrary();
  auto assembler = loadNvJitLink(search());
  ASSERT_TRUE(assembler);
  auto made = assembler->assemble("REFUSE", chip("sm_90"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, Kind::refused);
  EXPECT_EQ(made.error().message,
            "ptxas kernel.ptx, line 3; error   : REFUSE is no opcode\n"
            "ptxas fatal   : Ptx assembly aborted due to errors");
  made = assembler->assemble("SILENT", chip("sm_90"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "nvJitLink: error 6");
  made = assembler->assemble("NOTHING", chip("sm_90"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, Kind::refused);
}

TEST_F(PtxAssemblerTest, FloodOfErrorsIsCut) {
  putLibrary();
  auto assembler = loadNvJitLink(search());
  ASSERT_TRUE(assembler);
  auto made = assembler->assemble("FLOOD", chip("sm_90"));
  ASSERT_FALSE(made);
  EXPECT_LT(made.error().message.size(), 3000u);
  EXPECT_THAT(made.error().message, HasSubstr("line 0 of a flood"));
  EXPECT_THAT(made.error().message, HasSubstr("..."));
}

TEST_F(PtxAssemblerTest, EachLinkIsDestroyed) {
  putLibrary();
  auto assembler = loadNvJitLink(search());
  ASSERT_TRUE(assembler);
  for (const char *ptx : {"fine", "REFUSE", "SILENT", "NOTHING"})
    (void)assembler->assemble(ptx, chip("sm_90")).ok();
  void *library = ::dlopen(FAKE_NVJITLINK, RTLD_NOW | RTLD_NOLOAD);
  ASSERT_TRUE(library);
  EXPECT_EQ(*static_cast<int *>(::dlsym(library, "fakeNvJitLinkLive")), 0);
  ::dlclose(library);
}

TEST_F(PtxAssemblerTest, WhatIsNoLibraryIsPassedOver) {
  putLibrary();
  std::ofstream(root.path() / "lib64/libnvJitLink.so.13") << "no library";
  auto assembler = loadNvJitLink(search());
  ASSERT_TRUE(assembler);
  EXPECT_EQ(assembler->version(), (CudaVersion{12, 2}));
}

TEST_F(PtxAssemblerTest, NewestLibraryIsTriedFirst) {
  fs::create_directories(root.path() / "lib64");
  fs::create_directories(root.path() / "targets/x86_64-linux/lib");
  for (const char *name : {"libnvJitLink.so", "libnvJitLink.so.9",
                           "libnvJitLink.so.12.4", "libnvJitLink.so.13"})
    std::ofstream(root.path() / "lib64" / name) << "a library";
  std::ofstream(root.path() / "targets/x86_64-linux/lib/libnvJitLink.so.12")
      << "a library";
  std::vector<std::string> names;
  for (const std::string &path : nvJitLinkLibraries(search()))
    names.push_back(fs::path(path).filename().string());
  EXPECT_THAT(names,
              testing::ElementsAre("libnvJitLink.so.13", "libnvJitLink.so.12.4",
                                   "libnvJitLink.so.9", "libnvJitLink.so",
                                   "libnvJitLink.so.12"));
}

//===----------------------------------------------------------------------===//
// Fake program
//===----------------------------------------------------------------------===//

TEST_F(PtxAssemblerTest, ProgramReadsAndWritesItsFiles) {
  putPtxas("12.4", "echo $5 $3; cat $input > $output\n");
  auto assembler = startPtxas(search());
  ASSERT_TRUE(assembler);
  EXPECT_EQ(assembler->version(), (CudaVersion{12, 4}));
  EXPECT_EQ(assembler->description(), "ptxas 12.4.140");
  std::string ptx(300000, 'x');
  auto made = assembler->assemble(ptx, chip("sm_90"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->cubin, ptx);
  EXPECT_EQ(made->log, "-o -arch=sm_90\n");
}

TEST_F(PtxAssemblerTest, ProgramTooOldIsUnsupported) {
  putPtxas("12.7", "cat $input > $output\n");
  auto assembler = startPtxas(search());
  ASSERT_TRUE(assembler);
  auto made = assembler->assemble("some PTX", chip("sm_120"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, Kind::unsupported);
  EXPECT_EQ(made.error().message,
            "sm_120 needs CUDA 12.8 or newer; this is 12.7");
}

TEST_F(PtxAssemblerTest, RefusalsOfTheProgramHaveItsWords) {
  putPtxas("13.0", "echo \"ptxas $input, line 5; error : no such\" >&2\n"
                   "echo just a warning\n"
                   "exit 255\n");
  auto assembler = startPtxas(search());
  ASSERT_TRUE(assembler);
  auto made = assembler->assemble("some PTX", chip("sm_90"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, Kind::refused);
  EXPECT_EQ(made.error().message, "ptxas kernel.ptx, line 5; error : no such");
}

TEST_F(PtxAssemblerTest, ProgramThatDiesWithoutAWordIsNamed) {
  putPtxas("13.0", "kill -SEGV $$\n");
  auto assembler = startPtxas(search());
  ASSERT_TRUE(assembler);
  auto made = assembler->assemble("some PTX", chip("sm_90"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "ptxas ended by signal 11");
}

TEST_F(PtxAssemblerTest, ProgramThatMakesNothingIsAFailure) {
  putPtxas("13.0", "exit 0\n");
  auto assembler = startPtxas(search());
  ASSERT_TRUE(assembler);
  auto made = assembler->assemble("some PTX", chip("sm_90"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "ptxas made no machine code");
}

TEST_F(PtxAssemblerTest, FloodOfTheProgramIsReadButNotKept) {
  // More than a pipe holds: who does not read waits for ever.
  putPtxas("13.0", "head -c 9000000 /dev/zero | tr '\\0' e\n"
                   "echo; echo error: too late\n"
                   "exit 1\n");
  auto assembler = startPtxas(search());
  ASSERT_TRUE(assembler);
  auto made = assembler->assemble("some PTX", chip("sm_90"));
  ASSERT_FALSE(made);
  EXPECT_LT(made.error().message.size(), 3000u);
}

TEST_F(PtxAssemblerTest, ProgramThatIsGoneIsAFailureFromOutside) {
  putPtxas("13.0", "cat $input > $output\n");
  auto assembler = startPtxas(search());
  ASSERT_TRUE(assembler);
  fs::remove(root.path() / "bin/ptxas");
  auto made = assembler->assemble("some PTX", chip("sm_90"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, Kind::outside);
  EXPECT_THAT(made.error().message, HasSubstr("No such file or directory"));
}

TEST_F(PtxAssemblerTest, ProgramsThatAreNoneAreNotTaken) {
  EXPECT_FALSE(startPtxas(search()));
  putPtxas("none", "exit 0\n");
  EXPECT_FALSE(startPtxas(search())); // no version
  std::ofstream(root.path() / "bin/ptxas") << "#!/bin/sh\nexit 1\n";
  EXPECT_FALSE(startPtxas(search()));
  fs::permissions(root.path() / "bin/ptxas", fs::perms::owner_read);
  EXPECT_FALSE(startPtxas(search()));
}

//===----------------------------------------------------------------------===//
// Choice between library and program
//===----------------------------------------------------------------------===//

TEST_F(PtxAssemblerTest, LibraryIsTakenBeforeTheProgram) {
  putLibrary();
  putPtxas("13.0", "cat $input > $output\n");
  auto assembler = findPtxAssembler(search(), chip("sm_90"));
  ASSERT_TRUE(assembler);
  EXPECT_THAT(assembler->description(), HasSubstr("nvJitLink 12.2"));
}

TEST_F(PtxAssemblerTest, NewerProgramIsTakenBeforeALibraryTooOld) {
  putLibrary();
  putPtxas("13.0", "cat $input > $output\n");
  auto assembler = findPtxAssembler(search(), chip("sm_120"));
  ASSERT_TRUE(assembler);
  EXPECT_EQ(assembler->description(), "ptxas 13.0.140");
}

TEST_F(PtxAssemblerTest, WhereAllAreTooOldOneStaysToSaySo) {
  putLibrary();
  putPtxas("12.7", "cat $input > $output\n");
  auto assembler = findPtxAssembler(search(), chip("sm_120"));
  ASSERT_TRUE(assembler);
  EXPECT_THAT(assembler->description(), HasSubstr("nvJitLink 12.2"));
  EXPECT_EQ(assembler->checkSupport(chip("sm_120")).error().kind,
            Kind::unsupported);
}

TEST_F(PtxAssemblerTest, NoneIsFoundWhereThereIsNone) {
  EXPECT_FALSE(findPtxAssembler(search(), chip("sm_90")));
  EXPECT_FALSE(findPtxAssembler({}, chip("sm_90")));
  EXPECT_FALSE(findLibdevice(search()));
}

//===----------------------------------------------------------------------===//
// The real ones, where installed
//===----------------------------------------------------------------------===//

static void checkAssembly(const PtxAssembler &assembler) {
  ASSERT_TRUE(assembler.checkSupport(chip("sm_90")));
  auto made = assembler.assemble(kernel, chip("sm_90"));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->cubin.substr(0, 4), "\177ELF");
  EXPECT_EQ(spillsInLog(made->log).at("twice"), 0u);
  auto again = assembler.assemble(kernel, chip("sm_90"));
  ASSERT_TRUE(again);
  EXPECT_EQ(made->cubin, again->cubin);
  EXPECT_THAT(made->cubin, Not(HasSubstr("/proc")));

  std::string wrong = kernel;
  wrong.replace(wrong.find("add.f32"), 7, "odd.f32");
  made = assembler.assemble(wrong, chip("sm_90"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, Kind::refused);
  EXPECT_THAT(made.error().message, HasSubstr("odd"));

  std::string large = kernel;
  large.insert(large.find(".reg"), ".shared .b8 much[60000];\n"
                                   "st.shared.u32 [much], 1;\n");
  made = assembler.assemble(large, chip("sm_90"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, Kind::refused);
  EXPECT_THAT(made.error().message, HasSubstr("too much shared data"));
}

TEST(NvJitLink, AssemblesAndRefuses) {
  auto assembler = loadNvJitLink(CudaSearch::fromEnvironment());
  if (!assembler)
    GTEST_SKIP() << "nvJitLink is not installed";
  checkAssembly(*assembler);
}

TEST(Ptxas, AssemblesAndRefuses) {
  auto assembler = startPtxas(CudaSearch::fromEnvironment());
  if (!assembler)
    GTEST_SKIP() << "ptxas is not installed";
  checkAssembly(*assembler);
}

//===----------------------------------------------------------------------===//
// Logs
//===----------------------------------------------------------------------===//

TEST(PtxasLog, HasTheSpillsOfEachFunction) {
  auto spills = spillsInLog(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Function properties for one\n"
      "    96 bytes stack frame, 92 bytes spill stores, 88 bytes spill loads\n"
      "ptxas info    : Function properties for 'two'\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes\n"
      "info    : Function properties for 'three':\n"
      "info    : used 12 registers, 0 stack\n");
  EXPECT_EQ(spills, (std::map<std::string, uint64_t>{{"one", 92}, {"two", 0}}));
  EXPECT_TRUE(spillsInLog("").empty());
  EXPECT_TRUE(spillsInLog("8 bytes spill stores").empty());
}

TEST(PtxasLog, ErrorsAreWhatMatters) {
  EXPECT_EQ(assemblerErrors("info: x\nerror : y\n", "none"), "error : y");
  EXPECT_EQ(assemblerErrors("info: x\n", "none"), "none");
  EXPECT_EQ(assemblerErrors("", "none"), "none");
  std::string longLine = "error: " + std::string(100000, 'x');
  EXPECT_LT(assemblerErrors(longLine, "none").size(), 3000u);
}
