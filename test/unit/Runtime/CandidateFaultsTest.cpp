//===- Nothing that a kernel does can hurt --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/RunnerProcess.h"

#include "Leftovers.h"
#include "Sanitized.h"
#include "TestKernels.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <limits>
#include <map>
#include <ostream>

using namespace tonno;
using testing::HasSubstr;
using testing::Matcher;

namespace {

class CandidateFaultsTest : public testing::Test {
protected:
  void SetUp() override { open(doublingSession()); }

  /// Checks that no fault leaves anything behind, and that the same runner
  /// measures a good candidate.
  void TearDown() override {
    EXPECT_LE(leftovers.processesSoon(2), 2u) << "beside the runner";
    EXPECT_FALSE(leftovers.holdDevice());
    for (const char *good : {"notices", "ok"}) {
      RunResult result = run(good);
      EXPECT_EQ(result.status, Status::ok) << good << ": " << result.message;
      EXPECT_TRUE(result.measurement.has_value());
    }
    EXPECT_TRUE(Leftovers::areLocksEmpty());
  }

  void open(const RunnerSession &session) {
    auto opened = runner.open(session);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
  }
  RunResult run(const std::string &way) {
    return runner.run(doublingRequest(way));
  }
  RunResult verify(const std::string &way) {
    RunRequest verify = doublingRequest(way);
    verify.kind = RunRequest::Kind::verify;
    return runner.run(verify);
  }

