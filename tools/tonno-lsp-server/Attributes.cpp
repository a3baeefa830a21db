//===- Attributes in the text of a module ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Attributes.h"

#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Block.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tonno;

Attributes::Attributes(StringRef text, const DialectRegistry &registry)
    : text(text), context(registry, MLIRContext::Threading::DISABLED),
      // findDiagnostics reports errors in the text.
      quiet(&context, [](Diagnostic &) { return success(); }) {
  context.allowUnregisteredDialects();
}

Attribute Attributes::parse(StringRef attribute) {
  return parseAttribute(replaceAliases(attribute), &context);
}

/// Parses the text. After an error, the state has what precedes it.
const AsmParserState &Attributes::parseAll() {
  if (state)
    return *state;
  state = std::make_unique<AsmParserState>();
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text),
                             SMLoc());
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  // The parser drops the operations of a text with an error.
  if (failed(parseAsmSourceFile(sources, &ops, config, state.get())))
    ops.clear();
  else
    isParsed = true;
  return *state;
}

/// Returns the definition of the alias, without `#` in the name; null if it is
/// not defined.
const AsmParserState::AttributeAliasDefinition *
Attributes::findAlias(StringRef name) {
  return parseAll().getAttributeAliasDef(name);
}

/// Replaces aliases, as in `[#map, #map1]`, by the attributes they stand for.
std::string Attributes::replaceAliases(StringRef attribute) {
  std::string replaced;
  BracketReader reader(attribute, 0);
  while (!reader.isAtEnd()) {
    size_t begin = reader.offset();
    if (attribute[begin] == '#' && !reader.getString()) {
      Span name = findIdentifier(attribute, begin + 1);
      StringRef alias = attribute.slice(begin + 1, name.end);
      if (const auto *found = alias.contains('.') ? nullptr : findAlias(alias);
          found && found->value) {
        llvm::raw_string_ostream(replaced) << found->value;
        reader.readTo(name.end);
        continue;
      }
    }
    reader.advance();
    replaced += attribute.slice(begin, reader.offset());
  }
  return replaced;
}

/// Reads the knob or constraint whose text begins with the name.
std::optional<Attributes::Found> Attributes::readAt(Span name) {
  if (!text.slice(name.begin, name.end).starts_with("#tonno.") ||
      !text.substr(name.end).starts_with("<"))
    return std::nullopt;
  auto end = findBracketEnd(text, name.end);
  if (!end)
    return std::nullopt;
  Attribute value = parse(text.slice(name.begin, *end));
  if (!isa_and_present<KnobAttr, ConstraintAttr>(value))
    return std::nullopt;
  Span span{name.begin, *end};
  return Found{value, span, span};
}

/// Finds the text in the definition `#alias = #tonno.knob<...>`.
std::optional<Attributes::Found> Attributes::resolveAlias(Span alias) {
  const auto *found = findAlias(text.slice(alias.begin + 1, alias.end));
  if (!found || !isa_and_present<KnobAttr, ConstraintAttr>(found->value))
    return std::nullopt;
  const char *start =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferStart();
  size_t definition = found->definition.loc.End.getPointer() - start;
  size_t at = text.find_first_not_of("= \t\r\n", definition);
  if (at == StringRef::npos)
    return std::nullopt;
  Span name = findIdentifier(text, at);
  auto defined = readAt(name);
  // An alias of an alias, which must be defined before.
  if (!defined && name.begin + 1 < name.end && definition < alias.begin)
    defined = resolveAlias(name);
  if (defined)
    defined->shown = alias;
  return defined;
}

std::optional<Attributes::Found> Attributes::findAt(size_t offset) {
  BracketReader reader(text, 0);
  reader.readTo(offset);
  if (reader.isInComment())
    return std::nullopt;
  if (!reader.getString()) {
    Span name = findIdentifier(text, offset);
    StringRef written = text.slice(name.begin, name.end);
    if (written.starts_with("#")) {
      auto found = written.contains('.') ? readAt(name) : resolveAlias(name);
      if (found)
        return found;
    }
  }
  for (const OpenBracket &bracket : llvm::reverse(reader.getOpenBrackets()))
    if (text[bracket.offset] == '<')
      if (auto found = readAt(findIdentifier(text, bracket.offset)))
        return found;
  return std::nullopt;
}

