//===- Failures leave files -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/File.h"
#include "tonno/Engine/TuningSession.h"
#include "tonno/Session/FailureKeepingLog.h"
#include "SealedFile.h"

#include "Engine/TuningFixture.h"
#include "TemporaryDirectory.h"

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace {

class FailureKeepingTest : public TuningSessionTest {
protected:
  /// Returns the kept failures by status.
  std::map<Status, Reproduction> runAndRead() {
    FailureKeepingLog keeping(kept, common(), space, log);
    TrialLogs logs({&log, &keeping});
    TuningSession session(space, compiler, &runner, strategy, logs, opened,
                          budget, /*compileAhead=*/2,
                          [this] { return interrupted(); });
    (void)session.run().ok();
    return read(keeping);
  }
  /// Returns the number of kept failures.
  size_t tryAll() {
    FailureKeepingLog keeping(kept, common(), space, log);
    TrialLogs logs({&log, &keeping});
    TuningSession session(space, compiler, &runner, strategy, logs, opened,
                          budget, /*compileAhead=*/2,
                          [this] { return interrupted(); });
    EXPECT_TRUE(session.run().ok());
    return keeping.numKept();
  }
  /// Returns the failures kept by a survey, with the runner or without.
  std::map<Status, Reproduction> surveyAndRead(Runner *verifying) {
    FailureKeepingLog keeping(kept, common(), space, log);
    TrialLogs logs({&log, &keeping});
    TuningSession session(space, compiler, verifying, strategy, logs, opened,
                          budget, /*compileAhead=*/2,
                          [this] { return interrupted(); });
    EXPECT_TRUE(session.survey().ok());
    return read(keeping);
  }

  static Reproduction common() {
    Reproduction common;
    common.kernel = "a kernel/../x";
    common.device = "host";
    common.source.target = "host";
    common.source.module = {1};
    return common;
  }
  std::map<Status, Reproduction> read(const FailureKeepingLog &keeping) {
    std::map<Status, Reproduction> found;
    for (const std::filesystem::path &file : directory.files()) {
      auto read = decodeReproduction(*readFile(file));
      EXPECT_TRUE(read.ok()) << read.error().message;
      if (read)
        found.emplace(read->status, *read);
    }
    EXPECT_EQ(keeping.numKept(), found.size());
    return found;
  }

  TemporaryDirectory directory;
  std::filesystem::path kept = directory / "failures";
};

} // namespace

TEST_F(FailureKeepingTest, EachFailureLeavesAFileThatSaysHow) {
  opened.seed = 7;
  compiler.compile = [](int x) {
    Compilation failed;
    failed.status = Status::compile_error;
    failed.message = "no";
    return x == 1 ? failed : compiled(x);
  };
  runner.measure = [](int x) {
    return x == 2 ? failedAs(Status::fault, "crashed")
                  : measuredAs((10 - x) / 10.0);
  };
  runner.compare = [](int x) {
    return x == 9 ? failedAs(Status::wrong, "element 1")
                  : comparedAs(Verdict::faster, 2);
  };
  runner.confirm = [](int x) {
    return x == 8 ? failedAs(Status::nondeterministic, "varies") : RunResult();
  };
  auto found = runAndRead();
  ASSERT_THAT(found, SizeIs(4));

  const Reproduction &error = found.at(Status::compile_error);
  EXPECT_EQ(error.values.at("X"), 1);
  EXPECT_EQ(error.message, "no");
  EXPECT_EQ(error.source.target, "host");
  EXPECT_FALSE(error.request.has_value());

  const Reproduction &fault = found.at(Status::fault);
  EXPECT_EQ(fault.request->kind, RunRequest::Kind::measure);
  EXPECT_EQ(fault.request->candidate.binary.at(0), 2);
  EXPECT_EQ(fault.request->baseline.binary.at(0), 0);
  EXPECT_EQ(fault.runner->seed, 7u);

  const Reproduction &wrong = found.at(Status::wrong);
  EXPECT_EQ(wrong.request->kind, RunRequest::Kind::compare);
  EXPECT_EQ(wrong.values.at("X"), 9);

  const Reproduction &other = found.at(Status::nondeterministic);
  EXPECT_EQ(other.request->kind, RunRequest::Kind::verify);
  EXPECT_EQ(other.runner->seed, ~uint64_t(7));
}

