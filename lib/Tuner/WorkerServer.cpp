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
#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <csignal>
#include <cstring>
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

  LocatedError get(const char *otherwise) const {
    return error.message.empty() ? LocatedError{otherwise} : error;
  }

private:
  void take(Diagnostic &diagnostic) {
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
  ScopedDiagnosticHandler handler;
};

/// The warm state that candidates fork from.
class Worker {
public:
  Worker(const DialectRegistry &registry, const BackendFactory &backends,
         double limitSeconds)
      : limitSeconds(limitSeconds),
        context(registry, MLIRContext::Threading::DISABLED),
        backends(backends) {
    context.printOpOnDiagnostic(false);
  }

  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &session);
  Result<Problem, LocatedError> reference();
  Compilation compile(const Json &values);

  const double limitSeconds; ///< of a compilation

private:
  MLIRContext context;
  const BackendFactory &backends;
  OwningOpRef<ModuleOp> module;
  std::string kernel;
  SearchSpace space;
  std::unique_ptr<Backend> backend;
};

} // namespace

Result<CompilerDescription, LocatedError>
Worker::open(const CompilerSession &session) {
  FirstError errors(&context);
  auto made = backends(session.target, session.chip);
  if (!made)
    return LocatedError{made.error().message};
  backend = std::move(*made);
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
  auto extracted = extractSearchSpace(function);
  if (failed(plan) || failed(extracted))
    return errors.get("the kernel can't be understood");
  space = std::move(*extracted);
  const Target &target = backend->target();
  return CompilerDescription{target.triple,      target.chip,
                             target.features,    backend->fingerprint(),
                             compilerVersions(), std::move(*plan)};
}

Result<Problem, LocatedError> Worker::reference() {
  FirstError errors(&context);
  auto problem = compileReference(*module, kernel);
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
  auto function = module->lookupSymbol<func::FuncOp>(kernel);
  if (failed(applyConfiguration(function, space, *configuration,
                                KnobMode::Resolve)))
    return refuse(errors.get("the configuration can't be applied").text());
  auto artifact = compileCandidate(*backend, *module, kernel);
  if (failed(artifact))
    return refuse(errors.get("the compiler gave no reason").text());
  return {Status::ok, "", std::move(*artifact), 0};
}

/// Runs `work` in a forked child and returns the message it gave, or says by a
/// Failure how the child ended instead.
static Result<Json, Failure> inChild(double limitSeconds,
                                     const std::function<Json()> &work) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Failure{Status::lost,
                   std::string("no socket pair: ") + std::strerror(errno)};
  pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return Failure{Status::lost,
                   std::string("cannot fork: ") + std::strerror(errno)};
  }
  if (child == 0) {
    ::close(ends[0]);
    bool sent = writeFrame(ends[1], work()).ok();
    // Without destructors or exit handlers: they belong to the parent.
    ::_exit(sent ? 0 : 1);
  }
  ::close(ends[1]);
  auto message = readFrame(ends[0], inSeconds(limitSeconds));
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
                       std::to_string(static_cast<int>(limitSeconds)) + " s"};
  std::string end = WIFSIGNALED(status)
                        ? std::string(::strsignal(WTERMSIG(status)))
                        : "exit status " + std::to_string(WEXITSTATUS(status));
  return Failure{Status::compile_crash, "the compiler crashed: " + end};
}

static Json compileInChild(Worker &worker, const Json &values) {
  auto start = Clock::now();
  auto message = inChild(worker.limitSeconds,
                         [&] { return Json(worker.compile(values)); });
  Json compiled =
      message ? *message
              : Json(Compilation{message.error().status,
                                 message.error().message, std::nullopt, 0});
  compiled["seconds"] =
      std::chrono::duration<double>(Clock::now() - start).count();
  return {{"compiled", std::move(compiled)}};
}

static Json referenceInChild(Worker &worker) {
  auto message = inChild(worker.limitSeconds, [&]() -> Json {
    auto problem = worker.reference();
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
  if (request.contains("reference"))
    return referenceInChild(worker);
  if (auto values = request.find("compile"); values != request.end())
    return compileInChild(worker, *values);
  return {{"error", LocatedError{"unknown request"}}};
}

int tonno::serveWorker(int channel, const DialectRegistry &registry,
                       const BackendFactory &backends, double limitSeconds) {
  Worker worker(registry, backends, limitSeconds);
  for (;;) {
    auto request = readFrame(channel);
    if (!request)
      return request.error() == FrameFailure::closed ? 0 : 1;
    if (!writeFrame(channel, replyTo(worker, *request)))
      return 1;
  }
}