/// Returns the part of `<"BM" = 64 from [...]>`, which begins with the bracket,
/// between the name and the word before the domain: these are `depth` brackets
/// deep.
static Span findSelection(StringRef text, size_t open, size_t depth,
                          StringRef end) {
  BracketReader reader(text, open);
  auto isAtEndWord = [&] {
    Span word = findIdentifier(text, reader.offset());
    return reader.getOpenBrackets().size() == depth && !reader.getString() &&
           !reader.isInComment() && word.begin == reader.offset() &&
           text.slice(word.begin, word.end) == end;
  };
  while (!reader.isAtEnd() && !reader.getString())
    reader.advance();
  while (!reader.isAtEnd() &&
         (reader.getString() || reader.getOpenBrackets().size() != depth))
    reader.advance();
  Span selection{reader.offset(), reader.offset()};
  while (!reader.isAtEnd() && !isAtEndWord())
    reader.advance();
  selection.end = reader.offset();
  return selection;
}

uint64_t KnobText::getValueIndex() const {
  Attribute value = selected ? selected : defaultOption;
  return value ? *domain.getOptionIndex(value) : 0;
}

KnobText Attributes::describe(const Found &found) const {
  auto knob = cast<KnobAttr>(found.value);
  size_t open = text.find('<', found.span.begin);
  return {knob.getName(),
          knob.getDomain(),
          knob.getSelected(),
          knob.getDefaultOption(),
          found.shown,
          findSelection(text, open, /*depth=*/1, "from"),
          ""};
}

/// Finds `transform.tune.knob<"BM"> options = [...]`, with `= 64 from` before
/// `options` if one is selected. Finds nothing in a text with an error: the
/// parser drops its operations.
SmallVector<KnobText> Attributes::findScheduleKnobs() {
  SmallVector<KnobText> knobs;
  if (!text.contains("transform.tune.knob<"))
    return knobs;
  const AsmParserState &parsed = parseAll();
  if (!isParsed)
    return knobs;
  const char *start =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferStart();
  for (const AsmParserState::OperationDefinition &definition :
       parsed.getOpDefs()) {
    Span name{static_cast<size_t>(definition.loc.Start.getPointer() - start),
              static_cast<size_t>(definition.loc.End.getPointer() - start)};
    if (text.slice(name.begin, name.end) != "transform.tune.knob" ||
        !text.substr(name.end).starts_with("<"))
      continue;
    Span selection = findSelection(text, name.end, /*depth=*/0, "options");
    Span shown{name.begin, selection.end};
    // Fails for options that can't be listed; the knob is left out.
    (void)walkKnobSites(definition.op, [&](const KnobSite &site) {
      if (site.kind == KnobSite::Kind::tune_knob)
        knobs.push_back({site.name, site.domain,
                         site.selected ? site.domain.getOption(*site.selected)
                                       : Attribute(),
                         site.statedDefault
                             ? site.domain.getOption(*site.statedDefault)
                             : Attribute(),
                         shown, selection, "from "});
      return success();
    });
  }
  return knobs;
}

std::optional<KnobText> Attributes::findKnobAt(size_t offset) {
  if (auto found = findAt(offset))
    return isa<KnobAttr>(found->value) ? std::optional(describe(*found))
                                       : std::nullopt;
  for (const KnobText &knob : findScheduleKnobs())
    if (knob.shown.begin <= offset && offset <= knob.shown.end)
      return knob;
  return std::nullopt;
}

std::optional<ConstraintText> Attributes::findConstraintAt(size_t offset) {
  auto found = findAt(offset);
  if (!found || !isa<ConstraintAttr>(found->value))
    return std::nullopt;
  return ConstraintText{cast<ConstraintAttr>(found->value), found->shown};
}

SmallVector<KnobText> Attributes::findKnobs() {
  SmallVector<KnobText> knobs;
  BracketReader reader(text, 0);
  while (!reader.isAtEnd()) {
    size_t at = reader.offset();
    if (text[at] == '#' && !reader.getString() && !reader.isInComment()) {
      auto found = readAt(findIdentifier(text, at + 1));
      if (found && isa<KnobAttr>(found->value))
        knobs.push_back(describe(*found));
    }
    reader.advance();
  }
  llvm::append_range(knobs, findScheduleKnobs());
  return knobs;
}

Span tonno::findDictionaryName(StringRef text, size_t open) {
  StringRef before = text.take_front(open).rtrim();
  if (text[open] != '{' || !before.consume_back("="))
    return {};
  return findIdentifier(text, before.rtrim().size());
}