  Leftovers leftovers; // the runner goes before it
  /// A launch of the reference, of a candidate, and the least limit: they only
  /// end what would hang.
  RunnerLimits limits = {60, 60, 60};
  RunnerProcess runner = RunnerProcess({RUNNER}, limits);
};

struct Fault {
  const char *way;
  Matcher<Status> status;
  const char *message; ///< a part of it
  bool needsMemoryLimit = false;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for it.
void PrintTo(const Fault &fault, std::ostream *stream) { *stream << fault.way; }

class EachFaultTest : public CandidateFaultsTest,
                      public testing::WithParamInterface<Fault> {};

} // namespace

static constexpr const char *endless = "did not end within";

static const Fault faults[] = {
    // Memory that is not its own.
    {"beyond", Status::out_of_bounds, "past the end of result0"},
    {"before", Status::out_of_bounds, "before the start of result0"},
    {"far_behind", Status::out_of_bounds, "past the end of a buffer"},
    {"far_before", Status::out_of_bounds, "before the start of a buffer"},
    {"misaligned", Status::fault, "crashed"},
    {"changes_its_input", Status::out_of_bounds, "into its input arg0"},
    // Results.
    {"writes_nothing", Status::wrong, "1024 of 1024"},
    {"writes_half", Status::wrong, "512 of 1024"},
    {"wrong", Status::wrong, "1 of 1024"},
    {"races", Status::nondeterministic, "a second launch"},
    // Ends.
    {"segfault", Status::fault, "crashed"},
    {"aborts", Status::fault, "crashed"},
    {"traps", Status::fault, "crashed"},
    {"exits", Status::fault, "exit status 0"},
    {"exits_at_once", Status::fault, "exit status 0"},
    {"overflows_the_stack", Status::fault, "crashed"},
    {"repeats_badly", Status::fault, "crashed"},
    {"later", Status::fault, "crashed"},
    {"endless", Status::hang, endless},
    {"stops", Status::hang, endless},
    // Descriptors.
    {"closes_all", Status::fault, ""},
    {"closes_all_and_stays", Status::fault, "closed the runner's channel"},
    {"writes_everywhere", Status::fault, "corrupted the runner's answer"},
    {"begins_a_frame", Status::hang, endless},
    // Processes and threads.
    {"forks", Status::fault, "started a process"},
    {"forks_while_timed", Status::fault, "started a process"},
    {"clones", Status::fault, "started a process"},
    {"leaves_a_daemon", Status::fault, "started a process"},
    {"leaves_a_program", Status::fault, "started a process"},
    {"forks_and_crashes", Status::fault, "crashed"},
    {"leaves_a_daemon_and_crashes", Status::fault, "crashed"},
    {"leaves_a_daemon_and_hangs", Status::hang, endless},
    {"leaves_a_daemon_and_stops_all", Status::hang, endless},
    {"leaves_a_daemon_and_is_killed", Status::out_of_memory, "killed"},
    {"leaves_a_thread", Status::ok, ""}, // as OpenMP's runtimes do
    {"leaves_a_timer", Status::ok, ""},
    // State that the next candidate would inherit.
    {"rounds_otherwise", Status::fault, "changes the caller's rounding"},
    {"leaves_settings", Status::fault, "changes the umask"},
    {"allocates", Status::out_of_memory, "for lack of memory", true},
    {"aborts_without_memory", Status::out_of_memory, "for lack of memory",
     true},
    // Loading.
    {"other_symbol", Status::load_error, "no symbol 'double_entry'"},
    {"undefined", Status::load_error, "nobodyDefinesThis"},
    {"crashes_loading", Status::load_error, "crashes as it is loaded"},
    {"hangs_loading", Status::hang, endless},
    {"forks_loading", Status::load_error, "started a process"},
    {"crashes_unloading", Status::fault, "crashed"},
};

INSTANTIATE_TEST_SUITE_P(All, EachFaultTest, testing::ValuesIn(faults),
                         [](const testing::TestParamInfo<Fault> &info) {
                           return std::string(info.param.way);
                         });

TEST_P(EachFaultTest, HasItsStatusAndHurtsNobody) {
  if (GetParam().needsMemoryLimit && isSanitized)
    GTEST_SKIP() << "the sanitizer's allocator ends the process itself";
  testing::internal::CaptureStderr();
  bool hangs = std::string_view(GetParam().message) == endless;
  RunResult result = runner.run(hangs ? hangingRequest(GetParam().way)
                                      : doublingRequest(GetParam().way));
  testing::internal::GetCapturedStderr();
  EXPECT_THAT(result.status, GetParam().status)
      << toString(result.status) << ": " << result.message;
  EXPECT_THAT(result.message, HasSubstr(GetParam().message));
  EXPECT_EQ(result.measurement.has_value(), result.status == Status::ok);
}

/// Verification gives a candidate no more alignment than its plan promises.
TEST_F(CandidateFaultsTest, WhatReliesOnMoreThanItsPlanPromisesCrashes) {
  for (uint64_t alignment : {16, 32}) {
    RunnerSession session = doublingSession();
    RunRequest request = doublingRequest("aligned_by_32");
    for (auto *buffers : {&session.signature, &request.candidate.plan.buffers,
                          &request.baseline.plan.buffers})
      buffers->front().alignment = alignment;
    open(session);
    RunResult result = runner.run(request);
    EXPECT_EQ(result.status, alignment == 16 ? Status::fault : Status::ok)
        << alignment << ": " << result.message;
  }
  open(doublingSession());
}

TEST_F(CandidateFaultsTest, OfAllThatIsPrintedThereIsTheBeginning) {
  testing::internal::CaptureStderr();
  open(doublingSession()); // a process that prints there
  RunResult result = run("floods");
  EXPECT_EQ(run("ok").status, Status::ok);
  std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_EQ(result.status, Status::ok) << result.message;
  EXPECT_GE(std::ranges::count(printed, 'x'), 4096);
  EXPECT_LE(printed.size(), (64u << 10) + 100);
  EXPECT_THAT(printed, HasSubstr("more was printed, and is dropped"));
}

TEST_F(CandidateFaultsTest, WhatIsPrintedOutlivesACrash) {
  testing::internal::CaptureStderr();
  open(doublingSession());
  EXPECT_EQ(run("says_why").status, Status::fault);
  EXPECT_EQ(run("ok").status, Status::ok);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("no such tile\n"));
}