TEST_F(FailureKeepingTest, ThoseOfASurveyDoSo) {
  opened.seed = 7;
  compiler.compile = [](int x) {
    Compilation failed;
    failed.status = Status::compile_error;
    return x == 1 ? failed : compiled(x);
  };
  runner.confirm = [](int x) {
    return x == 2 ? failedAs(Status::wrong, "element 1") : RunResult();
  };
  EXPECT_THAT(surveyAndRead(nullptr), SizeIs(1)); // it runs nothing
  strategy.next = 1;
  auto found = surveyAndRead(&runner);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_FALSE(found.at(Status::compile_error).request.has_value());
  const Reproduction &wrong = found.at(Status::wrong);
  EXPECT_EQ(wrong.values.at("X"), 2);
  EXPECT_EQ(wrong.request->kind, RunRequest::Kind::verify);
  EXPECT_EQ(wrong.request->candidate.binary.at(0), 2);
  EXPECT_EQ(wrong.runner->seed, 7u);
}

TEST_F(FailureKeepingTest, WhatIsNoFailureLeavesNone) {
  runner.measure = [](int x) {
    RunResult pruned = measuredAs(2);
    pruned.status = Status::pruned;
    return x == 1 ? pruned : measuredAs((10 - x) / 10.0);
  };
  EXPECT_THAT(runAndRead(), IsEmpty());
}

TEST_F(FailureKeepingTest, TwinOfOneLeavesItsOwn) {
  compiler.compile = [](int x) { return compiled(x / 2); };
  runner.measure = [](int x) {
    RunResult hang = failedAs(Status::hang, "too long");
    hang.launchSeconds = 2.5;
    return x == 4   ? hang
           : x == 3 ? failedAs(Status::wrong, "off")
                    : measuredAs(1);
  };
  tryAll();
  std::map<int, Reproduction> found;
  for (const std::filesystem::path &file : directory.files()) {
    auto read = decodeReproduction(*readFile(file));
    ASSERT_TRUE(read.ok());
    found.emplace(read->values.at("X"), *read);
  }
  for (int x : {6, 7, 8, 9}) {
    ASSERT_TRUE(found.contains(x));
    EXPECT_EQ(found.at(x).request->candidate.binary.at(0), x / 2);
    // The limit is needed to reproduce the hang.
    EXPECT_EQ(found.at(x).request->launchSeconds, x < 8 ? 0 : 2.5);
  }
}

TEST_F(FailureKeepingTest, RecalledOneHasTheFileOfItsSessionOrAnother) {
  log.known = {{2, Status::wrong}, {3, Status::compile_error}};
  auto found = runAndRead();
  ASSERT_THAT(found, SizeIs(2));
  const Reproduction &wrong = found.at(Status::wrong);
  EXPECT_EQ(wrong.values.at("X"), 2);
  EXPECT_FALSE(wrong.source.module.empty());
  EXPECT_TRUE(wrong.request->candidate.binary.empty()); // to be compiled
  EXPECT_EQ(wrong.request->baseline.binary.at(0), 0);
  EXPECT_TRUE(wrong.runner.has_value());
  EXPECT_FALSE(found.at(Status::compile_error).request.has_value());

  // An existing file knows more and is kept.
  for (const std::filesystem::path &file : directory.files())
    std::filesystem::resize_file(file, 1);
  strategy.next = 1;
  EXPECT_EQ(tryAll(), 2u);
  for (const std::filesystem::path &file : directory.files())
    EXPECT_EQ(std::filesystem::file_size(file), 1u);
}

TEST_F(FailureKeepingTest, NobodyIsSentToWhatWasLost) {
  runner.measure = [](int x) {
    return x > 3 ? failedAs(Status::lost, "no route to host") : measuredAs(1);
  };
  EXPECT_EQ(tryAll(), 0u);
}

