//===- Descriptions of tonno's attributes ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Attributes.h"
#include "Features.h"

#include "tonno/Core/Duration.h"
#include "tonno/Core/PrintableText.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Space/Constraint.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tonno;
namespace lsp = llvm::lsp;

/// The number of options that a description lists.
static constexpr uint64_t mostListed = 16;

static std::string quoteCode(const llvm::Twine &text) {
  return ("`" + text + "`").str();
}

/// Returns the first options, as in `16`, `32`, `64`, and 5 more.
static std::string listOptions(DomainAttrInterface domain) {
  uint64_t n = domain.getNumOptions();
  auto options =
      llvm::map_range(llvm::seq(std::min(n, mostListed)), [&](uint64_t index) {
        return quoteCode(optionText(domain.getOption(index)));
      });
  std::string list = llvm::join(options, ", ");
  if (n > mostListed)
    list += llvm::formatv(", and {0} more", n - mostListed);
  return list;
}

static std::string describe(const KnobText &knob) {
  Attribute standard =
      knob.defaultOption ? knob.defaultOption : knob.domain.getOption(0);
  std::string text = llvm::formatv(
      "**knob** `{0}`: {1} options\n\n- options: {2}\n- default: `{3}`{4}\n",
      knob.name, knob.domain.getNumOptions(), listOptions(knob.domain),
      optionText(standard), knob.defaultOption ? "" : ", the first option");
  if (knob.selected)
    text += "- selected: " + quoteCode(optionText(knob.selected)) + "\n";
  else
    text += "- selected: none\n";
  return text;
}

/// Describes a constraint, with the knobs of the text that it names.
static std::string describe(ConstraintAttr constraint, Attributes &attributes) {
  std::string text = llvm::formatv("**constraint**\n\n```text\n{0}\n```\n\n",
                                   constraint.getText());
  // The attribute's verifier has parsed it.
  auto parsed = Constraint::parse(constraint.getText().str());
  SmallVector<KnobText> knobs = attributes.findKnobs();
  for (const std::string &name : parsed->getNames()) {
    const auto *found = llvm::find_if(
        knobs, [&](const KnobText &knob) { return knob.name == name; });
    text += "- " + quoteCode(name) + ": " +
            (found == knobs.end() ? "a dimension, or a choice of the schedule"
                                  : listOptions(found->domain)) +
            "\n";
  }
  return text;
}

static std::string formatNanoseconds(IntegerAttr nanoseconds) {
  return formatSeconds(nanoseconds.getValue().signedRoundToDouble() * 1e-9);
}

/// Describes a result of tuning. Leaves out entries that are missing or of
/// another kind.
static std::string describeTuned(DictionaryAttr tuned) {
  std::string text = "**tuned**\n\n";
  llvm::raw_string_ostream os(text);
  auto addText = [&](StringRef key, StringRef label) {
    if (auto value = tuned.getAs<StringAttr>(key))
      os << "- " << label << ": " << quoteCode(value.getValue()) << "\n";
  };
  auto addTime = [&](StringRef key, StringRef label) {
    if (auto value = tuned.getAs<IntegerAttr>(key))
      os << "- " << label << ": " << formatNanoseconds(value) << "\n";
  };
  auto addNumber = [&](StringRef key, StringRef label) {
    if (auto value = tuned.getAs<IntegerAttr>(key))
      os << "- " << label << ": " << value.getValue() << "\n";
  };
  addText("verdict", "verdict");
  if (auto speedup = tuned.getAs<ArrayAttr>("speedup");
      speedup && speedup.size() == 2 &&
      llvm::all_of(speedup, llvm::IsaPred<FloatAttr>)) {
    auto bound = [&](unsigned i) {
      return cast<FloatAttr>(speedup[i]).getValueAsDouble();
    };
    os << llvm::formatv("- speedup: {0:f3}x to {1:f3}x\n", bound(0), bound(1));
  }
  addTime("median_ns", "median");
  addTime("baseline_ns", "median of the default");
  addText("objective", "objective");
  addNumber("used", "used of it");
  addNumber("baseline_used", "used of it by the default");
  addText("device", "device");
  addText("chip", "chip");
  addNumber("trials", "trials");
  if (tuned.get("contended"))
    os << "- contended: other processes used the device\n";
  addText("versions", "versions");
  return text;
}

static std::string describe(const lowering_config::Key &key) {
  return llvm::formatv("**key** `{0}` of `tonno.lowering_config`\n\n{1}\n\n- "
                       "targets: {2}\n- on: "
                       "{3}\n",
                       key.name, key.meaning, key.targets, key.ops);
}

namespace {

struct Description {
  std::string text;
  Span span;
};

} // namespace

/// Describes the dictionary's entry, or the dictionary, around the offset.
static std::optional<Description>
describeDictionary(StringRef text, size_t offset, Attributes &attributes) {
  BracketReader reader(text, 0);
  reader.readTo(offset);
  if (reader.isInComment())
    return std::nullopt;
  Span word = findIdentifier(text, offset);
  auto isNamed = [&](Span name, StringRef wanted) {
    return text.slice(name.begin, name.end) == wanted;
  };
  auto readTuned = [&](Span name, size_t open) -> std::optional<Description> {
    auto end = findBracketEnd(text, open);
    if (!end)
      return std::nullopt;
    auto tuned = dyn_cast_if_present<DictionaryAttr>(
        attributes.parse(text.slice(open, *end)));
    if (!tuned)
      return std::nullopt;
    return Description{describeTuned(tuned), {name.begin, *end}};
  };
  if (isNamed(word, TonnoDialect::kTuned) && !reader.getString()) {
    size_t open = text.find_first_not_of("= \t\r\n", word.end);
    if (open != StringRef::npos && text[open] == '{')
      return readTuned(word, open);
  }
  for (const OpenBracket &bracket : llvm::reverse(reader.getOpenBrackets())) {
    Span name = findDictionaryName(text, bracket.offset);
    if (isNamed(name, TonnoDialect::kTuned))
      return readTuned(name, bracket.offset);
    if (!isNamed(name, TonnoDialect::kLoweringConfig))
      continue;
    // Only the key itself: a key's value has descriptions of its own.
    StringRef entry = text.slice(bracket.entry, word.begin);
    const auto *key =
        lowering_config::findKey(text.slice(word.begin, word.end));
    if (!key || !entry.trim().empty())
      return std::nullopt;
    return Description{describe(*key), word};
  }
  return std::nullopt;
}

std::optional<lsp::Hover> tonno::findHover(const Document &document,
                                           lsp::Position position,
                                           const DialectRegistry &registry) {
  size_t offset = document.getOffset(position);
  Span part = document.getPartAt(offset);
  StringRef text = StringRef(document.text).slice(part.begin, part.end);
  offset -= std::min(offset, part.begin);
  Attributes attributes(text, registry);
  std::optional<Description> description;
  if (auto knob = attributes.findKnobAt(offset))
    description = {describe(*knob), knob->shown};
  else if (auto found = attributes.findConstraintAt(offset))
    description = {describe(found->constraint, attributes), found->shown};
  else
    description = describeDictionary(text, offset, attributes);
  if (!description)
    return std::nullopt;
  Span span = description->span;
  lsp::Hover hover(
      document.getRange({part.begin + span.begin, part.begin + span.end}));
  // Strings of the IR may have any bytes.
  hover.contents.value = toPrintable(description->text);
  return hover;
}
