//===- Completion within tonno's attributes -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Attributes.h"
#include "Features.h"

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Space/Constraint.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tonno;
namespace lsp = llvm::lsp;

/// The number of options of a knob that are offered, from the first.
static constexpr uint64_t mostOptions = 256;

namespace {

struct AttributeName {
  StringRef name;
  StringRef meaning;
};

/// Completes at one position of a text.
class Completer {
public:
  Completer(StringRef text, size_t offset, const DialectRegistry &registry)
      : text(text), offset(offset), registry(registry), reader(text, 0) {
    reader.readTo(offset);
    word = findIdentifier(text.take_front(offset), offset);
  }

  std::vector<lsp::CompletionItem> complete();

  /// Returns the text that an item replaces.
  Span getReplaced() const { return word; }

private:
  void completeConstraint(size_t quote);
  void completeOption(const OpenBracket &knob);
  void completeKey(const OpenBracket &config);
  void completeAttributeName(const OpenBracket &dictionary);
  void add(const llvm::Twine &label, lsp::CompletionItemKind kind,
           StringRef detail);

  /// Returns the name before a bracket, as in `#tonno.knob<`.
  StringRef getNameBefore(size_t open) const {
    Span name = findIdentifier(text.take_front(open), open);
    return text.slice(name.begin, name.end);
  }

  /// Returns the text of the bracket's entry before the word to complete.
  StringRef getEntry(const OpenBracket &bracket) const {
    return bracket.entry < word.begin
               ? text.slice(bracket.entry, word.begin).trim()
               : StringRef();
  }

  StringRef text;
  size_t offset;
  const DialectRegistry &registry;
  BracketReader reader;
  Span word; ///< which the items replace
  std::vector<lsp::CompletionItem> items;
};

} // namespace

/// The attributes that users write, as in the dialect's table.
static constexpr AttributeName attributeNames[] = {
    {TonnoDialect::kLoweringConfig, "on an operation: tile sizes by level"},
    {TonnoDialect::kKnobs,
     "on an operation: knobs for attributes that must be plain"},
    {TonnoDialect::kConstraints,
     "on a kernel, an operation in it, or its schedule"},
    {TonnoDialect::kSchedule, "on a function: the sequence that lowers it"},
    {TonnoDialect::kPipeline, "on a function: the passes that lower it"},
    {TonnoDialect::kReference, "on a function: one that computes the same"},
    {TonnoDialect::kFpContract, "on a function: \"fast\""},
    {TonnoDialect::kShapes,
     "on a function: the sizes of dynamic dimensions that it is tuned for"},
    {TonnoDialect::kTuned, "on a function: what tuning found"},
    {TonnoDialect::kVariants,
     "on a function: the functions that it calls for ranges of sizes"},
    {TonnoDialect::kDims, "on an argument: a name for each axis"},
    {TonnoDialect::kInput, "on an argument: what it holds while it is tuned"},
    {TonnoDialect::kAccess, "on an argument: read, write or read_write"},
    {TonnoDialect::kAlignment, "on an argument: bytes"},
};

void Completer::add(const llvm::Twine &label, lsp::CompletionItemKind kind,
                    StringRef detail) {
  lsp::CompletionItem item(label, kind);
  item.detail = detail.str();
  items.push_back(std::move(item));
}

/// Completes names of knobs and dimensions, and words, in the constraint whose
/// text begins with the quote.
void Completer::completeConstraint(size_t quote) {
  // Names are in backquotes, or have no `-`, which subtracts.
  StringRef before = text.slice(quote, offset);
  if (before.count('`') % 2 == 1)
    word.begin = quote + before.rfind('`');
  else
    word.begin += text.slice(word.begin, word.end).find_last_of("#$.-") + 1;
  Attributes attributes(text, registry);
  llvm::SmallDenseSet<StringRef> seen;
  for (const KnobText &knob : attributes.findKnobs())
    if (seen.insert(knob.name).second)
      add(quoteKnobName(knob.name.str()), lsp::CompletionItemKind::Variable,
          printOptions(knob.domain));
  for (std::string_view word : getConstraintWords())
    add(word, lsp::CompletionItemKind::Keyword, "");
}

