//===- Diagnostics of a text, as the tools report them --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Features.h"
#include "InputModule.h"

#include "tonno/Core/PrintableText.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Tuner/PrepareModule.h"

#include "llvm/Support/MemoryBuffer.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tonno;
namespace lsp = llvm::lsp;

namespace {

/// Converts diagnostics of one text.
class Converter {
public:
  Converter(const Document &document, const lsp::URIForFile &uri)
      : document(document), uri(uri) {}

  lsp::Diagnostic convert(mlir::Diagnostic &diagnostic) const;

private:
  /// Returns the word at a location, or the start of the text if the location
  /// is not in it.
  lsp::Range getRange(Location location) const;

  const Document &document;
  const lsp::URIForFile &uri;
};

} // namespace

lsp::Range Converter::getRange(Location location) const {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place || place.getFilename() != uri.file() || place.getLine() == 0)
    return {};
  StringRef text = document.text;
  size_t begin = document.getOffset(lsp::Position(place.getLine() - 1, 0));
  // MLIR's columns are bytes, from 1.
  size_t lineEnd = std::min(text.find('\n', begin), text.size());
  begin = std::min(begin + std::max(place.getColumn(), 1u) - 1, lineEnd);
  size_t end = findIdentifier(text, begin).end;
  return document.getRange({begin, std::max(end, begin + 1)});
}

lsp::Diagnostic Converter::convert(mlir::Diagnostic &diagnostic) const {
  lsp::Diagnostic converted;
  converted.source = "tonno";
  converted.message = toPrintable(diagnostic.str());
  converted.range = getRange(diagnostic.getLocation());
  switch (diagnostic.getSeverity()) {
  case mlir::DiagnosticSeverity::Error:
    converted.severity = lsp::DiagnosticSeverity::Error;
    break;
  case mlir::DiagnosticSeverity::Warning:
    converted.severity = lsp::DiagnosticSeverity::Warning;
    break;
  case mlir::DiagnosticSeverity::Remark:
  case mlir::DiagnosticSeverity::Note:
    converted.severity = lsp::DiagnosticSeverity::Information;
    break;
  }
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    if (!converted.relatedInformation)
      converted.relatedInformation.emplace();
    converted.relatedInformation->emplace_back(
        lsp::Location(uri, getRange(note.getLocation())),
        toPrintable(note.str()));
  }
  return converted;
}

/// Checks the search spaces of a module's kernels, as tuning does first. Skips
/// modules without knobs, which editors open, too.
static void checkSpaces(ModuleOp module) {
  if (findKernels(module).empty() ||
      failed(prepareModule(module, TunerOptions())))
    return;
  auto kernels = chooseKernels(module, /*name=*/"");
  if (failed(kernels))
    return;
  for (func::FuncOp kernel : *kernels) {
    OwningOpRef<ModuleOp> closure = extractClosure(kernel);
    (void)extractSpace(closure->getOperation(), SelectedKnobs::fixed);
  }
}

std::vector<lsp::Diagnostic>
tonno::findDiagnostics(const Document &document, const lsp::URIForFile &uri,
                       const DialectRegistry &registry) {
  std::vector<lsp::Diagnostic> diagnostics;
  const Converter converter(document, uri);
  for (Span part : document.getParts()) {
    // One newline for each line before the part preserves locations.
    StringRef text = document.text;
    std::string padded(text.take_front(part.begin).count('\n'), '\n');
    padded += text.slice(part.begin, part.end);
    InputModule input(llvm::MemoryBuffer::getMemBufferCopy(padded, uri.file()),
                      registry, [&](llvm::SourceMgr &, MLIRContext &context) {
                        return std::make_shared<ScopedDiagnosticHandler>(
                            &context, [&](mlir::Diagnostic &diagnostic) {
                              diagnostics.push_back(
                                  converter.convert(diagnostic));
                              return success();
                            });
                      });
    if (input.get())
      checkSpaces(input.get());
  }
  return diagnostics;
}