TEST_F(FailureKeepingTest, WhatCtrlCEndsIsNoFailure) {
  bool isInterrupted = false;
  interrupted = [&] { return isInterrupted; };
  runner.measure = [&](int x) {
    isInterrupted = x == 3;
    return x == 3 ? failedAs(Status::lost, "interrupted") : measuredAs(1);
  };
  EXPECT_THAT(runAndRead(), IsEmpty());
  EXPECT_EQ(std::ranges::count(log.recorded, 3u), 0);
}

TEST_F(FailureKeepingTest, DirectoryThatCannotBeMadeIsToldOnce) {
  ASSERT_TRUE(writeFileAtomically(kept, "a file").ok());
  runner.measure = [](int x) {
    return x == 0 ? measuredAs(1) : failedAs(Status::fault, "crashed");
  };
  Reproduction common;
  FailureKeepingLog keeping(kept, common, space, log);
  TrialLogs logs({&log, &keeping});
  TuningSession session(space, compiler, &runner, strategy, logs, opened,
                        budget, /*compileAhead=*/2, interrupted);
  EXPECT_TRUE(session.run().ok());
  EXPECT_THAT(log.warnings, ElementsAre(HasSubstr("failures are not kept")));
  EXPECT_EQ(keeping.numKept(), 0u);
}

TEST(Reproduction, FilesOfInputsTravelWithIt) {
  TemporaryDirectory here, there;
  writeText(here / "in.npy", "some data");
  writeText(here / "large.npy", "");
  std::filesystem::resize_file(here / "large.npy", mostEmbedded + 1);
  std::string large = here / "large.npy", none = here / "none.npy";
  auto read = [](const std::string &path) {
    BufferSpec buffer;
    buffer.input = *InputSpec::parse("npy('" + path + "')");
    return buffer;
  };
  Reproduction failure;
  failure.request.emplace();
  failure.runner.emplace();
  failure.runner->signature = {BufferSpec(), read(here / "in.npy"), read(large),
                               read(none)};
  embedFiles(failure);
  auto decoded = decodeReproduction(encodeReproduction(failure));
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  std::filesystem::remove(here / "in.npy");

  ASSERT_TRUE(extractFiles(*decoded, there.path()).ok());
  const Signature &extracted = decoded->runner->signature;
  EXPECT_EQ(extracted[1].input->path, there / "1.npy");
  EXPECT_EQ(*readFile(extracted[1].input->path), "some data");
  EXPECT_EQ(extracted[2].input->path, large);
  EXPECT_EQ(extracted[3].input->path, none);
  EXPECT_THAT(there.files(), SizeIs(1));
}

TEST(Reproduction, OneOfBeforeItSaidTheLimitsIsRead) {
  Reproduction failure;
  failure.request.emplace();
  failure.request->launchSeconds = 2.5;
  failure.runner.emplace();
  failure.referenceSeconds = 900;
  std::string now = encodeReproduction(failure);
  auto decoded = decodeReproduction(now);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  EXPECT_EQ(decoded->referenceSeconds, 900);
  EXPECT_EQ(decoded->request->launchSeconds, 2.5);

  constexpr SealedFormat format = {"reproduction", 1};
  Json content = *unseal(format, now);
  content.erase("reference_seconds");
  content["request"].erase("launch_seconds");
  decoded = decodeReproduction(seal(format, content));
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  EXPECT_EQ(decoded->referenceSeconds, Reproduction().referenceSeconds);
  EXPECT_EQ(decoded->request->launchSeconds, 0);
}

TEST(Reproduction, WhatIsNotOneIsRefused) {
  EXPECT_FALSE(decodeReproduction("tonno bundle 1\n").ok());
  Reproduction half;
  half.request.emplace(); // of a candidate that was run, but not how
  auto decoded = decodeReproduction(encodeReproduction(half));
  ASSERT_FALSE(decoded.ok());
  EXPECT_THAT(decoded.error().message, HasSubstr("does not state how"));
}
