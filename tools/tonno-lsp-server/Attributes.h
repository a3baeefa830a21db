//===- Attributes in the text of a module ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_LSP_ATTRIBUTES_H
#define TONNO_TOOLS_LSP_ATTRIBUTES_H

#include "Document.h"

#include "tonno/Dialect/TonnoAttrs.h"

#include "llvm/Support/SourceMgr.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <optional>

namespace tonno {

/// A knob, and the text that denotes it.
struct KnobText {
  llvm::StringRef name;
  DomainAttrInterface domain;
  mlir::Attribute selected;      ///< null if no option is selected
  mlir::Attribute defaultOption; ///< null if none is stated
  Span shown;     ///< `#tonno.knob<...>`, an alias, `transform.tune.knob<...>`
  Span selection; ///< between name and domain: ` = 64 `, or a space
  llvm::StringRef
      link; ///< follows an option in the selection, as in ` = 64 from `

  /// Returns the index of the knob's value.
  uint64_t getValueIndex() const;

  /// Returns true if both are the same variable. Their selected options may
  /// differ, which is an error.
  bool isSameVariable(const KnobText &other) const {
    return name == other.name && domain == other.domain &&
           defaultOption == other.defaultOption;
  }
};

/// A constraint, and the text that denotes it.
struct ConstraintText {
  ConstraintAttr constraint;
  Span shown;
};

/// Finds knobs and constraints in the text of a module, which may be invalid IR
/// elsewhere. MLIR's parser records no locations of attributes, so that they
/// are delimited by the brackets in the text.
class Attributes {
public:
  Attributes(llvm::StringRef text, const mlir::DialectRegistry &registry);

  /// Returns the knob around the offset, an attribute or an operation of a
  /// schedule, unless it is within another knob or constraint.
  std::optional<KnobText> findKnobAt(size_t offset);
  std::optional<ConstraintText> findConstraintAt(size_t offset);

  /// Returns all knobs, without uses of aliases: attributes in the order of the
  /// text, then operations.
  llvm::SmallVector<KnobText> findKnobs();

  /// Parses an attribute; returns null if the text is not valid.
  mlir::Attribute parse(llvm::StringRef attribute);

private:
  /// An attribute, and its text `#tonno.knob<...>`; where an alias is used, in
  /// its definition.
  struct Found {
    mlir::Attribute value;
    Span span;
    Span shown; ///< the same, or the alias
  };

  std::optional<Found> findAt(size_t offset);
  std::optional<Found> readAt(Span name);
  std::optional<Found> resolveAlias(Span alias);
  KnobText describe(const Found &knob) const;
  llvm::SmallVector<KnobText> findScheduleKnobs();
  const mlir::AsmParserState &parseAll();
  const mlir::AsmParserState::AttributeAliasDefinition *
  findAlias(llvm::StringRef name);
  std::string replaceAliases(llvm::StringRef attribute);

  llvm::StringRef text;
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler quiet;
  llvm::SourceMgr sources; ///< with the text, once it is parsed
  mlir::Block ops;
  std::unique_ptr<mlir::AsmParserState> state;
  bool isParsed = false; ///< true if the text has no error
};

/// Returns the name of the dictionary that the bracket opens, as in
/// `tonno.tuned = {`; empty if it opens something else.
Span findDictionaryName(llvm::StringRef text, size_t open);

} // namespace tonno

#endif // TONNO_TOOLS_LSP_ATTRIBUTES_H