/// Far slower than the incumbent: a few launches, not a trial.
TEST_F(CandidateFaultsTest, WhatCrawlsIsPruned) {
  TemporaryDirectory directory;
  std::string launches = directory / "launches"; // a byte for each
  ::setenv("TONNO_TEST_LAUNCHES", launches.c_str(), 1);
  open(doublingSession()); // a process that knows of the file
  ::unsetenv("TONNO_TEST_LAUNCHES");
  RunRequest crawling = doublingRequest("crawls");
  crawling.incumbentHigh = 1.1;
  RunResult result = runner.run(crawling);
  EXPECT_EQ(result.status, Status::pruned) << result.message;
  ASSERT_TRUE(result.measurement.has_value());
  EXPECT_EQ(result.measurement->seconds.n, 1u);
  EXPECT_GT(result.measurement->ratio, 100); // 10,000 on an idle machine
  // Verified twice, and timed once, or again if another process disturbed that.
  EXPECT_GE(std::filesystem::file_size(launches), 3u);
  EXPECT_LE(std::filesystem::file_size(launches), 5u);
}

TEST_F(CandidateFaultsTest, WhatVariesSeldomIsFoundBeforeItIsChosen) {
  EXPECT_EQ(verify("races_seldom").status, Status::ok); // as in a trial
  RunRequest compare = doublingRequest("races_seldom");
  compare.kind = RunRequest::Kind::compare;
  RunResult result = runner.run(compare);
  EXPECT_EQ(result.status, Status::nondeterministic) << result.message;
}

TEST_F(CandidateFaultsTest, EarlierBinaryIsVerifiedAsTrialsAre) {
  RunRequest compare = doublingRequest("races_seldom");
  compare.kind = RunRequest::Kind::compare;
  compare.isEarlier = true;
  compare.seconds = 0.5;
  RunResult result = runner.run(compare);
  EXPECT_EQ(result.status, Status::ok) << result.message;
  EXPECT_TRUE(result.comparison.has_value());
  for (auto [kernel, status] :
       {std::pair("wrong", Status::wrong), std::pair("segfault", Status::fault),
        std::pair("leaves_a_daemon", Status::fault)}) {
    compare.candidate = kernelArtifact(kernel);
    EXPECT_EQ(runner.run(compare).status, status) << kernel;
  }
}

TEST_F(CandidateFaultsTest, WhatIsWrongForSomeDataIsFoundWithAnotherSeed) {
  std::set<Status> found;
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    open(doublingSession(seed));
    found.insert(verify("wrong_of_some").status);
  }
  EXPECT_EQ(found, (std::set{Status::ok, Status::wrong}));
}

namespace {

/// An array of 1024 f32 that has not only numbers, in a file as NumPy writes
/// it.
class NonFiniteInput {
public:
  NonFiniteInput() {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': "
                         "(1024,), } \n";
    std::vector<float> values(1024, 1.5f);
    values[3] = values[500] = std::numeric_limits<float>::quiet_NaN();
    values[4] = std::numeric_limits<float>::infinity();
    values[5] = -values[4];
    values[6] = 3e38f; // twice that is none of f32
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += {static_cast<char>(header.size()), '\0'};
    bytes += header;
    bytes.append(reinterpret_cast<const char *>(values.data()),
                 values.size() * sizeof(float));
    writeText(path(), bytes);
  }
  std::string path() const { return (directory / "input.npy").string(); }

private:
  TemporaryDirectory directory;
};

} // namespace

TEST_F(CandidateFaultsTest, WhatTheReferenceHasOfNaNAndInfinityIsRight) {
  NonFiniteInput input;
  RunnerSession declared = doublingSession();
  declared.signature[0].input =
      *InputSpec::parse("npy('" + input.path() + "')");
  open(declared);
  RunResult right = run("ok");
  EXPECT_EQ(right.status, Status::ok) << right.message;
  EXPECT_EQ(run("hides_nan").status, Status::wrong);
  open(doublingSession());
}

namespace {

/// A frame as the runner would send it, in a file that kernels find.
class Forgery {
public:
  explicit Forgery(const Json &message) {
    std::string path = directory / "frame";
    int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_TRUE(writeFrame(file, message).ok());
    ::close(file);
    ::setenv("TONNO_TEST_FORGERY", path.c_str(), 1);
  }
  ~Forgery() { ::unsetenv("TONNO_TEST_FORGERY"); }

private:
  TemporaryDirectory directory;
};

} // namespace

