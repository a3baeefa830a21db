//===- Tests for the OpenCL C worker --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/OpenClC/Worker/OpenClWorker.h"
#include "tonno/Engine/Compiler.h"
#include "tonno/OpenClC/Worker/OpenClSource.h"
#include "tonno/Process/Subprocess.h"

#include "Runtime/Fakes/LoadedLoader.h"
#include "TemporaryDirectory.h"

#include <csignal>
#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>

using namespace tonno;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr int buildFailure = -11;

bool isOf(const std::string &options, int value) {
  return options.find("-D N=" + std::to_string(value)) != std::string::npos;
}

struct OpenClWorkerTest : testing::Test {
  /// Returns the answer to the request, after any signs of life.
  Json ask(const Json &request) {
    if (!worker)
      start();
    EXPECT_TRUE(worker->send(request).ok());
    for (;;) {
      auto reply = worker->receive(inSeconds(60));
      EXPECT_TRUE(reply.ok());
      if (!reply || !reply->contains("alive"))
        return reply ? *reply : Json();
    }
  }

  Json open() {
    CompilerSession session;
    session.module = Json::to_cbor(Json(kernel));
    session.kernel = kernel.name;
    session.target = "opencl";
    session.chip = "0";
    session.compileSeconds = seconds;
    return ask({{"open", session}});
  }
  LocatedError openingError() {
    Json reply = open();
    EXPECT_TRUE(reply.contains("error")) << reply;
    return reply.value("error", LocatedError());
  }
  Compilation compile(int value) {
    Json reply = ask({{"compile", {{"N", value}}}});
    EXPECT_EQ(reply.value("values", Json()), Json({{"N", value}}));
    return reply.at("compiled").get<Compilation>();
  }

  void start() {
    auto forked = Subprocess::fork([](int channel) {
      return serveOpenClWorker({channel, channel}, "", fakeLoaderPath);
    });
    ASSERT_TRUE(forked.ok());
    worker.emplace(std::move(*forked));
  }

  static OpenClSource scale() {
    OpenClSource source;
    source.file = "scale.cl";
    source.source = "// y = a * x\nkernel void scale(global const float *x)";
    source.textHash = "text";
    source.name = "scale";
    source.globalSize = "64 * N";
    source.localSize = "16";
    source.arguments = {
        {"x", "[64]"}, {"y", "[64]:out"}, {"a", "2"}, {"scratch", "[4 * N]"}};
    source.space = SearchSpace({{"N", {1, 2, 3, 4}}});
    return source;
  }

  FakeLoader &fake = loadedLoader();
  OpenClSource kernel = scale();
  std::optional<double> seconds;
  std::optional<Subprocess> worker;
};

} // namespace

TEST_F(OpenClWorkerTest, DescribesWhatItOpened) {
  EXPECT_TRUE(ask({{"hello", Json::object()}}).contains("hello"));
  Json reply = open();
  ASSERT_TRUE(reply.contains("opened")) << reply;
  auto description = reply["opened"].get<CompilerDescription>();
  EXPECT_EQ(description.chip, "fake device");
  EXPECT_EQ(description.triple, "tonno's fake");
  EXPECT_THAT(description.fingerprint, HasSubstr("driver 1.5"));
  ASSERT_EQ(description.signature.size(), 2u);
  EXPECT_EQ(description.signature[0].name, "x");
  EXPECT_EQ(description.signature[0].access, Access::read);
  EXPECT_EQ(description.signature[1].access, Access::write);
}

TEST_F(OpenClWorkerTest, CompilesWithTheKnobsAsMacros) {
  fake.givesBinaries = false; // so that the artifact says how it was built
  open();
  Compilation compilation = compile(3);
  ASSERT_TRUE(compilation.artifact) << compilation.message;
  const Artifact &artifact = *compilation.artifact;
  std::string image(artifact.binary.begin(), artifact.binary.end());
  EXPECT_THAT(image, HasSubstr("-D N=3"));
  ASSERT_EQ(artifact.plan.launches.size(), 1u);
  const Launch &launch = artifact.plan.launches[0];
  EXPECT_EQ(launch.symbol, "scale");
  EXPECT_EQ(launch.geometry.grid[0], 12u);
  EXPECT_EQ(launch.geometry.block[0], 16u);
  EXPECT_EQ(artifact.usage.sharedBytes, 4u * 3 * sizeof(float));
  EXPECT_NE(compile(2).artifact->hash(), artifact.hash());
}

TEST_F(OpenClWorkerTest, TheDefaultIsTheReference) {
  open();
  Json reply = ask({{"reference", true}});
  ASSERT_TRUE(reply.contains("problem")) << reply;
  auto problem = reply["problem"].get<Problem>();
  EXPECT_TRUE(problem.isRounded);
  EXPECT_EQ(problem.accumulator, ElementType::f32);
  EXPECT_EQ(problem.reductionLength, 0u);
  EXPECT_EQ(problem.reference.hash(), compile(1).artifact->hash());
}

TEST_F(OpenClWorkerTest, WhatCrashesIsOneCandidate) {
  fake.build = [](const std::string &options) {
    if (!isOf(options, 3))
      return 0;
    std::fputs("the compiler's last words\n", stderr);
    std::signal(SIGABRT, SIG_DFL);
    std::raise(SIGABRT);
    return 0;
  };
  open();
  EXPECT_TRUE(compile(2).artifact);
  Compilation crashed = compile(3);
  EXPECT_EQ(crashed.status, Status::compile_crash);
  EXPECT_THAT(crashed.message, HasSubstr("signal 6"));
  EXPECT_THAT(crashed.message,
              HasSubstr("its output ends with: the compiler's last words"));
  EXPECT_TRUE(compile(4).artifact);
}

