//===- Several workers as one compiler ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/WorkerPool.h"

#include "Engine/Fakes.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace tonno;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Opened by tests; compilers wait for it.
class Gate {
public:
  void open() {
    std::lock_guard lock(mutex);
    isOpen = true;
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return isOpen; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isOpen = false;
};

/// Compiles a number to a binary with its own number and that one.
class NumberedCompiler : public FakeCompiler {
public:
  explicit NumberedCompiler(uint8_t number, Gate *gate = nullptr)
      : number(number), gate(gate) {}

  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &) override {
    if (!opensTo.empty())
      return LocatedError{opensTo};
    CompilerDescription description;
    description.versions = versions;
    return description;
  }
  void submit(const Json &values) override { submitted = values; }
  Compilation next() override {
    if (gate)
      gate->wait();
    auto value = submitted.get<uint8_t>();
    if (value == ends) {
      alive = false;
      return {Status::lost, "the worker has ended", std::nullopt, 0};
    }
    Compilation compilation;
    compilation.artifact.emplace();
    compilation.artifact->binary = {number, value};
    return compilation;
  }
  bool isAlive() const override { return alive; }

  std::string opensTo;            ///< an error
  std::string versions = "tonno"; ///< as described
  int ends = -1;                  ///< value that ends this compiler

private:
  uint8_t number;
  Gate *gate;
  Json submitted;
  bool alive = true;
};

class WorkerPoolTest : public testing::Test {
protected:
  NumberedCompiler &add(Gate *gate = nullptr) {
    auto number = static_cast<uint8_t>(compilers.size());
    auto made = std::make_unique<NumberedCompiler>(number, gate);
    NumberedCompiler &compiler = *made;
    compilers.push_back(std::move(made));
    return compiler;
  }
  WorkerPool makePool() {
    WorkerPool::Callbacks callbacks;
    callbacks.warn = [this](const std::string &text) {
      warnings.push_back(text);
    };
    callbacks.abandon = [this](bool isTrue) {
      if (isTrue && onAbandon)
        onAbandon();
    };
    return WorkerPool(std::move(compilers), std::move(callbacks));
  }

  std::vector<std::unique_ptr<Compiler>> compilers;
  std::vector<std::string> warnings;
  std::function<void()> onAbandon;
};

/// Returns the compiler and the value of a result.
std::pair<int, int> read(const Compilation &compilation) {
  if (!compilation.artifact)
    return {-1, -1};
  return {compilation.artifact->binary.at(0),
          compilation.artifact->binary.at(1)};
}

} // namespace

TEST_F(WorkerPoolTest, FreeCompilersTakeWhatASlowOneWouldHold) {
  Gate gate;
  add(&gate);
  add();
  WorkerPool pool = makePool();
  ASSERT_TRUE(pool.open({}).ok());
  for (int value = 0; value < 5; ++value)
    pool.submit(value);
  // The other one compiles all others meanwhile, and yet the order stays.
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    gate.open();
  });
  std::vector<std::pair<int, int>> results;
  for (int value = 0; value < 5; ++value)
    results.push_back(read(pool.next()));
  opener.join();
  EXPECT_THAT(results,
              ElementsAre(std::pair(0, 0), std::pair(1, 1), std::pair(1, 2),
                          std::pair(1, 3), std::pair(1, 4)));
}

TEST_F(WorkerPoolTest, ResultsAreBroughtForwardOrNotAwaited) {
  Gate gate;
  add(&gate);
  add();
  WorkerPool pool = makePool();
  ASSERT_TRUE(pool.open({}).ok());
  pool.submit(0);
  EXPECT_FALSE(pool.bringForward(0.01));
  pool.submit(1);
  EXPECT_EQ(pool.bringForward(60), 1u);
  EXPECT_EQ(read(pool.next()), std::pair(1, 1));
  EXPECT_FALSE(pool.bringForward(0.01));
  gate.open();
  EXPECT_EQ(pool.bringForward(60), 0u);
  EXPECT_EQ(read(pool.next()), std::pair(0, 0));
}

TEST_F(WorkerPoolTest, AnotherCompilesWhatOneThatIsGoneHad) {
  add().ends = 0;
  add();
  WorkerPool pool = makePool();
  ASSERT_TRUE(pool.open({}).ok());
  pool.submit(0);
  EXPECT_EQ(read(pool.next()), std::pair(1, 0));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("the worker has ended")));
  for (int value = 1; value < 4; ++value) {
    pool.submit(value);
    EXPECT_EQ(read(pool.next()), std::pair(1, value));
  }
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(WorkerPoolTest, CandidateThatEndsTwoCompilersIsLost) {
  for (int i = 0; i < 3; ++i)
    add().ends = 7;
  WorkerPool pool = makePool();
  ASSERT_TRUE(pool.open({}).ok());
  pool.submit(7);
  EXPECT_EQ(pool.next().status, Status::lost);
  pool.submit(1);
  EXPECT_EQ(read(pool.next()).second, 1);
}

TEST_F(WorkerPoolTest, LastCompilerStays) {
  add().ends = 0;
  WorkerPool pool = makePool();
  ASSERT_TRUE(pool.open({}).ok());
  pool.submit(0);
  EXPECT_EQ(pool.next().status, Status::lost);
  pool.submit(1);
  EXPECT_EQ(read(pool.next()), std::pair(0, 1));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(WorkerPoolTest, CompilerThatDoesNotOpenIsLeftOut) {
  add().opensTo = "no room";
  add();
  WorkerPool pool = makePool();
  ASSERT_TRUE(pool.open({}).ok());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("no room")));
  for (int value = 0; value < 3; ++value) {
    pool.submit(value);
    EXPECT_EQ(read(pool.next()), std::pair(1, value));
  }
}

TEST_F(WorkerPoolTest, NoCompilerThatOpensIsAnError) {
  add().opensTo = "first";
  add().opensTo = "second";
  WorkerPool pool = makePool();
  auto opened = pool.open({});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message, "first");
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(WorkerPoolTest, CompilersThatDifferAreAnError) {
  add();
  add().versions = "another";
  WorkerPool pool = makePool();
  auto opened = pool.open({});
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr("compile differently"));
}

TEST_F(WorkerPoolTest, NextSessionWaitsForNoResultOfTheLast) {
  Gate gate;
  add(&gate);
  add(&gate);
  onAbandon = [&] { gate.open(); };
  WorkerPool pool = makePool();
  ASSERT_TRUE(pool.open({}).ok());
  for (int value = 0; value < 6; ++value)
    pool.submit(value);
  ASSERT_TRUE(pool.open({}).ok());
  pool.submit(9);
  EXPECT_EQ(read(pool.next()).second, 9);
}

TEST_F(WorkerPoolTest, EndsWhileCompilersAreBusy) {
  Gate gate;
  add(&gate);
  bool isAbandoned = false;
  onAbandon = [&] {
    isAbandoned = true;
    gate.open();
  };
  {
    WorkerPool pool = makePool();
    ASSERT_TRUE(pool.open({}).ok());
    pool.submit(0);
  }
  EXPECT_TRUE(isAbandoned);
}
