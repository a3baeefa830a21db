//===- WorkerServer.cpp - The worker's end of the protocol ----------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Tuner/WorkerServer.h"
#include "tonno/Backend/Compile.h"
#include "tonno/Backend/Provenance.h"
#include "tonno/Core/Frame.h"
#include "tonno/Core/Hash.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "WarmUp.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <csignal>
#include <cstring>
#include <fstream>
#include <new>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace tonno;

namespace {

/// Keeps the first error while it lives, for whoever asked over the protocol.
class FirstError {
public:
  explicit FirstError(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              error.message.empty())
            take(diagnostic);
          return success();
        }) {}

  /// Whether it says nothing of what was compiled.
  bool isFromOutside() const { return fromOutside; }

  LocatedError get(const char *otherwise) const {
    return error.message.empty() ? LocatedError{otherwise} : error;
  }

private:
  void take(Diagnostic &diagnostic) {
    fromOutside = tonno::isFromOutside(diagnostic);
    error.message = diagnostic.str();
    for (const Diagnostic &note : diagnostic.getNotes())
      error.message += "; " + note.str();
    if (auto where =
            diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
      error.file = where.getFilename().str();
      error.line = where.getLine();
      error.column = where.getColumn();
    }
  }

  LocatedError error;
  bool fromOutside = false;
  ScopedDiagnosticHandler handler;
};

/// The warm state that candidates fork from.
class Worker {
public:
  Worker(const DialectRegistry &registry, const BackendFactory &backends,
         const CompileLimits &limits)
      : limits(limits), context(registry, MLIRContext::Threading::DISABLED),
        backends(backends) {
    context.printOpOnDiagnostic(false);
    context.loadDialect<TonnoDialect>();
  }

  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &session);
  Result<Problem, LocatedError> reference(ReferenceCpu cpu);
  Compilation compile(const Json &values);
  /// Before the first candidate: who only asks what a kernel is needs none.
  void prepare() {
    if (backend && !std::exchange(isWarm, true))
      warmUp(*backend, context);
  }

  const CompileLimits limits; ///< of a compilation

private:
  MLIRContext context;
  const BackendFactory &backends;
  OwningOpRef<ModuleOp> module;
  std::string kernel;
  SearchSpace space;
  std::unique_ptr<Backend> backend;
  bool isWarm = false; ///< the backend has compiled something
};

} // namespace

/// Identifies this executable. It holds the passes and the backend, ours or a
/// downstream compiler's, whose code changes more often than any version: after
/// a rebuild, what was stored before must not answer. All of tonno's tools let
/// the same worker compile, so they go on sharing what it has stored.
static std::string ownIdentity() {
  auto file = llvm::MemoryBuffer::getFile("/proc/self/exe");
  if (!file)
    return "unknown";
  StringRef bytes = (*file)->getBuffer();
  constexpr size_t quicklyHashed = size_t{64} << 20;
  if (bytes.size() <= quicklyHashed)
    return sha256(bytes).substr(0, 16);
  // The linker's own hash, where it has left one.
  auto binary = llvm::object::ObjectFile::createObjectFile(**file);
  llvm::object::BuildIDRef id;
  if (binary)
    id = llvm::object::getBuildID(binary->get());
  else
    llvm::consumeError(binary.takeError());
  return id.empty() ? sha256(bytes).substr(0, 16)
                    : llvm::toHex(id, /*LowerCase=*/true);
}

Result<CompilerDescription, LocatedError>
Worker::open(const CompilerSession &session) {
  FirstError errors(&context);
  auto made = backends({session.target, session.chip, session.isSimulated});
  if (!made)
    return LocatedError{made.error().message};
  backend = std::move(*made);
  isWarm = false;
  kernel = session.kernel;
  module = parseSourceString<ModuleOp>(
      {reinterpret_cast<const char *>(session.module.data()),
       session.module.size()},
      ParserConfig(&context));
  if (!module)
    return errors.get("the kernel's module can't be parsed");
  auto function = module->lookupSymbol<func::FuncOp>(kernel);
  if (!function)
    return LocatedError{"the module has no function @" + kernel};
  if (failed(backend->check(function)))
    return errors.get("the backend refuses the kernel");
  auto plan = launchPlan(function);
  auto extracted = extractSearchSpace(*module);
  if (failed(plan) || failed(extracted))
    return errors.get("the kernel can't be understood");
  space = std::move(*extracted);
  const Target &target = backend->target();
  return CompilerDescription{
      target.triple,      target.chip,
      target.features,    backend->fingerprint() + ", worker " + ownIdentity(),
      compilerVersions(), backend->remark(),
      plan->signature()};
}

Result<Problem, LocatedError> Worker::reference(ReferenceCpu cpu) {
  FirstError errors(&context);
  auto problem = compileReference(
      *module, kernel, cpu == ReferenceCpu::any ? "generic" : "native");
  if (failed(problem))
    return errors.get("the reference does not compile");
  return std::move(*problem);
}