TEST_F(OpenClWorkerTest, WhatHangsIsOneCandidate) {
  seconds = 0.3;
  fake.build = [](const std::string &options) {
    while (isOf(options, 2))
      ::usleep(1000);
    return 0;
  };
  open();
  Compilation hung = compile(2);
  EXPECT_EQ(hung.status, Status::compile_timeout);
  EXPECT_THAT(hung.message, HasSubstr("did not compile within"));
  EXPECT_TRUE(compile(3).artifact);
}

TEST_F(OpenClWorkerTest, WhatDriversPrintDoesNotReachTheTerminal) {
  fake.build = [](const std::string &) {
    std::fputs("1 warning generated.\n", stderr);
    std::fputs("building\n", stdout);
    std::fflush(stdout);
    return 0;
  };
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  open();
  EXPECT_TRUE(compile(2).artifact);
  worker.reset();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(OpenClWorkerTest, WhatDriversPrintStandsInForTheirLog) {
  fake.build = [](const std::string &options) {
    std::fputs("no such macro\n", stderr);
    return isOf(options, 1) ? 0 : buildFailure;
  };
  open();
  EXPECT_THAT(compile(2).message,
              HasSubstr("its output ends with: no such macro"));
  fake.buildLog = "scale.cl:1:2: error: it says so itself";
  worker.reset();
  open();
  EXPECT_THAT(compile(2).message, Not(HasSubstr("its output ends")));
}

TEST_F(OpenClWorkerTest, ErrorsAreInTheFilesThatHaveThem) {
  TemporaryDirectory directory;
  std::string header = directory / "helpers.h", copy = directory / "copy.cl";
  std::ofstream(header) << "float f() {\n  return +;\n}\n";
  std::ofstream(copy) << kernel.source;
  fake.buildCode = buildFailure;
  struct Place {
    std::string log, file;
    unsigned line, column;
  };
  for (const Place &place :
       {Place{"error: " + header + ":2:12: oops", header, 2, 12},
        Place{header + ":2:12: fatal error: oops", header, 2, 12},
        Place{"\"" + header + "\", line 2: error: oops", header, 2, 1},
        Place{"error: " + copy + ":2:12: oops", "scale.cl", 2, 12},
        Place{"<kernel>:3:10: error: oops", "scale.cl", 3, 10},
        Place{"line 4: catastrophic error: oops", "scale.cl", 4, 1},
        Place{"oops", "scale.cl", 0, 0}}) {
    fake.buildLog = place.log;
    worker.reset();
    LocatedError error = openingError();
    EXPECT_EQ(error.file, place.file) << place.log;
    EXPECT_EQ(error.line, place.line) << place.log;
    EXPECT_EQ(error.column, place.column) << place.log;
    EXPECT_THAT(error.message, HasSubstr("the default configuration does not"));
    EXPECT_THAT(error.message, HasSubstr("oops"));
  }
}

TEST_F(OpenClWorkerTest, SizesThatDoNotFitHaveARemedyWhereThereIsOne) {
  kernel.localSize = "16 * N";
  open();
  Compilation uneven = compile(3); // 192 by 48
  EXPECT_EQ(uneven.status, Status::ok) << uneven.message;
  kernel.localSize = "10 + N";
  open();
  uneven = compile(2);
  EXPECT_EQ(uneven.status, Status::unlaunchable);
  EXPECT_THAT(
      uneven.message,
      HasSubstr("; exclude it by '--constraint=(64 * N) mod (10 + N) == 0'"));
  kernel.globalSize = "64";
  kernel.localSize = "48";
  open();
  EXPECT_EQ(compile(2).message,
            "the global size 64 is not a multiple of the local size 48");
}

TEST_F(OpenClWorkerTest, WhatCannotBeOpenedIsAnError) {
  EXPECT_THAT(ask({{"open", "nonsense"}}).at("error").at("message"),
              Not(testing::IsEmpty()));
  CompilerSession damaged;
  damaged.module = {0xFF, 0x00};
  EXPECT_THAT(ask({{"open", damaged}}).at("error").at("message").dump(),
              HasSubstr("the kernel's description"));
  kernel.name = "other";
  EXPECT_THAT(openingError().message, HasSubstr("choose one by '--kernel'"));
  kernel = scale();
  kernel.arguments.erase("a");
  LocatedError lacking = openingError();
  EXPECT_THAT(lacking.message, HasSubstr("give '--arg=a=<value>'"));
  EXPECT_EQ(lacking.line, 2u);
  kernel = scale();
  kernel.globalSize = "64, 1";
  EXPECT_THAT(openingError().message, HasSubstr("'--local-size' has 1 sizes"));
  kernel = scale();
  kernel.globalSize = "N - 1";
  open();
  EXPECT_THAT(ask({{"reference", true}}).at("error").at("message").dump(),
              HasSubstr("a size is at least 1"));
  EXPECT_THAT(ask({{"compile", {{"N", 77}}}}).at("compiled").at("status"),
              "compile_error");
}

TEST_F(OpenClWorkerTest, GoesOnAfterAKernelThatCannotBeOpened) {
  kernel.name = "other";
  openingError();
  kernel = scale();
  EXPECT_TRUE(open().contains("opened"));
  EXPECT_TRUE(compile(2).artifact);
}