/// Completes `#tonno.knob<"BM" = ` and `#tonno.knob<"BM" from [...] default `.
/// The selected option precedes the domain, which is read from the text after
/// the word.
void Completer::completeOption(const OpenBracket &knob) {
  StringRef before = text.slice(knob.offset + 1, word.begin).rtrim();
  StringRef start;
  StringRef domain;
  if (before.consume_back("default")) {
    start = before;
  } else if (before.consume_back("=")) {
    auto end = findBracketEnd(text, knob.offset);
    StringRef after = text.slice(offset, end.value_or(offset));
    size_t from = after.find("from");
    if (from == StringRef::npos)
      return;
    start = before;
    domain = after.substr(from).drop_back();
  } else {
    return;
  }
  Attributes attributes(text, registry);
  auto known = dyn_cast_if_present<KnobAttr>(
      attributes.parse(("#tonno.knob<" + start + " " + domain + ">").str()));
  if (!known)
    return;
  uint64_t n = std::min(known.getNumOptions(), mostOptions);
  for (uint64_t i = 0; i < n; ++i)
    add(optionText(known.getOption(i)), lsp::CompletionItemKind::Value,
        i == known.getDefaultIndex() ? "default" : "");
}

void Completer::completeKey(const OpenBracket &config) {
  if (!getEntry(config).empty())
    return;
  for (const lowering_config::Key &key : lowering_config::kKeys)
    add(key.name, lsp::CompletionItemKind::Property, key.meaning);
}

void Completer::completeAttributeName(const OpenBracket &dictionary) {
  StringRef written = text.slice(word.begin, word.end);
  if (written.empty() || !getEntry(dictionary).empty())
    return;
  for (const AttributeName &attribute : attributeNames)
    if (attribute.name.starts_with(written))
      add(attribute.name, lsp::CompletionItemKind::Property, attribute.meaning);
}

std::vector<lsp::CompletionItem> Completer::complete() {
  if (reader.getOpenBrackets().empty())
    return {};
  const OpenBracket &bracket = reader.getOpenBrackets().back();
  bool isAngle = text[bracket.offset] == '<';
  StringRef name = getNameBefore(bracket.offset);
  if (auto quote = reader.getString()) {
    if (isAngle && name == "#tonno.constraint")
      completeConstraint(*quote);
    // An option that is a string: its quote belongs to it.
    if (isAngle && name == "#tonno.knob") {
      word.begin = *quote;
      completeOption(bracket);
    }
    return std::move(items);
  }
  if (isAngle && name == "#tonno.knob")
    completeOption(bracket);
  Span dictionary = findDictionaryName(text, bracket.offset);
  if (text.slice(dictionary.begin, dictionary.end) ==
      TonnoDialect::kLoweringConfig)
    completeKey(bracket);
  else if (text[bracket.offset] == '{')
    completeAttributeName(bracket);
  return std::move(items);
}

std::vector<lsp::CompletionItem>
tonno::findCompletions(const Document &document, lsp::Position position,
                       const DialectRegistry &registry) {
  size_t offset = document.getOffset(position);
  Span part = document.getPartAt(offset);
  StringRef text = StringRef(document.text).slice(part.begin, part.end);
  Completer completer(text, offset - std::min(offset, part.begin), registry);
  std::vector<lsp::CompletionItem> items = completer.complete();
  // Clients differ in what they take for the word before the cursor.
  Span word = completer.getReplaced();
  lsp::Range range =
      document.getRange({part.begin + word.begin, part.begin + word.end});
  for (lsp::CompletionItem &item : items)
    item.textEdit = lsp::TextEdit{range, item.label};
  return items;
}