Compilation Worker::compile(const Json &values) {
  auto refuse = [](const std::string &why) {
    return Compilation{Status::compile_error, why, std::nullopt, 0};
  };
  auto configuration = space.configuration(values);
  if (!configuration)
    return refuse(configuration.error().message);
  FirstError errors(&context);
  if (failed(applyConfiguration(module->getOperation(), space, *configuration,
                                KnobMode::Resolve)))
    return refuse(errors.get("the configuration can't be applied").text());
  auto artifact = compileCandidate(*backend, *module, kernel);
  if (failed(artifact) && errors.isFromOutside())
    return {Status::lost, errors.get("").text(), std::nullopt, 0};
  if (failed(artifact))
    return refuse(errors.get("the compiler gave no reason").text());
  Compilation compilation;
  compilation.artifact.emplace(std::move(*artifact));
  return compilation;
}

/// How a child ends that may have no more memory; compilers don't exit by
/// themselves, least of all so.
static constexpr int outOfMemoryExit = 113;

/// Bounds the memory of this process, and lets it say so when there is no more.
static void limitMemory(uint64_t bytes) {
  std::set_new_handler([] { ::_exit(outOfMemoryExit); });
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { ::_exit(outOfMemoryExit); });
  // Not RLIMIT_DATA, which would leave out what is mapped.
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit;
  if (::getrlimit(RLIMIT_AS, &limit) != 0)
    return;
  uint64_t held = pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, held + bytes);
  ::setrlimit(RLIMIT_AS, &limit);
}

/// How a child without an answer ended, in words; `status` as of waitpid(2).
static Failure failureOf(int status, const CompileLimits &limits) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == outOfMemoryExit)
    return {Status::out_of_memory, "the compiler needs more than " +
                                       std::to_string(limits.bytes >> 20) +
                                       " MiB of memory"};
  // Nobody here has sent it, nor does a compiler send it to itself.
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    return {Status::out_of_memory,
            "the compiler was killed, perhaps for lack of memory"};
  std::string end = WIFSIGNALED(status)
                        ? std::string(::strsignal(WTERMSIG(status)))
                        : "exit status " + std::to_string(WEXITSTATUS(status));
  return {Status::compile_crash, "the compiler crashed: " + end};
}

/// Runs `work` in a forked child and returns the message it gave, or says by a
/// Failure how the child ended instead.
static Result<Json, Failure> inChild(const CompileLimits &limits,
                                     const std::function<Json()> &work) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Failure{Status::lost,
                   std::string("no socket pair: ") + std::strerror(errno)};
  pid_t worker = ::getpid();
  pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return Failure{Status::lost,
                   std::string("cannot fork: ") + std::strerror(errno)};
  }
  if (child == 0) {
    ::close(ends[0]);
    // Nobody is left to keep the time limit of a worker that is killed.
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != worker)
      ::_exit(1);
    limitMemory(limits.bytes);
    bool sent = writeFrame(ends[1], work()).ok();
    // Without destructors or exit handlers: they belong to the parent.
    ::_exit(sent ? 0 : 1);
  }
  ::close(ends[1]);
  auto message = readFrame(ends[0], inSeconds(limits.seconds));
  ::close(ends[0]);
  if (!message && message.error() == FrameFailure::timed_out)
    ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (message)
    return std::move(*message);
  if (message.error() == FrameFailure::timed_out)
    return Failure{Status::compile_timeout,
                   "did not compile within " +
                       std::to_string(static_cast<int>(limits.seconds)) + " s"};
  return failureOf(status, limits);
}

static Json compileInChild(Worker &worker, const Json &values) {
  worker.prepare();
  auto start = Clock::now();
  auto message =
      inChild(worker.limits, [&] { return Json(worker.compile(values)); });
  Json compiled =
      message ? *message
              : Json(Compilation{message.error().status,
                                 message.error().message, std::nullopt, 0});
  compiled["seconds"] =
      std::chrono::duration<double>(Clock::now() - start).count();
  return {{"compiled", std::move(compiled)}, {"values", values}};
}

static Json referenceInChild(Worker &worker, ReferenceCpu cpu) {
  auto message = inChild(worker.limits, [&]() -> Json {
    auto problem = worker.reference(cpu);
    if (!problem)
      return {{"error", problem.error()}};
    return {{"problem", *problem}};
  });
  if (message)
    return std::move(*message);
  return {{"error", LocatedError{"the reference: " + message.error().message}}};
}

static Json replyTo(Worker &worker, const Json &request) {
  if (auto open = request.find("open"); open != request.end()) {
    auto session = decode<CompilerSession>(*open);
    if (!session)
      return {{"error", LocatedError{session.error().message}}};
    auto opened = worker.open(*session);
    if (!opened)
      return {{"error", opened.error()}};
    return {{"opened", *opened}};
  }
  if (auto cpu = request.find("reference"); cpu != request.end())
    return referenceInChild(worker, *cpu == "any" ? ReferenceCpu::any
                                                  : ReferenceCpu::native);
  if (auto values = request.find("compile"); values != request.end())
    return compileInChild(worker, *values);
  return {{"error", LocatedError{"unknown request"}}};
}

int tonno::serveWorker(int channel, const DialectRegistry &registry,
                       const BackendFactory &backends,
                       const CompileLimits &limits) {
  Worker worker(registry, backends, limits);
  for (;;) {
    auto request = readFrame(channel);
    if (!request)
      return request.error() == FrameFailure::closed ? 0 : 1;
    if (!writeFrame(channel, replyTo(worker, *request)))
      return 1;
  }
}