TEST_F(CandidateFaultsTest, ForgedAnswersAreNotBelieved) {
  RunResult honest = run("ok");
  ASSERT_EQ(honest.status, Status::ok);
  for (const Json &ticket : {Json(), Json(0), Json(1), Json("?")}) {
    Json answer = {{"result", honest}};
    if (!ticket.is_null())
      answer["ticket"] = ticket;
    Forgery forgery(answer);
    open(doublingSession()); // a process that knows of the file
    RunResult result = run("forges_an_answer");
    EXPECT_EQ(result.status, Status::fault) << result.message;
    EXPECT_THAT(result.message, HasSubstr("corrupted"));
  }
}

TEST_F(CandidateFaultsTest, ForgedSignsOfLifeDoNotKeepItAlive) {
  Forgery forgery({{"alive", true}});
  open(doublingSession());
  RunResult result = run("forges_life");
  EXPECT_EQ(result.status, Status::fault) << result.message;
}

TEST_F(CandidateFaultsTest, WhatLeaksLeavesEnoughToTheNext) {
  if (isSanitized)
    GTEST_SKIP() << "the sanitizer's allocator ends the process itself";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run("leaks").status, Status::ok);
    RunResult next = run("needs_memory");
    EXPECT_EQ(next.status, Status::ok) << next.message;
  }
}

namespace {

using Bytes = std::vector<uint8_t>;

/// Returns an object with a damaged header.
Bytes withHeader(Bytes binary, void (*damage)(Elf64_Ehdr &)) {
  Elf64_Ehdr header;
  std::memcpy(&header, binary.data(), sizeof header);
  damage(header);
  std::memcpy(binary.data(), &header, sizeof header);
  return binary;
}

/// Returns the binary up to the second loaded segment.
Bytes firstSegmentOf(Bytes binary) {
  Elf64_Ehdr header;
  std::memcpy(&header, binary.data(), sizeof header);
  std::vector<size_t> starts;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, &binary[header.e_phoff + i * sizeof segment],
                sizeof segment);
    if (segment.p_type == PT_LOAD)
      starts.push_back(segment.p_offset);
  }
  binary.resize(starts.at(1));
  return binary;
}

} // namespace

TEST_F(CandidateFaultsTest, DamagedBinariesDoNotLoad) {
  const Bytes whole = doublingRequest("ok").candidate.binary;
  RunRequest damaged = doublingRequest("ok");
  auto statusOf = [&](const Bytes &binary) {
    damaged.candidate.binary = binary;
    return runner.run(damaged).status;
  };
  const std::map<std::string, Bytes> binaries = {
      {"empty", {}},
      {"text", {'t', 'e', 'x', 't'}},
      {"noise", Bytes(4096, 0xCC)},
      {"half a header", Bytes(whole.begin(), whole.begin() + 32)},
      {"one segment", firstSegmentOf(whole)},
      {"of another machine",
       withHeader(whole, [](auto &header) { header.e_machine = EM_S390; })},
      {"of 32 bits",
       withHeader(whole,
                  [](auto &header) { header.e_ident[EI_CLASS] = ELFCLASS32; })},
      {"no object",
       withHeader(whole, [](auto &header) { header.e_type = ET_NONE; })},
      {"without segments",
       withHeader(whole, [](auto &header) { header.e_phnum = 0; })},
  };
  for (const auto &[name, binary] : binaries)
    EXPECT_EQ(statusOf(binary), Status::load_error) << name;
  damaged.candidate.binary = binaries.at("of another machine");
  EXPECT_THAT(runner.run(damaged).message,
              HasSubstr("for another architecture"));
  // The names of sections are nothing that runs.
  EXPECT_EQ(
      statusOf(withHeader(whole, [](auto &header) { header.e_shstrndx = 0; })),
      Status::ok);
}
