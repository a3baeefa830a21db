//===- Server side of the worker protocol ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WorkerServer.h"
#include "tonno/Backend/KernelAtSizes.h"
#include "tonno/Backend/Shipping.h"
#include "tonno/Core/Hash.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Process/Frame.h"
#include "tonno/Process/ProcessEnd.h"
#include "tonno/Process/Protocol.h"
#include "tonno/Session/CompilingChild.h"
#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/HostChip.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <unistd.h>

using namespace mlir;
using namespace tonno;

/// Makes LLVM's allocators end the process if memory runs out.
static void endWithoutMemory() {
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { ::_exit(outOfMemoryExit); });
}

namespace {

/// Captures the first error diagnostic, for the reply.
class FirstError {
public:
  explicit FirstError(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              error.message.empty())
            take(diagnostic);
          return success();
        }) {}

  /// Returns true if the error is independent of the compiled code.
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

} // namespace

/// Identifies this executable, which contains the passes and the backend,
/// tonno's or a downstream compiler's. Their code changes more often than any
/// version, so a rebuild must invalidate stored results. All of tonno's tools
/// compile by the same worker, and so share results.
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

/// Returns the chip that runs the reference: this machine's CPU or a generic
/// one; for kernels of another architecture, a CPU of that architecture.
static std::string referenceChip(const Backend &backend, ReferenceCpu cpu) {
  bool isAny = cpu == ReferenceCpu::any;
  const Target &target = backend.target();
  if (backend.name() != "host" || !isForeign(llvm::Triple(target.triple)))
    return isAny ? "generic" : "native";
  return target.triple + ":" + (isAny ? "generic" : target.chip);
}

namespace {

/// The warm state that compiling processes fork from.
class Worker {
public:
  Worker(const FrameChannel &channel, const DialectRegistry &registry,
         const BackendFactory &backends, const CompileLimits &limits)
      : channel(channel), limits(limits),
        compileLimit(limits.seconds, limits.leastSeconds),
        context(registry, MLIRContext::Threading::DISABLED), backends(backends),
        child(
            limits.bytes, channel,
            [this](const Json &values) { return Json(compileHere(values)); },
            endWithoutMemory, limits.aliveSeconds) {
    context.printOpOnDiagnostic(false);
    context.loadDialect<TonnoDialect>();
  }

  Json reply(const Json &request) {
    if (request.contains("hello"))
      return {{"hello", makeGreeting()}};
    if (auto wanted = request.find("open"); wanted != request.end()) {
      auto session = decode<CompilerSession>(*wanted);
      if (!session)
        return {{"error", LocatedError{session.error().message}}};
      auto opened = open(*session);
      if (!opened)
        return {{"error", opened.error()}};
      return {{"opened", *opened}};
    }
    if (auto cpu = request.find("reference"); cpu != request.end())
      return reference(*cpu == "any" ? ReferenceCpu::any
                                     : ReferenceCpu::native);
    if (auto values = request.find("compile"); values != request.end())
      return compile(*values);
    return {{"error", LocatedError{"unknown request"}}};
  }

private:
  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &session) {
    compileLimit.restart(session.compileSeconds);
    child.end();
    compiler.reset();
    atSizes.reset();
    FirstError errors(&context);
    auto made = backends({session.target, session.chip, session.isSimulated});
    if (!made)
      return LocatedError{made.error().message};
    backend = std::move(*made);
    kernel = session.kernel;
    module = parseSourceString<ModuleOp>(
        {reinterpret_cast<const char *>(session.module.data()),
         session.module.size()},
        ParserConfig(&context));
    if (!module)
      return errors.get("cannot parse the kernel's module");
    auto function = module->lookupSymbol<func::FuncOp>(kernel);
    if (!function)
      return LocatedError{"the module has no function @" + kernel};
    if (failed(backend->check(function)))
      return errors.get("the backend does not support the kernel");
    auto created = KernelAtSizes::create(*module, kernel, session.sizes);
    auto extracted = extractSearchSpace(*module);
    if (failed(created) || failed(extracted))
      return errors.get("cannot read the kernel's launch plan or search space");
    atSizes.emplace(std::move(*created));
    space = std::move(*extracted);
    const Target &target = backend->target();
    return CompilerDescription{
        target.triple,
        target.chip,
        target.features,
        backend->fingerprint() + ", worker " + ownIdentity(),
        compilerVersions(),
        backend->remark(),
        atSizes->signature(),
        atSizes->computeWork()};
  }

