//===- A tool's input -----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InputModule.h"

#include "tonno/Backend/Backend.h"
#include "tonno/Core/File.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Tuner/Plugins.h"

#include "llvm/Support/MemoryBuffer.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tonno;

static std::shared_ptr<llvm::SourceMgr>
ownBuffer(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return sources;
}

/// Adds a remedy to MLIR's errors of unknown dialects, which name an option
/// that these tools don't have, or none.
static LogicalResult addRemedy(Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  if (StringRef(text).contains("unregistered dialect") ||
      StringRef(text).contains("not found for custom op"))
    diagnostic.attachNote()
        << "only upstream dialects are registered; load the dialect by "
           "'--load-dialect-plugin=<file>', or convert the op to linalg first";
  return failure(); // others print it
}

InputModule::InputModule(std::unique_ptr<llvm::MemoryBuffer> buffer,
                         const DialectRegistry &registry, Reporter reporter)
    : sources(ownBuffer(std::move(buffer))), context(registry),
      diagnostics(reporter(*sources, context)) {
  // The line of the input says it; the operation's text may be long.
  context.printOpOnDiagnostic(false);
  // A file without a tonno attribute may still have knobs: a schedule's.
  context.loadDialect<TonnoDialect>();
  ScopedDiagnosticHandler remedy(&context, addRemedy);
  module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
}

Result<void> InputModule::registerAll(const TuneRequest &request,
                                      DialectRegistry &registry) {
  registerBackendDialects(registry);
  registerPipelinePasses();
  return loadPlugins(request.dialectPlugins, request.passPlugins, registry);
}

Result<std::unique_ptr<InputModule>>
InputModule::open(const std::string &path, const TuneRequest &request,
                  const Messages &messages) {
  DialectRegistry registry;
  TONNO_TRY(registerAll(request, registry));
  if (path == "-")
    messages.announceStandardInput("the module");
  auto bytes =
      TONNO_TRY(path == "-" ? readStandardInput() : readNamedFile(path));
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
      bytes, path == "-" ? "<stdin>" : path);
  return std::make_unique<InputModule>(
      std::move(buffer), registry,
      [&](llvm::SourceMgr &sources, MLIRContext &context) {
        return messages.reportDiagnostics(sources, context);
      });
}
