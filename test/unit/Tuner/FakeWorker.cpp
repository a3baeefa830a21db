//===- Worker whose backend fails on demand -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/Subprocess.h"
#include "WorkerServer.h"

#include "tonno/Dialect/TonnoDialect.h"

#include "llvm/Support/ErrorHandling.h"
#include "mlir/Pass/PassManager.h"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <fstream>
#include <limits>
#include <memory>
#include <time.h>
#include <unistd.h>
#include <vector>

using namespace mlir;
using namespace tonno;

static volatile bool goesDown = true;
static const pid_t workersProcess = ::getpid();

static int overflowTheStack(int depth) {
  volatile char page[4096] = {};
  return goesDown ? overflowTheStack(depth + 1) + page[0] : depth;
}

/// Fails like a defective compiler.
static void breakDown(StringRef how) {
  if (how == "fatal error")
    llvm::report_fatal_error("out of registers");
  if (how == "stack")
    overflowTheStack(0);
  if (how == "stop")
    std::raise(SIGSTOP);
  if (how == "throw")
    std::terminate();
  for (int file = 3; file < 1024; ++file) {
    if (how == "close all")
      ::close(file);
    if (how == "write everywhere" &&
        ::write(file, "none of tonno's frames", 22) < 0)
      continue;
  }
  if (how == "leave a process" && ::fork() == 0)
    for (;;)
      ::pause();
  if (how == "fork")
    ::fork();
}

/// Returns true if the variable of the environment is set, to the name of a
/// file only while that is not there, which is made.
static bool isToEnd(const char *variable) {
  const char *once = std::getenv(variable);
  return once && (*once == '\0' ||
                  ::open(once, O_CREAT | O_EXCL | O_CLOEXEC, 0600) >= 0);
}

/// Needs this time on a processor, whenever it gets it.
static void compute(double seconds) {
  timespec used = {};
  while (double(used.tv_sec) + 1e-9 * double(used.tv_nsec) < seconds)
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
}

namespace {

/// "Compiles" a kernel to the text of its attribute `way`, and fails in the way
/// that it names.
class FakeBackend : public Backend {
public:
  StringRef name() const override { return "fake"; }
  const Target &target() const override {
    if (::getpid() != workersProcess && isToEnd("TONNO_TEST_KILL_COMPILING"))
      ::kill(workersProcess, SIGKILL);
    return about;
  }
  bool mayTruncateSums(func::FuncOp) const override { return true; }
  std::string fingerprint() const override { return "fake 1"; }

  LogicalResult check(func::FuncOp kernel) const override {
    if (isToEnd("TONNO_TEST_KILL_OPENING"))
      std::raise(SIGKILL);
    if (kernel->hasAttr("unsupported"))
      return kernel.emitError("the fake backend can't lower this");
    return success();
  }
  void buildPipeline(OpPassManager &, StringRef) const override {}

  llvm::ArrayRef<Emission> forms() const override {
    static constexpr Emission all[] = {Emission::so, Emission::llvm};
    return all;
  }
  FailureOr<Code> emit(ModuleOp lowered, Emission) const override {
    auto kernel = *lowered.getOps<func::FuncOp>().begin();
    if (!kernel->hasAttr("way"))
      std::abort(); // as a compiler that was written for some kernels only
    auto way = kernel->getAttrOfType<StringAttr>("way").getValue();
    ++emissions;
    if (way == "aborts" || (way == "is only good for one" && emissions > 1))
      std::abort();
    if (way == "names its process")
      return Code{std::to_string(::getpid())};
    if (way == "exits")
      std::exit(3);
    if (way == "hangs")
      for (;;)
        ::pause();
    if (way == "computes")
      compute(0.3);
    if (way == "computes without end")
      compute(std::numeric_limits<double>::infinity());
    if (way.consume_front("breaks down: "))
      breakDown(way);
    if (way == "kills")
      ::kill(::getppid(), SIGKILL);
    if (way == "stops its worker")
      ::kill(::getppid(), SIGSTOP);
    if (way == "terminates")
      std::raise(SIGTERM);
    if (way == "is killed")
      std::raise(SIGKILL);
    if (way == "allocates")
      for (;;)
        allocated.push_back(std::make_unique<char[]>(1 << 20));
    if (way.consume_front("spins ")) { // and tells the file whose work it is
      std::ofstream(way.str()) << ::getpid() << " " << ::getppid() << "\n";
      for (;;)
        ::pause();
    }
    if (way == "has no pipe") {
      auto error = kernel.emitError("no pipe: too many open files");
      markAsFromOutside(error);
      return error;
    }
    if (way == "refuses") {
      kernel.emitWarning("not the reason");
      auto error = kernel.emitError("too large a tile");
      error.attachNote() << "the cache has 32 KiB";
      return failure();
    }
    if (way == "fails silently")
      return failure();
    return Code{way.str()};
  }

private:
  mutable std::vector<std::unique_ptr<char[]>> allocated;
  mutable int emissions = 0;
  Target about = {"fake-triple", "fake-chip", "+fake"};
};

} // namespace

/// Serves a fake backend. Optional arguments: the limit of a compilation in
/// seconds, its limit in bytes, the number of candidates per process, the least
/// limit derived from other compile times, and the seconds between signs of
/// life.
int main(int argc, char **argv) {
  auto channel = claimFrameChannel();
  if (!channel)
    return 1;
  DialectRegistry registry;
  registry.insert<TonnoDialect, func::FuncDialect>();
  registerBackendDialects(registry);
  auto make =
      [](const BackendRequest &request) -> Result<std::unique_ptr<Backend>> {
    if (request.target != "fake")
      return Error{"unknown target '" + request.target + "'; there is: fake"};
    return std::unique_ptr<Backend>(std::make_unique<FakeBackend>());
  };
  CompileLimits limits;
  if (argc > 1)
    limits.seconds = std::strtod(argv[1], nullptr);
  if (argc > 2)
    limits.bytes = std::strtoull(argv[2], nullptr, 10);
  limits.candidatesPerProcess =
      argc > 3 ? uint32_t(std::strtoul(argv[3], nullptr, 10)) : 100;
  if (argc > 4)
    limits.leastSeconds = std::strtod(argv[4], nullptr);
  if (argc > 5)
    limits.aliveSeconds = std::strtod(argv[5], nullptr);
  return serveWorker(*channel, registry, make, limits);
}
