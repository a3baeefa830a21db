//===- Actions that select an option of a knob ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Attributes.h"
#include "Features.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tonno;
namespace lsp = llvm::lsp;

/// The number of options that are offered, nearest to the knob's value.
static constexpr uint64_t mostActions = 64;

static bool isKindWanted(const lsp::CodeActionContext &context) {
  return context.only.empty() ||
         llvm::is_contained(context.only, lsp::CodeAction::kRefactor);
}

std::vector<lsp::CodeAction>
tonno::findActions(const Document &document,
                   const lsp::CodeActionParams &params,
                   const DialectRegistry &registry) {
  std::vector<lsp::CodeAction> actions;
  if (!isKindWanted(params.context))
    return actions;
  size_t offset = document.getOffset(params.range.start);
  Span part = document.getPartAt(offset);
  StringRef text = StringRef(document.text).slice(part.begin, part.end);
  Attributes attributes(text, registry);
  auto knob = attributes.findKnobAt(offset - std::min(offset, part.begin));
  if (!knob)
    return actions;

  // Knobs with one name are one variable with one selected option.
  SmallVector<KnobText> same = llvm::filter_to_vector(
      attributes.findKnobs(),
      [&](const KnobText &other) { return other.isSameVariable(*knob); });
  auto add = [&](Attribute option) {
    lsp::CodeAction action;
    std::string what = option ? optionText(option) : "no option";
    action.title = ("Select " + what + " for knob " + knob->name).str();
    action.kind = lsp::CodeAction::kRefactor.str();
    lsp::WorkspaceEdit &edit = action.edit.emplace();
    for (const KnobText &place : same) {
      Span span{part.begin + place.selection.begin,
                part.begin + place.selection.end};
      std::string text = option ? (" = " + what + " " + place.link).str() : " ";
      edit.changes[params.textDocument.uri.uri().str()].push_back(
          {document.getRange(span), std::move(text)});
    }
    actions.push_back(std::move(action));
  };
  uint64_t n = knob->domain.getNumOptions();
  uint64_t value = knob->getValueIndex();
  uint64_t first =
      n <= mostActions
          ? 0
          : std::min(value - std::min(value, mostActions / 2), n - mostActions);
  for (uint64_t i = first, end = std::min(n, first + mostActions); i < end; ++i)
    if (Attribute option = knob->domain.getOption(i); option != knob->selected)
      add(option);
  if (knob->selected)
    add(Attribute());
  return actions;
}