  Json reference(ReferenceCpu cpu) {
    CompilingChild once(
        limits.bytes, channel,
        [&](const Json &) -> Json {
          auto problem = referenceHere(cpu);
          if (!problem)
            return {{"error", problem.error()}};
          return {{"problem", *problem}};
        },
        endWithoutMemory);
    auto message = once.ask(nullptr, compileLimit.mostSeconds());
    if (message)
      return std::move(*message);
    std::string why = message.error().message;
    if (message.error().status == Status::compile_timeout)
      why += compileLimit.remedy();
    return {{"error", LocatedError{"the reference: " + why}}};
  }

  Json compile(const Json &values) {
    if (!compiler && backend)
      prepare();
    auto start = Clock::now();
    auto message = askChild(values);
    Json compiled = message ? *message : Json(refused(message.error()));
    double seconds =
        std::chrono::duration<double>(Clock::now() - start).count();
    compiled["seconds"] = seconds;
    bool isCompiled = compiled["status"] == Status::ok;
    if (isCompiled)
      compileLimit.add(seconds);
    // A failed compilation may have left state behind: do not reuse its
    // process.
    if (!isCompiled || child.answered() >= limits.candidatesPerProcess)
      child.end();
    return {{"compiled", std::move(compiled)}, {"values", values}};
  }

  void prepare() {
    compiler = std::make_unique<CandidateCompiler>(*backend, context, kernel);
    auto warm = [&](const Json &) {
      return Json(succeeded(warmUp(*compiler, *backend, context, kernel)));
    };
    // A custom compiler may crash on the warm-up kernel: try in a child first.
    constexpr double patience = 10;
    CompilingChild trial(limits.bytes, channel, warm, endWithoutMemory);
    if (auto survived = trial.ask(nullptr, patience);
        survived && *survived == true)
      warm(nullptr);
  }

  Result<Json, Failure> askChild(const Json &values) {
    bool isFresh = child.answered() == 0;
    auto message = child.ask(values, compileLimit.seconds());
    // A reused process may fail for reasons of earlier candidates: retry in a
    // fresh one.
    bool isTried = message ||
                   message.error().status == Status::compile_timeout ||
                   (isFresh && message.error().status != Status::lost);
    return isTried ? message : child.ask(values, compileLimit.seconds());
  }

  Compilation refused(const Failure &failure) const {
    bool isTimeout = failure.status == Status::compile_timeout;
    return {failure.status,
            failure.message + (isTimeout ? compileLimit.explanation() : ""),
            std::nullopt, 0};
  }

  // Compiles the reference in this process, which is a child of the worker.
  Result<Problem, LocatedError> referenceHere(ReferenceCpu cpu) {
    FirstError errors(&context);
    auto problem = atSizes->compileReference(referenceChip(*backend, cpu));
    if (failed(problem))
      return errors.get("the reference does not compile");
    problem->mayTruncateSums =
        backend->mayTruncateSums(module->lookupSymbol<func::FuncOp>(kernel));
    return std::move(*problem);
  }

  Compilation compileHere(const Json &values) {
    auto refuse = [](const std::string &why) {
      return Compilation{Status::compile_error, why, std::nullopt, 0};
    };
    auto configuration = space.configuration(values);
    if (!configuration)
      return refuse(configuration.error().message);
    FirstError errors(&context);
    OwningOpRef<ModuleOp> candidate = module->clone();
    if (failed(applyConfiguration(candidate->getOperation(), space,
                                  *configuration, KnobMode::Resolve)))
      return refuse(errors.get("cannot apply the configuration").text());
    auto artifact = compiler->compile(*candidate);
    if (succeeded(artifact) && failed(atSizes->fixSizes(*artifact)))
      artifact = failure();
    if (failed(artifact) && errors.isFromOutside())
      return {Status::lost, errors.get("").text(), std::nullopt, 0};
    if (failed(artifact))
      return refuse(errors.get("the compiler gave no reason").text());
    Compilation compilation;
    compilation.artifact.emplace(std::move(*artifact));
    return compilation;
  }

  const FrameChannel channel; ///< to who asks
  const CompileLimits limits;
  CompileLimit compileLimit; ///< of the opened kernel's candidates
  MLIRContext context;
  const BackendFactory &backends;
  OwningOpRef<ModuleOp> module;
  std::string kernel;
  std::optional<KernelAtSizes> atSizes;
  SearchSpace space;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<CandidateCompiler> compiler; ///< made for the first candidate
  CompilingChild child;
};

} // namespace

int tonno::serveWorker(const FrameChannel &channel,
                       const DialectRegistry &registry,
                       const BackendFactory &backends,
                       const CompileLimits &limits) {
  Worker worker(channel, registry, backends, limits);
  return answerFrames(channel.input, channel.output, [&](const Json &request) {
    return worker.reply(request);
  });
}
