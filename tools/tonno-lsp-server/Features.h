//===- Hover, completion, actions and diagnostics -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function accepts incomplete texts, as documents are during typing.
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TOOLS_LSP_FEATURES_H
#define TONNO_TOOLS_LSP_FEATURES_H

#include "Document.h"

#include "llvm/Support/LSP/Protocol.h"
#include "mlir/IR/DialectRegistry.h"

#include <optional>
#include <vector>

namespace tonno {

/// Describes the knob, constraint, `tonno.tuned` or key of a lowering
/// configuration at a position.
std::optional<llvm::lsp::Hover>
findHover(const Document &document, llvm::lsp::Position position,
          const mlir::DialectRegistry &registry);

/// Completes the names of tonno's attributes, the keys of a lowering
/// configuration, the options of a knob after `=` and `default`, and the names
/// and words of a constraint. Upstream's server completes what the parser
/// expects.
std::vector<llvm::lsp::CompletionItem>
findCompletions(const Document &document, llvm::lsp::Position position,
                const mlir::DialectRegistry &registry);

/// Returns actions that select an option of the knob at a position, or none of
/// its options. They change all places where this knob is written.
std::vector<llvm::lsp::CodeAction>
findActions(const Document &document, const llvm::lsp::CodeActionParams &params,
            const mlir::DialectRegistry &registry);

/// Returns the diagnostics that the tools report before they compile or
/// measure: of the parser, the verifiers and the search spaces.
std::vector<llvm::lsp::Diagnostic>
findDiagnostics(const Document &document, const llvm::lsp::URIForFile &uri,
                const mlir::DialectRegistry &registry);

} // namespace tonno

#endif // TONNO_TOOLS_LSP_FEATURES_H
